"""A pretrained encoder that is not loaded yet: its config, its tokenizer, and how its input is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.errors import ModelError
from jatdae.models.base import ModelReference
from jatdae.models.hf.checkpoint import content_hash
from jatdae.models.hf.encoders import load_encoder, load_encoder_config
from jatdae.models.hf.identity import code_hash, tokenizer_hash
from jatdae.models.hf.loading import Source, find_source, load_tokenizer
from jatdae.models.options import ModelOptions

SEGMENTED = frozenset({"bert", "electra"})
"""Model types that are given segment numbers; all others run without, whatever their tokenizer emits."""
OFFSET_POSITIONS = frozenset(
    {
        *("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm", "mpnet", "xmod"),
        *("data2vec-text", "longformer", "luke", "ibert", "nystromformer"),
    }
)
"""Model types whose positions start after the padding number, so that fewer are usable than the config names."""


UNBOUNDED = 1_000_000


@dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder by its parts. `tokenizer` may be extended by a recipe before `load`."""

    source: Source
    options: ModelOptions
    config: Any
    tokenizer: Any

    @classmethod
    def open(cls, reference: ModelReference, options: ModelOptions) -> Encoder:
        """Config and tokenizer of a folder or hub name. Raises ModelError for what cannot be fine-tuned."""
        source = find_source(reference)
        if source.adapter or (source.local and source.local.gguf):
            raise ModelError(f"{reference}: GGUF files and adapters cannot be fine-tuned; give an encoder's folder")
        encoder = cls(source, options, load_encoder_config(source, options), load_tokenizer(source, options))
        encoder._check()
        encoder.tokenizer.truncation_side = "right"
        if getattr(encoder.config, "pad_token_id", None) is None:
            encoder.config.pad_token_id = encoder.tokenizer.pad_token_id
        return encoder

    @property
    def name(self) -> str:
        """What a message calls it."""
        return self.source.shown

    def _check(self) -> None:
        if self.tokenizer.pad_token_id is None:
            raise ModelError(f"{self.name}: the tokenizer has no padding token, which batches of several rows need")
        if self.config.model_type == "xlnet":
            raise ModelError(f"{self.name}: XLNet is padded on the left and read from its end, which no recipe does")
        padding = getattr(self.config, "pad_token_id", None)
        counted = self.config.model_type in OFFSET_POSITIONS
        if padding != self.tokenizer.pad_token_id and (counted or padding is not None):
            raise ModelError(
                f"{self.name}: config.json has pad_token_id {padding} and the tokenizer {self.tokenizer.pad_token_id}; "
                "both must agree; mend the one that is wrong"
            )
        if len(self.tokenizer) > self.config.vocab_size:
            raise ModelError(
                f"{self.name}: the tokenizer has {len(self.tokenizer)} tokens and the model {self.config.vocab_size}; "
                "they do not belong together"
            )

    @property
    def hidden_size(self) -> int:
        """Width of the hidden states."""
        return int(self.config.hidden_size)

    @property
    def max_length(self) -> int:
        """Tokens that the model can read at once, special ones included."""
        positions = getattr(self.config, "max_position_embeddings", None) or UNBOUNDED
        if self.config.model_type in OFFSET_POSITIONS:
            positions -= int(self.config.pad_token_id) + 1
        stated = getattr(self.tokenizer, "model_max_length", None) or UNBOUNDED
        return int(min(positions, stated))

    @property
    def uses_segments(self) -> bool:
        """Whether `token_type_ids` belong to the input: official for BERT and ELECTRA with two types or more."""
        types = getattr(self.config, "type_vocab_size", 2)
        return self.config.model_type in SEGMENTED and types >= 2

    def encode(self, texts: Sequence[tuple[str, ...]], max_length: int) -> list[dict[str, list[int]]]:
        """Texts or pairs of texts as `input_ids` (and `token_type_ids`), special tokens included, not padded.

        What is too long is cut at the right, the longer text of a pair first.
        """
        columns = list(zip(*texts, strict=True))
        encoded = self.tokenizer(
            *(list(column) for column in columns),
            truncation="longest_first",
            max_length=max_length,
            return_attention_mask=False,
            return_token_type_ids=self.uses_segments,
        )
        if self.tokenizer.is_fast:
            # a fast tokenizer keeps how it was last called, and would save it
            self.tokenizer.backend_tokenizer.no_truncation()
        names = [name for name in ("input_ids", "token_type_ids") if name in encoded]
        return [{name: list(encoded[name][row]) for name in names} for row in range(len(texts))]

    def load(self, auto_class: Any, *, whole: bool = False, **overrides: Any) -> Any:
        """Weights in float32 under a class such as `AutoModelForTokenClassification`, on the CPU.

        `overrides` are laid over the config. A new head comes from torch's random state, or with `whole` is an error.
        The embedding grows to the tokenizer. Raises ModelError.
        """
        model = load_encoder(self.source, self.config, self.options, auto_class, whole=whole, **overrides)
        if len(self.tokenizer) > model.get_input_embeddings().num_embeddings:
            model.resize_token_embeddings(len(self.tokenizer), mean_resizing=False)
        return model

    def identity_facts(self) -> dict[str, str]:
        """What decides the encoder's own part of a prediction. Raises ModelError where weights cannot be identified."""
        commit = getattr(self.config, "_commit_hash", None)
        if self.source.local is None and not commit:
            raise ModelError(f"{self.name}: the hub gave no commit hash, so the weights cannot be identified")
        return {
            "name": "local" if self.source.local else self.source.name,
            "weights": content_hash(self.source.local) if self.source.local else f"commit {commit}",
            "tokenizer": tokenizer_hash(self.tokenizer),
            "trust_remote_code": str(self.options.trust_remote_code).lower(),
            "code": code_hash(self.source, self.config, self.tokenizer, self.options),
        }

    def facts(self) -> Mapping[str, str]:
        """What a reader of a result wants to know of the encoder."""
        return {"model type": str(self.config.model_type), "tokenizer": type(self.tokenizer).__name__}
