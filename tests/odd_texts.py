"""Random text as it really comes: Hangul in all its forms, Latin, emoji of several characters, what cannot be seen."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

FAMILY = "👨‍👩‍👧"
SAMPLES = [
    "서울역에서",
    "김철수(32)!",
    "ㅋㅋㅠㅠ",
    "café",
    "İstanbul",
    "㎞",
    "漢字",
    FAMILY,
    "🇰🇷",
    "👍🏽",
    "##은",
    "▁서울",
    "Ġ",
    "@@",
    "</w>",
    "[UNK]",
    "<s>",
]
DECOMPOSED = [unicodedata.normalize("NFD", text) for text in ("서울역에서", "값", "é", "ǘ")]
ODD = ["\u200b", "\u00a0", "\u3000", "\ufeff", "\t", "\u0301", "\x00", "\x85", "\ufffd", "\u2028", "\uffa0"]
letters = st.one_of(
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    st.characters(min_codepoint=0x1100, max_codepoint=0x11FF),
    st.characters(min_codepoint=0x3131, max_codepoint=0x318E),
    st.characters(min_codepoint=0x21, max_codepoint=0x24F),
    st.characters(min_codepoint=0x1F300, max_codepoint=0x1FAFF),
    st.characters(codec="utf-8"),
    st.sampled_from(ODD),
)
parts = st.one_of(letters, st.sampled_from([*SAMPLES, *DECOMPOSED]))
words = st.lists(parts, min_size=1, max_size=6).map("".join).map(lambda text: text.replace(" ", "") or "가")
anything = st.lists(st.one_of(words, st.just("")), min_size=1, max_size=5).map(" ".join)
"""Sentences with any number of blanks in a row, also at both ends."""
