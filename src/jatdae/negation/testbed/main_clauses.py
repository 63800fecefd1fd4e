"""Which predicates of the original the standard negation denies: the labels of main clauses, laid on the words.

Standard negation denies the predicate of each main clause and nothing else, so the places where it differs from the
original show where the main clauses are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from jatdae.benchmarks.konubench.data import STANDARD_TYPES, Record
from jatdae.korean.clauses.change import Change, marker_changes
from jatdae.korean.clauses.closing import closing_ending
from jatdae.korean.clauses.holding import is_main
from jatdae.korean.clauses.outline import Outline, outline
from jatdae.korean.negation.analysis import Analysis, analyse_all

REACH = 4
"""A predicate may stand so many code points away from where the alignment puts it (안 and -지 move it)."""


@dataclass(frozen=True, slots=True)
class MainClauseScores:
    """Counts over sentences: predicates of main clauses `labelled`, `found`, `shared` by both; `exact` sentences.

    `counted` sentences have as many main clauses found as the record has labels, wherever they are.
    """

    sentences: int
    labelled: int
    found: int
    shared: int
    exact: int
    counted: int

    @property
    def precision(self) -> float:
        """The share of found ones that are labelled; 0 where none is found."""
        return self.shared / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of labelled ones that are found; 0 where none is labelled."""
        return self.shared / self.labelled if self.labelled else 0.0


def score_main_clauses(records: Iterable[Record]) -> MainClauseScores:
    """How well `main_predicates` finds in the originals what the standard negations deny."""
    totals = [0] * 6
    for record, original, negated in standard_pairs(records):
        sentence = outline(original.morphemes)
        labelled = denied_predications(sentence, original, negated)
        found = {number for number in range(len(sentence.predications)) if is_main(sentence, number)}
        labels = sum(record[field] is not None for field in STANDARD_TYPES)
        row = (1, len(labelled), len(found), len(labelled & found), found == labelled, len(found) == labels)
        totals = [total + value for total, value in zip(totals, row, strict=True)]
    return MainClauseScores(*totals)


def standard_pairs(records: Iterable[Record]) -> Iterable[tuple[Record, Analysis, Analysis]]:
    """Each record with the analyses of its original and of its standard negation."""
    listed = list(records)
    texts = (record.text(field) for record in listed for field in ("original_sentence", "standard_negation"))
    analyses = analyse_all(texts)
    for record in listed:
        yield record, next(analyses), next(analyses)


def denied_predications(sentence: Outline, original: Analysis, negated: Analysis) -> set[int]:
    """The numbers of the original's predications whose negation differs between the two sentences."""
    blocks = SequenceMatcher(None, negated.text, original.text, autojunk=False).get_matching_blocks()
    starts = [original.morphemes[each.predicate].start for each in sentence.predications]
    found: set[int] = set()
    for change in marker_changes(original, negated):
        denied = _predicate_start(change)
        if denied is None:
            continue
        place = _mapped(blocks, denied) if change.analysis is negated else denied
        distances = [abs(start - place) for start in starts]
        if distances and min(distances) <= REACH:
            found.add(distances.index(min(distances)))
    return found


def _predicate_start(change: Change) -> int | None:
    morphemes = change.analysis.morphemes
    sentence = outline(morphemes)
    number = sentence.number_of(closing_ending(morphemes, change.at))
    return None if number is None else morphemes[sentence.predications[number].predicate].start


def _mapped(blocks: Iterable[tuple[int, int, int]], place: int) -> int:
    """The place in the second text: inside a matching block exact, else at the nearest edge of one.

    There is at least the empty block at the end of both.
    """
    nearest: list[tuple[int, int]] = []
    for first, second, size in blocks:
        if first <= place < first + size:
            return second + place - first
        edge = first if place < first else first + size
        nearest.append((abs(edge - place), second + edge - first))
    return min(nearest)[1]
