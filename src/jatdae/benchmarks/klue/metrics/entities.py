"""Named-entity recognition: entity macro F1 and character macro F1 over rows of character tags."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

import numpy as np

from jatdae.benchmarks.klue.labels import ENTITY_TAGS, ENTITY_TYPES
from jatdae.benchmarks.klue.metrics.counting import (
    by_class,
    confusion,
    f1,
    gold_codes,
    macro_over_union,
    masked_mean,
    predicted_codes,
    split_counts,
)
from jatdae.benchmarks.klue.metrics.rows import checked_rows
from jatdae.benchmarks.klue.metrics.score import Floats, Score, additive, nothing_valid

OUTSIDE = "O"

Entity = tuple[int, int, str]


def entities(tags: Sequence[str]) -> list[Entity]:
    """Entities of one row by strict IOB2, as (start, end, type), end exclusive.

    An entity is a `B-X` and the unbroken run of `I-X` after it; an `I-X` without one opens nothing.
    """
    found: list[Entity] = []
    start, kind = -1, ""
    for position, tag in enumerate(chain(tags, (OUTSIDE,))):
        if kind and tag != f"I-{kind}":
            found.append((start, position, kind))
            kind = ""
        if tag.startswith("B-"):
            start, kind = position, tag[2:]
    return found


def entity_macro_f1(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str] | None]) -> Score:
    """Entity F1 by strict IOB2 (exact span and type), macro over the types in gold or prediction.

    Official: all rows joined into one, so a tag at a row's start can continue the entity before it; clean: row by row.
    The order of rows matters for the official value alone. A missing row finds nothing; an unknown tag is read as `O`
    and counted in `invalid` (as tags). `detail` has the F1 of every type and the `micro` value of the same counts.
    Undefined where there is no entity at all. Raises RequestError for unknown gold tags or rows of unequal length.
    """
    missing = checked_rows(gold, predicted)
    gold_codes(list(chain.from_iterable(gold)), ENTITY_TAGS)
    invalid = sum(tag not in ENTITY_TAGS for row in predicted if row is not None for tag in row)
    if nothing := nothing_valid(len(gold), missing):
        return nothing
    guess = [[OUTSIDE] * len(row) if tags is None else _known(tags) for row, tags in zip(gold, predicted, strict=True)]
    lengths = [len(row) for row in gold]
    joined = _entity_counts(_joined_entities(gold), _joined_entities(guess), lengths)
    single = _entity_counts(_row_entities(gold), _row_entities(guess), lengths)
    width = joined.shape[1]
    totals = joined.sum(axis=0)
    reason = "no entity in gold or prediction"
    return additive(
        np.concatenate([joined, single], axis=1),
        lambda totals: macro_over_union(totals[..., :width]),
        lambda totals: macro_over_union(totals[..., width:]),
        reason=reason,
        missing=missing,
        invalid=invalid,
        detail={"scheme": "IOB2 strict", "average": "macro", "micro": _micro(totals), **by_class(totals, ENTITY_TYPES)},
    )


def character_macro_f1(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str] | None]) -> Score:
    """Macro F1 of character tags, a tag that occurs on neither side counting 1.

    Official: over all 13 tags with `O`; clean: over the 12 entity tags. `detail` names the `absent` tags. A missing row
    and an unknown tag are misses of the gold tags and no tag themselves, so `O` earns nothing there. Raises
    RequestError for unknown gold tags or rows of unequal length.
    """
    missing = checked_rows(gold, predicted)
    if nothing := nothing_valid(len(gold), missing):
        return nothing
    lengths = np.array([len(row) for row in gold])
    guess = [[None] * len(row) if tags is None else tags for row, tags in zip(gold, predicted, strict=True)]
    truth = gold_codes(list(chain.from_iterable(gold)), ENTITY_TAGS)
    coded = predicted_codes(list(chain.from_iterable(guess)), ENTITY_TAGS)
    item = np.repeat(np.arange(len(gold)), lengths)
    counts = confusion(item, truth, coded.codes, len(ENTITY_TAGS), len(gold))
    shown = by_class(counts.sum(axis=0), ENTITY_TAGS)
    return additive(
        counts,
        _absent_is_one,
        lambda totals: _absent_is_one(totals, leave_out=ENTITY_TAGS.index(OUTSIDE)),
        reason="no characters",
        missing=missing,
        invalid=coded.invalid,
        detail={
            "average": "macro",
            **shown,
            "absent": tuple(tag for tag in ENTITY_TAGS if tag not in shown["classes"]),
            "characters": len(truth),
        },
    )


def _absent_is_one(totals: Floats, leave_out: int | None = None) -> Floats:
    values = np.nan_to_num(f1(*split_counts(totals)), nan=1.0)
    mask = np.ones(values.shape, dtype=bool)
    if leave_out is not None:
        mask[..., leave_out] = False
    return 100 * masked_mean(values, mask)


def _known(tags: Iterable[str]) -> list[str]:
    return [tag if tag in ENTITY_TAGS else OUTSIDE for tag in tags]


def _micro(totals: Floats) -> float | None:
    value = float(f1(*(part.sum() for part in split_counts(totals))))
    return None if np.isnan(value) else 100 * value


def _joined_entities(rows: Sequence[Sequence[str]]) -> set[tuple[int, Entity]]:
    """Entities of all rows as one, each with the row that it starts in."""
    starts = list(accumulate((len(row) for row in rows), initial=0))[:-1]
    joined = list(chain.from_iterable(rows))
    return {(bisect_right(starts, entity[0]) - 1, entity) for entity in entities(joined)}


def _row_entities(rows: Sequence[Sequence[str]]) -> set[tuple[int, Entity]]:
    return {(number, entity) for number, row in enumerate(rows) for entity in entities(row)}


def _entity_counts(gold: set[tuple[int, Entity]], guess: set[tuple[int, Entity]], lengths: Sequence[int]) -> Floats:
    """True positives, false positives and false negatives of every type in every row: (rows, 3 * types)."""
    groups = (gold & guess, guess - gold, gold - guess)
    counts = np.zeros((len(lengths), len(groups), len(ENTITY_TYPES)))
    for column, group in enumerate(groups):
        for row, (_, _, kind) in group:
            counts[row, column, ENTITY_TYPES.index(kind)] += 1
    return counts.reshape(len(lengths), -1)
