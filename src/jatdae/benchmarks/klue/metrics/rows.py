"""Checks for metrics whose item is a row: a sentence of characters or of words."""

from __future__ import annotations

from collections.abc import Sequence, Sized

from jatdae.benchmarks.klue.metrics.counting import same_length
from jatdae.errors import RequestError


def checked_rows(
    gold: Sequence[Sized], predicted: Sequence[Sized | None], what: str = "sentences", unit: str = "tags"
) -> int:
    """How many rows have no prediction. Raises RequestError where one has another length than its gold row."""
    same_length(gold, predicted, what)
    for number, (row, guess) in enumerate(zip(gold, predicted, strict=True)):
        if guess is not None and len(row) != len(guess):
            raise RequestError(f"row {number} of the {what}: {len(guess)} predicted {unit} for {len(row)} in gold")
    return sum(guess is None for guess in predicted)
