"""KLUE's metrics as functions of how often each item is drawn: what a bootstrap needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jatdae.benchmarks.klue.labels import DEPENDENCIES, ENTITY_TAGS, TOPICS
from jatdae.benchmarks.klue.metrics import (
    Additive,
    Score,
    accuracy,
    attachment,
    character_macro_f1,
    entity_macro_f1,
    exact_match,
    f1_at_threshold,
    joint_goal_accuracy,
    pearson,
    relation_auprc,
    relation_micro_f1,
    rouge_w,
    slot_f1,
    topic_macro_f1,
)
from jatdae.stats import cluster_bootstrap

N = 40
Items = list[tuple[Any, ...]]


def labels(items: Items) -> tuple[list[Any], list[Any]]:
    return [item[0] for item in items], [item[1] for item in items]


def random_labels(random: np.random.Generator) -> Items:
    return [(str(gold), str(guess)) for gold, guess in random.choice(TOPICS, (N, 2))]


def random_numbers(random: np.random.Generator) -> Items:
    return [(gold, (gold + guess) / 2) for gold, guess in 5 * random.random((N, 2))]


def random_ranks(random: np.random.Generator) -> Items:
    return [(str(random.choice(TOPICS)), np.round(random.random(len(TOPICS)), 1)) for _ in range(N)]


def random_tags(random: np.random.Generator) -> Items:
    # every row ends in O and starts with O, so that joining rows in another order changes nothing
    return [tuple(["O", *random.choice(ENTITY_TAGS[8:], 6).tolist(), "O"] for _ in "ab") for _ in range(N)]


def random_texts(random: np.random.Generator) -> Items:
    return [("".join(random.choice(list("가나"), 3)), ["".join(random.choice(list("가나"), 3))]) for _ in range(N)]


def random_states(random: np.random.Generator) -> Items:
    return [tuple(random.choice(list("가나다라"), 2, replace=False).tolist() for _ in "ab") for _ in range(N)]


def random_trees(random: np.random.Generator) -> Items:
    sizes = random.integers(1, 6, N)
    heads = [random.integers(0, size + 1, (2, size)).tolist() for size in sizes]
    kinds = [random.choice(DEPENDENCIES[:20], (2, size)).tolist() for size in sizes]
    return [(*pair, *names) for pair, names in zip(heads, kinds, strict=True)]


def tree_score(part: str) -> Callable[[Items], Score]:
    def score(items: Items) -> Score:
        heads, guess, kinds, named = ([item[k] for item in items] for k in range(4))
        return getattr(attachment(heads, kinds, guess, named), part)

    return score


METRICS: dict[str, tuple[Callable[[np.random.Generator], Items], Callable[[Items], Score]]] = {
    "accuracy": (random_labels, lambda items: accuracy(*labels(items), TOPICS)),
    "topic": (random_labels, lambda items: topic_macro_f1(*labels(items))),
    "relation": (random_labels, lambda items: relation_micro_f1(*labels(items), TOPICS, "사회")),
    "auprc": (random_ranks, lambda items: relation_auprc(*labels(items), TOPICS)),
    "pearson": (random_numbers, lambda items: pearson(*labels(items))),
    "threshold": (random_numbers, lambda items: f1_at_threshold(*labels(items))),
    "entity": (random_tags, lambda items: entity_macro_f1(*labels(items))),
    "character": (random_tags, lambda items: character_macro_f1(*labels(items))),
    "exact": (random_texts, lambda items: exact_match(*labels(items))),
    "rouge": (random_texts, lambda items: rouge_w(*labels(items))),
    "joint": (random_states, lambda items: joint_goal_accuracy(*labels(items))),
    "slots": (random_states, lambda items: slot_f1(*labels(items))),
    **{part: (random_trees, tree_score(part)) for part in ("uas_macro", "uas_micro", "las_macro", "las_micro")},
}


@pytest.mark.parametrize("name", METRICS)
def test_weights_give_what_the_repeated_items_give(name: str) -> None:
    draw, metric = METRICS[name]
    random = np.random.default_rng(7)
    items = draw(random)
    score = metric(items)
    assert score.resample is not None
    drawn = random.integers(0, N, (5, N))
    weights = np.stack([np.bincount(row, minlength=N) for row in drawn]).astype(float)

    official, clean = score.resample.official(weights), score.resample.clean(weights)

    repeated = [metric([items[k] for k in row]) for row in drawn]
    assert official == pytest.approx([other.official for other in repeated], abs=1e-8)
    assert clean == pytest.approx([other.clean for other in repeated], abs=1e-8)
    assert score.resample.official(np.ones((1, N))) == pytest.approx([score.official], abs=1e-8)


@pytest.mark.parametrize("name", ["accuracy", "exact", "rouge", "joint", "slots", "uas_micro", "las_micro"])
def test_a_mean_shows_its_items(name: str) -> None:
    draw, metric = METRICS[name]
    score = metric(draw(np.random.default_rng(3)))

    assert score.items is not None
    assert 100 * score.items.mean() == pytest.approx(score.official, abs=1e-9)


def test_an_undefined_draw_is_nan_and_no_zero() -> None:
    score = pearson([1.0, 2.0, 3.0], [1.5, 2.0, 2.5])
    assert score.resample is not None

    assert np.isnan(score.resample.official(np.array([[3.0, 0.0, 0.0]]))).all()


def test_the_counts_serve_the_cluster_bootstrap() -> None:
    score = topic_macro_f1(*labels(random_labels(np.random.default_rng(1))))
    assert score.resample is not None
    additive = score.resample.official
    assert isinstance(additive, Additive)

    estimate = cluster_bootstrap(
        additive.counts,
        [position // 4 for position in range(N)],
        lambda rows: float(additive.combine(rows.sum(axis=0))),
        draws=200,
        seed=1,
    )

    assert estimate.value == pytest.approx(score.official)
    assert estimate.stderr is not None
    assert (estimate.clusters, estimate.n) == (10, N)
