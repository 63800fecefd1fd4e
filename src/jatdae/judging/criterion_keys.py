"""Which criterion a key in a judge's JSON stands for: its id (`c1`, `c2`, ...), or its name, roughly written."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from jatdae.judging.cases import Criterion

_SHORTEST = 4
"""Letters: a shorter piece of a name says too little to be taken for it."""


def criterion_ids(criteria: Sequence[Criterion]) -> dict[str, str]:
    """Ids to names: `c1` is the rubric's first criterion, whatever the order in which they are shown."""
    return {f"c{place}": criterion.name for place, criterion in enumerate(criteria, 1)}


def bare(name: str) -> str:
    """Letters and digits only: spaces, middle dots, brackets and dashes are where judges drift."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).casefold() if sign.isalnum())


def named_criterion(key: str, names: Sequence[str]) -> str | None:
    """The name that `key` stands for: the same letters, else the only name that holds it or is held by it."""
    letters = bare(key)
    same = [name for name in names if bare(name) == letters]
    if same:
        return same[0]
    if len(letters) < _SHORTEST:
        return None
    near = [name for name in names if letters in bare(name) or (len(bare(name)) >= _SHORTEST and bare(name) in letters)]
    return near[0] if len(near) == 1 else None
