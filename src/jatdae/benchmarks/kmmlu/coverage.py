"""What a result may be called: KMMLU only when all of it was answered; anything less is said in the title."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.kmmlu.subjects import EXAMPLES, Scope, Subject


def expected(scope: Scope, split: str) -> dict[Subject, int] | None:
    """Number of items of each subject of a scope; None where the publisher gives no complete table (train)."""
    if split == "train":
        return None
    return {subject: subject.size(scope.release) if split == "test" else EXAMPLES for subject in scope.subjects}


def title(scope: Scope, split: str, counts: Mapping[Subject, int], failed: int, *, bundled: bool = False) -> str:
    """The result's name. `counts` are the items with an answer in each subject, `failed` those whose request failed."""
    if bundled:
        return f"{scope.label} mini items" + (f", {failed:,} failed" if failed else "")
    name = scope.label if split == "test" else f"{scope.label} {split} split"
    present = [subject for subject in scope.subjects if counts.get(subject)]
    sizes, n = expected(scope, split), sum(counts.values())
    parts = []
    if len(present) < len(scope.subjects) and not scope.single:
        parts.append(f"partial: {len(present)} of {len(scope.subjects)} subjects")
    if sizes is None:
        parts.append(f"{n:,} items")
    elif any(counts[subject] != sizes[subject] for subject in present) or not present:
        parts.append(f"{n:,} of {sum(sizes.values()):,} items")
    if failed:
        parts.append(f"{failed:,} failed")
    return ", ".join([name, *parts])


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
    sizes = expected(scope, split) or {}
    surplus = [f"{s.config} {counts[s] - sizes[s]:,}" for s in counts if s in sizes and counts[s] > sizes[s]]
    if surplus and not bundled:
        notes.append(f"more items than published: {', '.join(surplus)}")
    if failed:
        notes.append(f"{failed:,} items failed; the headline is a lower bound that counts them as wrong")
    return notes
