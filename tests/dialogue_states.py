"""Tiny encoders of several kinds for tests of the dialogue tracker, with weights large enough to decide something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizer_kinds import ROBERTA, fast, random_model, saved_encoder
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import BertConfig, BertModel, ElectraConfig, ElectraModel, RobertaConfig, RobertaForMaskedLM

from jatdae.benchmarks.klue.labels import SLOTS
from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.benchmarks.klue.records import Dialogue, Turn
from jatdae.benchmarks.sources import Source
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipes.tracking import TrackingRecipe
from jatdae.finetune.tiny import build_tiny_encoder

LITERALS = ("none", "dontcare", "yes", "no")


def mini(split: str = "train") -> list[Dialogue]:
    """The bundled dialogues."""
    return read_task("wos", locate(Source.of("mini"), "wos", split))


def dialogue(*turns: tuple[str, str] | tuple[str, str, Sequence[tuple[str, str]]], guid: str = "wos-0") -> Dialogue:
    """A dialogue of (role, text) and, for the user, a state."""
    return Dialogue(guid, ("관광",), tuple(Turn(role, text, tuple(*state)) for role, text, *state in turns))


def corpus(records: Iterable[Dialogue]) -> list[str]:
    """All that a tracker reads or spells: utterances, values, slots' names."""
    values = [value for record in records for turn in record.user_turns for _, value in turn.state]
    return [
        *(text for record in records for text in record.texts),
        *values,
        *(slot.replace("-", " ") for slot in SLOTS),
        *LITERALS,
    ]


def recipe_on(encoder: Encoder, **settings: Any) -> TrackingRecipe:
    """The recipe with the published settings but for those given."""
    return TrackingRecipe(encoder, replace(PUBLISHED["wos"], **settings))


def sized(model: Any) -> Any:
    """The model with larger weights, since BERT's start of 0.02 is meant for some hundred dimensions."""
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            weight.data *= 50 if "embeddings" in name else 5
    return model


def bert(folder: Path, texts: Sequence[str], *, hidden: int = 32, vocabulary: int = 1_000) -> Encoder:
    """A BERT with a pooler, WordPiece and no dropout."""
    build_tiny_encoder(folder, texts, vocabulary=vocabulary, hidden=hidden, layers=1)
    config = BertConfig.from_pretrained(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return saved_encoder(folder, sized(BertModel.from_pretrained(folder, config=config)), _tokenizer(folder))


def narrow_electra(folder: Path, texts: Sequence[str]) -> Encoder:
    """An ELECTRA: without a pooler, and with embeddings of half the hidden size."""
    build_tiny_encoder(folder, texts, vocabulary=600, hidden=32, layers=1)
    sizes: Any = {"hidden_size": 32, "embedding_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    size = len(_tokenizer(folder)) + 8  # some checkpoints have more embeddings than tokens
    sizes |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    config = ElectraConfig(vocab_size=size, intermediate_size=64, **sizes)
    return saved_encoder(folder, sized(random_model(lambda: ElectraModel(config))), _tokenizer(folder))


def byte_level_roberta(folder: Path, texts: Sequence[str]) -> Encoder:
    """A RoBERTa as pre-training leaves it, without a pooler and segments, with byte-level BPE."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    _train(core, texts, trainers.BpeTrainer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    return _roberta(folder, fast(core, ROBERTA))


def unigram_roberta(folder: Path, texts: Sequence[str]) -> Encoder:
    """The same with pieces as SentencePiece makes them, as of XLM-R."""
    core = Tokenizer(models.Unigram())
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    core.decoder = decoders.Metaspace()
    _train(core, texts, trainers.UnigramTrainer, unk_token=ROBERTA["unk"])
    return _roberta(folder, fast(core, ROBERTA))


KINDS = {
    "BERT": bert,
    "narrow ELECTRA": narrow_electra,
    "byte-level RoBERTa": byte_level_roberta,
    "Unigram RoBERTa": unigram_roberta,
}


def _train(core: Tokenizer, texts: Sequence[str], trainer: Any, **choices: Any) -> None:
    special = list(ROBERTA.values())
    core.train_from_iterator(texts, trainer(vocab_size=900, special_tokens=special, show_progress=False, **choices))


def _roberta(folder: Path, tokenizer: Any) -> Encoder:
    sizes: Any = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        max_position_embeddings=514,
        type_vocab_size=1,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        **sizes,
    )
    return saved_encoder(folder, sized(random_model(lambda: RobertaForMaskedLM(config))), tokenizer)


def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)
