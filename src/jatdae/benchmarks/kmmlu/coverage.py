"""What a result may be called: KMMLU only when all of it was answered; anything less is said in the title."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.kmmlu.pinned import Provenance
from jatdae.benchmarks.kmmlu.subjects import EXAMPLES, Scope, Subject

NOT_READ = Provenance()


def expected(scope: Scope, split: str) -> dict[Subject, int] | None:
    """Number of items of each subject of a scope; None where the publisher gives no complete table (train)."""
    if split == "train":
        return None
    return {subject: subject.size(scope.release) if split == "test" else EXAMPLES for subject in scope.subjects}


def title(
    scope: Scope,
    split: str,
    counts: Mapping[Subject, int],
    failed: int,
    *,
    bundled: bool = False,
    data: Provenance = NOT_READ,
) -> str:
    """The result's name. `counts` are the items with an answer in each subject, `failed` those whose request failed.

    Items beyond a subject's published number are counted apart and make up for nothing that is missing elsewhere.
    """
    if bundled:
        return f"{scope.label} mini items" + (f", {failed:,} failed" if failed else "")
    name = scope.label if split == "test" else f"{scope.label} {split} split"
    present = [subject for subject in scope.subjects if counts.get(subject)]
    sizes, n = expected(scope, split), sum(counts.values())
    parts = [data.mark] if data.mark else []
    if len(present) < len(scope.subjects) and not scope.single:
        parts.append(f"partial: {len(present)} of {len(scope.subjects)} subjects")
    if sizes is None:
        parts.append(f"{n:,} items")
    else:
        over = sum(surplus(scope, split, counts).values())
        if any(counts[subject] < sizes[subject] for subject in present) or not present:
            parts.append(f"{n - over:,} of {sum(sizes.values()):,} items")
        if over:
            parts.append(f"{over:,} surplus items")
    if failed:
        parts.append(f"{failed:,} failed")
    return ", ".join([name, *parts])


def surplus(scope: Scope, split: str, counts: Mapping[Subject, int]) -> dict[Subject, int]:
    """How many items of each subject there are beyond the published ones; subjects without any are left out."""
    sizes = expected(scope, split) or {}
    return {s: counts[s] - sizes[s] for s in scope.subjects if s in sizes and counts.get(s, 0) > sizes[s]}


def is_complete(scope: Scope, split: str, counts: Mapping[Subject, int]) -> bool:
    """Whether every item of the scope has an answer."""
    return dict(counts) == expected(scope, split)


def coverage_notes(
    scope: Scope, split: str, counts: Mapping[Subject, int], failed: int, *, bundled: bool = False
) -> list[str]:
    """What is missing, by name."""
    notes = []
    absent = [subject.config for subject in scope.subjects if not counts.get(subject)]
    if absent and not bundled and not scope.single:
        notes.append(f"missing subjects: {', '.join(absent)}")
    over = [f"{subject.config} {number:,}" for subject, number in surplus(scope, split, counts).items()]
    if over and not bundled:
        notes.append(f"more items than published: {', '.join(over)}")
    if failed:
        notes.append(f"{failed:,} items failed; the headline is a lower bound that counts them as wrong")
    return notes
