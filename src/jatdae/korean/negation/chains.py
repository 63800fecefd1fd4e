"""Which negations belong to one chain: 미루지 않을 수 없다, 가지 않으면 안 된다, 싫지 않은 것은 아니다."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.korean.negation.markers import Morphemes

_LINKS = ("EP", "ETM", "ETN", "NNB", "VX", "VCP")
_CONDITIONS = ("으면", "면", "어서", "아서", "고서", "고")
"""Endings before 안 되다 and 없다 that say what must not be missing."""


def chain_numbers(morphemes: Morphemes, places: Sequence[tuple[int, int]]) -> list[int]:
    """A number for each negation, equal within a chain. `places` are the index of the marker and of the last
    morpheme of marker and predicate together, in order of the markers.
    """
    numbers: list[int] = []
    for order, (at, _) in enumerate(places):
        if not order:
            numbers.append(0)
            continue
        joined = _continues(morphemes, places[order - 1][1], at)
        numbers.append(numbers[-1] if joined else numbers[-1] + 1)
    return numbers


def _continues(morphemes: Morphemes, last: int, at: int) -> bool:
    """Whether nothing but endings, dependent nouns and auxiliaries lies between a negation and the next marker."""
    between = morphemes[last + 1 : at]
    if last >= at:  # the marker denies the predicate that negates: 모르지 않는다
        return True
    return all(
        morpheme.tag in _LINKS or morpheme.tag[0] == "J" or _is_link(morpheme.form, morpheme.tag, morphemes, at)
        for morpheme in between
    )


def _is_link(form: str, tag: str, morphemes: Morphemes, at: int) -> bool:
    if (form, tag) == ("같", "VA"):  # -ㄹ 것 같-
        return True
    if tag != "EC":
        return False
    if form.endswith("지"):
        return True
    marker = morphemes[at]
    obliges = marker.form == "없" or (
        marker.tag == "MAG" and at + 1 < len(morphemes) and morphemes[at + 1].form == "되"
    )
    return obliges and form in _CONDITIONS
