"""Topics, similarity and inference: the head learns a few items by heart, and reads the labels by name."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from overfitting import overfit, tiny_recipe

from jatdae.benchmarks.klue.labels import LABELS
from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.sources import Source


@pytest.mark.parametrize("task", ["ynat", "sts", "nli"])
def test_the_head_learns_32_items_by_heart(task: str, tmp_path: Path) -> None:
    records = read_task(task, locate(Source.of("mini"), task, "train"))[:32]
    scores = overfit(tiny_recipe(task, records, tmp_path), records, steps=220)
    assert min(scores.values()) >= 95, scores


@pytest.mark.parametrize("task", ["ynat", "nli"])
def test_a_new_head_numbers_the_labels_as_the_baseline_does(task: str, tmp_path: Path) -> None:
    records = read_task(task, locate(Source.of("mini"), task, "train"))
    recipe = tiny_recipe(task, records, tmp_path)
    targets = [feature.inputs["labels"] for feature in recipe.features(records, training=True)]
    assert [LABELS[task][target] for target in targets] == [record.label for record in records]
    assert list(recipe.build().config.id2label.values()) == list(LABELS[task])


def test_similarity_is_learned_unrounded_on_the_raw_scale(tmp_path: Path) -> None:
    records = read_task("sts", locate(Source.of("mini"), "sts", "train"))
    recipe = tiny_recipe("sts", records, tmp_path)
    batch = recipe.collate(recipe.features(records, training=True))
    assert batch["labels"].tolist() == pytest.approx([record.real_label for record in records])
    assert recipe.build().config.num_labels == 1
