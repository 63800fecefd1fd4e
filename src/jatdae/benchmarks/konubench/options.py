"""What the options of an item are, in which order they are shown, and which kind each one really is."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from jatdae.benchmarks.konubench.data import Record
from jatdae.benchmarks.multiple_choice import Question

STANDARD, LOCAL, CONTRADICTION, PARAPHRASE = KINDS = ("standard", "local", "contradiction", "paraphrase")
"""The kinds of option in the fixed order of the cloze mode; the first is the right answer."""

_FIELDS = {
    STANDARD: "standard_negation",
    LOCAL: "local_negation",
    CONTRADICTION: "contradiction",
    PARAPHRASE: "paraphrase",
}
SWAPPED_BLOCKS = ((2583, 3303), (4305, 4702))
"""Ids (both ends included) in whose items the files hold the contradiction and the paraphrase in each other's field."""

Repair = Literal["none", "swap"]
NO_LOCAL = "없음"


@dataclass(frozen=True, slots=True)
class NegationQuestion(Question):
    """A question of the benchmark: `question` is the original sentence.

    `kinds` names each shown option by the field that it came from, `true_kinds` by what it is once the exchanged fields
    are put right. `group` is the clause that the local negation changes.
    """

    kinds: tuple[str, ...] = ()
    true_kinds: tuple[str, ...] = ()


def is_swapped(idx: str) -> bool:
    """Whether the files hold this item's contradiction and paraphrase in each other's field."""
    return idx.isdigit() and any(low <= int(idx) <= high for low, high in SWAPPED_BLOCKS)


def exchanged(kind: str) -> str:
    """The other of contradiction and paraphrase; any other kind stays."""
    return {CONTRADICTION: PARAPHRASE, PARAPHRASE: CONTRADICTION}.get(kind, kind)


def fixed_order(record: Record, repair: Repair = "none") -> list[tuple[str, str]]:
    """Kind and text of each option in the order standard, local (if there is one), contradiction, paraphrase.

    With `swap` the fields that the files exchange are read the right way round.
    """
    swap = repair == "swap" and is_swapped(record.idx)
    pairs = [(kind, record[_FIELDS[exchanged(kind) if swap else kind]]) for kind in KINDS]
    return [(kind, text) for kind, text in pairs if text]


def shuffled_order(record: Record, repair: Repair = "none") -> list[tuple[str, str]]:
    """The options in the published order of the letters: the fixed order, shuffled once with the id's number as seed.

    `G96` and `96` share a permutation.
    """
    options = fixed_order(record, repair)
    random.Random(record.number).shuffle(options)  # noqa: S311 - the published generator
    return options


def build_question(record: Record, *, shuffled: bool, repair: Repair = "none", strip: bool = False) -> NegationQuestion:
    """The question as it is shown. The right answer is the first option whose text is the standard negation.

    `strip` removes blanks at the edges of the texts, which a few items have.
    """
    pairs = shuffled_order(record, repair) if shuffled else fixed_order(record, repair)
    kinds = tuple(kind for kind, _ in pairs)
    texts = tuple(text.strip() if strip else text for _, text in pairs)
    right = record.text("standard_negation")
    original = record.text("original_sentence")
    mistaken = repair == "none" and is_swapped(record.idx)
    return NegationQuestion(
        id=record.idx,
        question=original.strip() if strip else original,
        options=texts,
        answer=texts.index(right.strip() if strip else right),
        group=record["local_negation_type"] or NO_LOCAL,
        cluster=record.cluster,
        flags=_flags(record),
        kinds=kinds,
        true_kinds=tuple(exchanged(kind) for kind in kinds) if mistaken else kinds,
    )


def _flags(record: Record) -> tuple[str, ...]:
    """Irregularities that a reader of this item must know."""
    local = record["local_negation"]
    found = {
        "fields exchanged": is_swapped(record.idx),
        "two right answers": local == record["standard_negation"],
        "local negation is the original": local == record["original_sentence"],
        "paraphrase is the original": record["paraphrase"] == record["original_sentence"],
        "two equal distractors": local == record["contradiction"],
    }
    return tuple(name for name, present in found.items() if present)
