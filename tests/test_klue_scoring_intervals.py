"""Intervals of KLUE scores: the fast draws give what a slow bootstrap gives that repeats items and counts anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from klue_gold import inferences, topics, written

from jatdae.benchmarks.klue.labels import INFERENCE, RELATIONS, TOPICS
from jatdae.benchmarks.klue.metrics import accuracy, relation_auprc, topic_macro_f1
from jatdae.benchmarks.klue.scoring import score_predictions
from jatdae.benchmarks.klue.scoring.intervals import intervals

DRAWS = 200


def drawn_clusters(clusters: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, clusters, (DRAWS, clusters))


def test_clusters_are_drawn_whole(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    gold, guess = random.choice(INFERENCE, (2, 45)).tolist()
    premises = [f"전제 {n % 15}" for n in range(45)]
    path = written(tmp_path / "p.json", guess)

    score = score_predictions("nli", path, inferences(tmp_path, gold, premises), draws=DRAWS)

    members = [[n for n in range(45) if n % 15 == cluster] for cluster in range(15)]
    slow = [
        accuracy([gold[n] for c in row for n in members[c]], [guess[n] for c in row for n in members[c]]).official
        for row in drawn_clusters(15, score.seed)
    ]
    estimate = score.metrics["accuracy"].official
    assert estimate is not None
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]) / 100)
    assert estimate.stderr == pytest.approx(np.std(slow, ddof=1) / 100)
    assert (estimate.n, estimate.clusters) == (45, 15)


def test_a_metric_that_is_no_mean_is_counted_anew(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    gold, guess = random.choice(TOPICS[:4], (2, 60)).tolist()

    score = score_predictions("ynat", written(tmp_path / "p.json", guess), topics(tmp_path, gold), draws=DRAWS)

    slow = [
        topic_macro_f1([gold[n] for n in row], [guess[n] for n in row]).official
        for row in drawn_clusters(60, score.seed)
    ]
    estimate = score.metrics["macro_f1"].official
    assert estimate is not None
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]) / 100)


def test_curves_are_drawn_too() -> None:
    random = np.random.default_rng(7)
    gold = random.choice(RELATIONS[:3], 40).tolist()
    table = np.round(random.random((40, len(RELATIONS))), 1)
    clusters = np.arange(40) // 2

    official, clean = intervals({"auprc": relation_auprc(gold, table)}, clusters, DRAWS, 11)["auprc"]

    slow = []
    for row in drawn_clusters(20, 11):
        items = [n for c in row for n in (2 * c, 2 * c + 1)]
        slow.append(relation_auprc([gold[n] for n in items], table[items]).clean)
    assert clean is not None and official is not None
    assert (clean.low, clean.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]) / 100)


def test_an_interval_that_misses_its_value_is_not_given() -> None:
    labels = [*RELATIONS[:20], *RELATIONS[:1] * 10]
    perfect = np.array([[float(name == label) for name in RELATIONS] for label in labels])

    official, _ = intervals({"auprc": relation_auprc(labels, perfect)}, np.arange(30), DRAWS, 3)["auprc"]

    assert official is not None
    assert (official.low, official.high) == (None, None)
    assert "rare classes drop out" in official.method


def test_the_same_files_give_the_same_interval_wherever_they_lie(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    gold, guess = random.choice(TOPICS, (2, 50)).tolist()
    (tmp_path / "elsewhere").mkdir()

    first, second = (
        score_predictions("ynat", written(folder / "p.json", guess), topics(folder, gold), draws=DRAWS)
        for folder in (tmp_path, tmp_path / "elsewhere")
    )

    assert first.metrics["macro_f1"].official == second.metrics["macro_f1"].official
    assert first.seed == second.seed


def test_one_cluster_has_no_interval(tmp_path: Path) -> None:
    gold = inferences(tmp_path, ["neutral", "entailment"], ["전제", "전제"])

    score = score_predictions("nli", written(tmp_path / "p.json", ["neutral", "neutral"]), gold, draws=DRAWS)

    estimate = score.metrics["accuracy"].official
    assert estimate is not None
    assert (estimate.value, estimate.low, estimate.high) == (0.5, None, None)
    assert "one cluster" in estimate.method
    assert any("accuracy, official: no interval, one cluster" in note for note in score.notes)
