"""The study's work as tasks on a Ray cluster."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import Any, Self

from jatdae.errors import JatdaeError, RequestError
from jatdae.negation.corpus.engines import AHEAD, TRIES, Answer, Chunk


class RayEngine:
    """Tasks on a Ray cluster: the one that RAY_ADDRESS names, else one of this machine for the time of the study."""

    def __init__(self, workers: int) -> None:
        if find_spec("ray") is None:
            raise RequestError("--engine ray needs a package: pip install 'jatdae[ray]'")
        self._workers = workers
        self._started = False

    def map(self, work: Callable[[Chunk], Answer], chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Answer]]:
        """Each chunk with its answer, in order; a lost task is begun anew. Raises JatdaeError if that does not help."""
        import ray
        from ray.exceptions import ObjectLostError, WorkerCrashedError

        self._start()
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

    def _start(self) -> None:
        import ray

        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            if os.environ.get("RAY_ADDRESS"):
                ray.init(log_to_driver=False, logging_level=logging.ERROR)
            else:
                ray.init(
                    num_cpus=self._workers,
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    _node_ip_address="127.0.0.1",
                )
        except (OSError, RuntimeError, ValueError, ConnectionError) as error:
            raise JatdaeError(f"Ray does not start: {str(error).strip().splitlines()[0]}") from None
        self._started = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._started:
            import ray

            ray.shutdown()
            self._started = False


def _apply(work: Callable[[Any], Any], chunk: Any) -> Any:
    return work(chunk)
