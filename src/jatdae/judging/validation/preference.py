"""Whether judges favour their own texts, or those of their family.

Source: judging specification, section 3.1; MunBench specification, section 7 and requirement B4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from jatdae.judging.cases import RubricScore, Verdict
from jatdae.judging.identity import Identities
from jatdae.judging.validation.agreement import summaries
from jatdae.stats import paired_difference
from jatdae.stats.agreement import resampled
from jatdae.stats.agreement.resampling import DRAWS
from jatdae.stats.clusters import Floats
from jatdae.stats.ratings import points
from jatdae.types import Estimate

ALL = "all judges"


@dataclass(frozen=True, slots=True)
class OwnPreference:
    """How many points more a judge gives to its own texts, and to its family's, than other judges would lead to expect.

    `judge` may be all judges together. None where it judged no such texts, or no others to compare with.
    """

    judge: str
    own: Estimate | None
    family: Estimate | None


def own_preference(
    scores: Sequence[RubricScore], identities: Identities, *, draws: int = DRAWS, seed: int = 0
) -> list[OwnPreference]:
    """delta in score = sample + judge + delta [own], by least squares; intervals from resampled items.

    The same as the judge's residual on its own texts minus that on others, after an additive fit that leaves the
    preference out of the other effects. `family` counts texts of the same maker's other models, own ones left out.
    """
    judges = tuple(sorted({one.judge for one in scores}))
    samples = summaries(scores, judges)
    values = np.array([[np.nan if one.mean is None else one.mean for one in s.judges] for s in samples], dtype=float)
    items = [sample.item for sample in samples]
    models = [sample.model for sample in samples]
    own = _indicator(models, judges, identities.same)
    kin = _indicator(models, judges, identities.kin)

    def delta(values: Floats, mark: Floats, who: str) -> Estimate | None:
        chosen = mark if who == ALL else mark * np.array([judge == who for judge in judges], dtype=float)
        # Another judge's own texts would show as a lack of favour of this one.
        rows = np.stack([np.where(mark > chosen, np.nan, values), chosen], axis=1)
        return resampled(rows, preference_value, "additive model", items, draws, seed)

    strangers = np.where(own == 1, np.nan, values)
    return [OwnPreference(who, delta(values, own, who), delta(strangers, kin, who)) for who in (ALL, *judges)]


def _indicator(models: Sequence[str], judges: Sequence[str], related: Callable[[str, str], bool]) -> Floats:
    names = list(dict.fromkeys(models))
    known = {name: [float(related(judge, name)) for judge in judges] for name in names}
    return np.array([known[model] for model in models], dtype=np.float64).reshape(len(models), len(judges))


def preference_value(rows: Floats) -> float:
    """delta of samples x 2 x judges: scores (NaN where missing) and marks of own texts; NaN where it is not identified.

    Frisch and Waugh: what samples and judges explain is taken out of both, and what is left is regressed.
    """
    values, marks = rows[:, 0], rows[:, 1]
    seen = ~np.isnan(values)
    used = seen.sum(axis=1) > 1
    values, marks, seen = np.where(seen, values, 0.0)[used], np.where(seen, marks, 0.0)[used], seen[used]
    if not marks.any():
        return float("nan")
    counts = seen.sum(axis=1, keepdims=True)
    matrix = np.diag(seen.sum(axis=0).astype(float)) - (seen / counts).T @ seen
    inverse = np.linalg.pinv(matrix, rcond=1e-10, hermitian=True)
    left, left_marks = (_left_over(table, seen, counts, inverse) for table in (values, marks))
    square = float(np.square(left_marks).sum())
    return float((left * left_marks).sum()) / square if square > 1e-9 * seen.sum() else float("nan")


def _left_over(table: Floats, seen: np.ndarray, counts: np.ndarray, inverse: Floats) -> Floats:
    """What sample and judge effects leave of a table."""
    centred = (table - table.sum(axis=1, keepdims=True) / counts) * seen
    judges = inverse @ centred.sum(axis=0)
    return centred - (judges[None, :] - (seen @ judges)[:, None] / counts) * seen


@dataclass(frozen=True, slots=True)
class OwnWins:
    """How often a judge's own model wins, by its own verdict and by the other judges', over the same comparisons.

    A tie is half a win. `difference` has an interval by item; `comparisons` are (prompt, opponent).
    """

    judge: str
    model: str
    comparisons: int
    own: float
    others: float
    difference: Estimate


def own_wins(verdicts: Sequence[Verdict], identities: Identities) -> list[OwnWins]:
    """For each judge that judged comparisons of its own model which other judges, not of its family, judged too."""
    won: dict[tuple[str, str, str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in verdicts:
        if one.status == "ok" and one.winner is not None:
            first = points(one.winner)
            won[one.first, one.item, one.variant, one.second][one.judge].append(first)
            won[one.second, one.item, one.variant, one.first][one.judge].append(1 - first)
    by_owner: dict[tuple[str, str], list[tuple[str, float, float]]] = defaultdict(list)
    for (model, item, _, _), by_judge in won.items():
        strangers = [np.mean(given) for judge, given in by_judge.items() if not identities.kin(judge, model)]
        for judge, given in by_judge.items():
            if strangers and identities.same(judge, model):
                by_owner[judge, model].append((item, float(np.mean(given)), float(np.mean(strangers))))
    return [_own_wins(judge, model, rows) for (judge, model), rows in sorted(by_owner.items())]


def _own_wins(judge: str, model: str, rows: Sequence[tuple[str, float, float]]) -> OwnWins:
    items, own, others = zip(*rows, strict=True)
    difference = paired_difference(own, others, items)
    return OwnWins(judge, model, len(rows), float(np.mean(own)), float(np.mean(others)), difference)
