"""What a study is told to do."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.errors import RequestError, did_you_mean
from jatdae.negation.corpus.splitting import check_splitter

METHODS = ("morphemes", "rules")
BLOCK = 1_000
"""Sentences of a file that follow one another and make a cluster, as in the paper's numbered files."""
PART = 100_000
"""Characters beyond which a passage is cut, so that no single line can fill the memory."""


@dataclass(frozen=True, slots=True)
class StudySettings:
    """All that decides a study's figures, besides the corpus; neither the engine nor the number of workers does.

    With `clusters` that many whole blocks are drawn in place of `sample` sentences.
    """

    paths: tuple[str, ...]
    sample: int = 30_000
    seed: int = 2025
    max_chars: int = 400
    clusters: int | None = None
    splitter: str = "kiwi"
    method: str = "morphemes"
    field: str = "text"
    offline: bool = False

    def check(self) -> None:
        """Raises RequestError for a setting that cannot be."""
        if not self.paths:
            raise RequestError("no corpus is named; for example: jatdae negation study texts.txt --out study")
        for option, value in (
            ("--sample", self.sample),
            ("--max-chars", self.max_chars),
            ("--clusters", self.clusters),
        ):
            if value is not None and value < 1:
                raise RequestError(f"{option} {value}: at least 1 is needed")
        if not 0 <= self.seed < 2**63:
            raise RequestError(f"--seed {self.seed}: a number from 0 to 2**63 - 1 is needed")
        check_method(self.method)
        check_splitter(self.splitter)


def check_method(method: str) -> None:
    """Raises RequestError for a method that is not known."""
    if method not in METHODS:
        raise RequestError(f"--method {method!r} is not known; {did_you_mean(method, METHODS)}")
