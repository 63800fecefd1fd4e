"""What spreading requests over a Ray cluster costs, and that a lost machine changes no answer.

    python benchmarks/ray_spread.py [--requests 1000] [--seconds 0.05] [--nodes 2]

Each node is a set of processes on this machine and holds one actor whose model sleeps for every request, so that the
time that is not sleep is the cost of spreading. A second pass kills a node in the middle. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))
os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from ray.cluster_utils import Cluster
from sleeping_model import SleepingModel, reply

from jatdae.models.ray import RayBackend
from jatdae.models.ray.spread import Spread
from jatdae.types import Generate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--nodes", type=int, default=2)
    given = parser.parse_args()
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    others = [cluster.add_node(num_cpus=1) for _ in range(given.nodes - 1)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    requests = [Generate(f"질문 {number}") for number in range(given.requests)]
    expected = {index: reply(request) for index, request in enumerate(requests)}
    make = partial(SleepingModel, given.seconds)

    backend = RayBackend(make(), make, Spread(gpus=0, cpus=1))
    _ = backend.identity
    while not all(actor.ready for actor in backend._actors):
        backend._await_any()
    seconds, found = measured(backend, requests)
    ideal = given.requests * given.seconds / given.nodes
    print(f"| {given.requests} requests of {1000 * given.seconds:.0f} ms on {given.nodes} nodes | seconds | |")
    print("|---|---|---|")
    print(f"| sleep alone | {ideal:.2f} | |")
    print(f"| all nodes stay | {seconds:.2f} | overhead {seconds / ideal - 1:.1%}, equal {found == expected} |")
    equal = found == expected
    if others:
        seconds, found = measured(backend, requests, lambda: cluster.remove_node(others[-1], allow_graceful=False))
        equal &= found == expected
        print(f"| a node is killed half way | {seconds:.2f} | equal {found == expected}; {'; '.join(backend.notes)} |")
    backend.close()
    ray.shutdown()
    cluster.shutdown()
    return 0 if equal else 1


def measured(backend: RayBackend, requests: list[Generate], kill: Any = None) -> tuple[float, dict[int, Any]]:
    """Seconds and answers; `kill` is called once half of them are there."""
    found: dict[int, Any] = {}
    started = time.perf_counter()
    for part in backend.answer(requests):
        found |= dict(part)
        if kill and len(found) > len(requests) // 2:
            kill()
            kill = None
    return time.perf_counter() - started, found


if __name__ == "__main__":
    sys.exit(main())
