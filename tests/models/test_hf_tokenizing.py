"""Encoding a text by its end gives the ids of encoding it whole, with every kind of vocabulary."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("transformers")

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiny_model import FRAMES, SENTENCES, build_tokenizer
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from jatdae.models.hf.encoding import EncodedPrompt, EncodedScore, Encoder
from jatdae.models.hf.tokenizing import Text, TextEncoder, head_of
from jatdae.types import Generate, Sampling, Score

SPECIAL = ["<unk>", "<s>", "</s>"]
MERGING = ["정답：\n", "답: 가\n\n가나", "답:\n\n나", "가나가나\n가나", "：  A", "\n\n\n봄\n", "가 \n 나", "1. 봄\n2."]
CORPUS = [*SENTENCES, *FRAMES, *MERGING * 20, *("\n".join(SENTENCES[k : k + 3]) for k in range(0, 300, 3))]
LINES = [*SENTENCES, "\n", *(line for frame in FRAMES for line in frame.split("\n"))]
DIGITS_LINES_WORDS = r"\s*[\r\n]+|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+(?!\S)|\s+"


def finish(core: Tokenizer, trainer: Any, template: str = "<s> $A", corpus: Sequence[str] = CORPUS) -> Any:
    core.train_from_iterator(corpus, trainer)
    ids = [(token, core.token_to_id(token)) for token in SPECIAL]
    core.post_processor = processors.TemplateProcessing(single=template, special_tokens=ids)
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def bpe(pre_tokenizer: Any = None, normalizer: Any = None, *, corpus: Sequence[str] = CORPUS) -> Any:
    """A BPE vocabulary of characters; without a pre-tokenizer its tokens span words and lines."""
    core = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    core.pre_tokenizer, core.normalizer = pre_tokenizer, normalizer
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=SPECIAL, show_progress=False, max_token_length=9)
    return finish(core, trainer, corpus=corpus)


def byte_bpe(pre_tokenizer: Any, *, whole_words: bool = False) -> Any:
    core = Tokenizer(models.BPE(ignore_merges=whole_words))
    core.pre_tokenizer = pre_tokenizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    return finish(core, trainer)


def lines_and_words() -> Any:
    split = pre_tokenizers.Split(Regex(DIGITS_LINES_WORDS), "isolated")
    by_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return byte_bpe(pre_tokenizers.Sequence([split, by_bytes]), whole_words=True)


def unigram() -> Any:
    core = Tokenizer(models.Unigram())
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    return finish(
        core,
        trainers.UnigramTrainer(vocab_size=500, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False),
        "$A </s>",
    )


def wordpiece() -> Any:
    core = Tokenizer(models.WordPiece(unk_token="<unk>"))
    core.normalizer, core.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    return finish(
        core, trainers.WordPieceTrainer(vocab_size=700, special_tokens=SPECIAL, show_progress=False), "<s> $A </s>"
    )


def with_long_token() -> Any:
    tokenizer = build_tokenizer(bos=True)
    tokenizer.add_tokens([AddedToken("：\n정답은 가나다라： A", normalized=False), AddedToken(": A", normalized=False)])
    return tokenizer


PREPENDED = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
KINDS: dict[str, Callable[[], Any]] = {
    "bytes": lambda: build_tokenizer(bos=False),
    "bytes with start": lambda: build_tokenizer(bos=True),
    "bytes with prefix space": lambda: byte_bpe(pre_tokenizers.ByteLevel(add_prefix_space=True)),
    "bytes by lines and words": lines_and_words,
    "tokens of several lines": with_long_token,
    "whole text": lambda: bpe(),
    "whole text, prepended": lambda: bpe(normalizer=PREPENDED),
    "pieces, prefix space first": lambda: bpe(pre_tokenizers.Metaspace(prepend_scheme="first", split=False)),
    "pieces, prefix space always": lambda: bpe(pre_tokenizers.Metaspace(prepend_scheme="always", split=True)),
    "pieces, no prefix space": lambda: bpe(pre_tokenizers.Metaspace(prepend_scheme="never", split=False)),
    "lines, prepended": lambda: bpe(normalizer=PREPENDED, corpus=LINES),
    "lines, prefix space first": lambda: bpe(
        pre_tokenizers.Metaspace(prepend_scheme="first", split=False), corpus=LINES
    ),
    "unigram": unigram,
    "wordpiece": wordpiece,
}
THRIFTY = [kind for kind in KINDS if kind != "unigram" and not kind.startswith(("whole", "pieces"))]
"""Those whose tokens end where a line ends, as real ones do."""
MADE: dict[str, TextEncoder] = {}


def encoder(kind: str) -> TextEncoder:
    if kind not in MADE:
        MADE[kind] = TextEncoder(KINDS[kind]())
    return MADE[kind]


BITS = [
    "정답：",
    "정답은 가나다라",
    "： A",
    "답:",
    "가나",
    "나",
    "가",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "１２3",
    "1234567",
    ".",
]
ODD = [": ", ".", "A", "</s>", "<s>", "ㅎㅎ", "\u1112\u1161\u11ab", "漢字", "🙂", "\u3000", "\r\n"]
PIECES = st.sampled_from([*SENTENCES[:40], *FRAMES, *MERGING, *BITS, *ODD])
TEXTS = st.lists(PIECES, max_size=12).map("".join)
SMALL = st.text("가나답 \n:1", max_size=40)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, deadline=None)
@given(base=TEXTS | SMALL, ends=st.lists(TEXTS | SMALL, min_size=1, max_size=4), special=st.booleans())
@example(base="문제：\n정답은 가나다라", ends=["： A", "： B"], special=False)
@example(base="할머니는 시장에서\n1. 봄 2. 여름\n정답：  ", ends=["A", " A", "\n\n"], special=True)
def test_no_id_changes(kind: str, base: str, ends: list[str], special: bool) -> None:
    texts = encoder(kind)
    longer: dict[Text, Text] = {(base + end, special): (base, special) for end in ends}
    assert texts.extend(texts.encode([(base, special)]), longer) == texts.encode(longer)


@pytest.mark.parametrize("seed", range(100))
def test_no_id_changes_with_a_vocabulary_that_no_one_would_train(seed: int) -> None:
    """Tokens of random text, over lines and words alike; pieces of a line are taken however short they are."""
    draw = random.Random(seed)
    letters = draw.choice(["가나\n", "가나다\n a", "ab\n"])

    def text(longest: int) -> str:
        return "".join(draw.choices(letters, k=draw.randrange(1, longest)))

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = draw.choice([None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False)])
    trainer = trainers.BpeTrainer(
        vocab_size=draw.choice([10, 20, 60]), initial_alphabet=[*letters, "a", "봄", "▁"], show_progress=False
    )
    core.train_from_iterator([text(60) for _ in range(40)], trainer)
    texts = TextEncoder(PreTrainedTokenizerFast(tokenizer_object=core), least_piece=1)
    for _ in range(20):
        base = (text(25), False)
        longer = {(base[0] + text(12), False): base for _ in range(4)}
        assert texts.extend(texts.encode([base]), longer) == texts.encode(longer)


class Counting:
    """A real tokenizer that counts the characters it is given, by whichever way."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer, self.backend_tokenizer, self.characters = tokenizer, self, 0
        self.core = tokenizer.backend_tokenizer

    def __call__(self, texts: list[str], **options: Any) -> Any:
        self.characters += sum(map(len, texts))
        return self.tokenizer(texts, **options)

    def encode_batch_fast(self, texts: list[str], **options: Any) -> Any:
        self.characters += sum(map(len, texts))
        return self.core.encode_batch_fast(texts, **options)

    @property
    def model(self) -> Any:
        return self.core.model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tokenizer, name)


