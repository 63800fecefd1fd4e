"""What can be had without a language model and without the original sentence: by an option's length and markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jatdae.benchmarks.konubench.options import NegationQuestion
from jatdae.stats import proportion
from jatdae.types import Estimate

_AFTER_JI = ("지 ", "진 ", "지는 ", "지도 ", "지조차 ", "지만은 ")
SURFACE_MARKERS = {
    "안 단형": (" 안 ",),
    "안 장형": (
        "지않",
        *(f"{stem}않" for stem in (*_AFTER_JI, "지만도 ")),
        *(f"{stem}아니" for stem in ("지 ", "진 ", "지는 ", "지조차 ", "지만은 ", "지만도 ")),
    ),
    "못 단형": (" 못 ",),
    "못 장형": ("지못", *(f"{stem}못" for stem in (*_AFTER_JI, "지만도 "))),
    "말다": ("지말", *(f"{stem}말" for stem in _AFTER_JI)),
}
"""The published surface rules: a sentence has a type if it contains one of the strings."""


def has_marker(sentence: str, kind: str | None = None) -> bool:
    """Whether the surface rules find a type, or any of the five, in a sentence."""
    rules = [SURFACE_MARKERS[kind]] if kind else list(SURFACE_MARKERS.values())
    return any(marker in sentence for rule in rules for marker in rule)


def count_markers(sentence: str) -> int:
    """How many markers the surface rules find in a sentence."""
    return sum(sentence.count(marker) for rule in SURFACE_MARKERS.values() for marker in rule)


def artefact_floors(items: Sequence[NegationQuestion]) -> dict[str, Estimate]:
    """Accuracy of two rules that see the options alone, a tie counting as right, as the published baselines have it.

    The order of the options has no part in it, unlike in a floor that takes the first of equals.
    """
    rules: dict[str, Callable[[str], tuple[int, ...]]] = {
        "longest option, ties right": lambda text: (len(text),),
        "most surface negation markers, then longest": lambda text: (count_markers(text), len(text)),
    }
    return {
        name: proportion([float(rule(item.options[item.answer]) == max(map(rule, item.options))) for item in items])
        for name, rule in rules.items()
    }
