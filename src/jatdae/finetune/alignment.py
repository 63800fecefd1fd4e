"""Which characters of a word each of its tokens stands for, whatever the tokenizer.

A word is what stands between two spaces (U+0020), and is tokenised by itself, as the baseline does (`tokenize(word)`).
For every word that is not empty:

* there is at least one piece: the unknown token where the tokenizer gives nothing, as for a lone control character;
* the pieces' spans are in order and without gaps, from 0 to the word's length, and count characters of the text as
  given, also where the tokenizer composes, decomposes, lower-cases or drops some: no character is ever lost;
* of several pieces that stand for one character (bytes, or the jamo of a decomposed syllable) the first covers it; the
  others cover nothing, as does a piece that is only the mark of a word's start (`▁`, `Ġ`);
* a character that no token stands for (dropped accents, control characters) goes with the piece before it, at the
  word's start with the first piece that covers something;
* an unknown token covers exactly what it replaced.

Fast tokenizers say by offsets what each token was made of. Of others only the tokens' text is known, and it is aligned
with the word; see `surfaces`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.errors import ModelError
from jatdae.finetune.surfaces import align_surfaces

Span = tuple[int, int]
"""Characters of a word, end exclusive; of no length where a token was made of nothing."""

MARKS = "▁Ġ"
"""How SentencePiece and byte-level tokenizers write the space before a word."""
_PROBE = "1 a 가"
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A token of a word: `id` in the vocabulary, `token` as `tokenize` shows it, and the characters it covers.

    `end` is exclusive, and equal to `start` for a piece that covers nothing of its own. `token` is the vocabulary's
    entry; Unigram tokenizers show the text that an unknown token replaced instead.
    """

    id: int
    token: str
    start: int
    end: int


class WordPieces:
    """Splits words into the tokens of one tokenizer, each word once."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._known: dict[str, tuple[Piece, ...]] = {}

    def split(self, word: str) -> tuple[Piece, ...]:
        """The pieces of a word; none for the empty word.

        Raises ModelError where the tokenizer gives nothing and has no unknown token to stand for the word.
        """
        if word not in self._known:
            self._known[word] = self._split(word)
        return self._known[word]

    def is_unknown(self, piece: Piece) -> bool:
        """Whether a piece is the unknown token, however it is shown."""
        return piece.id == self.tokenizer.unk_token_id

    def _split(self, word: str) -> tuple[Piece, ...]:
        if not word:
            return ()
        # Half of a surrogate pair is no text that a tokenizer takes.
        text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", word)
        ids, tokens, made_of = (_by_offsets if self.tokenizer.is_fast else _by_surfaces)(self.tokenizer, text)
        if not ids:
            return (self._unknown(word),)
        spans = _settled(tokens, made_of, len(word))
        return tuple(
            Piece(number, token, start, end) for number, token, (start, end) in zip(ids, tokens, spans, strict=True)
        )

    def _unknown(self, word: str) -> Piece:
        if self.tokenizer.unk_token_id is None:
            name = type(self.tokenizer).__name__
            raise ModelError(
                f"the tokenizer ({name}) gives no token for {word!r} and has no unknown token; name one as unk_token"
            )
        return Piece(self.tokenizer.unk_token_id, self.tokenizer.unk_token, 0, len(word))


def special_around(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special tokens that a tokenizer puts before and after a text, such as `[CLS]` and `[SEP]`.

    Raises ModelError where it makes other tokens of a text between them than of the text alone.
    """
    whole, bare = (tokenizer(_PROBE, add_special_tokens=special)["input_ids"] for special in (True, False))
    start = next((place for place in range(len(whole)) if whole[place : place + len(bare)] == bare), None)
    if start is None:
        raise ModelError(f"the tokenizer ({type(tokenizer).__name__}) changes a text's tokens between special ones")
    return whole[:start], whole[start + len(bare) :]


Made = tuple[list[int], list[str], list[Span]]
"""Numbers of the tokens, the tokens, and what each was made of: spans that may overlap and leave gaps."""


def _by_offsets(tokenizer: Any, word: str) -> Made:
    encoded = tokenizer(
        word,
        add_special_tokens=False,
        return_attention_mask=False,
        return_token_type_ids=False,
        return_offsets_mapping=True,
    )
    tokens, offsets = encoded.tokens(), [(start, end) for start, end in encoded["offset_mapping"]]
    # A mark that came before the text is said to be made of the first character, like the token that really is.
    for number, (token, following) in enumerate(zip(tokens, offsets[1:], strict=False)):
        start = offsets[number][0]
        if _is_mark(token) and following[0] <= start:
            offsets[number] = (start, start)
    return list(encoded["input_ids"]), tokens, offsets


def _by_surfaces(tokenizer: Any, word: str) -> Made:
    tokens = tokenizer.tokenize(word)
    ids = tokenizer.convert_tokens_to_ids(tokens)
    return ids, tokens, align_surfaces(word, tokens, tokenizer.unk_token)


def _is_mark(token: str) -> bool:
    return not token.strip(MARKS)


def _settled(tokens: Sequence[str], made_of: Sequence[Span], length: int) -> list[Span]:
    """Spans by the rules above, of what the tokens were made of."""
    starts: dict[int, int] = {}
    taken = 0
    for number, (start, end) in enumerate(made_of):
        if end > max(start, taken):
            starts[number] = max(start, taken)
            taken = end
    first = next(iter(starts), None)
    if first is None:
        first = next((number for number, token in enumerate(tokens) if not _is_mark(token)), 0)
    starts[first] = 0
    ends = dict(zip(starts, [*list(starts.values())[1:], length], strict=True))
    spans: list[Span] = []
    for number in range(len(tokens)):
        place = spans[-1][1] if spans else 0
        spans.append((place, ends.get(number, place)))
    return spans
