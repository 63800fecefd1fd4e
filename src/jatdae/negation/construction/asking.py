"""Many requests to the project's model: answered from the store where they have been asked before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jatdae.errors import RequestFailed
from jatdae.models.base import AnyBackend
from jatdae.models.opening import open_backend
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.prompting import read_sentence
from jatdae.runtime import Dispatcher, Progress, Traffic, run_items, stopped_by_ctrl_c
from jatdae.store import Store
from jatdae.types import Completion, Generate

Key = tuple[str, str]
"""An item's id and the field that is asked for."""
Take = Callable[[Key, str, str], None]
"""Takes a sentence for a key, with the store's key of the request."""


@dataclass(slots=True)
class Asked:
    """How the asking went: sentences taken; calls answered now and answers from the store; and what was not usable."""

    sentences: int = 0
    answered: int = 0
    stored: int = 0
    failed: dict[Key, str] = field(default_factory=dict)


def ask(project: Project, requests: Mapping[Key, Generate], take: Take, *, offline: bool, progress: Progress) -> Asked:
    """Ask for all sentences at once, in a bounded window, and hand over each as it comes.

    Raises ModelError or RequestError before anything is asked where the model cannot be, Interrupted after Ctrl-C. What
    has been answered is in the store, whatever happens.
    """
    if not requests:
        return Asked()
    backend = open_backend(project.config.reference(), project.config.model_options(offline=offline), progress.stage)
    with Store.open(project.store) as store:
        return asyncio.run(_ask(project, backend, store, requests, take, progress))


async def _ask(
    project: Project,
    backend: AnyBackend,
    store: Store,
    requests: Mapping[Key, Generate],
    take: Take,
    progress: Progress,
) -> Asked:
    asked, done = Asked(), 0
    traffic = Traffic(project.config.spending())
    async with (
        Dispatcher(backend, store, traffic=traffic) as dispatcher,
        stopped_by_ctrl_c(dispatcher.stop, progress.stage),
    ):
        progress.start("sentences", len(requests))
        try:
            async for key, answer, request_key in run_items(requests, lambda key: _one(dispatcher, key, requests[key])):
                _settle(asked, key, answer, request_key, take)
                done += 1
                progress.advance(done, min(dispatcher.counts.stored, done))
        finally:
            progress.finish()
            asked.answered, asked.stored = dispatcher.counts.asked, dispatcher.counts.stored
    return asked


async def _one(dispatcher: Dispatcher, key: Key, request: Generate) -> tuple[Key, Completion | RequestFailed, str]:
    model = dispatcher.for_item()
    try:
        return key, await model.generate(request), model.requests[-1]
    except RequestFailed as error:
        return key, error, model.requests[-1]


def _settle(asked: Asked, key: Key, answer: Completion | RequestFailed, request_key: str, take: Take) -> None:
    if isinstance(answer, RequestFailed):
        asked.failed[key] = f"{answer.kind}: {answer}"
        return
    sentence = read_sentence(answer.text) if answer.finish == "stop" else None
    if sentence is None:
        asked.failed[key] = "the reply is not one whole sentence; write it by hand on the author's sheet"
        return
    take(key, sentence, request_key)
    asked.sentences += 1
