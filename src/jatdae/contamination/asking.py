"""Asking a model for an audit: through the store, so that a second audit asks nothing again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jatdae.errors import RequestError, RequestFailed
from jatdae.evaluate.run import Run
from jatdae.models.base import AnyBackend
from jatdae.runtime import Dispatcher, stopped_by_ctrl_c
from jatdae.types import Answer, Request


def ask_all(backend: AnyBackend, run: Run, requests: Sequence[Request], label: str) -> list[Answer | RequestFailed]:
    """An answer for each request, or why there is none. Raises RequestError for a model without log-likelihoods."""
    if not backend.capabilities.log_likelihoods:
        raise RequestError(f"{backend.identity.reference} gives no log-likelihoods, which this check needs")
    run.progress.start(label, len(requests))
    try:
        return asyncio.run(_ask(backend, run, requests))
    finally:
        run.progress.finish()


async def _ask(backend: AnyBackend, run: Run, requests: Sequence[Request]) -> list[Answer | RequestFailed]:
    async with (
        Dispatcher(backend, run.store, traffic=run.traffic) as dispatcher,
        stopped_by_ctrl_c(dispatcher.stop, run.progress.stage),
    ):
        return await asyncio.gather(*(_one(dispatcher, run, request) for request in requests))


async def _one(dispatcher: Dispatcher, run: Run, request: Request) -> Answer | RequestFailed:
    try:
        answer = await dispatcher.ask(dispatcher.key_of(request), request)
    except RequestFailed as error:
        return error
    run.progress.advance(dispatcher.counts.stored + dispatcher.counts.asked, dispatcher.counts.stored)
    return answer
