"""Time log-likelihood scoring: Jatdae and lm-evaluation-harness on one model and the same requests, in one process.

    python benchmarks/loglikelihood.py --all
    python benchmarks/loglikelihood.py --case smollm2-cloze-0 [--items 20] [--model PATH] [--harness-batches 1 4 8]

Prints a Markdown table a case. Both sides tokenize and score, in float32 on two threads; loading is not timed. The
harness' batch sizes are compared on the first items, and the best one scores all. `share of the limit` is the time
that the distinct tokens would take at the model's dense rate, over the time taken: the rate of sequences that share
nothing, of the requests' mean length, with the same kernels, and outputs read at as large a part of the positions.
Exits 1 where an option's log-likelihood or a choice differs; with `--floors`, also where a ratio is below its floor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import numpy as np
from machine import packages, processor

from jatdae import load_task
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question
from jatdae.cli.demo import demo_model
from jatdae.evaluate import choose_items
from jatdae.models.base import ModelReference
from jatdae.models.hf import HfBackend
from jatdae.models.hf.compat import Forward, mask_plan
from jatdae.models.hf.inputs import works_of
from jatdae.models.hf.kernels import choose_kernels
from jatdae.models.hf.planning import Work, token_ids
from jatdae.models.hf.scoring import Scorer
from jatdae.models.options import ModelOptions
from jatdae.types import Score, Scores

THREADS = 2
TOLERANCE = 1e-4
"""Relative difference of an option's log-likelihood: both sides add up in float32 on the way."""
PILOT = 3
"""Items on which the harness' batch sizes are compared."""
MOST_LOGITS = 3 * 2**30
"""Bytes: a batch of the harness whose logits take more is left out, since it holds them two or three times."""
DENSE_TOKENS = 4096
"""About so many tokens give the dense rate."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is asked of which model: `floor` is the least ratio that is claimed on an otherwise idle machine."""

    model: str
    task: str
    mode: str
    shots: int
    items: int
    floor: float
    demos: str = "fixed"


CASES = {
    "tiny-cloze-5-fixed": Case("tiny", "konubench", "cloze", 5, 40, 4.0),
    "smollm2-cloze-0": Case("smollm2", "konubench", "cloze", 0, 20, 6.0),
    "smollm2-cloze-5-fixed": Case("smollm2", "konubench", "cloze", 5, 10, 10.0),
    "smollm2-cloze-5-per-item": Case("smollm2", "konubench", "cloze", 5, 6, 5.0, "per-item"),
    "smollm2-letter-5": Case("smollm2", "kmmlu/biology", "letter", 5, 100, 4.0),
    "large-vocabulary-cloze-0": Case("large-vocabulary", "konubench", "cloze", 0, 4, 12.0),
}


def requests_of(case: Case, data: Path, count: int) -> list[Score]:
    """The task's own prompts and options; its bundled items where the folder is not there."""
    folder = data / case.task.partition("/")[0]
    source = folder if folder.is_dir() else "mini"
    task = load_task(case.task, mode=case.mode, data=source, shots=case.shots, demos=case.demos)
    if not isinstance(task, MultipleChoice):
        raise SystemExit(f"{case.task} is no multiple choice")
    return [task.scoring(item) for item in choose_items(task, count) if isinstance(item, Question)]


def load(model: str, scratch: Path, options: ModelOptions) -> HfBackend:
    """A model by the name of a case, or a path."""
    if model == "large-vocabulary":
        return large_vocabulary(options)
    if model == "tiny":
        from tiny_model import build_tiny_model

        model = str(build_tiny_model(scratch / "tiny", bos=False, window=8192))
    elif model == "smollm2":
        model = str(demo_model())
    return HfBackend.load(ModelReference("hf", model), options)


def large_vocabulary(options: ModelOptions) -> HfBackend:
    """Random weights in the shape of Gemma 3 270M (vocabulary 262,144, sliding windows), SmolLM2's tokenizer."""
    import torch
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    config = Gemma3TextConfig(
        vocab_size=262_144,
        hidden_size=640,
        intermediate_size=2048,
        num_hidden_layers=18,
        num_attention_heads=4,
        num_key_value_heads=1,
        head_dim=256,
        sliding_window=512,
        max_position_embeddings=32_768,
    )
    torch.manual_seed(1)
    tokenizer = HfBackend.load(ModelReference("hf", str(demo_model())), options).tokenizer
    return HfBackend.from_parts(Gemma3ForCausalLM(config).eval(), tokenizer, options=options)


