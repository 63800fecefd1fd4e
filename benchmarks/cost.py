"""What the study's open models cost on KoNUBench and KMMLU: tokens counted on the real prompts, hours by arithmetic.

    python benchmarks/cost.py --model path/to/model.gguf [--data DIR] [--tflops 400] [--usd 3]

Tokens are those of the named model's tokenizer. "one by one" feeds each option with its whole prompt, as
lm-evaluation-harness does; "distinct" counts each position of the trie of all prompts once. Hours are 2 x parameters x
tokens / sustained floating-point operations: `--tflops` is what a GPU sustains on such passes, not its peak. Attention
over long contexts and loading are left out. Prints Markdown.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import Task, build_protocol, find_task
from jatdae.benchmarks.families import expand
from jatdae.benchmarks.preview import preview
from jatdae.benchmarks.sources import Source
from jatdae.evaluate import prepare
from jatdae.models.base import ModelReference
from jatdae.models.hf import HfBackend
from jatdae.models.hf.encoding import EncodedScore
from jatdae.models.hf.inputs import works_of
from jatdae.models.hf.planning import common_length, sort_key
from jatdae.models.options import ModelOptions
from jatdae.reports import negation

ROOT = Path(__file__).resolve().parents[1]
MODELS = Path(negation.__file__).parent / "models.csv"
PLANS = (
    ("KMMLU letter, 5-shot", "kmmlu", "letter", {"shots": (5,)}),
    ("KoNUBench cloze, 0-shot", "konubench", "cloze", {"shots": (0,)}),
    ("KoNUBench cloze, 1, 5, 10-shot, 3 seeds", "konubench", "cloze", {"shots": (1, 5, 10)}),
    ("KoNUBench symbol, 0-shot", "konubench", "symbol", {"shots": (0,)}),
    ("KoNUBench symbol, 1, 5, 10-shot, 3 seeds", "konubench", "symbol", {"shots": (1, 5, 10)}),
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Prompts, tokens fed one by one, and distinct positions."""

    prompts: int
    one_by_one: int
    distinct: int

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.prompts + other.prompts, self.one_by_one + other.one_by_one, self.distinct + other.distinct)


def passes(name: str, mode: str, choices: dict[str, Any], source: Source) -> Iterator[Task]:
    for task in expand(name):
        for shots in choices["shots"]:
            protocol = build_protocol(find_task(task), mode, shots=shots)
            yield from prepare(find_task(task), protocol, source)


def count(task: Task, backend: HfBackend) -> Tokens:
    requests = [request for _, request in preview(task, task.items())]
    encoded = [item for item in backend.encoder.encode(requests) if isinstance(item, EncodedScore)]
    raw = sum(len(item.context) + len(option) - 1 for item in encoded for option in item.options)
    works = sorted((work.ids for work in works_of(encoded)[0]), key=sort_key)
    distinct = len(works[0]) + sum(len(b) - common_length(a, b) for a, b in pairwise(works))
    return Tokens(len(requests), raw, distinct)


def hours(parameters: float, tokens: int, tflops: float) -> float:
    return 2 * parameters * 1e9 * tokens / (tflops * 1e12) / 3600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="whose tokenizer counts")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--tflops", type=float, default=400.0, help="sustained, of one GPU")
    parser.add_argument("--usd", type=float, default=3.0, help="price of one GPU for an hour")
    chosen: Any = parser.parse_args()
    backend = HfBackend.load(ModelReference("hf", chosen.model), ModelOptions(device="cpu", offline=True))
    totals = list(counted(backend, Source.of(chosen.data)))
    print("| what | prompts | tokens one by one | distinct | ratio |\n|---|---|---|---|---|")
    for name, tokens in totals:
        ratio = tokens.one_by_one / tokens.distinct
        sizes = f"{_millions(tokens.one_by_one)} | {_millions(tokens.distinct)}"
        print(f"| {name} | {tokens.prompts:,} | {sizes} | {ratio:.1f} |")
    print_models(totals, chosen.tflops, chosen.usd)


def counted(backend: HfBackend, source: Source) -> Iterator[tuple[str, Tokens]]:
    for title, name, mode, choices in PLANS:
        total = Tokens(0, 0, 0)
        for task in passes(name, mode, choices, source):
            total += count(task, backend)
        print(f"{title}: counted", file=sys.stderr)
        yield title, total


def print_models(totals: Sequence[tuple[str, Tokens]], tflops: float, usd: float) -> None:
    kmmlu = totals[0][1]
    negation_ = sum((tokens for _, tokens in totals[1:]), Tokens(0, 0, 0))
    with MODELS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["parameters"]]
    models = [(row["name"], float(row["parameters"])) for row in rows]
    print("\n| model | billions | KMMLU, hours | KoNUBench, hours | both, USD | one by one, USD |")
    print("|---|---|---|---|---|---|")
    for name, size in [*models, (f"all {len(models)}", sum(size for _, size in models))]:
        own = [hours(size, tokens.distinct, tflops) for tokens in (kmmlu, negation_)]
        plain = sum(hours(size, tokens.one_by_one, tflops) for tokens in (kmmlu, negation_))
        print(f"| {name} | {size:g} | {own[0]:.2f} | {own[1]:.2f} | {usd * sum(own):.2f} | {usd * plain:.2f} |")


def _millions(tokens: int) -> str:
    return f"{tokens / 1e6:.2f} M"


if __name__ == "__main__":
    main()
