"""The store at size: writing samples against bare SQLite, listing, a page of samples, exports.

    python benchmarks/store.py [--samples 100000]

The share of the limit is bare SQLite's time for the same rows in one transaction of as many. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from large_store import build_large_store

from jatdae.store import Store
from jatdae.store.paging import SampleFilter, sample_page
from jatdae.store.rows import sample_rows
from jatdae.types import Sample

PART = 5000


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def write_by_store(folder: Path, samples: list[Sample]) -> None:
    build_large_store(folder, samples=1)
    with Store.open(folder) as store:
        for start in range(0, len(samples), PART):
            store.add_samples(1, samples[start : start + PART])


def write_bare(file: Path, rows: list[tuple]) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        " CREATE TABLE samples (result_id INTEGER, item TEXT, seed TEXT, outcome TEXT, body TEXT,"
        " PRIMARY KEY (result_id, item, seed));"
        " CREATE INDEX by_outcome ON samples (result_id, outcome, item, seed);"
    )
    for start in range(0, len(rows), PART):
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO samples VALUES (?, ?, ?, ?, ?)", rows[start : start + PART])
        connection.execute("COMMIT")
    connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100_000)
    size = parser.parse_args().samples
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        store = build_large_store(folder / "store", samples=size)
        with Store.open(store) as opened:
            result = opened.results()[-1]
            samples = list(opened.samples(result.id))
        rows = sample_rows(1, samples)
        ours = timed(lambda: write_by_store(folder / "again", samples))
        bare = timed(lambda: write_bare(folder / "bare.sqlite3", rows))
        print(f"| work, store of {size:,} samples | seconds | |\n|---|---|---|")
        rate = f"{len(samples) / ours:,.0f} a second, {bare / ours:.0%} of bare SQLite"
        print(f"| write {len(samples):,} samples | {ours:.2f} | {rate} |")
        with Store.open(store) as opened:
            page = timed(lambda: sample_page(opened, result.id, SampleFilter(("wrong",))))
            search = timed(lambda: sample_page(opened, result.id, SampleFilter(text="nowhere")))
        print(f"| a page of 50 wrong samples | {page:.4f} | |\n| a search through 5,000 samples | {search:.3f} | |")
        print_command(store, "results")
        for ending in ("csv", "parquet"):
            print_command(store, "export", "samples", "--out", str(folder / f"samples.{ending}"))


def print_command(store: Path, *words: str) -> None:
    """Seconds of a command with its start, and the largest memory of any command so far."""
    command = [sys.executable, "-m", "jatdae", *words, "--store", str(store)]
    taken = timed(lambda: subprocess.run(command, check=True, capture_output=True))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    shown = " ".join(word.rpartition("/")[2] for word in words)
    print(f"| `jatdae {shown}` | {taken:.2f} | at most {peak:.0f} MiB |")


if __name__ == "__main__":
    main()
