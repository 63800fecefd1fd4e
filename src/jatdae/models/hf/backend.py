"""The `hf` backend: causal language models of the transformers library, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.base import Capabilities, ModelIdentity, ModelReference, Sent
from jatdae.models.hf import loading
from jatdae.models.hf.compat import Forward, mask_plan, window_of
from jatdae.models.hf.encoding import EncodedPrompt, EncodedScore, Encoder
from jatdae.models.hf.generation import Generator, Job
from jatdae.models.hf.planning import Ids, Work, token_ids
from jatdae.models.hf.scoring import Reading, Scorer
from jatdae.models.options import ModelOptions
from jatdae.types import Answer, Generate, OptionScore, Request, Scores

Batch = list[tuple[int, Answer | RequestFailed]]
Progress = Callable[[str], None]

DEFAULT = ModelOptions()
CPU_BATCH_TOKENS = 1024
GPU_BATCH_TOKENS = 4096
GENERATION_FACTOR = 8
"""A decoding step computes one token a row, so a batch may hold this many times the tokens of a scoring pass."""


def _silent(_: str) -> None:
    pass


class HfBackend:
    """Answers requests with one model. The tokenizer is loaded at once, the weights at the first answer.

    `notes` are facts about the run that a reader should know; `computed_tokens` counts tokens that went through the
    model for scoring.
    """

    def __init__(
        self,
        *,
        identity: ModelIdentity,
        tokenizer: Any,
        config: Any,
        make_model: Callable[[], Any],
        options: ModelOptions,
        progress: Progress | None = None,
    ) -> None:
        self.identity, self.tokenizer, self.config, self.options = identity, tokenizer, config, options
        self.encoder = Encoder(tokenizer, window_of(config, tokenizer), options.truncate)
        self.notes: list[str] = []
        self._make_model, self._progress = make_model, progress or _silent
        self._model: Any = None
        self._runner: tuple[Scorer, Generator] | None = None

    @classmethod
    def load(
        cls, reference: ModelReference, options: ModelOptions = DEFAULT, progress: Progress | None = None
    ) -> HfBackend:
        """Find the model and load its tokenizer. Raises ModelError, one line, for what cannot be loaded."""
        tell = progress or _silent
        source = loading.find_source(reference)
        tell("config")
        config = loading.load_config(source, options)
        tell("tokenizer")
        tokenizer = loading.load_tokenizer(source, options)
        tell("fingerprint")
        identity = loading.identify(reference, source, config, tokenizer, options)

        def make_model() -> Any:
            tell("weights")
            return loading.load_model(source, config, options)

        return cls(
            identity=identity, tokenizer=tokenizer, config=config, make_model=make_model, options=options, progress=tell
        )

    @classmethod
    def from_parts(
        cls, model: Any, tokenizer: Any, *, name: str = "in-memory", options: ModelOptions = DEFAULT
    ) -> HfBackend:
        """A backend for a model that is already in memory, as it is: its device and dtype stay."""
        facts = {"name": name, "weights": loading.weights_hash(model), "dtype": str(model.dtype).removeprefix("torch.")}
        identity = ModelIdentity(f"hf:{name}", {**facts, **loading.shared_facts(tokenizer, options)})
        return cls(
            identity=identity,
            tokenizer=tokenizer,
            config=model.config,
            make_model=lambda: model.eval(),
            options=options,
        )

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(log_likelihoods=True, chat=bool(self.tokenizer.chat_template))

    @property
    def model(self) -> Any:
        """The weights, loaded when first asked for."""
        if self._model is None:
            self._model = self._make_model()
        return self._model

    @property
    def settings(self) -> dict[str, str]:
        """How the model is run. What the weights decide is known once they are loaded."""
        told = {"backend": "hf", "dtype": self.identity.facts.get("dtype", ""), "truncate": self.options.truncate}
        if self._runner is not None:
            scorer = self._runner[0]
            told |= {
                "device": str(scorer.forward.device),
                "batch_tokens": str(scorer.budget),
                "path": scorer.path or "",
            }
        return told

    @property
    def computed_tokens(self) -> int:
        return self._runner[0].computed_tokens if self._runner else 0

    def preview(self, request: Request) -> list[Sent]:
        """Text and ids that would be sent: one entry an option, or the prompt. Raises RequestFailed if too long."""
        encoded = self.encoder.encode([request])[0]
        if isinstance(encoded, RequestFailed):
            raise encoded
        texts, sequences = self.encoder.texts(request), encoded.sequences()
        return [Sent(text, tuple(ids)) for text, ids in zip(texts, sequences, strict=True)]

    def random_like(self, seed: int) -> HfBackend:
        """A tiny untrained Llama with the same tokenizer and window."""
        from jatdae.models.hf.floor import random_like

        return random_like(self, seed)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Yield (index, answer) batch by batch; all requests are encoded and checked before the first forward pass."""
        encoded = self.encoder.encode(requests)
        failed: Batch = [(i, item) for i, item in enumerate(encoded) if isinstance(item, RequestFailed)]
        if failed:
            yield failed
        scores = [(i, item) for i, item in enumerate(encoded) if isinstance(item, EncodedScore)]
        prompts = [(i, item) for i, item in enumerate(encoded) if isinstance(item, EncodedPrompt)]
        self._note_merges(item for _, item in scores)
        if scores:
            yield from self._answer_scores(scores)
        if prompts:
            yield from self._answer_prompts(prompts, requests)

    def _answer_scores(self, scores: Sequence[tuple[int, EncodedScore]]) -> Iterator[Batch]:
        scorer, _ = self._ready()
        works, asked = _works([item for _, item in scores])
        users: list[set[int]] = [set() for _ in works]
        for k, options in enumerate(asked):
            for option in options:
                users[option.work].add(k)
        waiting = [len({option.work for option in options}) for options in asked]
        readings: dict[int, Reading | RequestFailed] = {}
        for outcomes in scorer.read(works):
            readings.update(outcomes)
            done: list[int] = []
            for work, _ in outcomes:
                for k in users[work]:
                    waiting[k] -= 1
                    if waiting[k] == 0:
                        done.append(k)
            if done:
                yield [(scores[k][0], _scores(scores[k][1], asked[k], readings)) for k in done]

    def _answer_prompts(
        self, prompts: Sequence[tuple[int, EncodedPrompt]], requests: Sequence[Request]
    ) -> Iterator[Batch]:
        _, generator = self._ready()
        jobs: list[Job] = []
        for index, prompt in prompts:
            request = requests[index]
            if isinstance(request, Generate):
                jobs.append(Job(prompt, request.sampling, request.repeat))
        for outcomes in generator.run(jobs):
            yield [(prompts[k][0], completion) for k, completion in outcomes]

    def _ready(self) -> tuple[Scorer, Generator]:
        """Load the weights and try them, the first time."""
        if self._runner is None:
            self._runner = self._start(self.model)
        return self._runner

    def _start(self, model: Any) -> tuple[Scorer, Generator]:
        import torch

        if self.options.threads:
            torch.set_num_threads(self.options.threads)
        self._progress("first pass")
        forward = Forward(model)
        default = CPU_BATCH_TOKENS if forward.device.type == "cpu" else GPU_BATCH_TOKENS
        budget = self.options.batch_tokens or default
        vocabulary = _vocabulary(model)
        masks = mask_plan(model.config)
        scorer = Scorer(forward, masks, vocabulary=vocabulary, budget=budget, note=self.note)
        generator = Generator(
            forward,
            self.tokenizer,
            end_tokens=_end_tokens(model, self.tokenizer),
            budget=budget * GENERATION_FACTOR,
            batched=scorer.checked_path() == "packed",
            shares=masks is not None and masks.window is None,
            note=self.note,
        )
        self._progress("ready")
        return scorer, generator

    def note(self, text: str) -> None:
        """Keep a fact for the reader, once."""
        if text not in self.notes:
            self.notes.append(text)

    def _note_merges(self, encoded: Iterator[EncodedScore]) -> None:
        merged = sum(item.merged for item in encoded)
        if merged:
            self.note(
                f"in {merged} requests a token covers the end of the prompt and the start of an option; "
                "all options of such a request are scored from the last token boundary that they share with the prompt"
            )


