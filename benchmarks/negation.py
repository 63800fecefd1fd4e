"""How fast negation is found, beside KSS splitting with surface rules in the same run; and the memory of a study.

    python benchmarks/negation.py [--sentences 10000] [--kss-python PATH]
    python benchmarks/negation.py --million [--lines 1000000] [--splitter kiwi]

Texts are passages of five sentences: the original sentences of KoNUBench's training split where JATDAE_DATA holds
them, else the bundled ones, varied by numbers so that no two passages are alike. Every measurement gets passages of its
own, as KSS caches its results. Each one is also made on passages without final marks, as transcripts of speech are. KSS
runs in an interpreter of its own, with one worker; the surface rules after it are those of Jatdae, in the same process
as everything else, which favours KSS by leaving out what it would cost to hand the sentences over. Prints a Markdown
table.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jatdae.benchmarks.konubench.data import read_records, split_path
from jatdae.benchmarks.sources import MINI, Source
from jatdae.errors import RequestError
from jatdae.negation.corpus.detection import chunks_of, detect_many
from jatdae.negation.corpus.engines import LocalEngine
from jatdae.negation.corpus.passages import Passage
from jatdae.negation.corpus.settings import StudySettings
from jatdae.negation.corpus.study import run_study, split_passages
from jatdae.runtime import Progress

JOINED = 5
WARM_UP = 200
"""Sentences that every way sees before the clock starts."""
KSS = """
import json, sys, time
from kss import split_sentences
warm, texts = json.load(sys.stdin)
for text in warm:
    split_sentences(text, backend=sys.argv[1], num_workers=1)
