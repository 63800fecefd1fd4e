"""Tasks whose texts are judged: the same flow as every other that asks, with a panel of judges at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from jatdae.benchmarks.base import Task
from jatdae.benchmarks.munbench.task import MunTask
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.panel import seated
from jatdae.judging.identity import Identities
from jatdae.judging.judge import Judge
from jatdae.judging.judge_settings import JudgeSettings
from jatdae.runtime import Dispatcher


def is_judged(task: Task) -> TypeGuard[MunTask]:
    """Whether what a task's model writes is scored by judges."""
    return isinstance(task, MunTask)


def check_panel(task: MunTask, contestant: str) -> None:
    """Raises RequestError when every judge is the contestant itself, by whatever route: then no score could count."""
    excluded = Identities().excluded(contestant, task.judges, "exclude_self")
    if task.profile == "standard" and len(excluded) == len(task.judges):
        raise RequestError(f"{contestant} would be judged by itself alone; add another --judge")


def panel_of(task: MunTask, opened: Mapping[str, Dispatcher]) -> dict[str, Judge]:
    """The judges of a task."""
    settings = JudgeSettings(task.profile, task.iterations, max_tokens=task.protocol.sampling.max_tokens)
    return seated(task.judges, task.dataset, opened, settings)
