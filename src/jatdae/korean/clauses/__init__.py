"""The clauses of a Korean sentence: where they lie, which holds a negation, and which predicates are main ones."""

from jatdae.korean.clauses.holding import clause_of, clause_of_change, local_clause
from jatdae.korean.clauses.spans import Clause, MainPredicate, clauses, main_predicates

__all__ = [
    "Clause",
    "MainPredicate",
    "clause_of",
    "clause_of_change",
    "clauses",
    "local_clause",
    "main_predicates",
]
