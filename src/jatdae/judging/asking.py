"""Asking a judge until its reply can be read, within bounds; what was tried is kept, nothing is raised.

An unusable reply is asked for again as it is, a cut one once with twice the room, an incomplete one once with the
missing ids named. Every try is another `repeat`, so that the store keeps each and a later run finds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from jatdae.errors import RequestFailed
from jatdae.judging.fence import without_surrogates
from jatdae.judging.replies import Unusable, is_one_object
from jatdae.korean.reasoning import visible_text
from jatdae.types import Completion, Generate, Model, Prompt

Reading = TypeVar("Reading")
TRY = 1000
"""Between the `repeat` of two tries; iterations count below it."""
_FLAGS = {"cut": "truncated", "none": "unparsed", "several": "several_objects", "quoted": "quoted_object"}


@dataclass(frozen=True, slots=True)
class Asked(Generic[Reading]):
    """What came of it. Without a `reading`, `error` says why; `failed` means that a request got no answer.

    `flags` name the faults of replies on the way, `raw` holds all replies in order.
    """

    reading: Reading | None
    raw: tuple[str, ...]
    flags: tuple[str, ...] = ()
    error: str = ""
    failed: bool = False


async def ask_until_read(
    model: Model,
    request: Generate,
    read: Callable[[str], Reading | Unusable],
    *,
    retries: int,
    may_double: bool = True,
    complement: Callable[[Reading], Prompt | None] = lambda _: None,
) -> Asked[Reading]:
    """Ask `request`, then again as far as `retries` and the other bounds allow.

    `complement` gives the prompt that asks for what a reading lacks, None for a whole one. It is followed once; after
    it, a reading that still lacks something is the result, and the earlier one is where no other can be had.
    """
    raw: list[str] = []
    flags: list[str] = []
    incomplete: Reading | None = None
    asked = request
    while True:
        try:
            completion = await model.generate(repeated(asked, request.repeat + TRY * len(raw)))
        except RequestFailed as failure:
            return Asked(None, tuple(raw), _unique(flags), f"{failure.kind}: {failure}", failed=True)
        raw.append(without_surrogates(completion.text))
        outcome = _outcome(completion, read)
        if not isinstance(outcome, Unusable):
            prompt = complement(outcome)
            if prompt is None or incomplete is not None:
                return Asked(outcome, tuple(raw), _unique(flags))
            incomplete, asked = outcome, replace(asked, prompt=prompt)
            flags.append("incomplete")
            continue
        flags.append(_FLAGS.get(outcome.reason, outcome.reason))
        if outcome.reason == "cut":
            if not may_double:
                return Asked(incomplete, tuple(raw), _unique(flags), _unread("cut"))
            may_double, asked = False, doubled(asked)
        elif retries > 0:
            retries -= 1
        else:
            return Asked(incomplete, tuple(raw), _unique(flags), _unread(outcome.reason))


def _unread(reason: str) -> str:
    return f"no usable reply: {reason}"


def repeated(request: Generate, repeat: int) -> Generate:
    """The request as another sample: with its own number, and its own seed where there is one."""
    seed = request.sampling.seed
    sampling = replace(request.sampling, seed=None if seed is None else seed + repeat)
    return replace(request, repeat=repeat, sampling=sampling)


def doubled(request: Generate) -> Generate:
    """The request with room for twice as many tokens."""
    return replace(request, sampling=replace(request.sampling, max_tokens=2 * request.sampling.max_tokens))


def _outcome(completion: Completion, read: Callable[[str], Reading | Unusable]) -> Reading | Unusable:
    """A reply that ran out of room counts only if it is one whole object; what it was about to say is unknown."""
    if completion.finish == "length" and not is_one_object(visible_text(completion.text) or ""):
        return Unusable("cut")
    return read(completion.text)


def _unique(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flags))
