"""Requests go to actors, each with the whole model; what a lost actor had is asked again of another.

The driver alone writes to the store: actors get requests and return answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.base import Backend, Capabilities, ModelIdentity, Sent
from jatdae.models.ray.cluster import connect
from jatdae.models.ray.spread import Spread, portions, settled
from jatdae.types import Answer, Request

Batch = list[tuple[int, Answer | RequestFailed]]

TRIES = 3
"""How often a portion is asked again that lost actors took along, and how many actors in a row may fail to start."""
START_SECONDS = 900.0
"""How long to wait for a first actor: a cloud may bring up a machine for it."""
AHEAD = 2
"""Portions in an actor's hands, so that it does not wait for the next."""


@dataclass(slots=True)
class _Portion:
    indices: list[int]
    losses: int = 0


@dataclass(slots=True, eq=False)
class _Actor:
    handle: Any
    ready: bool = False
    busy: dict[Any, _Portion] = field(default_factory=dict)


class Worker:
    """What runs in an actor: a backend of its own."""

    def __init__(self, make: Callable[[], Backend]) -> None:
        self._backend = make()

    def identity(self) -> ModelIdentity:
        return self._backend.identity

    def answer(self, requests: Sequence[Request]) -> Batch:
        return [entry for part in self._backend.answer(requests) for entry in part]

    def told(self) -> tuple[dict[str, str], list[str]]:
        """Settings and notes."""
        return dict(self._backend.settings), list(self._backend.notes)


