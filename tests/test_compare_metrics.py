"""Two encoders on KLUE's F1 and correlations: the metric is computed anew for both, on the same clusters."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import permutation_test
from sklearn.metrics import f1_score

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.sources import Source
from jatdae.cli import run_app
from jatdae.errors import RequestError
from jatdae.evaluate.comparing import compare
from jatdae.evaluate.planning import fingerprint_of
from jatdae.evaluate.summary import summarise
from jatdae.store import Store

TOPICS = ("정치", "경제", "사회", "생활문화", "세계", "IT과학", "스포츠")


def measured(store: Store, name: str, rightness: float, seeds: tuple[int, ...] = (1,)) -> None:
    """A stored result of ynat on the bundled items: predictions are right with this chance, by a seed of their own."""
    entry = find_task("klue/ynat")
    protocol = build_protocol(entry, "finetune", seeds=seeds)
    task = entry.task("klue/ynat", protocol, Source.of("mini"), 0)
    units = task.items()
    draw = np.random.default_rng(sum(map(ord, name)))
    samples = []
    for seed in seeds:
        for unit in units:
            label = unit.gold.label if draw.random() < rightness else draw.choice(TOPICS)
            samples.append(task.sample(unit, {"prediction": str(label)}, seed=seed))
    model = SimpleNamespace(key=name, reference=f"hf:{name}", facts={})
    identity = SimpleNamespace(identity=model, settings={}, notes=())
    fingerprint = fingerprint_of(task)
    store.remember_model(model)
    run = store.start_run("jatdae run klue/ynat", {}, {})
    facts = {"fingerprint": fingerprint, "data_hash": task.data_hash, "task_version": task.version}
    number = store.start_result(run, task="klue/ynat", model_key=name, mode="finetune", protocol=protocol, **facts)
    store.add_samples(number, samples)
    result = summarise(task, identity, units, samples, {}, fingerprint=fingerprint, data_hash=task.data_hash)
    store.finish_result(number, result)
    store.end_run(run, "done")


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path) as opened:
        measured(opened, "base", 0.2)
        measured(opened, "tuned", 0.95)
        yield opened


def labels(store: Store, result: int) -> tuple[list[str], list[str]]:
    samples = list(store.samples(result))
    return [one.target for one in samples], [one.detail["prediction"]["prediction"] for one in samples]


def macro(gold, guess) -> float:
    union = sorted({*gold, *guess})
    return float(f1_score(gold, guess, labels=union, average="macro", zero_division=0))


def test_the_difference_is_that_of_the_official_metric_and_the_test_agrees_with_scipy(store):
    [found] = compare(store, ["base", "tuned"])

    gold, first = labels(store, 1)
    _, second = labels(store, 2)
    assert found.metric == "macro_f1"
    assert found.first == pytest.approx(macro(gold, first))
    assert found.second == pytest.approx(macro(gold, second))
    assert found.difference.value == pytest.approx(found.second - found.first)
    assert found.difference.low < found.difference.value < found.difference.high
    # Exchanging both models' answers to an item is scipy's paired permutation of the samples.
    codes = {name: at for at, name in enumerate(TOPICS)}
    pairs = [np.array([codes[one] for one in side], dtype=float) for side in (first, second)]

    def statistic(one, other):
        sides = ([TOPICS[int(code)] for code in side] for side in (one, other))
        return abs(np.subtract(*(macro(gold, side) for side in sides)))

    theirs = permutation_test(
        pairs, statistic, permutation_type="samples", n_resamples=2000, alternative="greater", vectorized=False, rng=3
    )
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_models_that_are_alike_are_not_told_apart(tmp_path):
    with Store.open(tmp_path) as opened:
        measured(opened, "one", 0.6)
        measured(opened, "two", 0.6)

        [found] = compare(opened, ["one", "two"])

    assert found.p > 0.05
    assert found.difference.low < 0 < found.difference.high
    assert 0 < found.detectable < 1


def test_seeds_are_paired_and_an_unequal_number_is_refused(tmp_path):
    with Store.open(tmp_path) as opened:
        measured(opened, "one", 0.4, (1, 2, 3))
        measured(opened, "two", 0.9, (4, 5, 6))
        measured(opened, "three", 0.9, (4, 5))

        [found] = compare(opened, ["one", "two"], force=True)
        assert found.second > found.first
        assert found.unlike
        with pytest.raises(RequestError, match="same number"):
            compare(opened, ["one", "three"], force=True)


def test_without_the_data_the_folder_is_asked_for(store, tmp_path, capsys, monkeypatch):
    (tmp_path / "elsewhere").mkdir()

    assert run_app(["compare", "base", "tuned", "--store", str(tmp_path), "--data", str(tmp_path / "elsewhere")]) == 2
    assert "--data" in capsys.readouterr().err


def test_the_verdict_is_said_in_korean_and_the_items_are_listed(store, tmp_path, capsys):
    words = ["compare", "base", "tuned", "--store", str(tmp_path), "--lang", "ko"]

    assert run_app([*words, "--flips", "2"]) == 0
    told = capsys.readouterr().out
    assert run_app([*words, "--json", "--out", str(tmp_path / "c.json")]) == 0

    [one] = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["comparisons"]
    assert one["verdict"].startswith("둘째가 ")
    assert "점 높습니다" in one["verdict"]
    assert f"and {len(one['gained']) - 2} more" in told
    assert run_app([*words, "--out", str(tmp_path / "c.md")]) == 2