def asked(head: str, count: int) -> list[Score]:
    draw = random.Random(count)
    return [
        Score(head + "\n".join(draw.sample(SENTENCES, 5)) + "\n정답：" + " " * (k % 2), (" A", " B", "C", "\nD"))
        for k in range(count)
    ]


@pytest.mark.parametrize("kind", THRIFTY)
def test_examples_and_questions_are_encoded_once(kind: str) -> None:
    """Given 20 questions after the same examples, the tokenizer reads about each question and the examples once."""
    tokenizer = Counting(KINDS[kind]())
    texts, head = Encoder(tokenizer, 10**6), "\n".join(SENTENCES[k] for k in range(0, 390, 10)) + "\n\n"
    requests = asked(head, 20)
    tokenizer.characters = 0
    encoded = texts.encode(requests)
    questions = sum(len(request.context) - len(head) for request in requests)
    assert tokenizer.characters < len(head) + 3 * questions < 0.1 * sum(5 * len(r.context) for r in requests)
    whole = TextEncoder(tokenizer.tokenizer)
    for request, answer in zip(requests, encoded, strict=True):
        assert isinstance(answer, EncodedScore) and isinstance(request.context, str)
        wanted = [(request.context + option, True) for option in request.options]
        assert answer.sequences() == [whole.encode([text])[text] for text in wanted]


def test_the_head_of_a_text_ends_with_its_last_blank_line() -> None:
    assert head_of("예: 봄\n\n예: 여름\n\n질문: 가을\n답:\n\n") == "예: 봄\n\n예: 여름\n\n"
    assert head_of("질문: 가을\n답:") == head_of("\n\n") == head_of("") == ""


@pytest.mark.parametrize(("kind", "end"), [("wordpiece", ["</s>"]), ("unigram", ["</s>"]), ("bytes with start", [])])
def test_a_token_that_is_put_after_every_text_is_left_out(kind: str, end: list[str]) -> None:
    """Given a tokenizer that ends each text with `</s>`, prompts stay open and options are scored without it."""
    tokenizer = KINDS[kind]()
    texts = Encoder(tokenizer, 10**6)
    assert tokenizer.convert_ids_to_tokens(texts.text_encoder.appended) == end
    scored, prompt = texts.encode(
        [Score("동생은 부엌에서", (" 봄", " 여름이")), Generate("동생은 부엌에서", Sampling(max_tokens=3))]
    )
    assert isinstance(scored, EncodedScore) and isinstance(prompt, EncodedPrompt)
    assert not scored.merged
    assert prompt.ids.tolist() == scored.context.tolist()
    assert tokenizer.eos_token_id not in [token for ids in scored.sequences() for token in ids]
    given = tokenizer("동생은 부엌에서 봄")["input_ids"]
    assert scored.sequences()[0] == given[: len(given) - len(end)]
