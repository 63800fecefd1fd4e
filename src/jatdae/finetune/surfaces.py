"""Aligning tokens with the word that they were made of by their text alone, for tokenizers that give no offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import takewhile

_MARKS = re.compile(r"^##(?=.)|▁|(?<=.)(?:@@|</w>)$", re.DOTALL)
"""What is in a token and not in the text, as WordPiece, SentencePiece and byte-pair encodings write it."""
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
"""A single byte of a character that the vocabulary lacks."""
_DROPPED = frozenset({"Mn", "Cc", "Cf", "Zs", "Zl", "Zp"})
"""Kinds of characters that tokenizers drop: accents, control characters and white space."""

ANY = None
"""A unit of a token that stands for one character or more, whatever they are."""
Unit = tuple[str | None, int]
"""A folded character, or `ANY`, and the token or the character of the word that it belongs to."""


def align_surfaces(word: str, tokens: Sequence[str], unknown: str | None) -> list[tuple[int, int]]:
    """What each token was made of, as characters of the word, end exclusive; of no length where nothing is found.

    Word and tokens are compared without case, accents, white space and control characters, all else decomposed. An
    unknown token stands for one character or more; of several in a row all but the last stand for one. Of all
    alignments in the same order the one is taken that leaves the least over on both sides.
    """
    of_word = [unit for place, character in enumerate(word) for unit in _folded(character, place)]
    of_tokens = [unit for number, token in enumerate(_read_bytes(tokens)) for unit in _units(token, number, unknown)]
    made_of: dict[int, list[int]] = {}
    # Nearly all words are their tokens in a row; only what follows the first difference takes the long way.
    alike = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], zip(of_word, of_tokens, strict=False)))
    pairs = [(at[1], of[1]) for at, of in zip(of_word[:alike], of_tokens[:alike], strict=True)]
    for place, number in (*pairs, *_pairs(of_word[alike:], of_tokens[alike:])):
        made_of.setdefault(number, []).append(place)
    return [
        (min(places), max(places) + 1) if (places := made_of.get(number)) else (0, 0) for number in range(len(tokens))
    ]


def _folded(text: str, owner: int) -> Iterator[Unit]:
    """A text's units: lower-cased, decomposed, without what tokenizers drop."""
    for character in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()):
        if unicodedata.category(character) not in _DROPPED:
            yield character, owner


def _units(token: str, number: int, unknown: str | None) -> Iterator[Unit]:
    if token == unknown:
        yield ANY, number
    else:
        yield from _folded(_MARKS.sub("", token), number)


def _read_bytes(tokens: Sequence[str]) -> list[str]:
    """The tokens, those of single bytes read: a character's first byte as the character, the others as nothing."""
    values = [int(byte[1], 16) if (byte := _BYTE.fullmatch(token)) else -1 for token in tokens]
    read = list(tokens)
    for number, value in enumerate(values):
        if value >= 0:
            others = bytes(takewhile(_continues, values[number + 1 :]))
            read[number] = "" if _continues(value) else bytes([value, *others]).decode("utf-8", "replace")
    return read


def _continues(byte: int) -> bool:
    """Whether it is one of a character's bytes after the first."""
    return byte >> 6 == 0b10


def _pairs(word: Sequence[Unit], tokens: Sequence[Unit]) -> list[tuple[int, int]]:
    """Pairs of the word's characters and the tokens that they went into, by least cost; from the end to the start."""
    costs = _costs(word, tokens)
    pairs: list[tuple[int, int]] = []
    row, column = len(word), len(tokens)
    while row and column:
        (_, place), (wanted, number) = word[row - 1], tokens[column - 1]
        cost = costs[row][column]
        if wanted is ANY and costs[row - 1][column] == cost:
            pairs.append((place, number))
            row -= 1
        elif _fits(word, row - 1, wanted) and costs[row - 1][column - 1] == cost:
            pairs.append((place, number))
            row, column = row - 1, column - 1
        elif costs[row - 1][column] + 1 == cost:
            row -= 1
        else:
            column -= 1
    return pairs


def _costs(word: Sequence[Unit], tokens: Sequence[Unit]) -> list[list[int]]:
    """How many units are left over at least, for the first so many of the word (rows) and of the tokens (columns)."""
    costs = [list(range(len(tokens) + 1))]
    for number in range(len(word)):
        above, row = costs[-1], [costs[-1][0] + 1]
        for column, (wanted, _) in enumerate(tokens):
            left_over = min(row[column], above[column + 1]) + 1
            if wanted is ANY:
                left_over = min(left_over, above[column + 1])
            if _fits(word, number, wanted):
                left_over = min(left_over, above[column])
            row.append(left_over)
        costs.append(row)
    return costs


def _fits(word: Sequence[Unit], number: int, wanted: str | None) -> bool:
    """Whether a token's unit can start at a unit of the word; one that stands for anything not within a character."""
    character, place = word[number]
    return wanted == character if wanted is not ANY else number == 0 or word[number - 1][1] != place
