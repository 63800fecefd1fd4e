"""KLUE's attachment scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue.labels import DEPENDENCIES
from jatdae.benchmarks.klue.metrics import Attachment, Score, attachment
from jatdae.errors import RequestError

EXACT = 1e-9
HEADS = [[2, 4, 4, 0], [2, 0]]
LABELS = [[3, 6, 5, 2], [3, 2]]


def four(score: Attachment) -> tuple[Score, Score, Score, Score]:
    return score.uas_macro, score.uas_micro, score.las_macro, score.las_micro


def official(score: Attachment) -> list[float | None]:
    return [part.official for part in four(score)]


@pytest.mark.parametrize(
    ("heads", "labels", "guessed_heads", "guessed_labels", "expected"),
    [
        (
            HEADS,
            LABELS,
            [[2, 3, 4, 0], [2, 0]],
            LABELS,
            (66.66666666666666, 83.33333333333334, 60.0, 83.33333333333334),
        ),
        (HEADS, LABELS, HEADS, [[1, 6, 5, 2], [3, 2]], (100.0, 100.0, 73.33333333333333, 83.33333333333334)),
        ([[2, 0]], [[15, 2]], [[2, 0]], [[20, 2]], (100.0, 100.0, 100.0, 100.0)),
        (
            [[2, 3, 0]],
            [[3, 18, 2]],
            [[3, 3, 0]],
            [[3, 15, 2]],
            (55.55555555555555, 66.66666666666666, 50.0, 66.66666666666666),
        ),
    ],
)
def test_all_four_equal_the_official_scorer(
    heads: list[list[int]],
    labels: list[list[int]],
    guessed_heads: list[list[int]],
    guessed_labels: list[list[int]],
    expected: tuple[float, ...],
) -> None:
    score = attachment(heads, labels, guessed_heads, guessed_labels, range(38))

    assert official(score) == pytest.approx(expected, abs=EXACT)


def test_the_clean_label_score_leaves_the_dummy_class_out() -> None:
    score = attachment(HEADS, LABELS, [[2, 3, 4, 0], [2, 0]], LABELS, range(38)).las_macro

    assert score.detail["classes"] == (2, 3, 5, 6, "WRONG_HEAD")
    assert (score.official, score.clean) == (pytest.approx(60, abs=EXACT), pytest.approx(75, abs=EXACT))


def test_the_micro_family_has_a_value_for_every_word() -> None:
    score = attachment(HEADS, LABELS, [[2, 3, 4, 0], [2, 0]], LABELS, range(38)).uas_micro

    assert score.items is not None
    assert score.items.tolist() == [1, 0, 1, 1, 1, 1]
    assert score.detail["sentence_of_word"] == (0, 0, 0, 0, 1, 1)


def test_missing_sentences_heads_and_labels_are_wrong_and_counted() -> None:
    score = attachment(HEADS, LABELS, [[2, None, 4, 9], None], [[3, 6, "nsubj", 2], None], range(38))

    assert (score.uas_micro.official, score.las_micro.official) == (pytest.approx(100 / 3), pytest.approx(100 / 6))
    assert (score.uas_macro.missing, score.uas_macro.invalid) == (3, 1)
    assert (score.las_macro.missing, score.las_macro.invalid) == (3, 2)
    assert score.uas_macro.n == 2


def test_nothing_valid_is_no_score() -> None:
    lost = attachment(HEADS, LABELS, [None, None], [None, None], range(38))
    foreign = attachment(HEADS, LABELS, HEADS, [["nsubj"] * 4, ["root"] * 2], range(38))

    assert official(lost) == [None] * 4
    assert lost.uas_macro.reason == "no valid prediction: 0 of 6 words valid"
    assert official(foreign) == [100, 100, None, None]
    assert official(attachment([], [], [], [])) == [None] * 4


def test_gold_that_is_no_tree_and_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RequestError, match="row 0 of the sentences, word 2: gold head 3"):
        attachment([[2, 3]], [["NP", "VP"]], [[2, 0]], [["NP", "VP"]])
    with pytest.raises(RequestError, match="row 0 of the sentences: 1 predicted heads for 2 in gold"):
        attachment([[2, 0]], [["NP", "VP"]], [[0]], [["NP", "VP"]])


def test_a_baseline_on_the_development_set(upstream: Path) -> None:
    text = (upstream / "klue" / "klue-dp-v1.1_dev.tsv").read_text(encoding="utf-8")
    blocks = [[line.split("\t") for line in block.split("\n")] for block in text.split("\n\n")]
    sentences = [rows for block in blocks if (rows := [row for row in block if len(row) == 6 and row[0].isdigit()])]
    heads = [[int(row[4]) for row in rows] for rows in sentences]
    labels = [[row[5] for row in rows] for rows in sentences]
    next_word = [[*range(2, len(rows) + 1), 0] for rows in sentences]
    nouns = [["NP"] * (len(rows) - 1) + ["VP"] for rows in sentences]

    score = attachment(heads, labels, next_word, nouns)

    assert (score.uas_macro.n, score.uas_macro.detail["words"]) == (2000, 22_496)
    assert official(score) == pytest.approx([64.49, 66.58, 6.18, 24.76], abs=0.005)
    perfect = [heads, labels]
    assert official(attachment(*perfect, *perfect)) == [100] * 4
    heads_but_one = [[(heads[0][0] % 2) + 3, *heads[0][1:]], *heads[1:]]
    assert attachment(heads, labels, heads_but_one, labels).las_macro.official == pytest.approx(94.12, abs=0.005)


@pytest.mark.parametrize("seed", range(5))
def test_all_four_equal_scikit_learn(seed: int) -> None:
    measure = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(seed)
    heads, guess = random.integers(0, 9, (2, 20, 8))
    kinds, named = random.integers(0, 38, (2, 20, 8))
    named = np.where(random.random((20, 8)) < 0.5, kinds, named)
    guess = np.where(random.random((20, 8)) < 0.5, heads, guess)
    merged, classed = np.minimum(kinds, 15), np.where(heads == guess, np.minimum(named, 15), -2)

    score = attachment(heads.tolist(), kinds.tolist(), guess.tolist(), named.tolist(), range(38))

    def f1(gold: np.ndarray, predicted: np.ndarray, average: str) -> float:
        return 100 * measure.f1_score(gold.ravel(), predicted.ravel(), average=average)

    expected = [f1(*pair, average) for pair in ((heads, guess), (merged, classed)) for average in ("macro", "micro")]
    assert official(score) == pytest.approx(expected, abs=EXACT)


SENTENCES = st.lists(
    st.integers(1, 6).flatmap(
        lambda size: st.tuples(
            *(st.lists(st.integers(0, size), min_size=size, max_size=size) for _ in range(2)),
            *(st.lists(st.sampled_from(DEPENDENCIES), min_size=size, max_size=size) for _ in range(2)),
        )
    ),
    min_size=1,
    max_size=6,
)


@given(SENTENCES, st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(sentences: list[tuple[list, ...]], random: object) -> None:
    shuffled = sentences.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    before, after = (four(scored(order)) for order in (sentences, shuffled))

    for score, other in zip(before, after, strict=True):
        assert score.official == pytest.approx(other.official, abs=EXACT)
        assert score.clean == pytest.approx(other.clean, abs=EXACT)
        assert score.official is not None
        assert 0 <= score.official <= 100


def scored(sentences: list[tuple[list, ...]]) -> Attachment:
    heads, guess, labels, named = ([sentence[part] for sentence in sentences] for part in range(4))
    return attachment(heads, labels, guess, named)
