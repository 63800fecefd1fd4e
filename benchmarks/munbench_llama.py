"""MunBench from end to end on a real server: undisturbed, and killed at five random moments, with the same records.

    python benchmarks/munbench_llama.py --data path/to/munbench/data
    python benchmarks/munbench_llama.py                       # on the bundled set

llama.cpp's own HTTP server (package xllamacpp) serves the demo's SmolLM2-135M twice: requantised to 4 and to 8 bits
(package llama-cpp-python), which gives two models that differ. Both write, and both judge, bound to the judges' JSON
schema, at temperature 0. What is measured is the pipeline: nothing that so small a model writes is worth reading.

The data are a part, so that it ends within half an hour on two cores: of each track `--items` items, whose groups the
seed draws, in each group the one with the fewest characters; and of each rubric the `--criteria` first ones, with their
weights rescaled. Without a file `applicability.json`: it may name criteria that are left out.

A proxy on loopback in front of the servers counts what is asked and answered. Exit code 1 when the records differ or an
answered call was repeated.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "munbench")]

from faulty_server import body_key
from mun_runs import MunRun

from jatdae.benchmarks.munbench.reading import locate_data, read_dataset
from jatdae.benchmarks.munbench.records import MunItem
from jatdae.benchmarks.munbench.subset import write_subset
from jatdae.benchmarks.munbench.units import units_of
from jatdae.benchmarks.sources import Source
from jatdae.cli.demo import demo_model
from jatdae.types import canonical

CONTEXT = 12_288
"""Tokens. The weights were trained on 8,192, but a whole rubric needs more; the server heeds what the file says."""
JATDAE = (sys.executable, "-c", "from jatdae.cli import main; main()", "munbench", "run", "--quiet", "--config")
KILLS = 5
BITS = {"smollm2-q4": 2, "smollm2-q8": 7}
"""Models, and llama.cpp's numbers for their kinds of weights, Q4_0 and Q8_0."""


