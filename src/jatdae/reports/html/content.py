"""All that a report says, gathered from a store before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jatdae.errors import RequestError
from jatdae.evaluate.comparing import Difference, compare_results
from jatdae.reports.html.drawn import DrawnSample, draw_samples
from jatdae.stats import holm
from jatdae.store import Store, StoredResult, StoredRun

MOST_COMPARED = 6
"""So many models of one question are compared with the best of them."""
SAMPLES = 40


@dataclass(frozen=True, slots=True)
class Wanted:
    """What goes into a report: tasks, models and runs (all without any), and how many samples of each result."""

    tasks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    runs: tuple[int, ...] = ()
    samples: int = SAMPLES
    munbench: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """The best model of a question against another: the difference, or why there is none."""

    first: StoredResult
    second: StoredResult
    difference: Difference | None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """The newest finished result of every question and model, and what follows from them."""

    results: tuple[StoredResult, ...]
    runs: Mapping[int, StoredRun]
    compared: tuple[Compared, ...]
    samples: tuple[DrawnSample, ...]
    sample_total: int
    munbench: tuple[Path, ...] = ()


def gather(store: Store, wanted: Wanted) -> Content:
    """Raises RequestError where nothing finished fits."""
    results = _newest([one for one in store.results() if one.result and _is_wanted(one, wanted)])
    if not results:
        raise RequestError("no finished result fits; `jatdae results` lists what the store has")
    samples, total = draw_samples(store, results, wanted.samples)
    runs = {run.id: run for run in store.runs()}
    compared = _corrected([_compared(store, *pair) for pair in _pairs(results)])
    return Content(results, runs, compared, samples, total, wanted.munbench)


def _is_wanted(stored: StoredResult, wanted: Wanted) -> bool:
    return (
        (not wanted.tasks or any(stored.task == name or stored.task.startswith(f"{name}/") for name in wanted.tasks))
        and (not wanted.models or any(name in stored.model_reference for name in wanted.models))
        and (not wanted.runs or stored.run_id in wanted.runs)
    )


def _newest(results: Sequence[StoredResult]) -> tuple[StoredResult, ...]:
    """One result of each question and model, in the order of task, mode, shots and score."""
    latest: dict[tuple[str, str, str], StoredResult] = {}
    for one in sorted(results, key=lambda one: one.id):
        latest[one.fingerprint, one.model_key, one.model_reference] = one
    return tuple(sorted(latest.values(), key=_place))


def _place(stored: StoredResult) -> tuple[str, str, int, str, float, str]:
    assert stored.result is not None  # noqa: S101 - only finished ones are gathered
    shots = stored.result.protocol.shots
    return stored.task, stored.mode, shots, stored.fingerprint, -headline_value(stored), stored.model_reference


def headline_value(stored: StoredResult) -> float:
    """The value of the headline; minus infinity where there is none."""
    headline = stored.result.estimates.get(stored.result.headline) if stored.result else None
    return headline.value if headline else float("-inf")


def by_question(results: Sequence[StoredResult]) -> dict[str, list[StoredResult]]:
    """The results of each question, by fingerprint, the best first."""
    groups: dict[str, list[StoredResult]] = {}
    for one in results:
        groups.setdefault(one.fingerprint, []).append(one)
    return {name: sorted(own, key=headline_value, reverse=True) for name, own in groups.items()}


def _pairs(results: Sequence[StoredResult]) -> list[tuple[StoredResult, StoredResult]]:
    return [
        (own[0], other)
        for own in by_question(results).values()
        if headline_value(own[0]) > float("-inf")
        for other in own[1:MOST_COMPARED]
    ]


def _compared(store: Store, first: StoredResult, second: StoredResult) -> Compared:
    try:
        return Compared(first, second, compare_results(store, first, second))
    except RequestError as error:
        return Compared(first, second, None, str(error))


def _corrected(compared: Sequence[Compared]) -> tuple[Compared, ...]:
    """With Holm's p over all comparisons of the report."""
    known = [one.difference.p for one in compared if one.difference]
    corrected = iter(holm(known) if known else ())
    return tuple(
        replace(one, difference=replace(one.difference, corrected_p=next(corrected))) if one.difference else one
        for one in compared
    )
