"""Numbers of items and tags: V05 and V25."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from jatdae.benchmarks.munbench.reading.layout import ITEM_FILES, MANIFEST
from jatdae.benchmarks.munbench.records import TRACKS
from jatdae.benchmarks.munbench.validation.findings import Finding, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem
from jatdae.benchmarks.munbench.validation.structure import GROUPS, LABELS

RARE_SHARE = 0.05
"""A tag on fewer of the items than this tells nothing about the phenomenon."""


def check(folder: Folder) -> Iterator[Finding]:
    """V05 (against the manifest, or without one against the authoring groups) and V25 (balance of groups and tags)."""
    counts = folder.mapping(MANIFEST).get("counts")
    if isinstance(counts, dict):
        yield from _against_manifest(counts, list(folder.items))
    else:
        yield from _against_groups(folder.of_track(2))
    for track in ITEM_FILES:
        yield from _balance(track, folder.of_track(track))
    yield from _tags(folder.of_track(1))


def _label(item: RawItem) -> str:
    return item.text(LABELS[item.track][0])


def _of_name(name: str, items: list[RawItem]) -> list[RawItem] | None:
    """The items that a name in the manifest stands for: all, a track, or a domain, form or subtype."""
    if name in ("items", "total"):
        return items
    for track, word in TRACKS.items():
        if name in (str(track), f"T{track}", f"track{track}", word):
            return [item for item in items if item.track == track]
    if any(name in known for _, known in LABELS.values()):
        return [item for item in items if _label(item) == name]
    return None


def _against_manifest(counts: Mapping[str, Any], items: list[RawItem]) -> Iterator[Finding]:
    """Counts are numbers by name; a track may also be an object of its labels' counts."""
    for name, value in counts.items():
        found = _of_name(name, items)
        if isinstance(value, dict):
            yield from _against_manifest(value, items if found is None else found)
        elif found is None:
            yield warning("V05", MANIFEST, f"{name!r:.40} names nothing that is counted", field="counts")
        elif value != len(found):
            yield warning("V05", MANIFEST, f"{name}: {value!r:.20} stated, {len(found)} found", field="counts")


def _against_groups(items: list[RawItem]) -> Iterator[Finding]:
    """Without a manifest: as many commissions of a form as ids of its group. A form without a group stands out too.

    In the other tracks V04 holds ids and labels together, one by one.
    """
    ids = Counter(item.id[3:5] for item in items)
    forms = Counter(_label(item) for item in items)
    for form in LABELS[2][1]:
        due = ids[f"{GROUPS[2].index(form) + 1:02d}"] if form in GROUPS[2] else 0
        if forms[form] != due:
            message = f"{form}: {forms[form]} items, where the ids of its group are {due}"
            yield warning("V05", ITEM_FILES[2], message, field="form")


def _balance(track: int, items: list[RawItem]) -> Iterator[Finding]:
    """Labels that are used more or less often than most."""
    counts = {label: sum(_label(item) == label for item in items) for label in LABELS[track][1]}
    used = [count for count in counts.values() if count]
    if not used:
        return
    usual = max(sorted(set(used)), key=used.count)
    for label, count in counts.items():
        if count not in (0, usual):
            message = f"{label}: {count} items, where {usual} are usual"
            yield warning("V25", ITEM_FILES[track], message, field=LABELS[track][0])


def _tags(items: list[RawItem]) -> Iterator[Finding]:
    counts = Counter(tag for item in items for tag in set(item.texts("phenomena")))
    for tag in sorted(counts):
        if counts[tag] < RARE_SHARE * len(items):
            message = f"the tag {tag!r:.40} is used {'once' if counts[tag] == 1 else f'{counts[tag]} times'}"
            yield warning("V25", ITEM_FILES[1], message, field="phenomena")