start = time.perf_counter()
found = [list(map(str, split_sentences(text, backend=sys.argv[1], num_workers=1))) for text in texts]
print(json.dumps([time.perf_counter() - start, found]))
"""


@dataclass(frozen=True, slots=True)
class Way:
    """One way from passages to negations."""

    name: str
    splitter: str
    method: str
    workers: int


WAYS = (
    Way("Kiwi by default, morphemes", "kiwi", "morphemes", 1),
    Way("Kiwi by default, morphemes", "kiwi", "morphemes", 2),
    Way("punctuation, morphemes", "rules", "morphemes", 1),
    Way("punctuation, morphemes", "rules", "morphemes", 2),
    Way("punctuation, surface rules", "rules", "rules", 1),
)


def main() -> None:
    options = _options()
    if options.million:
        _measure_memory(options.lines, options.sample, options.splitter, options.workers)
        return
    print("| text | way | workers | seconds | sentences a second | ratio to the fastest KSS |")
    print("|---|---|---|---|---|---|")
    stock = _sentences()
    for kind, marks in (("with final marks", True), ("without", False)):
        _compare(kind, stock, options, marks=marks)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How fast negation is found, and in what memory.")
    parser.add_argument("--sentences", type=int, default=10_000, help="sentences of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each way; the median is shown")
    parser.add_argument("--kss-python", default=sys.executable, help="interpreter that has KSS")
    parser.add_argument("--kss-backends", default="auto,fast", help="KSS backends, with commas")
    parser.add_argument("--million", action="store_true", help="study a long file and print the peak memory")
    parser.add_argument("--lines", type=int, default=1_000_000, help="sentences of that file")
    parser.add_argument("--sample", type=int, default=30_000, help="sample of that study")
    parser.add_argument("--splitter", default="kiwi", help="splitter of that study")
    parser.add_argument("--workers", type=int, default=2, help="workers of that study")
    return parser.parse_args()


def _sentences() -> list[str]:
    for source in (Source.of(None), Source.of(MINI)):
        try:
            return [record.text("original_sentence").strip() for record in read_records(split_path(source, "train"))]
        except RequestError:
            continue
    raise SystemExit("no sentences")


def _passages(stock: Sequence[str], count: int, seed: int, *, marks: bool) -> list[str]:
    """`count` sentences by fives; each passage has a number of its own, so that none is like one of another seed."""
    drawn = random.Random(seed)
    sentences = (drawn.choice(stock) for _ in range(count))
    if not marks:
        sentences = (re.sub(r"[.?!]{1,3}$", "", sentence) for sentence in sentences)
    passages = chunks_of(sentences, JOINED)
    return [f"제{seed}권 {number}쪽에서 {' '.join(joined)}" for number, joined in enumerate(passages)]


def _compare(kind: str, stock: Sequence[str], options: argparse.Namespace, *, marks: bool) -> None:
    """A table row for each way: the median over rounds in which the ways take turns, so that a busy moment hits all."""
    backends = options.kss_backends.split(",")
    seconds: dict[tuple[str, int], list[float]] = defaultdict(list)
    seeds = itertools.count(1 if marks else 10_001)
    for _ in range(options.rounds):
        for backend in backends:
            passages = [_passages(stock, count, next(seeds), marks=marks) for count in (WARM_UP, options.sentences)]
            taken = _kss_seconds(options.kss_python, backend, *passages)
            seconds[f"KSS {backend}, surface rules", 1].append(taken)
        for way in WAYS:
            passages = [_passages(stock, count, next(seeds), marks=marks) for count in (WARM_UP, options.sentences)]
            seconds[way.name, way.workers].append(_seconds(way, *passages))
    medians = {way: statistics.median(times) for way, times in seconds.items()}
    best = min(time for (name, _), time in medians.items() if name.startswith("KSS"))
    for (name, workers), median in medians.items():
        rate = options.sentences / median
        print(f"| {kind} | {name} | {workers} | {median:.2f} | {rate:,.0f} | {best / median:.2f} |", flush=True)


def _kss_seconds(python: str, backend: str, warm: Sequence[str], texts: Sequence[str]) -> float:
    command = [python, "-c", KSS, backend]
    ran = subprocess.run(command, input=json.dumps([warm, texts]), capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"KSS does not run in {python}: {ran.stderr.strip().splitlines()[-1]}")
    seconds, found = json.loads(ran.stdout.splitlines()[-1])
    start = time.perf_counter()
    _exhaust(detect_many("rules", (sentence for sentences in found for sentence in sentences), LocalEngine(1)))
    return seconds + time.perf_counter() - start


def _seconds(way: Way, warm: Sequence[str], texts: Sequence[str]) -> float:
    """Seconds for splitting and detection. What a process must load is loaded before the clock starts."""
    with LocalEngine(way.workers) as engine:
        _exhaust(_found(way, [*warm] * way.workers * 4, engine))
        start = time.perf_counter()
        _exhaust(_found(way, texts, engine))
        return time.perf_counter() - start


def _found(way: Way, texts: Sequence[str], engine: LocalEngine) -> Iterator[object]:
    passages = (Passage("benchmark", number, text) for number, text in enumerate(texts, 1))
    split = split_passages(passages, way.splitter, engine)
    return detect_many(way.method, (sentence for _, found in split for sentence in found), engine)


def _exhaust(stream: Iterator[object]) -> None:
    for _ in stream:
        pass


def _measure_memory(lines: int, sample: int, splitter: str, workers: int) -> None:
    """Study a file of `lines` sentences by repetition and shuffling; print time and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        _write_corpus(corpus, _sentences(), lines)
        before, start = _peak(), time.perf_counter()
        settings = StudySettings((str(corpus),), sample=sample, splitter=splitter)
        with LocalEngine(workers) as engine:
            figures = run_study(settings, Path(folder) / "study", engine, Progress())
        seconds = time.perf_counter() - start
        print(
            "| sentences | size | splitter | workers | sample | negative | seconds | peak before | peak | of a worker |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|")
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        size = corpus.stat().st_size / 2**20
        print(
            f"| {lines:,} | {size:.0f} MiB | {splitter} | {workers} | {figures.sentences:,} | {figures.negative:,} ",
            end="",
        )
        print(f"| {seconds:.0f} | {before} MiB | {_peak()} MiB | {children} MiB |")


def _write_corpus(path: Path, stock: Sequence[str], lines: int) -> None:
    """A sentence a line, each round of the stock in an order of its own."""
    drawn, written = random.Random(2025), 0
    with path.open("w", encoding="utf-8") as stream:
        while written < lines:
            turn = drawn.sample(stock, len(stock))[: lines - written]
            stream.writelines(f"{' '.join(sentence.split())}\n" for sentence in turn)
            written += len(turn)


def _peak() -> int:
    """Peak memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