@dataclass(frozen=True, slots=True)
class _Asked:
    """Where an option's tokens are read: which work, and which of its pairs."""

    work: int
    pairs: tuple[int, ...]


def _works(encoded: Sequence[EncodedScore]) -> tuple[list[Work], list[list[_Asked]]]:
    """Distinct inputs with all that is read from each. Options of one token share their context's input."""
    number: dict[bytes, int] = {}
    inputs: list[Ids] = []
    pairs_of: list[dict[tuple[int, int], int]] = []
    asked: list[list[_Asked]] = []
    for item in encoded:
        first, options = len(item.context) - 1, []
        for option in item.options:
            fed = np.concatenate((item.context, token_ids(option[:-1]))) if len(option) > 1 else item.context
            work = number.setdefault(fed.tobytes(), len(number))
            if work == len(inputs):
                inputs.append(fed)
                pairs_of.append({})
            pairs = pairs_of[work]
            wanted = enumerate(option, start=first)
            options.append(_Asked(work, tuple(pairs.setdefault(pair, len(pairs)) for pair in wanted)))
        asked.append(options)
    return [Work(fed, tuple(pairs)) for fed, pairs in zip(inputs, pairs_of, strict=True)], asked


def _scores(
    encoded: EncodedScore, asked: Sequence[_Asked], readings: dict[int, Reading | RequestFailed]
) -> Scores | RequestFailed:
    options: list[OptionScore] = []
    for option in asked:
        reading = readings[option.work]
        if isinstance(reading, RequestFailed):
            return reading
        where = list(option.pairs)
        total = float(reading.log_probabilities[where].sum())
        if not np.isfinite(total):
            return RequestFailed(f"the model gave {total} as a log-likelihood; try --dtype float32", kind="not-finite")
        options.append(OptionScore(total, len(where), bool(reading.greedy[where].all())))
    return Scores(tuple(options), prompt_tokens=len(encoded.context), cut_tokens=encoded.cut)


def _vocabulary(model: Any) -> int:
    embeddings = model.get_input_embeddings()
    if embeddings is None:
        raise ModelError("this model has no input embeddings, so it cannot be asked about tokens")
    return int(embeddings.weight.shape[0])


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that ends a text: what the checkpoint's settings, the config and the tokenizer say."""
    said = [getattr(model, "generation_config", None), model.config]
    values = [getattr(settings, "eos_token_id", None) for settings in said] + [tokenizer.eos_token_id]
    lists = [value if isinstance(value, list) else [value] for value in values if value is not None]
    return frozenset(token for ids in lists for token in ids)
