"""Tags of characters as tags of tokens, and back: by the baseline's rule, and by what each token really covers.

The sentence is cut at every single space, and all its words are split by `WordPieces`. The tag of a token is that of a
character; a blank has no token, so its tag is neither learned nor told by a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jatdae.benchmarks.klue.metrics import official_characters
from jatdae.finetune.alignment import Piece

OUTSIDE = "O"
BLANK = " "
_UNKNOWN = "unknown token"
"""Stands for an unknown token among slices of words, none of which has a blank."""
_WITHOUT_MARKS = str.maketrans("#▁", "\ue000\ue001")
"""Characters of the text that would be taken for marks of a tokenizer, to ones that are not."""
Words = Sequence[Sequence[Piece]]
"""The pieces of each word of a sentence."""


def official_labels(sentence: str, tags: Sequence[str], words: Words, unknown: str | None) -> list[str]:
    """A tag for each token, as the baseline trains: a token takes the tag of its first character.

    All tokens of a word that has an unknown one (`unknown`, where `tokenize` shows it) take the tag of the word's first
    character. In other words a token that covers no character is `O`.
    """
    labels: list[str] = []
    for start, pieces in _placed(sentence, words):
        if any(piece.token == unknown for piece in pieces):
            labels += [tags[start]] * len(pieces)
        else:
            labels += _first_tags(tags, start, pieces)
    return labels


def clean_tags(sentence: str, words: Words, labels: Sequence[str]) -> list[str]:
    """A tag for each character of the sentence, blanks included, from the tags of its tokens.

    A token's first character takes its tag and the others continue it. Tokens beyond the end of `labels` are `O`. A
    blank between two characters of one entity continues it; all other blanks are `O`.
    """
    tags = [OUTSIDE] * len(sentence)
    placed = ((start, piece) for start, pieces in _placed(sentence, words) for piece in pieces)
    for (start, piece), label in zip(placed, labels, strict=False):
        for place in range(start + piece.start, start + piece.end):
            tags[place] = label if place == start + piece.start else _continued(label)
    _fill_blanks(sentence, tags)
    return tags


def official_tags(
    sentence: str, words: Words, labels: Sequence[str], outer: tuple[str, str], unknown: str | None
) -> list[str]:
    """The tags that the official reader gives to the characters but blanks, between those of the `outer` positions.

    It sees each token as the characters that it covers, so that bytes and folded text are not counted as characters.
    The row may end early (see `official_characters`); where marks of a word's start make it too long it is cut.
    """
    text = sentence.translate(_WITHOUT_MARKS)
    tokens = [
        [_UNKNOWN if piece.token == unknown else word[piece.start : piece.end] for piece in pieces]
        for word, pieces in zip(text.split(BLANK), words, strict=True)
    ]
    first, last = outer
    spread = official_characters(text, tokens, [first, *labels, last], _UNKNOWN)
    return [first, *spread[1:-1][: len(text) - text.count(BLANK)], last]


def _placed(sentence: str, words: Words) -> Iterator[tuple[int, Sequence[Piece]]]:
    """Where each word starts, and its pieces."""
    start = 0
    for word, pieces in zip(sentence.split(BLANK), words, strict=True):
        yield start, pieces
        start += len(word) + 1


def _first_tags(tags: Sequence[str], start: int, pieces: Sequence[Piece]) -> list[str]:
    return [OUTSIDE if piece.start == piece.end else tags[start + piece.start] for piece in pieces]


def _continued(tag: str) -> str:
    return tag if tag == OUTSIDE else f"I-{tag[2:]}"


def _fill_blanks(sentence: str, tags: list[str]) -> None:
    """Give the blanks inside entities their tags, in place."""
    before = OUTSIDE
    waiting: list[int] = []
    for place, character in enumerate(sentence):
        if character == BLANK:
            waiting.append(place)
            continue
        if tags[place].startswith("I-") and tags[place] == _continued(before):
            for blank in waiting:
                tags[blank] = tags[place]
        before = tags[place]
        waiting.clear()
