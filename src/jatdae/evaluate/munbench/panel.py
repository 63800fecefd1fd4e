"""The models of a run, opened: each behind a dispatcher of its own, all under one budget and the providers' limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from jatdae.benchmarks.munbench.records import Dataset
from jatdae.benchmarks.munbench.rule_judge import NAME as RULE
from jatdae.benchmarks.munbench.rule_judge import RuleJudge
from jatdae.errors import ModelError, RequestFailed
from jatdae.evaluate.munbench.config import ModelEntry, MunConfig, is_file, is_rule, reference_of
from jatdae.judging.judge import Judge
from jatdae.judging.judge_settings import JudgeSettings
from jatdae.judging.model_judge import ModelJudge
from jatdae.models.base import AnyBackend, RemoteBackend
from jatdae.models.opening import open_backend, preflight
from jatdae.models.options import ModelOptions
from jatdae.runtime import Dispatcher, Progress, Traffic, stopped_by_ctrl_c
from jatdae.store import Store
from jatdae.types import Generate, Message, Sampling


def asked(entries: Sequence[ModelEntry]) -> list[ModelEntry]:
    """Those that are asked, each once: neither the rule judge nor folders of texts."""
    return [entry for entry in dict.fromkeys(entries) if not is_rule(entry) and not is_file(entry)]


def problems(entries: Sequence[ModelEntry], config: MunConfig) -> list[str]:
    """All that would keep models from being asked, before a call is spent."""
    return [line for entry in asked(entries) for line in preflight(reference_of(entry), options_of(entry, config))]


def options_of(entry: ModelEntry, config: MunConfig) -> ModelOptions:
    return ModelOptions(remote=config.remote_options(entry))


def open_models(entries: Sequence[ModelEntry], config: MunConfig, progress: Progress) -> dict[str, AnyBackend]:
    """Every model's backend by its id. Raises ModelError that lists every problem."""
    backends: dict[str, AnyBackend] = {}
    found: list[str] = []
    for entry in asked(entries):
        try:
            backends[entry.id] = open_backend(reference_of(entry), options_of(entry, config), progress.stage)
        except ModelError as error:
            found.append(str(error))
    if found:
        raise ModelError("; ".join(found))
    return backends


def ping(entries: Sequence[ModelEntry], config: MunConfig) -> dict[str, list[str]]:
    """Send each model one small request; returns what went wrong, by name."""
    return {entry.id: asyncio.run(_ping(entry, config)) for entry in asked(entries)}


async def _ping(entry: ModelEntry, config: MunConfig) -> list[str]:
    backend = open_backend(reference_of(entry), options_of(entry, config))
    if not isinstance(backend, RemoteBackend):
        return []
    try:
        await backend.ask(Generate((Message("user", "안녕"),), Sampling(max_tokens=16)))
    except RequestFailed as error:
        return [f"{error.kind}: {error}"]
    finally:
        await backend.close()
    return []


def seated(
    names: Sequence[str], dataset: Dataset, opened: Mapping[str, Dispatcher], settings: JudgeSettings
) -> dict[str, Judge]:
    """The judges by name; those that are models are asked through their dispatchers."""
    return {
        name: RuleJudge(dataset) if name == RULE else ModelJudge(name, opened[name].for_item(), settings)
        for name in names
    }


@asynccontextmanager
async def dispatchers(
    backends: dict[str, AnyBackend], store: Store, traffic: Traffic, progress: Progress
) -> AsyncIterator[dict[str, Dispatcher]]:
    """A dispatcher for each model; Ctrl-C lets what is under way end and be stored."""
    async with AsyncExitStack() as stack:
        opened = {
            name: await stack.enter_async_context(Dispatcher(backend, store, traffic=traffic))
            for name, backend in backends.items()
        }

        def stop() -> None:
            for dispatcher in opened.values():
                dispatcher.stop()

        await stack.enter_async_context(stopped_by_ctrl_c(stop, progress.stage))
        yield opened
