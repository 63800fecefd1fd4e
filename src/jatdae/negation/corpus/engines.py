"""How chunks of work are spread: over processes of this machine, or over a Ray cluster.

Answers come in the order of the chunks whatever finishes first, and a chunk's answer depends on the chunk alone, so
that a study is the same with any engine and any number of workers.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from typing import Protocol, Self, TypeVar

from jatdae.errors import JatdaeError, RequestError, did_you_mean

Chunk = TypeVar("Chunk")
Answer = TypeVar("Answer")

ENGINES = ("local", "ray")
AHEAD = 3
"""Chunks in flight for each worker: enough that none waits, few enough that memory stays bounded."""
TRIES = 3
"""How often work that a lost process took along is begun anew."""


class Engine(Protocol):
    """Runs one function over a stream of chunks. Function and chunks must be picklable."""

    def map(
        self, work: Callable[[Chunk], Answer], chunks: Iterable[Chunk]
    ) -> Iterator[tuple[Chunk, Answer]]: ...  # in order

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def open_engine(name: str, workers: int | None) -> Engine:
    """The engine of that name; without `workers` it takes all cores. Raises RequestError for what cannot be."""
    if workers is not None and workers < 1:
        raise RequestError(f"--workers {workers}: at least 1 is needed")
    if name == "local":
        return LocalEngine(workers or _cores())
    if name == "ray":
        from jatdae.negation.corpus.ray_engine import RayEngine

        return RayEngine(workers or _cores())
    raise RequestError(f"--engine {name!r} is not known; {did_you_mean(name, ENGINES)}")


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalEngine:
    """Processes of this machine, started when there is more than one chunk; with one worker, this process."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Callable[[Chunk], Answer], chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Answer]]:
        """Each chunk with its answer, in order. Raises JatdaeError if a process is lost `TRIES` times on one chunk."""
        stream = iter(chunks)
        first = list(islice(stream, 2))
        if self._workers == 1 or len(first) < 2:
            for chunk in chain(first, stream):
                yield chunk, work(chunk)
            return
        yield from self._spread(work, chain(first, stream))

    def _spread(self, work: Callable[[Chunk], Answer], chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, Answer]]:
        waiting: deque[tuple[Chunk, Future[Answer]]] = deque()
        losses = 0
        while True:
            for chunk in islice(chunks, self._workers * AHEAD - len(waiting)):
                waiting.append((chunk, self._submit(work, chunk)))
            if not waiting:
                return
            try:
                answer = waiting[0][1].result()
            except BrokenProcessPool:
                losses += 1
                self._renew(losses)
                waiting = deque((chunk, self._submit(work, chunk)) for chunk, _ in waiting)
                continue
            losses = 0
            yield waiting.popleft()[0], answer

    def _submit(self, work: Callable[[Chunk], Answer], chunk: Chunk) -> Future[Answer]:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, get_context("spawn"), initializer=_prepare_worker)
        try:
            return self._pool.submit(work, chunk)
        except BrokenProcessPool as lost:
            future: Future[Answer] = Future()
            future.set_exception(lost)
            return future

    def _renew(self, losses: int) -> None:
        if losses == TRIES:
            raise JatdaeError(f"a worker process was lost {TRIES} times on the same texts; is there memory enough?")
        self.__exit__()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _prepare_worker() -> None:
    """Ctrl-C is the parent's to handle; a parent that was killed leaves no worker behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
