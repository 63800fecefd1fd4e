"""Two models on the same items: what is stored of both, put side by side and tested as pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from jatdae.errors import RequestError, did_you_mean
from jatdae.stats import (
    benjamini_hochberg,
    bootstrap_macro,
    cluster_bootstrap,
    holm,
    mcnemar_exact,
    seed_from,
    sign_flip,
    smallest_difference,
)
from jatdae.store import Store, StoredResult
from jatdae.types import Estimate, Outcome, Result, Sample

BOTH_WAYS = (-1.0, 1.0)
"""The range of a difference of two shares."""
MCNEMAR = "McNemar, exact"


@dataclass(frozen=True, slots=True)
class Side:
    """What one name on the command line stands for: a model's finished results, the latest of each question."""

    name: str
    model: str
    results: tuple[StoredResult, ...]


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """One subject or clause: the difference there, its p, and the p corrected for how many groups there are."""

    group: str
    difference: Estimate
    p: float
    corrected_p: float


@dataclass(frozen=True, slots=True)
class Difference:
    """What `second` gains over `first` on one question, over the items that both answered.

    `p` is McNemar's exact one where the scores are 0 or 1 and no items share an origin, else that of flipping the sign
    of each cluster, or, for a metric that is no mean over items, of exchanging predictions; `mid_p` stands beside
    McNemar's. `corrected_p` is Holm's over all questions that were compared at once. `detectable` is the smallest
    true difference that so many items find with 80 % power. `gained` and `lost` are the items that only one has right.
    `unlike` names in which fields the two questions differ, where that was forced.
    """

    task: str
    title: str
    mode: str
    shots: int
    metric: str
    first_model: str
    second_model: str
    first: float
    second: float
    difference: Estimate
    p: float
    corrected_p: float
    test: str
    detectable: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    groups: tuple[GroupDifference, ...]
    missing: int
    unlike: tuple[str, ...]
    mid_p: float | None = None


def find_side(store: Store, name: str) -> Side:
    """A run by its number, or a model by its reference or a part of it that only one has.

    Raises RequestError where nothing fits, where several models do, or where nothing was finished.
    """
    stored = [found for found in store.results() if found.result]
    if name.isdigit():
        own = [found for found in stored if found.run_id == int(name)]
        hint = "`jatdae results` lists the runs"
    else:
        own = _of_model(stored, name)
        hint = did_you_mean(name, sorted({found.model_reference for found in stored}))
    models = sorted({found.model_reference for found in own})
    if not models:
        raise RequestError(f"{name}: nothing finished is stored under this name; {hint}")
    if len(models) > 1:
        raise RequestError(f"{name} stands for {len(models)} models ({', '.join(models)}); name one by its reference")
    return Side(name, models[0], tuple(_latest(own)))


def _of_model(stored: Sequence[StoredResult], name: str) -> list[StoredResult]:
    exact = [found for found in stored if found.model_reference == name]
    return exact or [found for found in stored if name in found.model_reference]


def _latest(stored: Iterable[StoredResult]) -> list[StoredResult]:
    """One result a question, the newest, in the order in which they were made."""
    newest: dict[tuple[str, str], StoredResult] = {}
    for found in sorted(stored, key=lambda found: found.id):
        newest[found.task, found.fingerprint] = found
    return sorted(newest.values(), key=lambda found: found.id)


def compare(store: Store, names: Sequence[str], *, force: bool = False, data: str | None = None) -> list[Difference]:
    """Each later name against the first, on every question that both were asked. `data` is the folder of benchmarks
    whose metrics are computed anew.

    Raises RequestError where no question is shared, and, unless `force`, where a task was asked in different ways: the
    message names the fields.
    """
    sides = [find_side(store, name) for name in names]
    found: list[Difference] = []
    for other in sides[1:]:
        pairs = _pairs(sides[0], other, force=force)
        if not pairs:
            raise RequestError(f"{sides[0].name} and {other.name} share no task; run the same task on both")
        found += [_difference(store, first, second, unlike, data) for first, second, unlike in pairs]
    corrected = holm([one.p for one in found])
    return [replace(one, corrected_p=p) for one, p in zip(found, corrected, strict=True)]


def compare_results(store: Store, first: StoredResult, second: StoredResult) -> Difference:
    """What one finished result gains over another, asked the same. Its p is uncorrected.

    Raises RequestError where their fingerprints differ, or where no item was answered by both.
    """
    if first.fingerprint != second.fingerprint:
        unlike = _unlike(_finished(first), _finished(second))
        raise RequestError(f"{first.task} of runs {first.run_id} and {second.run_id} differ in {', '.join(unlike)}")
    return _difference(store, first, second, (), None)


