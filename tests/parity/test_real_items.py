"""Real items, asked by the real tasks, scored by the engine and by lm-evaluation-harness on one checkpoint in float32.

Every option must agree, and with it every choice and the accuracy. Nothing of the data is kept here: a test reads the
upstream's files, and is skipped where they are absent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from tiny_model import build_tiny_model

from jatdae import load_task
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question, choose, normalised
from jatdae.evaluate import choose_items
from jatdae.models.base import ModelReference
from jatdae.models.hf import HfBackend
from jatdae.models.options import ModelOptions
from jatdae.types import OptionScore, Score, Scores

WINDOW = 8192
"""Byte-level tokens of five solved KoNUBench examples fit, so that neither side cuts anything."""
RELATIVE, ABSOLUTE = 1e-4, 1e-3
"""An option may differ by the larger of the two, in nats: float32 sums over up to some hundred tokens."""


@dataclass(frozen=True)
class Asked:
    """A task's items with the requests that it makes of them."""

    task: MultipleChoice
    items: list[Question]
    requests: list[Score]


@dataclass(frozen=True)
class Pair:
    """One checkpoint, loaded by both engines."""

    backend: HfBackend
    harness: Any


def ask(upstream: Path, kind: str, shots: int, count: int) -> Asked:
    """`count` items of a kind: KMMLU from all 45 subjects, KoNUBench drawn from its test file."""
    name, mode = kind.split()
    task = load_task(name, mode=mode, data=upstream / name, shots=shots)
    assert isinstance(task, MultipleChoice)
    limit = 2 if name == "kmmlu" else count
    drawn = [item for item in choose_items(task, limit) if isinstance(item, Question)]
    items = [drawn[place * len(drawn) // count] for place in range(count)]
    assert len({item.id for item in items}) == count
    return Asked(task, items, [task.scoring(item) for item in items])


def ours(pair: Pair, asked: Asked) -> list[tuple[OptionScore, ...]]:
    answers = dict(entry for batch in pair.backend.answer(asked.requests) for entry in batch)
    scores = [answers[place] for place in range(len(asked.requests))]
    assert all(isinstance(score, Scores) and score.cut_tokens == 0 for score in scores)
    return [score.options for score in scores if isinstance(score, Scores)]


def theirs(pair: Pair, asked: Asked) -> list[list[float]]:
    from lm_eval.api.instance import Instance

    assert pair.harness.max_length >= pair.backend.encoder.window
    pairs = [(request.context, option) for request in asked.requests for option in request.options]
    instances = [Instance("loglikelihood", {}, pair, number) for number, pair in enumerate(pairs)]
    flat = iter([value for value, _ in pair.harness.loglikelihood(instances, disable_tqdm=True)])
    return [[next(flat) for _ in request.options] for request in asked.requests]


def chosen(item: Question, task: MultipleChoice, options: Sequence[OptionScore]) -> dict[str, int]:
    """The option that each metric picks."""
    values = normalised(options, task.texts(item))
    return {metric: choose(values[metric]).index for metric in task.metrics if metric != "acc_tokens"}


def check(pair: Pair, asked: Asked, record: Callable[[str, object], None]) -> None:
    """Hold every option, every choice and the accuracy of both engines against each other."""
    mine, other = ours(pair, asked), theirs(pair, asked)
    hits: dict[str, list[int]] = {}
    absolute, relative = 0.0, 0.0
    for item, options, expected in zip(asked.items, mine, other, strict=True):
        found = [option.log_likelihood for option in options]
        assert found == pytest.approx(expected, rel=RELATIVE, abs=ABSOLUTE), item.id
        gaps = [abs(a - b) for a, b in zip(found, expected, strict=True)]
        absolute = max(absolute, *gaps)
        relative = max(relative, *(gap / abs(value) for gap, value in zip(gaps, expected, strict=True)))
        harness = [OptionScore(value, option.tokens, False) for value, option in zip(expected, options, strict=True)]
        by_us, by_harness = (chosen(item, asked.task, scores) for scores in (options, harness))
        assert by_us == by_harness, f"{item.id}: {found} and {expected}"
        for metric in by_us:
            counts = hits.setdefault(metric, [0, 0])
            counts[0] += by_us[metric] == item.answer
            counts[1] += by_harness[metric] == item.answer
    assert all(one == two for one, two in hits.values())
    tokens = max(len(sent.ids) for request in asked.requests for sent in pair.backend.preview(request))
    facts = {"absolute": absolute, "relative": relative, "items": len(asked.items), "tokens": tokens, "right": hits}
    record("largest differences", facts)
    print(f"\n{asked.task.name} {asked.task.protocol.mode} {asked.task.protocol.shots}-shot: {facts}")


KINDS = ("kmmlu letter", "konubench cloze", "konubench symbol")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    from lm_eval.models.huggingface import HFLM

    folder = build_tiny_model(tmp_path_factory.mktemp("tiny"), bos=True, window=WINDOW)
    backend = HfBackend.load(ModelReference("hf", str(folder)), ModelOptions(device="cpu", offline=True))
    return Pair(backend, HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=4))


@pytest.mark.parametrize("shots", [0, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_real_items_score_as_in_the_harness(
    kind: str, shots: int, tiny: Pair, upstream: Path, record_property: Callable[[str, object], None]
) -> None:
    asked = ask(upstream, kind, shots, 60)
    if kind == "kmmlu letter":
        assert len({item.group for item in asked.items}) >= 40
    if shots and kind != "kmmlu letter":
        shown = {tuple(example.id for example in asked.task.examples(item)) for item in asked.items}
        assert len(shown) == len(asked.items), "each item has examples of its own, drawn by seed"
    check(tiny, asked, record_property)


@pytest.fixture(scope="module")
def small_real_model() -> Pair:
    """SmolLM2 (135 million parameters) out of an installed package; its weights are unpacked to float32."""
    from lm_eval.models.huggingface import HFLM

    from jatdae.cli.demo import demo_model
    from jatdae.errors import ModelError

    try:
        file = demo_model()
    except ModelError as error:
        pytest.skip(str(error))
    backend = HfBackend.load(ModelReference("hf", str(file)), ModelOptions(device="cpu", offline=True))
    harness = HFLM(pretrained=str(file.parent), gguf_file=file.name, device="cpu", dtype="float32", batch_size=1)
    return Pair(backend, harness)


AMOUNTS = (
    ("kmmlu letter", 0, 60),
    ("kmmlu letter", 5, 20),
    ("konubench cloze", 0, 30),
    ("konubench cloze", 5, 6),
    ("konubench symbol", 0, 60),
    ("konubench symbol", 5, 12),
)
"""As many items as two cores score twice within minutes: a syllable takes about three of this model's tokens, and the
harness reads the whole prompt again for each option of more than one token."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "shots", "count"), AMOUNTS)
def test_real_items_score_as_in_the_harness_with_a_real_model(
    kind: str,
    shots: int,
    count: int,
    small_real_model: Pair,
    upstream: Path,
    record_property: Callable[[str, object], None],
) -> None:
    check(small_real_model, ask(upstream, kind, shots, count), record_property)
