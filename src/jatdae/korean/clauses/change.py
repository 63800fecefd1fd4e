"""Where two versions of a sentence differ in negation: the place of each marker that was added or removed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from jatdae.korean.clauses.closing import STEMS
from jatdae.korean.negation.analysis import Analysis, Morpheme

_WORD = re.compile(r"\S+")
_WRITTEN_MARKER = re.compile(r"안(?![가-힣])|못|않|아니|없")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """A place where negation differs: morpheme `at` of `analysis` (the original's where a marker was removed)."""

    analysis: Analysis
    at: int


def changes(original: Analysis, changed: Analysis) -> list[Change]:
    """The changes of negation from the original, in order; empty where nothing but particles or nothing differs.

    Words are aligned, so that another reading of the same words by the analyser makes no difference; of several
    markers in one run of changed words the last stands for all. Where no marker was added or removed, the changed
    predicate counts (가능 -> 불가능).
    """
    blocks = _differing(original.text, changed.text)
    found = [markers[-1] for block in blocks if (markers := _marker_changes(original, changed, *block))]
    return found or [change for block in blocks if (change := _other_change(changed, block[1]))]


def marker_changes(original: Analysis, changed: Analysis) -> list[Change]:
    """Every marker in runs of changed words that have more of them than the other sentence has there, in order."""
    blocks = _differing(original.text, changed.text)
    return [change for block in blocks for change in _marker_changes(original, changed, *block)]


def is_marker(morpheme: Morpheme) -> bool:
    """Whether the morpheme by itself marks negation: 안, 못, 않-, 못하-, 말-, 아니-, 없-, 모르-."""
    form, tag = morpheme.form, morpheme.tag
    if tag == "MAG":
        return form in ("안", "못")
    if tag == "VX":
        return form in ("않", "못하", "말", "아니하")
    return tag == "VCN" or (tag in ("VA", "VV") and form in ("없", "모르", "못하", "않"))


def _differing(original: str, changed: str) -> list[tuple[Span, Span]]:
    """Spans of words that differ, as pairs of code point spans; an empty span where one side has no words."""
    first, second = ([match.span() for match in _WORD.finditer(text)] for text in (original, changed))
    matcher = SequenceMatcher(
        None, [original[slice(*span)] for span in first], [changed[slice(*span)] for span in second], autojunk=False
    )
    return [
        (_joined(first[low:high]), _joined(second[start:end]))
        for kind, low, high, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]


def _joined(spans: Sequence[Span]) -> Span:
    return (spans[0][0], spans[-1][1]) if spans else (0, 0)


def _marker_changes(original: Analysis, changed: Analysis, before: Span, after: Span) -> list[Change]:
    removed, added = _markers(original, before), _markers(changed, after)
    if len(added) > len(removed):
        return [Change(changed, at) for at in added]
    return [Change(original, at) for at in removed] if len(removed) > len(added) else []


def _markers(analysis: Analysis, span: Span) -> list[int]:
    return [index for index in _within(analysis, span) if is_marker(analysis.morphemes[index])]


def _other_change(changed: Analysis, span: Span) -> Change | None:
    """The last marker that the analyser has not seen as one, else the last predicate among the changed words."""
    written = [match.start() for match in _WRITTEN_MARKER.finditer(changed.text, *span)]
    within = list(_within(changed, (written[-1], span[1]) if written else span))
    if written and within:
        return Change(changed, within[0])
    stems = [index for index in within if changed.morphemes[index].tag in STEMS]
    return Change(changed, stems[-1]) if stems else None


def _within(analysis: Analysis, span: Span) -> range:
    inside = [i for i, morpheme in enumerate(analysis.morphemes) if morpheme.start < span[1] and morpheme.end > span[0]]
    return range(inside[0], inside[-1] + 1) if inside else range(0)
