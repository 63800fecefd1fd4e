"""One unit, one contestant: ask, in as many calls as it takes, and classify what came back.

A blank, refused or cut-off text is never counted as a success, and a failed call never as an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from jatdae.benchmarks.munbench.generations import Generation, Status
from jatdae.benchmarks.munbench.prompts import later_lines, opening, prompt_hash
from jatdae.benchmarks.munbench.records import EmotionItem
from jatdae.benchmarks.munbench.units import Unit
from jatdae.errors import RequestFailed
from jatdae.korean.declining import declines
from jatdae.korean.reasoning import visible_text
from jatdae.types import Completion, Generate, Message, Model, Sampling, canonical, digest

_INVISIBLE = re.compile(r"[\s\u200b-\u200f\u2060-\u2064\u00ad\u3164\u115f\u1160\ufeff*_#>`~|=\-–—]+")


@dataclass(slots=True)
class _Play:
    """What has been said so far."""

    messages: list[Message]
    answers: list[Completion] = field(default_factory=list)


async def generate(
    unit: Unit, model: Model, name: str, sampling: Sampling, *, index: int = 0, dataset_hash: str = ""
) -> Generation:
    """The record of one sample. A failed call is said by the record: `error`, or `partial` in a role play.

    `index` tells apart several samples of one prompt. What was answered before a failure is in the store, so that the
    same question again goes on from there.
    """
    play = _Play(list(opening(unit)))
    lines = later_lines(unit.item) if isinstance(unit.item, EmotionItem) else ()
    error = ""
    try:
        await _say(play, model, sampling, index)
        for line in lines:
            play.messages.append(Message("user", line))
            await _say(play, model, sampling, index)
    except RequestFailed as failure:
        error = f"{failure.kind}: {failure}"
    return _record(unit, play, name, error=error, index=index, dataset_hash=dataset_hash)


async def _say(play: _Play, model: Model, sampling: Sampling, index: int) -> None:
    """One call. Where hidden reasoning ate the whole budget, once more with twice as much."""
    request = Generate(tuple(play.messages), sampling, index)
    answer = await model.generate(request)
    if answer.finish == "length" and is_blank(_visible(answer)):
        larger = replace(sampling, max_tokens=2 * sampling.max_tokens)
        answer = await model.generate(replace(request, sampling=larger))
    play.answers.append(answer)
    play.messages.append(Message("assistant", _visible(answer)))


def _visible(answer: Completion) -> str:
    """The text without reasoning marks, and without the half character that a token limit may leave at its end.

    Nothing when it ends inside its reasoning.
    """
    text = visible_text(answer.text) or ""
    return text.rstrip("\ufffd") if answer.finish == "length" else text


def is_blank(text: str) -> bool:
    """Whether nothing is left without blanks, invisible characters and markup signs."""
    return not _INVISIBLE.sub("", text)


def _record(unit: Unit, play: _Play, name: str, *, error: str, index: int, dataset_hash: str) -> Generation:
    answers, outputs = play.answers, tuple(_visible(answer) for answer in play.answers)
    costs = [answer.cost_usd for answer in answers]
    return Generation(
        item=unit.item.id,
        track=unit.track,
        variant=unit.variant,
        model=name,
        status=classify(answers, outputs, failed=bool(error)),
        outputs=outputs,
        transcript=tuple(play.messages),
        finishes=tuple(answer.finish for answer in answers),
        reasoning=tuple(answer.reasoning for answer in answers),
        error=error,
        index=index,
        usage={
            "prompt": sum(answer.prompt_tokens for answer in answers),
            "completion": sum(answer.completion_tokens for answer in answers),
            "reasoning": sum(answer.reasoning_tokens for answer in answers),
        },
        cost_usd=None if None in costs or not costs else sum(cost for cost in costs if cost is not None),
        seconds=tuple(round(answer.seconds, 3) for answer in answers),
        served_by=next((answer.served_by for answer in answers if answer.served_by), ""),
        prompt_hash=prompt_hash(),
        item_hash=digest(canonical([message.content for message in opening(unit)])),
        dataset_hash=dataset_hash,
    )


def classify(answers: Sequence[Completion], outputs: Sequence[str], *, failed: bool) -> Status:
    """What became of a sample. Of a role play, one blank line among others is a gap (`truncated`), not emptiness."""
    if failed:
        return Status.PARTIAL if answers else Status.ERROR
    blank = [is_blank(output) for output in outputs]
    if any(answer.finish == "filter" for answer in answers) or any(map(declines, outputs)):
        return Status.REFUSED
    if all(blank):
        return Status.EMPTY
    if any(blank) or any(answer.finish == "length" for answer in answers):
        return Status.TRUNCATED
    return Status.OK
