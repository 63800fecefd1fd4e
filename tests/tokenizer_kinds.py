"""Small tokenizers of every kind that users bring, trained on the spot on the bundled sentences."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import sentencepiece
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertGenerationTokenizer, PreTrainedTokenizer, PreTrainedTokenizerFast
from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.records import TaggedSentence
from jatdae.benchmarks.sources import Source
from jatdae.finetune.encoder import Encoder
from jatdae.models.base import parse_reference
from jatdae.models.options import ModelOptions

BERT = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
ROBERTA = {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"}
LATIN = ["hello world it's café 2021 (NASA) e-mail", "THE Istanbul naïve 12km! 3.5%"]


@cache
def sentences() -> tuple[TaggedSentence, ...]:
    """The bundled training sentences of NER."""
    return tuple(read_task("ner", locate(Source.of("mini"), "ner", "train")))


def texts() -> list[str]:
    return [*(record.text for record in sentences()), *LATIN]


def fast(core: Tokenizer, special: Mapping[str, str], *, without_unknown: bool = False) -> PreTrainedTokenizerFast:
    """A core with `[CLS] text [SEP]` around its output, as transformers uses it."""
    names = {f"{name}_token": token for name, token in special.items() if not (without_unknown and name == "unk")}
    core.add_special_tokens([token for name, token in special.items() if f"{name}_token" in names])
    ends = [(special[name], core.get_vocab()[special[name]]) for name in ("sep", "cls")]
    after = [core.post_processor] if core.post_processor else []
    core.post_processor = processors.Sequence([*after, processors.BertProcessing(*ends)])
    return PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=512, **names)


def wordpiece(
    vocabulary: Sequence[str], *, lowercase: bool = False, pre_tokenizer: Any = None, longest: int = 100
) -> PreTrainedTokenizerFast:
    """BERT's, over the given tokens."""
    tokens = {token: number for number, token in enumerate([*BERT.values(), *vocabulary])}
    core = Tokenizer(models.WordPiece(tokens, unk_token=BERT["unk"], max_input_chars_per_word=longest))
    core.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=lowercase)
    core.pre_tokenizer = pre_tokenizer or pre_tokenizers.BertPreTokenizer()
    return fast(core, BERT)


def trained_wordpiece(corpus: Sequence[str], *, lowercase: bool = False) -> PreTrainedTokenizerFast:
    core = Tokenizer(models.WordPiece(unk_token=BERT["unk"]))  # type: ignore[call-arg]
    core.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=lowercase)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=[*BERT.values()], show_progress=False)
    core.train_from_iterator(corpus, trainer)
    return fast(core, BERT)


def morphemes() -> PreTrainedTokenizerFast:
    """WordPiece whose vocabulary comes from text that was cut into morphemes first, here at frequent particles."""
    particles = ["에서", "은", "는", "이", "가", "을", "를", "의", "에", "했다", "다"]
    stems = sorted(
        {
            word.removesuffix(particle)
            for text in texts()
            for word in text.split()
            for particle in particles
            if word.endswith(particle) and word != particle
        }
    )
    return wordpiece([*stems, *particles, *(f"##{particle}" for particle in particles), *".,!?()"])


