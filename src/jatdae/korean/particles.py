"""Particles whose form depends on the sound before them, where a phrase leaves the noun before it open."""

from __future__ import annotations

from jatdae.korean.morphology import morphemes

_PAIRS = (
    ("을", "를"),
    ("은", "는"),
    ("과", "와"),
    ("이", "가"),
    ("으로", "로"),
    ("이라고", "라고"),
    ("이라는", "라는"),
    ("이란", "란"),
    ("이나", "나"),
)
_ALSO_WORDS = ("이", "가")


def particle_alternants(phrase: str) -> tuple[str, ...]:
    """The phrase, and the same with the other form of the particle that it starts with (을 필요로 -> 를 필요로).

    Only a particle at the start varies: inside a phrase the noun before it stands fixed, and so does its form. 이 and
    가 are other words too (이 순간), so they count as particles before a verb or adjective only (이 아닐 수 없).
    """
    first, space, rest = phrase.partition(" ")
    if not space:
        return (phrase,)
    for pair in _PAIRS:
        if first in pair:
            if first in _ALSO_WORDS and not _starts_with_predicate(rest):
                return (phrase,)
            return phrase, pair[1 - pair.index(first)] + space + rest
    return (phrase,)


def _starts_with_predicate(phrase: str) -> bool:
    tokens = morphemes(phrase) if phrase.isprintable() else []
    return bool(tokens) and tokens[0].tag.partition("-")[0] in ("VV", "VA", "VCN")
