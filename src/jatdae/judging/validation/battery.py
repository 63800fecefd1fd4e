"""A judge under attack: changed responses against the clean ones, scored and compared in both orders.

Source: judging specification, section 3.6; MunBench specification, requirements B5 to B7.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from jatdae.judging.cases import Case, Response, RubricScore, Verdict
from jatdae.judging.fence import cleaned
from jatdae.judging.forced import forced_floor, forced_verdict
from jatdae.judging.judge import Judge
from jatdae.judging.presentation import own_texts, text_hash
from jatdae.judging.validation.battery_report import BatteryReport, Trial
from jatdae.judging.validation.injection import ATTACKS
from jatdae.judging.validation.transforms import STRESSES, Attack, attacked, degenerate_attacks
from jatdae.stats.ratings import combine_orders
from jatdae.types import digest

Sample = tuple[Case, Response]
Result = TypeVar("Result")
_COUNTED = ("ok", "forced")


class BatteryEntry(NamedTuple):
    """A response to a case as it was, the same after the attack, and the attack."""

    case: Case
    clean: Response
    attacked: Response
    attack: Attack


def battery(samples: Sequence[Sample], seed: int) -> list[BatteryEntry]:
    """Every response under all eight kinds of attack; the seed draws which half of a kind is in Korean or in English.

    Take 30 items or more. The order of the samples does not change which language falls on which.
    """
    entries = []
    for kind in dict.fromkeys(attack.kind for attack in ATTACKS):
        choices = [attack for attack in ATTACKS if attack.kind == kind]
        drawn = sorted(samples, key=lambda sample: digest(str(seed), kind, *_name(sample)))
        entries += [_entry(sample, choices[place % len(choices)]) for place, sample in enumerate(drawn)]
    return entries


def sycophancy_battery(samples: Sequence[Sample]) -> list[BatteryEntry]:
    """Every response made warmer, longer and more melodramatic."""
    return [_entry(sample, attack) for attack in STRESSES for sample in samples]


def degenerate_battery(samples: Sequence[Sample], seed: int) -> list[BatteryEntry]:
    """Every response against empty shells; the answer to another item is drawn by the seed where there is one."""
    entries = []
    for sample in samples:
        case, _ = sample
        others = [other for other in samples if other[0].item != case.item]
        other = min(others, key=lambda one: digest(str(seed), *_name(sample), *_name(one)), default=None)
        shells = degenerate_attacks(case, other[1] if other else Response("", ()))
        entries += [_entry(sample, attack) for attack in shells]
    return entries


def _entry(sample: Sample, attack: Attack) -> BatteryEntry:
    case, response = sample
    return BatteryEntry(case, response, attacked(response, attack), attack)


def _name(sample: Sample) -> tuple[str, ...]:
    case, response = sample
    return case.key, response.model, str(response.index)


async def run_battery(judge: Judge, entries: Sequence[BatteryEntry]) -> BatteryReport:
    """Score the clean and the attacked responses once, compare them in both orders, and report.

    A clean response is scored once however many attacks are tried on it, and a blank text gets the floor and loses
    without a call, as in a run. The judge bounds how many calls run at once.
    """
    clean = {_clean_key(entry): (entry.case, entry.clean) for entry in entries}
    scores = await _all(_score(judge, case, response) for case, response in clean.values())
    clean_scores = dict(zip(clean, map(_points, scores), strict=True))
    changed = await _all(_score(judge, entry.case, entry.attacked) for entry in entries)
    first = await _all(_compare(judge, entry.case, entry.attacked, entry.clean) for entry in entries)
    second = await _all(_compare(judge, entry.case, entry.clean, entry.attacked) for entry in entries)
    rows = zip(entries, changed, first, second, strict=True)
    trials = [
        _trial(entry, clean_scores[_clean_key(entry)], score, orders=(one, two)) for entry, score, one, two in rows
    ]
    return BatteryReport(judge.name, tuple(trials))


async def _score(judge: Judge, case: Case, response: Response) -> RubricScore:
    return forced_floor(case, response, judge.name, 0) if _is_blank(response) else await judge.score(case, response, 0)


async def _compare(judge: Judge, case: Case, first: Response, second: Response) -> Verdict:
    empty = [_is_blank(first), _is_blank(second)]
    if any(empty):
        return forced_verdict(case, first, second, judge.name, first_empty=empty[0], second_empty=empty[1])
    return await judge.compare(case, first, second)


def _is_blank(response: Response) -> bool:
    return not any(cleaned(text).strip() for text in own_texts(response))


def _clean_key(entry: BatteryEntry) -> tuple[str, str, str]:
    return entry.case.key, entry.clean.model, text_hash(entry.clean)


def _trial(entry: BatteryEntry, clean: float | None, score: RubricScore, orders: tuple[Verdict, Verdict]) -> Trial:
    winners = [one.winner if one.status in _COUNTED else None for one in orders]
    outcome = combine_orders(*winners)
    return Trial(
        entry.case.item,
        entry.case.track,
        entry.clean.model,
        entry.attack,
        clean,
        _points(score),
        outcome.score if outcome else None,
    )


def _points(score: RubricScore) -> float | None:
    return score.weighted if score.status in _COUNTED else None


async def _all(calls: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """The results in order; if one call raises, the others are stopped before it goes on up."""
    running = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
