"""Encoders for tests of reading comprehension: tiny folders with tokenizers of several kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, PreTrainedModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel

from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipes.reading import ReadingRecipe
from jatdae.finetune.tiny import SPECIAL, build_tiny_encoder
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions

TINY: Any = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 64}


def reading_recipe(folder: Path, **settings: Any) -> ReadingRecipe:
    """The recipe on the encoder of a folder, with the published settings but for those given."""
    encoder = Encoder.open(parse_reference(str(folder)), ModelOptions())
    return ReadingRecipe(encoder, replace(PUBLISHED["mrc"], **settings))


def character_encoder(folder: Path, texts: Iterable[str], *, hidden: int = 32) -> Path:
    """A BERT whose WordPieces are single characters: a vocabulary too small for anything else."""
    return build_tiny_encoder(folder, texts, vocabulary=1, hidden=hidden, layers=1)


def toy_encoder(folder: Path, tokens: Sequence[str]) -> Path:
    """A BERT with exactly these WordPieces."""
    core = Tokenizer(models.WordPiece({token: number for number, token in enumerate((*SPECIAL, *tokens))}))
    core.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return _saved(folder, core, SPECIAL, BertModel(BertConfig(vocab_size=100, **TINY)))


def byte_level_encoder(folder: Path, texts: Iterable[str]) -> Path:
    """A RoBERTa with byte-level BPE, most characters being several tokens."""
    special = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=270, special_tokens=list(special), initial_alphabet=alphabet)
    core.train_from_iterator(texts, trainer)
    core.post_processor = processors.RobertaProcessing(("</s>", 3), ("<s>", 2), add_prefix_space=False)
    config = RobertaConfig(vocab_size=300, pad_token_id=0, max_position_embeddings=600, **TINY)
    return _saved(folder, core, special, RobertaModel(config))


def templated(pair: str, special: Sequence[str]) -> PreTrainedTokenizerFast:
    """A tokenizer that puts a pair together by a template, and knows Latin letters only."""
    vocabulary = {token: place for place, token in enumerate((*special, "<unk>", "a"))}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    core.post_processor = processors.TemplateProcessing(
        single="$A", pair=pair, special_tokens=[(token, place) for place, token in enumerate(special)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=core, unk_token="<unk>", cls_token="<cls>")


def _saved(folder: Path, core: Tokenizer, special: Sequence[str], model: PreTrainedModel) -> Path:
    padding, unknown, first, last, mask = special
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=padding,
        unk_token=unknown,
        cls_token=first,
        sep_token=last,
        mask_token=mask,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