def main() -> int:
    options = _options()
    if options.serve:
        return serve(options.serve)
    with tempfile.TemporaryDirectory() as passing, ExitStack() as stack:
        folder = Path(passing)
        write_part(folder / "data", options)
        models = {name: stack.enter_context(served(folder / f"{name}.gguf")) for name in BITS}
        proxy = stack.enter_context(CountingProxy(models))
        settings = settings_of(models, folder / "data", options)
        return compare(MunRun(folder / "calm", proxy, settings), MunRun(folder / "killed", proxy, settings), options)  # type: ignore[arg-type]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mini", help="folder with MunBench's data, or 'mini'")
    parser.add_argument("--items", type=int, default=1, help="items of each track; 0 for all")
    parser.add_argument("--criteria", type=int, default=1, help="criteria of each rubric; 0 for all")
    parser.add_argument("--max-tokens", type=int, default=48, help="tokens of a text; judges get three times as many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def compare(calm: MunRun, killed: MunRun, options: argparse.Namespace) -> int:
    """Both runs, one after the other, and what came of them; 1 where they differ."""
    proxy: Any = calm.server
    start = time.perf_counter()
    finish(calm)
    calls, seconds = len(proxy.answered), time.perf_counter() - start
    assert proxy.asked.total() == calls, "the undisturbed run repeated a call"
    proxy.forget()
    start = time.perf_counter()
    moments = sorted(random.Random(options.seed).sample(range(1, calls), KILLS))
    repeated, lost = disturb(killed, proxy, moments)
    expected, found = calm.files(), killed.files()
    differing = sorted(name for name in expected | found if expected.get(name) != found.get(name))
    figures = {
        "calls, undisturbed": f"{calls} in {seconds:.0f} s",
        "records": _statuses(calm),
        "killed after answers": f"{', '.join(map(str, moments))}; {time.perf_counter() - start:.0f} s in all",
        "answers that were on their way at a kill, asked again": lost,
        "stored answers asked again": repeated,
        "files that differ in more than times": f"{', '.join(differing) or 'none'} of {len(expected)}",
    }
    print("| figure | value |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value} |")
    return 1 if repeated or differing else 0


def disturb(run: MunRun, proxy: CountingProxy, moments: Sequence[int]) -> tuple[int, int]:
    """Kill a run at these numbers of answers, then let it end; returns how many calls were repeated although their
    answers were stored, and how many since the kill came before that."""
    repeated, lost = 0, 0
    known: set[str] = set()
    for moment in (*moments, None):
        before = Counter(proxy.asked)
        if moment is None:
            finish(run)
        else:
            kill_at(run, proxy, moment)
        repeated += len(set(proxy.asked - before) & known)
        stored = run.stored_bodies()
        assert known <= stored, "an answer was lost"
        known, lost = stored, lost + len(set(proxy.answered) - stored)
    return repeated, lost


def _statuses(run: MunRun) -> str:
    told = []
    for kind in ("generations", "judgments/rubric", "judgments/pairwise"):
        counted = Counter(row["status"] for row in run.rows(kind))
        told.append(f"{kind}: " + ", ".join(f"{number} {status}" for status, number in sorted(counted.items())))
    return "; ".join(told)


def finish(run: MunRun) -> None:
    """Let a run end by itself; replies that no judge should give make it end with 1, which is no fault of ours."""
    ended = subprocess.run([*JATDAE, str(run.write())], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    assert ended.returncode in (0, 1, 4), ended.stderr.decode()


def kill_at(run: MunRun, proxy: CountingProxy, answers: int) -> None:
    """Kill a run without a warning once so many different calls have been answered."""
    process = subprocess.Popen([*JATDAE, str(run.write())], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(proxy.answered) < answers:
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.005)
    process.kill()
    process.wait()


def settings_of(models: Mapping[str, str], data: Path, options: argparse.Namespace) -> dict[str, Any]:
    entries = [f"openai:{name}" for name in models]
    return {
        "models": entries,
        "judges": entries,
        "rubric": {"self_judging": "include"},
        "rubric_iterations": 1,
        "pairwise": {"anchors": entries[:1]},
        "temperature": 0.0,
        "max_tokens": options.max_tokens,
        "judge_temperature": 0.0,
        "judge_max_tokens": 3 * options.max_tokens,
        "parse_retries": 0,
        "concurrency": 4,
        "request_timeout_seconds": 900,
        "seed": options.seed,
        "paths": {"data_dir": str(data), "results_dir": "results"},
    }


def write_part(target: Path, options: argparse.Namespace) -> None:
    """The part of the data that is asked, as a data folder."""
    source = locate_data(Source.of(options.data))
    dataset = read_dataset(source)
    chosen: set[str] = set()
    for track in (1, 2, 3):
        groups: dict[str, list[MunItem]] = {}
        for item in dataset.of_track(track):
            groups.setdefault(item.group, []).append(item)
        drawn = random.Random(f"{options.seed}/{track}").sample(sorted(groups), len(groups))
        shortest = [min(groups[group], key=lambda item: (len(canonical(_plain(item))), item.id)) for group in drawn]
        taken = shortest[: options.items] if options.items else dataset.of_track(track)
        chosen |= {item.id for item in taken}
    write_subset(source, target, chosen)
    for track in (1, 2, 3):
        _cut_rubric(target / "rubrics" / f"track{track}.json", options.criteria)
    (target / "rubrics" / "applicability.json").unlink(missing_ok=True)
    units = [unit.id for unit in units_of(read_dataset(target))]
    print(f"{len(chosen)} items, {len(units)} prompts of {source}: {', '.join(units)}", file=sys.stderr)


def _plain(item: MunItem) -> dict[str, str]:
    return {name: str(getattr(item, name)) for name in item.__slots__}


def _cut_rubric(file: Path, criteria: int) -> None:
    rubric = json.loads(file.read_text(encoding="utf-8"))
    kept = rubric["criteria"][: criteria or None]
    total = sum(criterion["weight"] for criterion in kept)
    rubric["criteria"] = [{**criterion, "weight": criterion["weight"] / total} for criterion in kept]
    file.write_text(json.dumps(rubric, ensure_ascii=False), encoding="utf-8")


def requantise(file: Path) -> None:
    """Write the demo's weights in as many bits as the file's name says, with room for long prompts."""
    import gguf
    import llama_cpp

    wanted = llama_cpp.llama_model_quantize_default_params()
    wanted.allow_requantize, wanted.ftype = True, BITS[file.stem]
    failed = llama_cpp.llama_model_quantize(str(demo_model()).encode(), str(file).encode(), ctypes.byref(wanted))
    assert not failed, f"{file} could not be made"
    length = gguf.GGUFReader(file, "r+").fields["llama.context_length"]
    length.parts[length.data[0]][0] = CONTEXT


def serve(file: Path) -> int:
    """Make a file and serve it until standard input ends.

    An answer is to be a function of its request alone: one request at a time, since sums depend on the batch, and no
    prompt is taken from the cache, where parts of it were computed token by token. A penalty on repetition lets so
    small a model end its strings.
    """
    import xllamacpp

    requantise(file)
    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.n_ctx, wanted.n_parallel, wanted.port = str(file), CONTEXT, 1, 0
    wanted.n_gpu_layers, wanted.warmup, wanted.verbosity = 0, False, 0
    wanted.cache_prompt, wanted.cache_ram_mib, wanted.sampling.penalty_repeat = False, 0, 1.1
    wanted.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    return 0


@contextmanager
def served(file: Path) -> Iterator[str]:
    """A server in a process of its own; gives its address."""
    words = [sys.executable, __file__, "--serve", str(file)]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield next(line.strip() for line in process.stdout if line.startswith("http"))
    finally:
        process.kill()
        process.wait()


class CountingProxy:
    """One address for several servers; a request goes to the one that its model is at. Use as a context manager.

    `asked` and `answered` count bodies by `body_key`; an answer counts once all of it has been handed on. When the
    client hangs up, so does the proxy, and the server stops computing.
    """

    def __init__(self, servers: Mapping[str, str]) -> None:
        self._servers = servers
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.base_url = ""
        self._started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> CountingProxy:
        self._thread.start()
        assert self._started.wait(10), "the proxy has not started"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def forget(self) -> None:
        self.asked.clear()
        self.answered.clear()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._converse, "127.0.0.1", 0, limit=2**24))
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._started.set()
        self._loop.run_forever()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
            data = await reader.readexactly(int(fields[b"content-length"]))
            key = body_key(json.loads(data))
            self.asked[key] += 1
            reply = await self._reply(data, reader)
            if reply is not None:
                writer.write(reply)
                await writer.drain()
                self.answered[key] += reply.startswith(b"HTTP/1.1 200")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            writer.close()

    async def _reply(self, data: bytes, client: asyncio.StreamReader) -> bytes | None:
        """The server's answer as it stands; None when the client hangs up before."""
        address = urlsplit(self._servers[json.loads(data)["model"]])
        upstream, out = await asyncio.open_connection(address.hostname, address.port, limit=2**24)
        fields = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        out.write(f"POST /v1/chat/completions HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode() + data)
        answer, gone = asyncio.ensure_future(upstream.read()), asyncio.ensure_future(client.read(1))
        try:
            await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
            return await answer if answer.done() else None
        finally:
            answer.cancel()
            gone.cancel()
            out.close()


if __name__ == "__main__":
    sys.exit(main())