class RayBackend:
    """A backend whose answers come from actors. `make` builds the backend in each; `local` is one here, never asked.

    The identity is that of the actors' model, so that answers are those of a local run and shared with it.
    """

    def __init__(
        self,
        local: Backend,
        make: Callable[[], Backend],
        spread: Spread,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self._local, self._make, self._spread = local, make, spread
        self._progress = progress or (lambda _: None)
        self._actors: list[_Actor] = []
        self._identity: ModelIdentity | None = None
        self._failed_starts = 0
        self._owns_cluster = False
        self._inner: dict[str, str] = {}
        self.notes: list[str] = []

    @property
    def identity(self) -> ModelIdentity:
        """What the actors run; the first question for it starts them. Raises ModelError where none starts."""
        if self._identity is None:
            self._start()
            while self._identity is None:
                self._await_any()
        return self._identity

    @property
    def capabilities(self) -> Capabilities:
        return self._local.capabilities

    @property
    def settings(self) -> dict[str, str]:
        told = {"backend": "ray", "actors": str(len(self._actors) or self._spread.actors or "")}
        return {**self._inner, **told}

    def preview(self, request: Request) -> list[Sent]:
        return self._local.preview(request)

    def random_like(self, seed: int) -> Backend | None:
        """Run here: it is tiny."""
        return self._local.random_like(seed)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Yield the answers of a portion as it comes. A portion that `TRIES` actors were lost on fails."""
        _ = self.identity
        waiting = deque(_Portion(indices) for indices in portions(requests, len(self._actors)))
        try:
            while waiting or any(actor.ready and actor.busy for actor in self._actors):
                self._hand_out(waiting, requests)
                for portion, answers in self._await_any():
                    if answers is not None:
                        yield [(portion.indices[at], answer) for at, answer in answers]
                    elif portion.losses < TRIES:
                        waiting.appendleft(portion)
                    else:
                        yield [(index, _lost()) for index in portion.indices]
        finally:
            self._withdraw()
        self._hear()

    def close(self) -> None:
        """Let the actors go, and the cluster if it was started for them."""
        import ray

        for actor in self._actors:
            ray.kill(actor.handle)
        self._actors = []
        if self._owns_cluster:
            ray.shutdown()
            self._owns_cluster = False

    def _start(self) -> None:
        import ray

        self._owns_cluster |= connect()
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        self._spread = settled(self._spread, nodes)
        self._progress(f"starting {self._spread.actors} actors on {len(nodes)} nodes")
        self._actors = [self._new_actor() for _ in range(self._spread.actors or 1)]

    def _new_actor(self) -> _Actor:
        import ray

        share = {"num_cpus": self._spread.cpus, "num_gpus": self._spread.gpus}
        remote = cast(Any, ray.remote(Worker)).options(**share)
        actor = _Actor(remote.remote(self._make))
        actor.busy[actor.handle.identity.remote()] = _Portion([])
        return actor

    def _hand_out(self, waiting: deque[_Portion], requests: Sequence[Request]) -> None:
        for ahead in range(AHEAD):
            for actor in self._actors:
                if waiting and actor.ready and len(actor.busy) <= ahead:
                    portion = waiting.popleft()
                    asked = [requests[index] for index in portion.indices]
                    actor.busy[actor.handle.answer.remote(asked)] = portion

    def _await_any(self) -> list[tuple[_Portion, Batch | None]]:
        """Wait until something comes back: portions with their answers, or with None where an actor was lost."""
        import ray
        from ray.exceptions import RayActorError, RayTaskError

        owners = {reference: actor for actor in self._actors for reference in actor.busy}
        patience = None if any(actor.ready for actor in self._actors) else START_SECONDS
        done, _ = ray.wait(list(owners), num_returns=1, timeout=patience)
        if not done:
            raise ModelError(f"no actor started within {START_SECONDS:.0f} s; has the cluster room for one?")
        actor = owners[done[0]]
        try:
            came: Any = ray.get(done[0])
        except RayActorError as error:
            return self._replace(actor, error)
        except RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, ModelError) else ModelError(f"an actor failed: {_first(cause)}") from None
        portion = actor.busy.pop(done[0])
        if actor.ready:
            return [(portion, came)]
        self._welcome(actor, came)
        return []

    def _welcome(self, actor: _Actor, identity: ModelIdentity) -> None:
        """An actor has opened its model. Raises ModelError where that is another than the others'."""
        if self._identity is None:
            self._identity = replace(identity, reference=self._local.identity.reference)
        elif identity.key != self._identity.key:
            raise ModelError(
                f"the nodes of the cluster hold different files or devices for {identity.reference}; "
                "give all of them the same checkpoint, and --dtype"
            )
        actor.ready, self._failed_starts = True, 0

    def _replace(self, actor: _Actor, error: Exception) -> list[tuple[_Portion, Batch | None]]:
        """Put a new actor in the place of a lost one; what it had in hand comes back without answers."""
        if not actor.ready:
            self._failed_starts += 1
            if self._failed_starts == TRIES:
                raise ModelError(f"actors do not start: {_first(getattr(error, 'cause', None) or error)}") from None
        lost = [portion for portion in actor.busy.values() if portion.indices]
        for portion in lost:
            portion.losses += 1
        self._actors[self._actors.index(actor)] = self._new_actor()
        if lost:
            self._note("an actor was lost and replaced; what it had was asked again")
        return [(portion, None) for portion in lost]

    def _withdraw(self) -> None:
        """Take back what actors have not begun, where the caller wants no more."""
        import ray

        for actor in self._actors:
            for reference in actor.busy if actor.ready else ():
                ray.cancel(reference)
            if actor.ready:
                actor.busy.clear()

    def _hear(self) -> None:
        """Settings and notes of an actor, which are those of all."""
        import ray
        from ray.exceptions import RayActorError

        for actor in (actor for actor in self._actors if actor.ready):
            try:
                self._inner, notes = cast(Any, ray.get(actor.handle.told.remote()))
            except RayActorError:
                continue
            for note in notes:
                self._note(note)
            return

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _lost() -> RequestFailed:
    return RequestFailed(f"{TRIES} actors were lost on this request; is there memory enough?", kind="lost")


def _first(error: object) -> str:
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__
