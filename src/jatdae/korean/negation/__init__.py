"""Negation in a Korean sentence: where it is, of which type, what it denies and which clause holds it.

>>> from jatdae.korean.negation import detect
>>> [(found.type.value, found.marker, found.predicate, found.clause.value) for found in detect("비가 오지 않는다.")]
[('안 장형', '않', '오다', '주절')]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jatdae.korean.negation.analysis import Analysis, analyse, analyse_all
    from jatdae.korean.negation.detection import detect, detect_all, negations_of
    from jatdae.korean.negation.kinds import ClauseType, Negation, NegationType

__all__ = [
    "Analysis",
    "ClauseType",
    "Negation",
    "NegationType",
    "analyse",
    "analyse_all",
    "detect",
    "detect_all",
    "negations_of",
]

_HOMES = {
    "Analysis": "analysis",
    "ClauseType": "kinds",
    "Negation": "kinds",
    "NegationType": "kinds",
    "analyse": "analysis",
    "analyse_all": "analysis",
    "detect": "detection",
    "detect_all": "detection",
    "negations_of": "detection",
}


def __getattr__(name: str) -> Any:
    """A public name where it is first used: detection needs the clauses, and these the analysis in this package."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