def _pairs(first: Side, second: Side, *, force: bool) -> list[tuple[StoredResult, StoredResult, tuple[str, ...]]]:
    """Results of one question on both sides, and in what they differ where that is forced."""
    pairs: list[tuple[StoredResult, StoredResult, tuple[str, ...]]] = []
    for one in first.results:
        same = [other for other in second.results if _question(other) == _question(one)]
        equal = next((other for other in same if other.fingerprint == one.fingerprint), None)
        if equal:
            pairs.append((one, equal, ()))
        elif same:
            unlike = _unlike(_finished(one), _finished(same[-1]))
            if not force:
                raise RequestError(
                    f"{one.task} {one.mode} of {first.name} and of {second.name} differ in {', '.join(unlike)}; "
                    "run both in one way, or compare them all the same with --force"
                )
            pairs.append((one, same[-1], unlike))
    return pairs


def _question(stored: StoredResult) -> tuple[str, str, int]:
    return stored.task, stored.mode, _finished(stored).protocol.shots


def _finished(stored: StoredResult) -> Result:
    assert stored.result is not None  # noqa: S101 - sides hold finished results only
    return stored.result


def _unlike(first: Result, second: Result) -> tuple[str, ...]:
    """The fields of two questions that differ; where none does, it is the wording, of which only a hash is kept."""
    sides = [
        {**asdict(one.protocol), "data": one.data_hash, "task version": one.task_version} for one in (first, second)
    ]
    return tuple(name for name in sides[0] if sides[0][name] != sides[1][name]) or ("wording of the prompt",)


@dataclass(frozen=True, slots=True)
class _Item:
    """One item's value, the mean over its seeds, with its stratum and origin."""

    value: float
    group: str
    cluster: str


def _difference(
    store: Store, first: StoredResult, second: StoredResult, unlike: tuple[str, ...], data: str | None
) -> Difference:
    result = _finished(first)
    metric = _item_metric(result, store.samples(first.id))
    if metric is None:
        return _metric_difference(store, first, second, unlike, data)
    sides = [_items(store.samples(stored.id), metric) for stored in (first, second)]
    shared = [item for item in sides[0] if item in sides[1]]
    if not shared:
        raise RequestError(
            f"{first.task}: no item was answered by both {first.model_reference} and {second.model_reference}"
        )
    values = np.array([[side[item].value for side in sides] for item in shared])
    deltas = values[:, 1] - values[:, 0]
    kinds = [sides[0][item] for item in shared]
    seed = seed_from(first.fingerprint, metric, first.model_reference, second.model_reference)
    by_macro = result.headline.startswith("macro")
    p, test = _test(values, kinds, seed)
    level = _levels(values, kinds, by_macro=by_macro)
    return Difference(
        task=first.task,
        title=result.title,
        mode=first.mode,
        shots=result.protocol.shots,
        metric=result.headline,
        first_model=first.model_reference,
        second_model=second.model_reference,
        first=level[0],
        second=level[1],
        difference=_interval(deltas, kinds, seed, by_macro=by_macro),
        p=p,
        corrected_p=p,
        test=test,
        detectable=smallest_difference(len(shared), float(np.square(deltas).mean())),
        gained=tuple(item for item, delta in zip(shared, deltas, strict=True) if delta > 0),
        lost=tuple(item for item, delta in zip(shared, deltas, strict=True) if delta < 0),
        groups=_groups(deltas, kinds, seed),
        missing=len(sides[0].keys() ^ sides[1].keys()),
        unlike=unlike,
        mid_p=_mid_p(deltas) if test == MCNEMAR else None,
    )


def _mid_p(deltas: np.ndarray) -> float:
    return mcnemar_exact(int((deltas < 0).sum()), int((deltas > 0).sum()), mid=True)


def _metric_difference(
    store: Store, first: StoredResult, second: StoredResult, unlike: tuple[str, ...], data: str | None
) -> Difference:
    """As `_difference`, for a headline that is no mean over items. Items change where they become right or wrong."""
    from jatdae.evaluate.metric_pairs import metric_pair

    sides = [list(store.samples(stored.id)) for stored in (first, second)]
    result = _finished(first)
    seed = seed_from(first.fingerprint, result.headline, first.model_reference, second.model_reference)
    pair = metric_pair(first, sides, seed=seed, data=data)
    right = [_right_items(samples) for samples in sides]
    shared = [item for item in right[0] if item in right[1]]
    return Difference(
        task=first.task,
        title=result.title,
        mode=first.mode,
        shots=result.protocol.shots,
        metric=result.headline,
        first_model=first.model_reference,
        second_model=second.model_reference,
        first=pair.first,
        second=pair.second,
        difference=pair.difference,
        p=pair.p,
        corrected_p=pair.p,
        test=pair.test,
        detectable=pair.detectable,
        gained=tuple(item for item in shared if right[1][item] > right[0][item]),
        lost=tuple(item for item in shared if right[1][item] < right[0][item]),
        groups=(),
        missing=len(right[0].keys() ^ right[1].keys()),
        unlike=unlike,
    )


