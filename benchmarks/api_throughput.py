"""How much of the ideal throughput remains of 2,000 calls to a server that takes 200 ms for each, 32 at once.

Everything is on that a run has: the dispatcher, the retry layer, the budget, the `openai` backend and the store. The
ideal is calls x latency / concurrency seconds. Beside single calls: role plays, chains of four calls that each need the
answer before. The server runs in a process of its own. Prints a Markdown table; exit code 1 when a share is below 0.9.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jatdae.models.base import parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions, RemoteOptions
from jatdae.runtime import Budget, Dispatcher, Traffic, run_items
from jatdae.runtime.dispatcher import ItemModel
from jatdae.store import Store
from jatdae.types import Generate, Message, Sampling

CALLS, LATENCY, CONCURRENCY, LEAST = 2000, 0.2, 32, 0.9
CHAIN = 4
TESTS = Path(__file__).resolve().parents[1] / "tests"
PROMPT = "아래 대화를 이어 쓰되 상대의 말에 담긴 뜻을 먼저 읽고, 인물의 말투를 끝까지 지키세요. " * 20
SAMPLING = Sampling(max_tokens=512, temperature=1.0, seed=0)
SERVER = f"""
import sys, time
from faulty_server import FaultyServer
with FaultyServer(lambda body: "저녁 빛이 마루에 누웠다. " * 40, latency={LATENCY}) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
    print(len(server.requests), max(server.answered.values()), server.most_in_flight, flush=True)
"""

Work = Callable[[ItemModel, int], Awaitable[None]]


@contextmanager
def served() -> Iterator[tuple[str, Callable[[], list[int]]]]:
    """A server in another process: its address, and a function that ends it and gives what it counted."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None

    def counted() -> list[int]:
        return [int(word) for word in process.communicate(timeout=60)[0].split()]

    try:
        yield process.stdout.readline().strip(), counted
    finally:
        process.kill()
        process.wait()


async def one_call(model: ItemModel, number: int) -> None:
    await model.generate(Generate((Message("user", f"{number}. {PROMPT}"),), SAMPLING))


async def role_play(model: ItemModel, number: int) -> None:
    """Four calls in turn, each with all that was said before."""
    messages = [Message("system", PROMPT), Message("user", f"{number}번째 사람이 말을 건다.")]
    for turn in range(CHAIN):
        answer = await model.generate(Generate(tuple(messages), SAMPLING))
        messages += [Message("assistant", answer.text), Message("user", f"{turn}. 그래서 어떻게 할 생각이야?")]


async def measure(base_url: str, folder: Path, work: Work, items: int) -> float:
    """Seconds for all items, from the first question to the last answer in the store."""
    options = ModelOptions(remote=RemoteOptions(base_url=base_url, concurrency=CONCURRENCY))
    backend = open_backend(parse_reference("openai:served"), options)
    with Store.open(folder) as store:
        async with Dispatcher(backend, store, traffic=Traffic(Budget(max_calls=10 * CALLS))) as dispatcher:
            start = time.perf_counter()
            async for _ in run_items(range(items), lambda number: work(dispatcher.for_item(), number)):
                pass
            seconds = time.perf_counter() - start
        assert store.counts()["responses"] == CALLS
    return seconds


def main() -> int:
    ideal, shares = CALLS * LATENCY / CONCURRENCY, []
    print("| work | calls | seconds | ideal | achieved / ideal | load average |\n|---|---|---|---|---|---|")
    for name, work, items in (("single calls", one_call, CALLS), ("role plays", role_play, CALLS // CHAIN)):
        with served() as (base_url, counted), tempfile.TemporaryDirectory() as folder:
            seconds = asyncio.run(measure(base_url, Path(folder), work, items))
            asked, most_answers, most_in_flight = counted()
        assert (asked, most_answers) == (CALLS, 1), "a call was repeated"
        assert most_in_flight <= CONCURRENCY
        shares.append(ideal / seconds)
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
        print(f"| {name} | {CALLS:,} | {seconds:.2f} | {ideal:.2f} | {ideal / seconds:.3f} | {load:.2f} |")
    return 0 if min(shares) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