class Stopwatch:
    """Seconds on the wall, and of all cores together: the second is what to trust on a busy machine."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self) -> Spent:
        return time.perf_counter() - self.wall, time.process_time() - self.cpu


Spent = tuple[float, float]
Values = list[list[float]]


def time_jatdae(backend: HfBackend, requests: Sequence[Score]) -> tuple[Spent, Values]:
    watch = Stopwatch()
    answers = dict(pair for batch in backend.answer(requests) for pair in batch)
    spent = watch.read()
    found = [answers[place] for place in range(len(requests))]
    if failed := [answer for answer in found if not isinstance(answer, Scores)]:
        raise SystemExit(f"{len(failed)} requests failed: {failed[0]}")
    return spent, [[o.log_likelihood for o in answer.options] for answer in found if isinstance(answer, Scores)]


def time_harness(backend: HfBackend, requests: Sequence[Score], batch: int) -> tuple[Spent, Values]:
    from lm_eval.api.instance import Instance
    from lm_eval.models import huggingface

    harness: Any = huggingface
    model = harness.HFLM(pretrained=backend.model, tokenizer=backend.tokenizer, batch_size=batch, device="cpu")
    pairs = [(request.context, option) for request in requests for option in request.options]
    instances = [Instance("loglikelihood", {}, pair, k) for k, pair in enumerate(pairs)]
    watch = Stopwatch()
    flat = [value for value, _ in model.loglikelihood(instances, disable_tqdm=True)]
    spent, values = watch.read(), iter(flat)
    return spent, [[next(values) for _ in request.options] for request in requests]


@dataclass(frozen=True, slots=True)
class Counts:
    """Tokens that would be fed if every option were asked by itself; distinct ones; and those whose output is read."""

    raw: int
    distinct: int
    read: int
    mean_length: int


def count_tokens(backend: HfBackend, requests: Sequence[Score]) -> Counts:
    fed = [sent.ids[:-1] for request in requests for sent in backend.preview(request)]
    known = {hash(ids[: n + 1]) for ids in fed for n in range(len(ids))}
    works, _ = works_of([item for item in backend.encoder.encode(requests) if not isinstance(item, Exception)])  # type: ignore[misc]
    read = {hash(work.ids[: row + 1].tobytes()) for work in works for row, _ in work.pairs}
    return Counts(sum(map(len, fed)), len(known), len(read), sum(map(len, fed)) // len(fed))


def dense_rate(backend: HfBackend, counts: Counts) -> float:
    """Tokens a second of sequences that share nothing, as long as the requests, read at as large a part."""
    model, vocabulary = backend.model, backend.model.get_input_embeddings().weight.shape[0]
    scorer = Scorer(
        Forward(model),
        mask_plan(model.config),
        vocabulary=vocabulary,
        budget=int(backend.settings["batch_tokens"]),
        note=lambda _: None,
        kernels=choose_kernels(model, backend.settings["kernel"]),
    )
    draw, length = np.random.default_rng(0), counts.mean_length
    read = max(1, round(length * counts.read / counts.distinct))
    works = [
        Work(
            token_ids(draw.integers(vocabulary, size=length).tolist()),
            tuple((row, 0) for row in range(length - read, length)),
        )
        for _ in range(max(2, DENSE_TOKENS // length))
    ]
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        list(scorer.read(works))
        taken.append(time.perf_counter() - start)
    return len(works) * length / min(taken)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides on one case."""

    spent: Spent
    values: Values
    harness: dict[int, Spent]
    best: int
    reference: Spent
    expected: Values

    @property
    def relative(self) -> float:
        pairs = [pair for x, y in zip(self.values, self.expected, strict=True) for pair in zip(x, y, strict=True)]
        return max(abs(a - b) / max(abs(b), 1e-9) for a, b in pairs)

    @property
    def same(self) -> int:
        """Requests of which both sides choose the same option."""
        return sum(best(x) == best(y) for x, y in zip(self.values, self.expected, strict=True))

    @property
    def ratios(self) -> Spent:
        return self.reference[0] / self.spent[0], self.reference[1] / self.spent[1]


