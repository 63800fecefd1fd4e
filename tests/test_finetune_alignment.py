"""No character of a word is lost between its tokens, whatever the tokenizer."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from odd_texts import FAMILY, words
from tokenizer_kinds import (
    byte_level,
    every_kind,
    metaspace,
    slow_wordpiece,
    some_wordpieces,
    suffixed,
    tokenizer_of,
    trained_wordpiece,
    unigram,
    wordpiece,
)
from tokenizers import normalizers

from jatdae.errors import ModelError
from jatdae.finetune.alignment import WordPieces, special_around

few = settings(max_examples=60, deadline=None)


def spans(tokenizer: Any, word: str) -> list[tuple[str, str]]:
    """Each token with the characters that it covers."""
    return [(piece.token, word[piece.start : piece.end]) for piece in WordPieces(tokenizer).split(word)]


@every_kind
@few
@given(word=words)
@example(word="\u200b")
@example(word="\u0301가")
@example(word="가\ud800나")
def test_pieces_cover_a_word_from_end_to_end_without_a_gap(kind: str, word: str) -> None:
    pieces = WordPieces(tokenizer_of(kind)).split(word)

    assert pieces[0].start == 0
    assert pieces[-1].end == len(word)
    assert all(piece.start <= piece.end for piece in pieces)
    assert all(before.end == after.start for before, after in pairwise(pieces))
    assert all(0 <= piece.id < len(tokenizer_of(kind)) for piece in pieces)


@every_kind
@few
@given(word=words)
def test_tokens_are_those_that_the_tokenizer_gives_to_the_word_alone(kind: str, word: str) -> None:
    tokenizer = tokenizer_of(kind)
    given_ids = tokenizer(word, add_special_tokens=False)["input_ids"]

    pieces = WordPieces(tokenizer).split(word)

    assert [piece.id for piece in pieces] == (given_ids or [tokenizer.unk_token_id])


@few
@given(word=words)
def test_surfaces_alone_tell_the_same_as_offsets(word: str) -> None:
    slow = WordPieces(slow_wordpiece(some_wordpieces(), lowercase=False)).split(word)
    fast = WordPieces(wordpiece(some_wordpieces())).split(word)
    # the tokenizers differ in accents, and two unknown tokens in a row show no border between them
    assume([piece.id for piece in slow] == [piece.id for piece in fast])
    assume(not any(first.token == second.token == "[UNK]" for first, second in pairwise(slow)))

    assert slow == fast


def test_the_empty_word_has_no_pieces() -> None:
    assert WordPieces(tokenizer_of("WordPiece")).split("") == ()


def test_an_unknown_token_covers_what_it_replaced() -> None:
    tokenizer = wordpiece(["서울", "(", "32", ")"])

    assert spans(tokenizer, "김철수(32)뷁") == [
        ("[UNK]", "김철수"),
        ("(", "("),
        ("32", "32"),
        (")", ")"),
        ("[UNK]", "뷁"),
    ]
    unknown = [WordPieces(tokenizer).is_unknown(piece) for piece in WordPieces(tokenizer).split("김(")]
    assert unknown == [True, False]


def test_a_unigram_tokenizers_unknown_token_is_known_by_its_number() -> None:
    pieces = WordPieces(unigram(normalizers.NFKC())).split("뷁서")

    assert [(piece.token, piece.start, piece.end) for piece in pieces] == [("▁", 0, 0), ("뷁", 0, 1), ("서", 1, 2)]
    assert [WordPieces(unigram(normalizers.NFKC())).is_unknown(piece) for piece in pieces] == [False, True, False]


def test_of_the_bytes_of_a_syllable_the_first_covers_it() -> None:
    covered = [text for _, text in spans(byte_level(prefix=False), "찝찝!")]

    assert covered == ["찝", "", "", "찝", "", "", "!"]


def test_the_mark_of_a_words_start_covers_nothing() -> None:
    assert spans(byte_level(prefix=True), "!")[0] == ("Ġ", "")
    assert spans(metaspace(), "가")[-1] == ("가", "가")
    assert [text for _, text in spans(metaspace(), "▁가")] == ["▁", "가"]


def test_offsets_refer_to_the_text_as_given() -> None:
    composed = unigram(normalizers.NFKC())
    word = unicodedata.normalize("NFD", "서에서") + "㎞"

    covered = [text for _, text in spans(composed, word) if text]

    assert covered == [*(unicodedata.normalize("NFD", text) for text in ("서", "에서")), "㎞"]


def test_decomposed_syllables_are_covered_by_their_first_jamo() -> None:
    covered = spans(wordpiece(["ᄀ", "##ᅡ", "##ᄂ"], lowercase=True), "가나")

    assert covered == [("ᄀ", "가"), ("##ᅡ", ""), ("##ᄂ", "나"), ("##ᅡ", "")]


def test_what_the_tokenizer_drops_goes_with_the_piece_before() -> None:
    tokenizer = wordpiece(["가", "##나", "e", "##a"], lowercase=False)
    stripped = wordpiece(["e", "##a"], lowercase=True)

    assert spans(tokenizer, "\u200b가\u200b나\u200b") == [("가", "\u200b가\u200b"), ("##나", "나\u200b")]
    assert spans(stripped, "e\u0301a") == [("e", "e\u0301"), ("##a", "a")]


def test_a_word_that_vanishes_is_one_unknown_token() -> None:
    tokenizer = tokenizer_of("WordPiece")

    assert tokenizer.tokenize("\u200b") == []
    assert spans(tokenizer, "\u200b") == [("[UNK]", "\u200b")]


def test_a_word_that_vanishes_without_an_unknown_token_is_an_error() -> None:
    tokenizer = trained_wordpiece(["가나"])
    tokenizer.unk_token = None

    with pytest.raises(ModelError, match="no unknown token"):
        WordPieces(tokenizer).split("\u200b")


def test_unknown_tokens_between_known_ones_are_found_by_text_alone() -> None:
    tokenizer = slow_wordpiece(["(", ")", "가", "##나"], lowercase=False)

    assert spans(tokenizer, "뷁뷁(뷁)가나") == [
        ("[UNK]", "뷁뷁"),
        ("(", "("),
        ("[UNK]", "뷁"),
        (")", ")"),
        ("가", "가"),
        ("##나", "나"),
    ]
    assert spans(tokenizer, "뷁!뷁뷁") == [("[UNK]", "뷁"), ("[UNK]", "!"), ("[UNK]", "뷁뷁")]


def test_suffixes_case_and_white_space_are_seen_through() -> None:
    assert spans(suffixed(), "NASA\u3000") == [("na@@", "NA"), ("<unk>", "SA\u3000")]
    assert spans(suffixed(), "HE\u3000llo") == [("he@@", "HE\u3000"), ("ll@@", "ll"), ("o", "o")]


def test_bytes_of_a_tokenizer_without_offsets_make_up_characters() -> None:
    tokenizer = tokenizer_of("SentencePiece in Python, with bytes")

    covered = [text for _, text in spans(tokenizer, f"서{FAMILY}뷁가") if text]

    # the joiners are characters that no comparison sees; they stay with what is before them
    assert covered == ["서", "👨\u200d", "👩\u200d", "👧", "뷁", "가"]


@every_kind
def test_special_tokens_are_those_around_a_text(kind: str) -> None:
    tokenizer = tokenizer_of(kind)
    before, after = special_around(tokenizer)

    text = "서울에서 가"
    inside = tokenizer(text, add_special_tokens=False)["input_ids"]

    assert [*before, *inside, *after] == tokenizer(text)["input_ids"]
    assert set(before + after) <= set(tokenizer.all_special_ids)


def test_each_word_is_split_once() -> None:
    pieces = WordPieces(tokenizer_of("WordPiece"))

    assert pieces.split("서울에서") is pieces.split("서울에서")