def _right_items(samples: Iterable[Sample]) -> dict[str, int]:
    """Under how many seeds each answered item was wholly right."""
    found: dict[str, int] = {}
    for sample in samples:
        if sample.scores:
            found[sample.item] = found.get(sample.item, 0) + (sample.outcome is Outcome.RIGHT)
    return found


def _item_metric(result: Result, samples: Iterable[Sample]) -> str | None:
    """The score of single items that the headline averages; None where it is no average of items."""
    known = next((sample.scores for sample in samples if sample.scores), {})
    metric = result.headline.replace("macro", "acc", 1) if result.headline.startswith("macro") else result.headline
    return metric if metric in known else None


def _items(samples: Iterable[Sample], metric: str) -> dict[str, _Item]:
    """The answered items in file order; failed ones are left out."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        if sample.scores:
            found.setdefault(sample.item, []).append(sample)
    return {
        item: _Item(sum(sample.scores[metric] for sample in own) / len(own), own[0].group, own[0].cluster or item)
        for item, own in found.items()
    }


def _test(values: np.ndarray, kinds: Sequence[_Item], seed: int) -> tuple[float, str]:
    deltas = values[:, 1] - values[:, 0]
    clusters = [kind.cluster for kind in kinds]
    if np.isin(values, (0.0, 1.0)).all() and len(set(clusters)) == len(clusters):
        return mcnemar_exact(int((deltas < 0).sum()), int((deltas > 0).sum())), MCNEMAR
    return sign_flip(deltas, clusters, seed=seed), f"sign flips of {len(set(clusters))} clusters"


def _levels(values: np.ndarray, kinds: Sequence[_Item], *, by_macro: bool) -> list[float]:
    """The score of each side over the shared items."""
    if not by_macro:
        return values.mean(axis=0).tolist()
    return np.mean([values[rows].mean(axis=0) for rows in _rows(kinds).values()], axis=0).tolist()


def _interval(deltas: np.ndarray, kinds: Sequence[_Item], seed: int, *, by_macro: bool) -> Estimate:
    if by_macro:
        groups = {group: deltas[rows] for group, rows in _rows(kinds).items()}
        return bootstrap_macro(groups, seed=seed, bounds=BOTH_WAYS)
    return cluster_bootstrap(deltas, [kind.cluster for kind in kinds], seed=seed)


def _rows(kinds: Sequence[_Item]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for number, kind in enumerate(kinds):
        rows.setdefault(kind.group, []).append(number)
    return rows


def _groups(deltas: np.ndarray, kinds: Sequence[_Item], seed: int) -> tuple[GroupDifference, ...]:
    """Where they differ: every group, with p-values corrected over the groups (Benjamini-Hochberg)."""
    rows = _rows(kinds)
    if len(rows) < 2:
        return ()
    found = []
    for group, numbers in sorted(rows.items()):
        own, clusters = deltas[numbers], [kinds[number].cluster for number in numbers]
        found.append((group, cluster_bootstrap(own, clusters, seed=seed), sign_flip(own, clusters, seed=seed)))
    corrected = benjamini_hochberg([p for _, _, p in found])
    return tuple(
        GroupDifference(group, estimate, p, after) for (group, estimate, p), after in zip(found, corrected, strict=True)
    )


def verdict(difference: Difference, lang: str = "en") -> str:
    """What the comparison says, in one line of words, English or Korean (`ko`)."""
    one, p = difference.difference, _p(difference.corrected_p)
    reach = "" if one.low is None or one.high is None else f" [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"
    size, signed = f"{abs(100 * one.value):.1f}", f"{100 * one.value:+.1f}"
    least = f"{100 * difference.detectable:.1f}"
    if difference.corrected_p < 0.05:
        if lang == "ko":
            return f"둘째가 {size}점 {'높습니다' if one.value > 0 else '낮습니다'}{reach}, 고친 p {p}"
        word = "better" if one.value > 0 else "worse"
        return f"{difference.second_model} is {word} by {size} points{reach}, corrected p {p}"
    if lang == "ko":
        return (
            f"차이가 있다고 말할 수 없습니다({signed}점{reach}, 고친 p {p}). "
            f"문항 {one.n:,}개로는 {least}점부터 찾을 수 있습니다"
        )
    return (
        f"no difference can be told ({signed} points{reach}, corrected p {p}); "
        f"{one.n:,} items find differences from {least} points on"
    )


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
