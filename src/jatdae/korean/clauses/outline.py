"""A sentence as a row of predicates, each with the ending that closes its clause."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.korean.clauses.closing import STEMS, Closure, Morphemes, closing_ending, closure


@dataclass(frozen=True, slots=True)
class Predication:
    """A predicate and the ending that closes its clause, as indices of morphemes; `ending` None where none follows.

    `predicate` is the stem that the chain begins with: the verb, the adjective, the copula, or the suffix (-하-,
    -되-) of a noun that is used as a verb. Auxiliaries belong to the predicate before them.
    """

    predicate: int
    ending: int | None
    closure: Closure


@dataclass(frozen=True, slots=True)
class Outline:
    """The morphemes of a sentence and its predicates in order."""

    morphemes: Morphemes
    predications: tuple[Predication, ...]

    def number_of(self, ending: int | None) -> int | None:
        """Which predication closes with the ending; None where none does."""
        return next((number for number, each in enumerate(self.predications) if each.ending == ending), None)


def outline(morphemes: Morphemes) -> Outline:
    """The outline of a sentence: stems that share a closing ending are one predicate."""
    found: list[Predication] = []
    for index, morpheme in enumerate(morphemes):
        if morpheme.tag in STEMS and not _covered(found, index):
            ending = closing_ending(morphemes, index)
            found.append(Predication(index, ending, closure(morphemes, ending)))
    return Outline(morphemes, tuple(found))


def _covered(found: list[Predication], index: int) -> bool:
    if not found:
        return False
    last = found[-1].ending
    return last is None or index < last
