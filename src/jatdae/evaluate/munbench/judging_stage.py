"""Stages 2 and 3: judges score each text by its rubric, and compare texts two by two in both orders."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from jatdae.benchmarks.munbench.cases import response_of
from jatdae.benchmarks.munbench.generating import is_blank
from jatdae.benchmarks.munbench.generations import Generation, Status
from jatdae.evaluate.munbench.config import ModelEntry, MunConfig
from jatdae.evaluate.munbench.evidence import Evidence
from jatdae.evaluate.munbench.pairings import schedule_of
from jatdae.evaluate.munbench.panel import dispatchers, open_models, seated
from jatdae.evaluate.munbench.published import write_rubric
from jatdae.evaluate.munbench.workspace import Workspace, names
from jatdae.judging.cases import Case, Response, RubricScore, Verdict
from jatdae.judging.forced import forced_floor, forced_verdict
from jatdae.judging.judge import Judge
from jatdae.judging.judge_settings import JudgeSettings
from jatdae.judging.presentation import own_texts
from jatdae.judging.schedule import Pairing
from jatdae.runtime import run_items


def judge_settings(config: MunConfig) -> JudgeSettings:
    """How judges are asked under a configuration."""
    return JudgeSettings(
        profile=config.profile,
        iterations=config.rubric_iterations,
        temperature=config.judge_temperature,
        max_tokens=config.judge_max_tokens or config.max_tokens,
        parse_retries=config.parse_retries,
        truncate_chars=config.pairwise.truncate_chars,
        length_mode=config.length_mode,
    )


@asynccontextmanager
async def judges(work: Workspace, entries: Sequence[ModelEntry]) -> AsyncIterator[dict[str, Judge]]:
    """The judges by name, ready to be asked."""
    backends = open_models(entries, work.config, work.progress)
    async with dispatchers(backends, work.store, work.traffic, work.progress) as opened:
        yield seated(names(entries), work.dataset, opened, judge_settings(work.config))


def judge_rubric(work: Workspace) -> int:
    """Have every judge score every text; returns how many scores are missing. Raises as `generate_all` does."""
    missing = asyncio.run(_judge_rubric(work))
    write_rubric(Evidence(work.whole))
    return missing


@dataclass(frozen=True, slots=True)
class _Scoring:
    case: Case
    response: Response
    generation: Generation
    judge: str
    iteration: int


async def _judge_rubric(work: Workspace) -> int:
    todo = list(_scorings(work))
    compat = work.config.profile == "compat"
    fresh: list[RubricScore] = []
    async with judges(work, work.config.judges) as panel:

        async def one(task: _Scoring) -> RubricScore:
            if task.generation.status is Status.EMPTY and not compat:
                return forced_floor(task.case, task.response, task.judge, task.iteration)
            return await panel[task.judge].score(task.case, task.response, task.iteration)

        work.progress.start("rubric", len(todo))
        try:
            async for score in run_items(todo, one):
                fresh.append(score)
                work.progress.advance(len(fresh))
        finally:
            for model in names(work.contestants):
                work.folder.save_scores(model, [score for score in fresh if score.model == model])
            work.progress.finish()
    return sum(score.status not in ("ok", "forced") for score in fresh)


def _scorings(work: Workspace) -> Iterator[_Scoring]:
    for model in names(work.contestants):
        for unit, generation in work.judgeable(model):
            response = response_of(unit, generation)
            for judge in names(work.config.judges):
                for iteration in range(work.config.rubric_iterations):
                    yield _Scoring(work.cases[unit.id], response, generation, judge, iteration)


def judge_pairs(work: Workspace) -> int:
    """Have every judge compare every scheduled pair in both orders; returns how many verdicts are missing."""
    if not work.config.pairwise.enabled:
        work.progress.stage("pairwise comparison is switched off in the settings: no comparisons")
        return 0
    return asyncio.run(_judge_pairs(work))


async def _judge_pairs(work: Workspace) -> int:
    config = work.config
    texts = {model: work.responses(model) for model in names(config.models)}
    pairs = [one for one in schedule_of(work) if one.case in texts[one.a] and one.case in texts[one.b]]
    todo = [(pair, judge) for pair in pairs for judge in names(config.pairwise_judges)]
    fresh: list[Verdict] = []
    async with judges(work, config.pairwise_judges) as panel:

        async def both(task: tuple[Pairing, str]) -> tuple[Verdict, Verdict]:
            pair, judge = task
            case, sides = work.cases[pair.case], (texts[pair.a][pair.case], texts[pair.b][pair.case])
            return await asyncio.gather(
                _compare(panel[judge], case, *sides, forced=config.profile == "standard"),
                _compare(panel[judge], case, *sides[::-1], forced=config.profile == "standard"),
            )

        work.progress.start("pairwise, both orders", len(todo))
        try:
            async for verdicts in run_items(todo, both):
                fresh += verdicts
                work.progress.advance(len(fresh) // 2)
        finally:
            work.folder.save_verdicts(fresh)
            work.progress.finish()
    return sum(verdict.status not in ("ok", "forced") for verdict in fresh)


async def _compare(judge: Judge, case: Case, first: Response, second: Response, *, forced: bool) -> Verdict:
    """One order. An empty text loses without a call, so that failing on a hard item is no way to win."""
    empty = [all(map(is_blank, own_texts(side))) for side in (first, second)]
    if forced and any(empty):
        return forced_verdict(case, first, second, judge.name, first_empty=empty[0], second_empty=empty[1])
    return await judge.compare(case, first, second)
