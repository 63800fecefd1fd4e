"""How requests are spread: over how many actors, with what each, and in which portions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from jatdae.errors import ModelError, RequestError, did_you_mean
from jatdae.types import Generate, Prompt, Request

PORTIONS = 8
"""Portions an actor gets at least, where there is enough to do: the last ones even out what took longer."""
MOST_SCORES, MOST_TEXTS = 256, 32
"""Requests in one portion: enough to share prefixes and fill batches, few enough to lose little with an actor."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What `--backend-option` says: actors in all, and the GPUs and CPUs of each. None is chosen by the cluster."""

    actors: int | None = None
    gpus: float | None = None
    cpus: float | None = None


def read_spread(options: Sequence[tuple[str, str]]) -> Spread:
    """Raises RequestError for an unknown name or what is not a number."""
    known = {entry.name for entry in fields(Spread)}
    values: dict[str, float] = {}
    for name, text in options:
        if name not in known:
            raise RequestError(f"--backend-option {name}: ray has no such option; {did_you_mean(name, known)}")
        try:
            values[name] = float(text)
        except ValueError:
            raise RequestError(f"--backend-option {name}={text}: a number is needed") from None
    actors = values.pop("actors", None)
    if any(value < 0 for value in values.values()) or (actors is not None and (actors < 1 or actors % 1)):
        raise RequestError("--backend-option: actors is a whole number from 1 on, gpus and cpus are from 0 on")
    return Spread(None if actors is None else int(actors), values.get("gpus"), values.get("cpus"))


def settled(spread: Spread, nodes: Sequence[Mapping[str, float]]) -> Spread:
    """The spread with every number known, for nodes of so many `GPU` and `CPU` each.

    Without a wish there is an actor a GPU, or an actor a node where there are none. Raises ModelError where not even
    one actor finds room.
    """
    with_gpus = any(node.get("GPU", 0) >= 1 for node in nodes)
    gpus = spread.gpus if spread.gpus is not None else float(with_gpus)
    smallest = min((node.get("CPU", 1.0) for node in nodes), default=1.0)
    cpus = spread.cpus if spread.cpus is not None else (1.0 if gpus else max(1.0, smallest))
    room = sum(_room(node, gpus, cpus) for node in nodes)
    if room < 1:
        raise ModelError(
            f"no node of the Ray cluster has {gpus:g} GPUs and {cpus:g} CPUs free for one actor; "
            "ask for less with --backend-option gpus=... cpus=..."
        )
    return Spread(min(spread.actors or room, room), gpus, cpus)


def _room(node: Mapping[str, float], gpus: float, cpus: float) -> int:
    """How many actors a node takes."""
    limits = [node.get(kind, 0.0) / each for kind, each in (("GPU", gpus), ("CPU", cpus)) if each]
    return int(min(limits)) if limits else 1


def portions(requests: Sequence[Request], actors: int) -> list[list[int]]:
    """Indices of requests that travel together; neighbours share their beginnings, texts and scores stay apart."""
    order = sorted(range(len(requests)), key=lambda index: _place(requests[index]))
    texts = [index for index in order if isinstance(requests[index], Generate)]
    scores = [index for index in order if not isinstance(requests[index], Generate)]
    return [*_cut(scores, actors, MOST_SCORES), *_cut(texts, actors, MOST_TEXTS)]


def _cut(indices: list[int], actors: int, most: int) -> list[list[int]]:
    size = max(1, min(most, -(-len(indices) // (actors * PORTIONS))))
    return [indices[start : start + size] for start in range(0, len(indices), size)]


def _place(request: Request) -> str:
    return _text(request.prompt if isinstance(request, Generate) else request.context)


def _text(prompt: Prompt) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(message.content for message in prompt)
