"""What the options alone give away: the three baselines that never read the original sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from konubench_files import item, item_of_three, write_json

from jatdae.benchmarks.konubench.artefacts import (
    ANALYSED_FROM,
    LONGEST,
    MARKER_NEAR_END,
    MOST_MARKERS,
    MOST_SURFACE_MARKERS,
    artefact_floors,
    artefact_hits,
    markings,
)
from jatdae.benchmarks.konubench.balance import balance
from jatdae.benchmarks.konubench.data import read_records, split_path
from jatdae.benchmarks.konubench.options import NegationQuestion, build_question
from jatdae.benchmarks.sources import Source


def question(*options: str, answer: int = 0) -> NegationQuestion:
    return NegationQuestion("1", "새가 난다.", options, answer, kinds=("standard",), true_kinds=("standard",))


def questions(folder: Path, split: str = "test", *, shuffled: bool = False) -> list[NegationQuestion]:
    return [build_question(record, shuffled=shuffled) for record in read_records(split_path(Source(folder), split))]


def test_markers_are_counted_and_sought_near_the_end() -> None:
    texts = [
        "새가 날지 않고 벌이 오지 않는다.",
        "날지 않는 새가 우리 집 마당에 앉아서 운다.",
        "새가 안 난다.",
        "안개가 낀다.",
    ]

    found = markings(texts)

    assert [(found[text].count, found[text].near_end) for text in texts] == [
        (2, True), (1, False), (1, True), (0, False),
    ]  # fmt: skip


def test_the_marker_near_the_end_counts_more_than_many_markers_and_those_more_than_length() -> None:
    near = question("새가 울지 않는다.", "날지 않고 울지 않는 새가 우리 집 마당의 나무에 앉았다.")
    many = question("비가 오지 않고 새가 울지 않는다.", "비가 오고 새가 오늘도 어제처럼 크게 울지 않는다.")

    assert artefact_hits([near, many]) == {LONGEST: [0.0, 0.0], MOST_MARKERS: [0.0, 1.0], MARKER_NEAR_END: [1.0, 1.0]}


def test_a_tie_is_right_wherever_the_right_option_stands() -> None:
    texts = ("새가 안 난다.", "벌이 안 난다.")

    for answer in (0, 1):
        assert list(artefact_hits([question(*texts, answer=answer)]).values()) == [[1.0]] * 3


def test_a_few_items_do_without_the_analyser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_json(tmp_path / "test.json", [item("1"), item_of_three("G5")])
    few = questions(tmp_path)
    many = [few[0]] * ANALYSED_FROM

    assert list(artefact_floors(many)) == [LONGEST, MOST_SURFACE_MARKERS, MOST_MARKERS, MARKER_NEAR_END]
    monkeypatch.setattr("jatdae.korean.morphology.kiwi", lambda: pytest.fail("the analyser was loaded"))
    assert list(artefact_floors(few)) == [LONGEST, MOST_SURFACE_MARKERS]


def test_options_that_are_alike_are_told_from_those_that_are_not(tmp_path: Path) -> None:
    write_json(tmp_path / "test.json", [item("1"), item("3000"), item_of_three("G5")])
    found = {kind.kind: kind for kind in balance(questions(tmp_path)).kinds}

    assert [found[kind].options for kind in ("standard", "local", "contradiction", "paraphrase")] == [3, 2, 3, 3]
    assert (found["standard"].markers, found["standard"].near_end, found["standard"].longest) == (2.0, 1.0, 1.0)
    assert (found["local"].markers, found["local"].near_end) == (1.0, 0.0)
    assert found["paraphrase"].markers == 0.0
    assert found["standard"].ratio > found["local"].ratio > 1
    assert balance(questions(tmp_path)).baselines[MARKER_NEAR_END].value == 1.0
    with pytest.raises(ValueError, match="no items"):
        balance([])


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_published_baselines_on_the_test_split(upstream: Path, shuffled: bool) -> None:
    floors = artefact_floors(questions(upstream, shuffled=shuffled))

    assert 100 * floors[LONGEST].value == pytest.approx(65.0, abs=0.1)
    assert 100 * floors[MOST_MARKERS].value == pytest.approx(80.7, abs=0.5)
    assert 100 * floors[MARKER_NEAR_END].value == pytest.approx(95.7, abs=0.5)
    assert all(floor.low is not None and floor.n == 1284 for floor in floors.values())
