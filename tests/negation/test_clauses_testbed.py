"""Scores of the clause classifier: by hand on made cases, and on the real data."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from konubench_files import item, item_of_three, write_json

from jatdae.benchmarks.konubench.data import read_records
from jatdae.korean.clauses.decision import weights
from jatdae.korean.clauses.outline import outline
from jatdae.korean.negation.analysis import analyse
from jatdae.negation.testbed.clauses import (
    LABELS,
    UNTOLD,
    ClauseCase,
    clause_cases,
    confusion_table,
    disagreement_kinds,
    score_clauses,
)
from jatdae.negation.testbed.main_clauses import denied_predications, score_main_clauses


def cases(*pairs: tuple[str, str]) -> list[ClauseCase]:
    return [ClauseCase(str(number), str(number // 2), *pair) for number, pair in enumerate(pairs)]


def test_scores_are_those_worked_out_by_hand():
    # given three right answers of six, one of them between the two merged types, one answer missing
    found = cases(
        ("관형절", "관형절"),
        ("관형절", "관형절"),
        ("관형절", "명사절"),
        ("부사절", "종속절"),
        ("종속절", "종속절"),
        ("인용절", UNTOLD),
    )
    # when
    scores = score_clauses(found, draws=200)
    # then
    by_label = {score.label: score for score in scores.labels}
    assert scores.accuracy.value == pytest.approx(3 / 6)
    assert scores.merged.value == pytest.approx(4 / 6)
    assert by_label["관형절"].f1 == pytest.approx(0.8)
    assert (by_label["종속절"].precision, by_label["종속절"].recall) == (0.5, 1.0)
    assert scores.macro_f1.value == pytest.approx((0.8 + 0 + 2 / 3 + 0 + 0) / 5)
    assert [case.idx for case in scores.disagreements] == ["2", "3", "5"]
    assert scores.confusion["인용절", UNTOLD] == 1
    assert "| 인용절 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" in confusion_table(scores)


def test_records_without_a_local_negation_are_left_out(tmp_path: Path):
    # given
    path = write_json(tmp_path / "train.json", [item("1"), item_of_three("2")])
    # when
    found = clause_cases(read_records(path))
    # then
    assert [(case.idx, case.cluster, case.gold, case.ending) for case in found] == [("1", "1001", "대등절 일부", "고")]


def test_disagreements_are_counted_by_ending():
    found = [ClauseCase(str(n), str(n), "종속절", "부사절", ending) for n, ending in enumerate(["어", "면서", "어"])]
    assert disagreement_kinds(score_clauses(found, draws=20)) == [
        ("어", "종속절", "부사절", 2),
        ("면서", "종속절", "부사절", 1),
    ]


def test_the_predicates_that_standard_negation_denies_are_found_in_the_original():
    # given a sentence whose first clause is negated by an adverb, whose last by an auxiliary
    original = analyse("이 가게는 봄에 열었고, 주인이 새로 산 접시를 닦는다.")
    negated = analyse("이 가게는 봄에 안 열었거나, 주인이 새로 산 접시를 닦지 않는다.")
    sentence = outline(original.morphemes)
    # when
    denied = denied_predications(sentence, original, negated)
    # then
    stems = [original.morphemes[sentence.predications[number].predicate].form for number in sorted(denied)]
    assert stems == ["열", "닦"]


def test_a_removed_marker_shows_the_main_clause_as_well():
    original, negated = analyse("그 배는 떠나지 않았다."), analyse("그 배는 떠났다.")
    assert denied_predications(outline(original.morphemes), original, negated) == {0}


def test_the_weights_know_the_labels_and_no_word_of_the_data():
    known = weights("type")
    assert set(known.classes) == set(LABELS)
    assert all(len(row) == len(known.classes) for row in known.by_feature.values())
    words = {word for question in ("type", "main") for name in weights(question).by_feature for word in name.split()}
    assert max(len(word.split("/")[0]) for word in words if "가" <= word[0] <= "힣") <= 4


@pytest.mark.parametrize(("split", "items"), [("val", 974), ("test", 1249)])
def test_the_classifier_reaches_its_target_on_real_data(upstream: Path, split: str, items: int):
    scores = score_clauses(clause_cases(read_records(upstream / "konubench" / f"{split}.json")), draws=200)
    assert scores.accuracy.n == items
    assert scores.accuracy.value >= 0.93
    assert scores.macro_f1.value >= 0.85
    assert scores.merged.value >= 0.95


def test_main_predicates_agree_with_the_standard_negations(upstream: Path):
    scores = score_main_clauses(read_records(upstream / "konubench" / "val.json"))
    assert scores.sentences == 1000
    assert min(scores.precision, scores.recall) >= 0.96
    assert scores.exact / scores.sentences >= 0.9


@pytest.mark.slow
def test_the_shipped_weights_are_those_of_the_training_data(upstream: Path, monkeypatch: pytest.MonkeyPatch):
    # given the script that fits them
    pytest.importorskip("sklearn")
    place = Path(__file__).parents[2] / "benchmarks" / "clause_learning.py"
    spec = importlib.util.spec_from_file_location("clause_learning", place)
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "clause_learning", script)
    spec.loader.exec_module(script)
    records = [r for split in ("train", "val") for r in read_records(upstream / "konubench" / f"{split}.json")]
    for question, examples in (("type", script.type_examples(records)), ("main", script.main_examples(records))):
        # when it fits them again
        fitted = script.fit(script.frequent(list(examples)))
        # then they are the same, up to the last digit
        shipped = weights(question)
        assert tuple(fitted.classes) == shipped.classes
        far = [
            name
            for name in fitted.weights.keys() | shipped.by_feature.keys()
            if np.abs(np.subtract(fitted.weights.get(name, 0), shipped.by_feature.get(name, 0))).max() > 2
        ]
        assert far == []