def best(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def compare(backend: HfBackend, requests: Sequence[Score], batches: Sequence[int], repeats: int) -> Comparison:
    """The fastest of a few runs of Jatdae, and one of the harness with the batch size that is best on a few items."""
    list(backend.answer(requests[:1]))
    spent, values = min((time_jatdae(backend, requests) for _ in range(repeats)), key=lambda run: run[0])
    longest = max(len(sent.ids) for request in requests for sent in backend.preview(request))
    logits = 4 * longest * backend.model.get_input_embeddings().weight.shape[0]
    sizes = [size for size in batches if size == min(batches) or size * logits <= MOST_LOGITS]
    pilot = {size: time_harness(backend, requests[:PILOT], size)[0] for size in sizes}
    size = min(pilot, key=lambda size: pilot[size])
    runs = [
        time_harness(backend, requests, size) for _ in range(repeats if backend.model.num_parameters() < 1e7 else 1)
    ]
    reference, expected = min(runs, key=lambda run: run[0])
    return Comparison(spent, values, pilot, size, reference, expected)


def report(name: str, case: Case, backend: HfBackend, requests: Sequence[Score], chosen: Any) -> bool:
    """Print one case; whether it holds."""
    found = compare(backend, requests, chosen.harness_batches, chosen.repeats)
    counts = count_tokens(backend, requests)
    rate = dense_rate(backend, counts)
    (wall, cpu), share = found.ratios, counts.distinct / rate / found.spent[0]
    wanted = case.floor if len(requests) >= case.items else 0.0
    holds = found.relative <= TOLERANCE and found.same == len(requests)
    print(f"\n{name}: {case.task} {case.mode}, {case.shots} shots ({case.demos}), {len(requests)} items\n")
    print("| engine | seconds | ratio | CPU seconds | CPU ratio | share of the limit | difference | same choice |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| harness, batch {found.best} | {found.reference[0]:.2f} | 1.00 | {found.reference[1]:.2f} | 1.00 | | | |")
    told = f"{share:.0%} | {found.relative:.1e} | {found.same}/{len(requests)}"
    print(f"| jatdae | {found.spent[0]:.2f} | {wall:.2f} | {found.spent[1]:.2f} | {cpu:.2f} | {told} |\n")
    pilot = ", ".join(f"batch {size} {spent[0]:.1f} s" for size, spent in found.harness.items())
    print(f"Harness on {min(PILOT, len(requests))} items: {pilot}. Floor: {wanted:g}.")
    print(f"Tokens: {counts.raw} raw, {counts.distinct} distinct ({counts.raw / counts.distinct:.1f}x), ", end="")
    print(f"{counts.read} read; dense rate {rate:.0f} tokens/s at length {counts.mean_length}.")
    print(f"Settings: {', '.join(f'{key} {value}' for key, value in backend.settings.items())}.", flush=True)
    return holds and (wall >= wanted or not chosen.floors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--case", choices=list(CASES), action="append")
    which.add_argument("--all", action="store_true", help="every case")
    parser.add_argument("--model", help="a path, a .gguf file, 'tiny', 'smollm2' or 'large-vocabulary'")
    parser.add_argument("--items", type=int)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--harness-batches", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--repeats", type=int, default=2, help="runs of Jatdae; the fastest counts")
    parser.add_argument("--kernel", default="auto", help="torch, onednn or onednn-packed; measured by default")
    parser.add_argument("--floors", action="store_true", help="exit 1 also where a ratio is below its floor")
    chosen: Any = parser.parse_args()
    options = ModelOptions(device="cpu", offline=True, threads=THREADS, backend_options=(("kernel", chosen.kernel),))
    print(f"{processor()}; {packages()}; {THREADS} threads")
    held = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen.case or CASES:
            case = CASES[name]
            backend = load(chosen.model or case.model, Path(scratch), options)
            requests = requests_of(case, chosen.data, chosen.items or case.items)
            held.append(report(name, case, backend, requests, chosen))
    raise SystemExit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
