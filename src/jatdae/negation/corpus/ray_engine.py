"""The study's work as tasks on a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Self

from jatdae.errors import JatdaeError
from jatdae.models.ray.cluster import connect, need_ray
from jatdae.negation.corpus.engines import AHEAD, TRIES, Answer, Chunk


class RayEngine:
    """Tasks on a Ray cluster: the one that RAY_ADDRESS names, else one of this machine for the time of the study."""

    def __init__(self, workers: int) -> None:
        need_ray("--engine ray")
        self._workers = workers
        self._started = False

    def map(self, work: Callable[[Chunk], Answer], chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Answer]]:
        """Each chunk with its answer, in order; a lost task is begun anew. Raises JatdaeError if that does not help."""
        import ray
        from ray.exceptions import ObjectLostError, WorkerCrashedError

        self._started |= connect(self._workers)
        remote = ray.remote(max_retries=TRIES)(_apply)
        stream, waiting = iter(chunks), deque[tuple[Any, Any]]()
        while True:
            for chunk in islice(stream, self._workers * AHEAD - len(waiting)):
                waiting.append((chunk, remote.remote(work, chunk)))
            if not waiting:
                return
            try:
                answer: Any = ray.get(waiting[0][1])
            except (WorkerCrashedError, ObjectLostError) as error:
                raise JatdaeError(f"Ray lost a task {TRIES} times over: {str(error).splitlines()[0]}") from None
            yield waiting.popleft()[0], answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._started:
            import ray

            ray.shutdown()
            self._started = False


def _apply(work: Callable[[Any], Any], chunk: Any) -> Any:
    return work(chunk)
