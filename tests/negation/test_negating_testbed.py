"""What counts as a match with the authors' standard negation, and what the test bed reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from jatdae.benchmarks.konubench.data import FIELDS, Record, read_records
from jatdae.korean.negating.standard import plan_of
from jatdae.korean.negation.analysis import analyse
from jatdae.negation.testbed.negating import (
    admits,
    disagreements,
    local_scores,
    negating_cases,
    negating_scores,
    normalised,
)

ORIGINAL = "형은 사과와 배를 샀고, 동생은 밤에 잤다."


def record(idx: str, **texts: str | None) -> Record:
    return Record(idx, None, dict.fromkeys(FIELDS[2:]) | texts)


def item(idx: str, standard: str) -> Record:
    return record(
        idx,
        original_sentence=ORIGINAL,
        standard_negation=standard,
        sn_절1="안 장형",
        sn_절2="안 장형",
        local_negation_type="대등절 일부",
        local_negation="형은 사과와 배를 안 샀고, 동생은 밤에 잤다.",
    )


STRICT = item("1", "형은 사과나 배를 사지 않았거나 동생은 밤에 자지 않았다")
OTHER_FORM = item("2", "형은 사과나 배를 못 샀거나, 동생은 밤에 자지 못했다.")
OTHER_CONNECTIVE = item("3", "형은 사과 또는 배를 안 샀거나, 동생은 밤에 자지 않았다.")
OTHER_ENDING = item("4", "형은 사과나 배를 사지 않았고, 동생은 밤에 자지 않았다.")
ONE_CLAUSE_LEFT = item("5", "형은 사과나 배를 샀거나, 동생은 밤에 자지 않았다.")


def test_a_match_ignores_white_space_and_punctuation_then_the_form_then_the_connective() -> None:
    cases = negating_cases([STRICT, OTHER_FORM, OTHER_CONNECTIVE, OTHER_ENDING, ONE_CLAUSE_LEFT])

    matches = [(case.strict, case.up_to_form, case.up_to_connective) for case in cases]

    assert matches == [(True, True, True), (False, True, True), (False, False, True), (False,) * 3, (False,) * 3]
    assert [case.idx for case in disagreements(cases)] == ["4", "5"]


def test_shares_are_given_for_all_and_by_the_number_of_labelled_main_clauses() -> None:
    single = record("6", original_sentence="물이 맑다.", standard_negation="물이 맑지 않다.", sn_절1="안 장형")

    scores = negating_scores(negating_cases([STRICT, OTHER_FORM, single]))

    assert [(each.group, each.strict.count, each.strict.items) for each in scores] == [
        ("all", 2, 3),
        ("1", 1, 1),
        ("2", 1, 2),
    ]
    everything = scores[0]
    assert everything.up_to_form.value == 1
    assert everything.same_clauses.count == 3
    assert everything.well_formed.count == 3
    assert 0 < everything.strict.low < 2 / 3 < everything.strict.high < 1


def test_a_sentence_that_cannot_be_negated_is_a_case_with_a_fault() -> None:
    (case,) = negating_cases([record("7", original_sentence="푸른 하늘", standard_negation="푸르지 않은 하늘")])

    assert (case.text, case.found, case.faults) == ("", 0, ("no sentence",))
    assert negating_scores([case])[0].well_formed.count == 0


def test_every_form_is_admitted_in_each_clause_and_no_mixture_within_one() -> None:
    plan = plan_of(analyse("형은 떠났고, 동생은 남았다."))
    assert plan is not None

    assert admits(plan, "형은 안 떠났거나, 동생은 남지 못했다.")
    assert not admits(plan, "형은 안 떠나지 않았거나, 동생은 남지 못했다.")
    assert not admits(plan, "형은 안 떠났거나, 동생은 남지 못했다. 그렇다.")


def test_the_local_negation_is_sought_among_the_candidates() -> None:
    elsewhere = item("8", "형은 사과나 배를 사지 않았거나, 동생은 밤에 자지 않았다.")

    rows = {row.clause: row for row in local_scores([STRICT, elsewhere])}

    assert rows["대등절 일부"].found.count == rows["all"].same_type.count == 2


def test_no_case_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one case"):
        negating_scores([])


def test_normalisation_keeps_letters_and_digits_in_nfc() -> None:
    assert normalised(" ‘가’, (3 km)_!") == "가3km"


def test_on_real_data_the_negator_reaches_its_marks(upstream: Path) -> None:
    # Given the split that the rules were not fitted to
    records = read_records(upstream / "konubench" / "test.json")

    # When all its items are negated
    everything, *by_clauses = negating_scores(negating_cases(records))

    # Then the shares are those that the documentation gives, give or take a point, and far above the demand of 45 %.
    assert everything.strict.items == 1284
    assert everything.up_to_form.value >= 0.72
    assert everything.strict.value >= 0.45
    assert everything.well_formed.value >= 0.9
    assert [each.group for each in by_clauses] == ["0", "1", "2", "3"]