def byte_level(*, prefix: bool) -> PreTrainedTokenizerFast:
    """GPT-2's alphabet of bytes; with `prefix` as RoBERTa, and with offsets that count the blank put before a word."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    core.post_processor = processors.ByteLevel(trim_offsets=not prefix)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[*ROBERTA.values()], initial_alphabet=alphabet, show_progress=False
    )
    core.train_from_iterator(texts(), trainer)
    return fast(core, ROBERTA)


def metaspace(*, unknown: bool = True, fallback: bool = False) -> PreTrainedTokenizerFast:
    """BPE over characters with `▁`: what is unknown is a token, or bytes, or left out."""
    token = ROBERTA["unk"] if unknown else None
    core = Tokenizer(models.BPE(unk_token=token, byte_fallback=fallback, fuse_unk=False))
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    special = [*ROBERTA.values(), *(f"<0x{byte:02X}>" for byte in range(256) if fallback)]
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=special, show_progress=False)
    core.train_from_iterator(texts()[:20], trainer)
    return fast(core, ROBERTA, without_unknown=not unknown)


def unigram(normalizer: Any) -> PreTrainedTokenizerFast:
    """As of XLM-R."""
    core = Tokenizer(models.Unigram())
    core.normalizer = normalizer
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    special = [*ROBERTA.values()]
    trainer = trainers.UnigramTrainer(
        vocab_size=500, special_tokens=special, unk_token=ROBERTA["unk"], show_progress=False
    )
    core.train_from_iterator(texts(), trainer)
    return fast(core, ROBERTA)


def slow_wordpiece(vocabulary: Sequence[str], *, lowercase: bool) -> BertTokenizerLegacy:
    """The original in Python, which gives no offsets."""
    path = Path(mkdtemp()) / "vocab.txt"
    path.write_text("\n".join([*BERT.values(), *vocabulary]), encoding="utf-8")
    return BertTokenizerLegacy(str(path), do_lower_case=lowercase, model_max_length=512)


def slow_sentencepiece(folder: Path, **options: Any) -> BertGenerationTokenizer:
    """SentencePiece itself, with its own normaliser, through Python."""
    folder.mkdir(parents=True, exist_ok=True)
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts()),
        model_writer=written,
        vocab_size=700,
        hard_vocab_limit=False,
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
        minloglevel=2,
        num_threads=1,
        **options,
    )
    path = folder / "spiece.model"
    path.write_bytes(written.getvalue())
    return BertGenerationTokenizer(str(path), cls_token="<s>", sep_token="</s>", model_max_length=512)


class Suffixed(PreTrainedTokenizer):
    """In Python, lower-casing: two characters a token, each but a word's last with `@@` after it."""

    def __init__(self, entries: Mapping[str, int], **options: Any) -> None:
        self.entries = dict(entries)
        super().__init__(**options)

    @property
    def vocab_size(self) -> int:
        return len(self.entries)

    def get_vocab(self) -> dict[str, int]:
        return dict(self.entries)

    def _tokenize(self, text: str, **kwargs: Any) -> list[str]:
        text = "".join(text.lower().split())
        pieces = [text[place : place + 2] for place in range(0, len(text), 2)]
        marked = [*(f"{piece}@@" for piece in pieces[:-1]), *pieces[-1:]]
        return [piece if piece in self.entries else str(self.unk_token) for piece in marked]

    def _convert_token_to_id(self, token: str) -> int:
        return self.entries.get(token, self.entries[str(self.unk_token)])

    def _convert_id_to_token(self, index: int) -> str:
        return next(token for token, number in self.entries.items() if number == index)

    def build_inputs_with_special_tokens(self, token_ids_0: list[int], token_ids_1: Any = None) -> list[int]:
        return [self.entries["<s>"], *token_ids_0, self.entries["</s>"]]


def suffixed() -> Suffixed:
    words = {word.lower() for text in texts() for word in text.split()}
    pairs = {word[place : place + 2] for word in words for place in range(0, len(word), 2)}
    tokens = [*ROBERTA.values(), *sorted(pairs | {f"{pair}@@" for pair in pairs})]
    names = {f"{name}_token": token for name, token in ROBERTA.items()}
    return Suffixed({token: number for number, token in enumerate(tokens)}, model_max_length=512, **names)


def some_wordpieces() -> list[str]:
    """A vocabulary that knows many words, some syllables, and not all characters."""
    return [token for token in trained_wordpiece(texts()).get_vocab() if token not in BERT.values()]


KINDS: Mapping[str, Callable[[], Any]] = {
    "WordPiece": lambda: trained_wordpiece(texts()),
    "WordPiece, lower-casing, without accents": lambda: trained_wordpiece(texts(), lowercase=True),
    "WordPiece of morphemes": morphemes,
    "WordPiece in Python": lambda: slow_wordpiece(some_wordpieces(), lowercase=False),
    "WordPiece in Python, lower-casing": lambda: slow_wordpiece(some_wordpieces(), lowercase=True),
    "byte-level BPE": lambda: byte_level(prefix=False),
    "byte-level BPE with a blank before": lambda: byte_level(prefix=True),
    "BPE with ▁": metaspace,
    "BPE with ▁ and bytes": lambda: metaspace(fallback=True),
    "BPE with ▁ that leaves out": lambda: metaspace(unknown=False),
    "Unigram, NFKC": lambda: unigram(normalizers.NFKC()),
    "Unigram, NFD": lambda: unigram(normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()])),
    "SentencePiece in Python": lambda: slow_sentencepiece(Path(mkdtemp())),
    "SentencePiece in Python, with bytes": lambda: slow_sentencepiece(Path(mkdtemp()), byte_fallback=True),
    "pairs with @@ in Python": suffixed,
}
"""Name to what makes such a tokenizer."""
every_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def tokenizer_of(kind: str) -> Any:
    return KINDS[kind]()


def saved_encoder(folder: Path, model: Any, tokenizer: Any) -> Encoder:
    """An encoder with random weights, through its files; `model` is one of transformers' models."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Encoder.open(parse_reference(str(folder)), ModelOptions())


def random_model(build: Callable[[], Any], seed: int = 7) -> Any:
    """A model whose weights depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()
