"""From the tags of subwords to the tags of characters, as the official reader spreads them and as it should be.

Both variants give the tags of the characters that are no space, between one tag for the position before the sentence
and one for the position after it. `tokens` holds the subwords of each word, the sentence cut at every single space;
`tags` are the model's output over the whole padded input, position 0 included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jatdae.errors import RequestError

OUTSIDE = "O"
CONTINUED = None
"""Stands in a word's units for one more character that an unknown token replaced."""


def official_characters(
    sentence: str, tokens: Sequence[Sequence[str]], tags: Sequence[str], unknown: str = "[UNK]"
) -> list[str]:
    """Character tags by the official pointer, with the model's own output for the two outer positions.

    In a word with an unknown token every known token gives one character whatever its length, and the pointer stays on
    the word's last token, so that later words of the sentence are read one subword too early. Spreading ends where the
    pointer reaches the last position; cut gold to it with `cut_gold`. Raises RequestError where `tokens` do not fit.
    """
    characters: list[str] = []
    pointer = 1
    for word, pieces in _words(sentence, tokens):
        if unknown in pieces:
            spread, pointer = _official_unknown_word(_units(word, pieces, unknown), tags, pointer, unknown)
        else:
            spread, pointer = _official_known_word(pieces, tags, pointer)
        characters += spread
    return [tags[0], *characters, tags[-1]]


def clean_characters(
    sentence: str, tokens: Sequence[Sequence[str]], tags: Sequence[str], unknown: str = "[UNK]"
) -> list[str]:
    """Character tags with one step of the pointer a token, an unknown token covering the characters it replaced.

    Every character that is no space gets a tag; those of tokens beyond the input's end get `O`, as do the two outer
    positions. Raises RequestError where `tokens` do not fit the sentence.
    """
    characters: list[str] = []
    pointer, last = 1, len(tags) - 1
    for word, pieces in _words(sentence, tokens):
        spread: list[str] = []
        for length in _lengths(word, pieces, unknown):
            spread += _spread(tags[pointer] if pointer < last else OUTSIDE, length)
            pointer += 1
        lacking = len(word) - len(spread)
        characters += spread[: len(word)] + [_inside(spread[-1]) if spread else OUTSIDE] * lacking
    return [OUTSIDE, *characters, OUTSIDE]


def cut_gold(gold: Sequence[str], predicted: Sequence[str]) -> list[str]:
    """Gold tags of the characters that are no space, in `O` on both sides, cut to the length of a predicted row.

    Raises RequestError where the prediction has more characters than gold.
    """
    wanted = len(predicted) - 2
    if wanted > len(gold):
        raise RequestError(f"{wanted} predicted characters for {len(gold)} in gold; the tokens do not fit the sentence")
    return [OUTSIDE, *gold[:wanted], OUTSIDE]


def _official_known_word(pieces: Sequence[str], tags: Sequence[str], pointer: int) -> tuple[list[str], int]:
    """Tags of a word's characters, and where the pointer stands after it."""
    spread: list[str] = []
    for piece in pieces:
        if pointer >= len(tags) - 1:
            break
        spread += _spread(tags[pointer], len(_surface(piece)))
        pointer += 1
    return spread, pointer


def _official_unknown_word(
    units: Sequence[str | None], tags: Sequence[str], pointer: int, unknown: str
) -> tuple[list[str], int]:
    """As `_official_known_word`, for the units of a word that holds an unknown token."""
    spread: list[str] = []
    after_unknown = False
    for unit in units:
        if pointer >= len(tags) - 1:
            break
        if unit is CONTINUED:
            spread.append(_inside(tags[pointer]))
            continue
        if unit != unknown and after_unknown:
            pointer += 1
        spread.append(tags[pointer])
        if unit != unknown and not after_unknown:
            pointer += 1
        after_unknown = unit == unknown
    return spread, pointer


def _words(sentence: str, tokens: Sequence[Sequence[str]]) -> Iterator[tuple[str, Sequence[str]]]:
    words = sentence.split(" ")
    if len(words) != len(tokens):
        raise RequestError(f"{len(tokens)} lists of tokens for {len(words)} words; tokenise every word by itself")
    return zip(words, tokens, strict=True)


def _surface(piece: str) -> str:
    """A token's own characters, without the marks of WordPiece and SentencePiece."""
    return piece.removeprefix("##").replace("▁", "")


def _inside(tag: str) -> str:
    return tag if tag == OUTSIDE else f"I-{tag[2:]}"


def _spread(tag: str, length: int) -> list[str]:
    return [tag, *[_inside(tag)] * (length - 1)] if length else []


def _units(word: str, pieces: Sequence[str], unknown: str) -> list[str | None]:
    """The tokens of a word with unknown ones: each of those is followed by a mark for every further character."""
    units: list[str | None] = []
    for piece, length in zip(pieces, _lengths(word, pieces, unknown), strict=True):
        units += [piece, *[CONTINUED] * (length - 1 if piece == unknown else 0)]
    return units


def _lengths(word: str, pieces: Sequence[str], unknown: str) -> list[int]:
    """How many characters of the word each token covers.

    An unknown token covers at least one, and more until the first character of the next known token, or to the end of
    the word; of several in a row all but the last cover one.
    """
    lengths: list[int] = []
    position = 0
    for number, piece in enumerate(pieces):
        length = len(_surface(piece))
        if piece == unknown:
            following = pieces[number + 1] if number + 1 < len(pieces) else None
            length = 1 if following == unknown else _replaced(word, position, following)
        lengths.append(length)
        position += length
    return lengths


def _replaced(word: str, position: int, following: str | None) -> int:
    if following is None:
        return max(len(word) - position, 1)
    end = word.find(_surface(following)[:1], position + 1)
    return (len(word) if end < 0 else end) - position
