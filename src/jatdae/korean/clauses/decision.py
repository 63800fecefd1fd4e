"""Two linear models over the features of a clause: which type it has, and whether it is one of the main clauses.

The weights (hundredths, a column for each class) were fitted by `benchmarks/clause_learning.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Question = Literal["type", "main"]


@dataclass(frozen=True, slots=True)
class Weights:
    """A multinomial linear model: the score of a class is its bias and the sum of its weights for the features."""

    classes: tuple[str, ...]
    bias: tuple[int, ...]
    by_feature: Mapping[str, Sequence[int]]

    def likeliest(self, features: Iterable[str]) -> str:
        """The class with the highest score; the first of them where scores are equal."""
        scores = list(self.bias)
        for feature in features:
            row = self.by_feature.get(feature)
            if row is not None:
                scores = [score + weight for score, weight in zip(scores, row, strict=True)]
        return self.classes[scores.index(max(scores))]


@cache
def weights(question: Question) -> Weights:
    """The weights that ship with the package."""
    table = json.loads(files("jatdae.korean.clauses").joinpath("weights.json").read_text(encoding="utf-8"))[question]
    return Weights(tuple(table["classes"]), tuple(table["bias"]), table["weights"])
