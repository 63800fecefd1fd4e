"""An item under construction: its fields, its state, and who has had a hand in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from jatdae.benchmarks.konubench.data import Record
from jatdae.korean.negation.kinds import ClauseType, NegationType
from jatdae.negation.construction.states import State

ORIGINAL, STANDARD, LOCAL = "original_sentence", "standard_negation", "local_negation"
CONTRADICTION, PARAPHRASE = "contradiction", "paraphrase"
SENTENCES = (ORIGINAL, STANDARD, LOCAL, CONTRADICTION, PARAPHRASE)
OPTIONS = SENTENCES[1:]
STANDARD_TYPES, LOCAL_TYPES = ("sn_절1", "sn_절2", "sn_절3"), ("ln_절1", "ln_절2")
LOCAL_CLAUSE, LOCAL_ELEMENT, NOTE = "local_negation_type", "local_부정요소", "note"
RELEASED = (
    "idx",
    "raw_id",
    ORIGINAL,
    STANDARD,
    *STANDARD_TYPES,
    LOCAL_CLAUSE,
    LOCAL,
    LOCAL_ELEMENT,
    *LOCAL_TYPES,
    CONTRADICTION,
    PARAPHRASE,
    NOTE,
)
"""The 15 fields in the order of the published files."""
CONTENT = RELEASED[2:]
"""Those that people write."""
SOURCE = ("first_sentence", "second_sentence", "source_file", "source_line")
"""Where a unit comes from: its two sentences, the file's name and the line."""

TYPE_LABELS = tuple(kind.value for kind in NegationType)
CLAUSE_LABELS = tuple(kind.value for kind in ClauseType if kind not in (ClauseType.MAIN, ClauseType.CONFIRMATION))
LABELS = {
    **dict.fromkeys((*STANDARD_TYPES, *LOCAL_TYPES), TYPE_LABELS),
    LOCAL_CLAUSE: CLAUSE_LABELS,
}
"""The words that a field with labels may hold, besides nothing."""

STATE, REASON = "state", "reason"
VERIFIER, ANSWER, VERDICT, COMMENT, DECISION = "verifier", "answer", "verdict", "comment", "decision"
KNOWN = (*SOURCE, "raw_id", *CONTENT, STATE, REASON, VERIFIER, ANSWER, VERDICT, COMMENT, DECISION)


@dataclass(frozen=True, slots=True)
class Item:
    """An item as the log has it by now. `values` has "" for nothing; `people` have written, changed or accepted it."""

    idx: str
    values: Mapping[str, str]
    people: frozenset[str] = field(default_factory=frozenset)

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def state(self) -> State:
        return State(self.values[STATE])

    @property
    def order(self) -> tuple[bool, int]:
        """Sorts items as the released table does."""
        return table_order(self.idx)

    @property
    def sentences(self) -> dict[str, str]:
        """The original and the options that there are, by field."""
        return {name: self[name] for name in SENTENCES if self[name]}

    def record(self) -> Record:
        """The item as the benchmark's loader would read it."""
        return Record(self.idx, self["raw_id"] or None, {name: self[name] or None for name in CONTENT})


def table_order(idx: str) -> tuple[bool, int]:
    """Numeric ids ascending, then the constructed ones (G and a number) ascending by number."""
    return idx.startswith("G"), int(idx.removeprefix("G"))


def is_id(text: str) -> bool:
    """Whether the text is an id of the benchmark's form."""
    return bool(re.fullmatch(r"G?[0-9]{1,9}", text))
