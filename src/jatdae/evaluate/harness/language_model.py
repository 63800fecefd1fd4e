"""What lm-evaluation-harness takes for a model: its requests become ours, answered from the store or the backend."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from jatdae.errors import ModelError, RequestError, RequestFailed
from jatdae.evaluate.run import Run
from jatdae.models.base import AnyBackend
from jatdae.runtime import Dispatcher, stopped_by_ctrl_c
from jatdae.types import Answer, Completion, Generate, Request, Sampling, Score, Scores

MAX_TOKENS = 256
"""What the harness generates at most where a task does not say."""
_KNOWN = {"until", "max_gen_toks", "temperature", "do_sample", "top_p"}


class StoredLanguageModel(LM):
    """A backend as the harness sees it. Every answer is stored as it comes, so that a second run asks nothing again."""

    def __init__(self, backend: AnyBackend, run: Run) -> None:
        super().__init__()
        self._backend, self._run = backend, run

    def loglikelihood(self, requests: Sequence[Instance]) -> list[tuple[float, bool]]:
        """Log-likelihood of each continuation, and whether greedy decoding would give it."""
        answers = self._answers([scoring(*instance.args) for instance in requests], "log-likelihoods")
        options = [cast(Scores, answer).options[0] for answer in answers]
        return [(option.log_likelihood, option.greedy) for option in options]

    def loglikelihood_rolling(self, requests: Sequence[Instance]) -> list[float]:
        """Log-likelihood of whole texts. Raises ModelError for one that is longer than the model's window."""
        answers = self._answers([scoring("", instance.args[0]) for instance in requests], "whole texts")
        return [cast(Scores, answer).options[0].log_likelihood for answer in answers]

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Text after each prompt, up to the first of its stop strings."""
        answers = self._answers([generation(*instance.args) for instance in requests], "texts")
        return [cast(Completion, answer).text for answer in answers]

    def _answers(self, requests: Sequence[Request], what: str) -> list[Answer]:
        self._run.progress.start(f"{what} for lm-evaluation-harness", len(requests))
        try:
            found = asyncio.run(self._ask(requests))
        finally:
            self._run.progress.finish()
        failed = [answer for answer in found if isinstance(answer, RequestFailed)]
        if failed:
            raise ModelError(
                f"{len(failed)} of {len(requests)} requests failed, the first with: {failed[0]}; the harness cannot "
                "leave items out. What was answered is stored: mend the cause and run the same command again"
            )
        return cast("list[Answer]", found)

    async def _ask(self, requests: Sequence[Request]) -> list[Answer | RequestFailed]:
        async with (
            Dispatcher(self._backend, self._run.store, traffic=self._run.traffic) as dispatcher,
            stopped_by_ctrl_c(dispatcher.stop, self._run.progress.stage),
        ):
            return await asyncio.gather(*(self._one(dispatcher, request) for request in requests))

    async def _one(self, dispatcher: Dispatcher, request: Request) -> Answer | RequestFailed:
        try:
            answer = await dispatcher.ask(dispatcher.key_of(request), request)
        except RequestFailed as error:
            return error
        self._run.progress.advance(dispatcher.counts.stored + dispatcher.counts.asked, dispatcher.counts.stored)
        return answer


def scoring(context: str, continuation: str) -> Score:
    """A log-likelihood request of the harness."""
    return Score(context, (continuation,))


def generation(context: str, settings: Mapping[str, Any]) -> Generate:
    """A generation request of the harness. Raises RequestError for a setting that cannot be kept."""
    unknown = sorted(settings.keys() - _KNOWN)
    if unknown:
        raise RequestError(f"the task generates with {', '.join(unknown)}, which is not supported here")
    until = settings.get("until") or ()
    sampled = settings.get("do_sample", bool(settings.get("temperature")))
    return Generate(
        context,
        Sampling(
            max_tokens=int(settings.get("max_gen_toks", MAX_TOKENS)),
            temperature=float(settings.get("temperature", 1.0)) if sampled else 0.0,
            top_p=float(settings.get("top_p", 1.0)),
            stop=(until,) if isinstance(until, str) else tuple(until),
        ),
    )


def request_of(arguments: Sequence[Any]) -> Request:
    """The request that stands behind the arguments of a logged sample."""
    if len(arguments) == 1:
        return scoring("", arguments[0])
    return generation(*arguments) if isinstance(arguments[1], Mapping) else scoring(*arguments)
