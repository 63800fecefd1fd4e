"""Means over groups of models, gains of one column over another, and base models beside their instruct versions.

Pure functions over a table of scores. Every interval is over models: it says how far such a mean would lie if other
models of the same kind had been measured, and knows nothing of how many items stand behind a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from jatdae.reports.negation.models_file import BANDS, ModelFacts, band
from jatdae.stats import mean, paired_difference
from jatdae.types import Estimate

Axis = Literal["all", "language", "tuning", "language and tuning", "size", "family"]
AXES: tuple[Axis, ...] = get_args(Axis)


@dataclass(frozen=True, slots=True)
class ModelScores:
    """A row of the table: a model, what is known of it (None: nothing), and its scores in [0, 1] by column.

    A column that was not measured is absent.
    """

    name: str
    facts: ModelFacts | None
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class GroupMean:
    """The mean of a column over the models of a group that have it; the estimate's `n` counts models."""

    axis: Axis
    group: str
    column: str
    mean: Estimate


@dataclass(frozen=True, slots=True)
class Gain:
    """`after` minus `before` over the models of a group that have both; `falling` counts those that lose."""

    axis: Axis
    group: str
    before_column: str
    after_column: str
    before: float
    after: float
    gain: Estimate
    falling: int


@dataclass(frozen=True, slots=True)
class TuningPairs:
    """Instruct minus base over pairs of one family and size; `falling` counts the pairs in which instruct is lower."""

    group: str
    column: str
    gain: Estimate
    falling: int


def over_models(scores: Sequence[float]) -> Estimate:
    """The mean of models' scores in [0, 1] with a t interval over models, cut at 0 and 1; `n` counts models."""
    found = mean(scores)
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def group_of(facts: ModelFacts | None, axis: Axis) -> str | None:
    """The group of a model on an axis; None where it is not known."""
    if axis == "all":
        return "all"
    return None if facts is None else _GROUPS[axis](facts)


def language(facts: ModelFacts) -> str:
    """Whether the model was made for Korean."""
    return "Korean" if facts.korean else "non-Korean"


_GROUPS: Mapping[str, Callable[[ModelFacts], str | None]] = {
    "language": language,
    "tuning": lambda facts: facts.tuning,
    "language and tuning": lambda facts: f"{language(facts)} {facts.tuning}",
    "size": lambda facts: band(facts.parameters),
    "family": lambda facts: facts.family,
}


def groups(table: Sequence[ModelScores]) -> Iterator[tuple[Axis, str, list[ModelScores]]]:
    """Every group on every axis that has a model: sizes ascending, all others by name."""
    for axis in AXES:
        named: dict[str, list[ModelScores]] = {}
        for row in table:
            group = group_of(row.facts, axis)
            if group is not None:
                named.setdefault(group, []).append(row)
        order = [band(low) or "" for low, _ in BANDS] if axis == "size" else sorted(named)
        for group in order:
            if group in named:
                yield axis, group, named[group]


def group_means(table: Sequence[ModelScores], columns: Sequence[str]) -> list[GroupMean]:
    """The mean of each column over each group. A group in which nobody has a column is left out."""
    return [
        GroupMean(axis, group, column, over_models(values))
        for axis, group, rows in groups(table)
        for column in columns
        if (values := [row.scores[column] for row in rows if column in row.scores])
    ]


def gains(table: Sequence[ModelScores], before: str, after: str) -> list[Gain]:
    """What each group gains from one column to another, model by model."""
    found: list[Gain] = []
    for axis, group, rows in groups(table):
        pairs = [(row.scores[before], row.scores[after]) for row in rows if {before, after} <= row.scores.keys()]
        if pairs:
            first, second = zip(*pairs, strict=True)
            means = (sum(first) / len(pairs), sum(second) / len(pairs))
            falling = sum(b > a for b, a in pairs)
            found.append(Gain(axis, group, before, after, *means, paired_difference(second, first), falling))
    return found


def tuning_pairs(table: Sequence[ModelScores], columns: Sequence[str]) -> list[TuningPairs]:
    """Base and instruct models that share family and size, one of each; a size with several of a kind has no pair."""
    kinds: dict[tuple[str, str, float], dict[str, list[ModelScores]]] = {}
    for row in table:
        if row.facts and row.facts.parameters is not None:
            key = (language(row.facts), row.facts.family, row.facts.parameters)
            kinds.setdefault(key, {}).setdefault(row.facts.tuning, []).append(row)
    pairs = [
        (key[0], kind["base"][0].scores, kind["instruct"][0].scores)
        for key, kind in kinds.items()
        if sorted((tuning, len(rows)) for tuning, rows in kind.items()) == [("base", 1), ("instruct", 1)]
    ]
    found: list[TuningPairs] = []
    for group in sorted({group for group, _, _ in pairs}):
        for column in columns:
            both = [
                (base[column], tuned[column])
                for name, base, tuned in pairs
                if name == group and column in base and column in tuned
            ]
            if both:
                base, tuned = zip(*both, strict=True)
                falling = sum(low > high for low, high in both)
                found.append(TuningPairs(group, column, paired_difference(tuned, base), falling))
    return found


def count_below(table: Sequence[ModelScores], column: str, value: float) -> tuple[int, int]:
    """How many models score below a value, and how many have the column."""
    scores = [row.scores[column] for row in table if column in row.scores]
    return sum(score < value for score in scores), len(scores)
