"""Texts to ids, each piece of text once. The ids are those of encoding every whole text by itself.

Prompts of a benchmark begin alike, and the options of a question share all but their end. `extend` therefore encodes
only the end of a known text together with what follows it. That this changes no id rests on how byte-pair encoding
works: let X+Y be a text whose ids end with those of Y. A merge over the boundary between X and Y depends on the tokens
beside it alone. If Y's first token is the same when Z follows, then nothing that Z changes reaches the boundary, and
the ids of X+Y+Z are those of X followed by those of Y+Z. WordPiece and word-level models never look back at all.
Unigram models choose the best split of a whole text, so for them, and wherever a condition fails, texts are encoded
whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Text = tuple[str, bool]
"""A text, and whether the tokenizer may add its special tokens."""

PROBE = "봄 a1"
ANCHOR = "a\n"
"""Stands before a piece: some tokenizers put a space before every text, which belongs to no piece of a longer one."""
LEAST_PIECE = 8
LOCAL_MODELS = {"BPE", "WordPiece", "WordLevel"}


class TextEncoder:
    """Encodes texts with one tokenizer. `appended` are special tokens that it would put after every text.

    They are left out: a prompt must stay open, and an option is not followed by the end of the text. `least_piece` is
    how many characters of a known text are encoded anew with what follows it; a shorter piece fails more often.
    """

    def __init__(self, tokenizer: Any, least_piece: int = LEAST_PIECE) -> None:
        self.tokenizer = tokenizer
        self.appended = _appended(self._ids([PROBE], special=True)[0], self._ids([PROBE], special=False)[0])
        self._anchor = self._ids([ANCHOR], special=False)[0]
        self._extends = _is_local(tokenizer)
        added = getattr(tokenizer, "added_tokens_encoder", {})
        # A token of several lines that is in the vocabulary as a whole could reach over a shorter piece.
        self._least = max([least_piece, *(len(token) + 1 for token in added if "\n" in token)])

    def encode(self, texts: Iterable[Text]) -> dict[Text, list[int]]:
        """The ids of each distinct text, encoded whole; many at a time, so that a fast tokenizer uses all cores."""
        wanted = dict.fromkeys(texts)
        ids: dict[Text, list[int]] = {}
        for special in (True, False):
            chosen = [text for text, flag in wanted if flag is special]
            rows = self._ids(chosen, special=special) if chosen else []
            ids.update(((text, special), self._open(row, special)) for text, row in zip(chosen, rows, strict=True))
        return ids

    def extend(self, known: Mapping[Text, list[int]], longer: Mapping[Text, Text]) -> dict[Text, list[int]]:
        """The ids of each longer text, given the text that it begins with (both in `longer`), whose ids are `known`."""
        pieces = {base: self._piece(base[0]) for base in set(longer.values())} if self._extends else {}
        grown = {text: pieces[base] + text[0][len(base[0]) :] for text, base in longer.items() if pieces.get(base)}
        texts = list(dict.fromkeys([*filter(None, pieces.values()), *grown.values()]))
        rows = dict(zip(texts, self._piece_ids(texts), strict=True))
        ids: dict[Text, list[int]] = {}
        for text, whole in grown.items():
            base = longer[text]
            joined = _join(known[base], rows[pieces[base]], rows[whole], self._anchor)
            if joined is not None:
                ids[text] = joined
        return ids | self.encode(text for text in longer if text not in ids)

    def _piece(self, text: str) -> str:
        """The last lines of a text, long enough to be sure of, behind the anchor; empty where there are none."""
        start = text.rfind("\n", 0, max(0, len(text.rstrip()) - self._least)) + 1
        return ANCHOR + text[start:] if start else ""

    def _piece_ids(self, texts: list[str]) -> list[list[int]]:
        """Short texts without special tokens, by the tokenizer's core: what is around it costs more than they do."""
        if not texts:
            return []
        # The last call of the tokenizer itself, which encoded what is known, left the core without padding and limits.
        encode = self.tokenizer.backend_tokenizer.encode_batch_fast
        return [encoding.ids for encoding in encode(texts, add_special_tokens=False)]

    def _open(self, ids: list[int], special: bool) -> list[int]:
        end = len(ids) - len(self.appended)
        return ids[:end] if special and self.appended and ids[end:] == self.appended else ids

    def _ids(self, texts: list[str], *, special: bool) -> list[list[int]]:
        without = {"return_attention_mask": False, "return_token_type_ids": False}
        return self.tokenizer(texts, add_special_tokens=special, verbose=False, **without)["input_ids"]


def head_of(text: str) -> str:
    """The part of a text up to its last blank line, which other texts may share; empty where there is none."""
    return text[: text.rstrip().rfind("\n\n") + 2] if "\n\n" in text.rstrip() else ""


def _join(known: list[int], piece: list[int], longer: list[int], anchor: list[int]) -> list[int] | None:
    """Ids of a known text with what follows it, from its end alone and with that; None where they do not fit."""
    start = len(anchor)
    end = piece[start:]
    sure = end and piece[:start] == anchor and piece[: start + 1] == longer[: start + 1]
    if not sure or known[-len(end) :] != end:
        return None
    return known[: -len(end)] + longer[start:]


def _appended(full: list[int], plain: list[int]) -> list[int]:
    """What stands after the plain ids where special tokens were added."""
    for start in range(len(full) - len(plain) + 1):
        if full[start : start + len(plain)] == plain:
            return full[start + len(plain) :]
    return []


def _is_local(tokenizer: Any) -> bool:
    """Whether a token depends on its surroundings alone, as the model inside a fast tokenizer says."""
    model = getattr(getattr(tokenizer, "backend_tokenizer", None), "model", None)
    return type(model).__name__ in LOCAL_MODELS and not getattr(model, "dropout", None)
