"""Time log-likelihood scoring: Jatdae and lm-evaluation-harness on one model and the same requests, in one process.

    python benchmarks/loglikelihood.py --model tiny --task cloze --shots 5 --items 40
    python benchmarks/loglikelihood.py --model path/to/model.gguf --task cloze --shots 5 --items 20

Prints a Markdown table. Both sides tokenize and score; loading is not timed. The ratio is against the harness' best
batch size. `--data` names a folder with KoNUBench's files; without it sentences are made up.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from jatdae.models.base import ModelReference
from jatdae.models.hf import HfBackend
from jatdae.models.options import ModelOptions
from jatdae.types import Score, Scores

FIELDS = ("standard_negation", "local_negation", "contradiction", "paraphrase")
LETTERS = "ABCD"


def read_items(data: Path | None, count: int) -> list[tuple[str, tuple[str, ...]]]:
    """Sentences, each with four rewritings: from KoNUBench where its files are, else made up."""
    file = None if data is None else data / "konubench" / "test.json"
    if file is not None and file.is_file():
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [
            (row["original_sentence"], tuple(row[f] for f in FIELDS)) for row in random.Random(1).sample(rows, count)
        ]
    from tiny_model import DEEDS, PEOPLE, PLACES

    draw, items = random.Random(1), []
    for _ in range(count):
        scene = f"{draw.choice(PEOPLE)} {draw.choice(PLACES)} 오늘 아침에"
        items.append((f"{scene} {draw.choice(DEEDS)}", tuple(f"{scene} {deed}" for deed in draw.sample(DEEDS, 4))))
    return items


def cloze(items: Sequence[tuple[str, tuple[str, ...]]], shots: int) -> list[Score]:
    ask = "문제: 다음 문장을 표준 부정에 따라 올바르게 부정하시오.\n원문: {}\n부정문:"
    head = "".join(f"{ask.format(sentence)} {options[0]}\n\n" for sentence, options in items[:shots])
    return [Score(head + ask.format(s), tuple(f" {option}" for option in options)) for s, options in items[shots:]]


def letter(items: Sequence[tuple[str, tuple[str, ...]]], shots: int) -> list[Score]:
    def ask(sentence: str, options: tuple[str, ...]) -> str:
        listed = "".join(f"{label}. {option}\n" for label, option in zip(LETTERS, options, strict=True))
        return f"다음 문장의 올바른 부정문을 고르시오.\n{sentence}\n{listed}정답："

    head = "".join(f"{ask(*item)} {LETTERS[k % 4]}\n\n" for k, item in enumerate(items[:shots]))
    return [Score(head + ask(*item), tuple(f" {label}" for label in LETTERS)) for item in items[shots:]]


def load(model: str, scratch: Path) -> HfBackend:
    from tiny_model import build_tiny_model

    path = str(build_tiny_model(scratch, bos=False, window=8192)) if model == "tiny" else model
    return HfBackend.load(ModelReference("hf", path), ModelOptions(device="cpu", offline=True), progress=_tell)


def _tell(stage: str) -> None:
    print(stage, file=sys.stderr)


class Stopwatch:
    """Seconds on the wall, and of all cores together: the second is what to trust on a busy machine."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self.wall, time.process_time() - self.cpu


Spent = tuple[float, float]


def time_jatdae(backend: HfBackend, requests: Sequence[Score]) -> tuple[Spent, list[list[float]], int]:
    before, watch = backend.computed_tokens, Stopwatch()
    answers = dict(pair for batch in backend.answer(requests) for pair in batch)
    spent = watch.read()
    values = []
    for i in range(len(requests)):
        scores = answers[i]
        if not isinstance(scores, Scores):
            raise SystemExit(f"request {i} failed: {scores}")
        values.append([option.log_likelihood for option in scores.options])
    return spent, values, backend.computed_tokens - before


def time_harness(backend: HfBackend, requests: Sequence[Score], batch: int) -> tuple[Spent, list[list[float]]]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=backend.model, tokenizer=backend.tokenizer, batch_size=batch, device="cpu")
    pairs = [(request.context, option) for request in requests for option in request.options]
    instances = [Instance("loglikelihood", {}, pair, k) for k, pair in enumerate(pairs)]
    watch = Stopwatch()
    flat = [value for value, _ in model.loglikelihood(instances, disable_tqdm=True)]
    spent, values = watch.read(), iter(flat)
    return spent, [[next(values) for _ in request.options] for request in requests]


def _ratios(reference: Spent, spent: Spent) -> str:
    return " | ".join(f"{took:.2f} | {base / took:.2f}" for base, took in zip(reference, spent, strict=True))


def _seconds(run: tuple[Any, ...]) -> float:
    return run[0][0]


def count_tokens(backend: HfBackend, requests: Sequence[Score]) -> tuple[int, int]:
    """Tokens that would be fed if every option were asked by itself, and how many of them are distinct."""
    fed = [sent.ids[:-1] for request in requests for sent in backend.preview(request)]
    return sum(map(len, fed)), len({ids[: n + 1] for ids in fed for n in range(len(ids))})


def best(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny", help="a path, a .gguf file, or 'tiny' for a random 2-layer Llama")
    parser.add_argument("--task", choices=["cloze", "letter"], default="cloze")
    parser.add_argument("--shots", type=int, default=5)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--harness-batches", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--repeats", type=int, default=2, help="runs of each side; the fastest counts")
    chosen: Any = parser.parse_args()
    items = read_items(chosen.data, chosen.items + chosen.shots)
    requests = (cloze if chosen.task == "cloze" else letter)(items, chosen.shots)
    with tempfile.TemporaryDirectory() as scratch:
        backend = load(chosen.model, Path(scratch))
        list(backend.answer(requests[:1]))
        spent, ours, computed = min((time_jatdae(backend, requests) for _ in range(chosen.repeats)), key=_seconds)
        raw, distinct = count_tokens(backend, requests)
        runs = {
            batch: min((time_harness(backend, requests, batch) for _ in range(chosen.repeats)), key=_seconds)
            for batch in chosen.harness_batches
        }
    batch = min(runs, key=lambda size: _seconds(runs[size]))
    reference, theirs = runs[batch]
    gap = max(abs(a - b) for x, y in zip(ours, theirs, strict=True) for a, b in zip(x, y, strict=True))
    same = sum(best(x) == best(y) for x, y in zip(ours, theirs, strict=True))
    print(f"{chosen.task}, {chosen.shots} shots, {chosen.items} items, model {chosen.model}\n")
    print("| engine | seconds | ratio | CPU seconds | CPU ratio | largest difference | same choice |")
    print("|---|---|---|---|---|---|---|")
    for size, (took, _) in runs.items():
        print(f"| harness, batch {size} | {_ratios(reference, took)} | | |")
    print(f"| jatdae | {_ratios(reference, spent)} | {gap:.1e} | {same}/{len(requests)} |\n")
    print(f"Tokens: {raw} raw, {distinct} distinct ({raw / distinct:.1f}x), {computed} computed.")
    for note in backend.notes:
        print(f"Note: {note}")


if __name__ == "__main__":
    main()
