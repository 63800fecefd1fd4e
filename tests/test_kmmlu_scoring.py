"""KMMLU's averages, titles and floors."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from kmmlu_folder import Row, make_task, write_csv, write_subject

from jatdae.benchmarks.base import Aggregate
from jatdae.benchmarks.kmmlu.floors import constant_letters
from jatdae.benchmarks.kmmlu.subjects import SUBJECTS
from jatdae.types import Outcome, Sample, Sampling

NOWHERE = Path("no-such-folder")


def samples_of(
    subject: str, n: int, correct: int, unparsed: int = 0, failed: int = 0, seed: int = 1234
) -> Iterable[Sample]:
    for number in range(n):
        item = f"{subject}/test/{number}"
        if number >= n - failed:
            yield Sample(item, Outcome.FAILED, None, "C", group=subject, seed=seed)
        elif number < correct:
            yield Sample(item, Outcome.RIGHT, "C", "C", {"acc": 1.0}, subject, seed=seed)
        elif number < correct + unparsed:
            yield Sample(item, Outcome.UNPARSED, None, "C", {"acc": 0.0}, subject, seed=seed)
        else:
            yield Sample(item, Outcome.WRONG, "A", "C", {"acc": 0.0}, subject, seed=seed)


def aggregate(samples: Iterable[Sample], name: str = "kmmlu", mode: str = "letter", **choices: Any) -> Aggregate:
    return make_task(NOWHERE, name, mode, **choices).aggregate(list(samples))


WORKED = [
    *samples_of("Biology", 1000, 620, 4),
    *samples_of("Math", 300, 90, 30),
    *samples_of("Korean-History", 100, 34, 8),
    *samples_of("Law", 1000, 550),
    *samples_of("Health", 100, 70, 1),
]


def test_the_worked_example_of_the_published_rules() -> None:
    found = aggregate(WORKED)
    assert found.headline == "macro"
    figures = {name: round(100 * estimate.value, 2) for name, estimate in found.estimates.items()}
    assert figures == {"macro": 50.20, "micro": 54.56, "mean_of_categories": 53.50}
    assert found.estimates["macro"].stderr == pytest.approx(0.014932, abs=5e-7)
    assert found.estimates["micro"].stderr == pytest.approx(0.009721, abs=1e-6)
    categories = {name: round(100 * estimate.value, 2) for name, estimate in found.breakdown["category"].items()}
    assert categories == {"STEM": 46.00, "HUMSS": 44.50, "Other": 70.00}
    assert found.breakdown["subject"]["Korean-History"].value == 0.34
    assert found.title == "KMMLU, partial: 5 of 45 subjects"
    assert "predicted letters: A 1,093, B 0, C 1,364, D 0, none 43" in found.notes
    missing = next(note for note in found.notes if note.startswith("missing subjects"))
    assert "Accounting" in missing
    assert "Health" not in missing


def test_the_short_example_with_standard_errors() -> None:
    found = aggregate([*samples_of("Law", 40, 30), *samples_of("Math", 100, 55), *samples_of("Health", 20, 9)])
    assert found.estimates["macro"].value == pytest.approx(0.583333, abs=5e-7)
    assert found.estimates["macro"].stderr == pytest.approx(0.047532, abs=5e-7)
    assert found.estimates["micro"].value == 0.5875
    assert found.estimates["micro"].stderr == pytest.approx(0.038478, abs=5e-7)


def test_order_does_not_matter() -> None:
    mixed = list(WORKED)
    random.Random(7).shuffle(mixed)
    one, other = aggregate(WORKED), aggregate(mixed)
    assert one.estimates == other.estimates
    assert one.breakdown["subject"] == other.breakdown["subject"]


def full(failed: int = 0, without: str = "", part: int | None = None) -> list[Sample]:
    return [
        sample
        for subject in SUBJECTS
        if subject.config != without
        for sample in samples_of(
            subject.config, part or subject.test, 5, failed=failed if subject.config == "Law" else 0
        )
    ]


@pytest.mark.parametrize(
    ("samples", "title"),
    [
        (full(), "KMMLU"),
        (full(without="Math"), "KMMLU, partial: 44 of 45 subjects"),
        (full(part=10), "KMMLU, 450 of 35,030 items"),
        (full(without="Math", part=10), "KMMLU, partial: 44 of 45 subjects, 440 of 35,030 items"),
        (full(failed=2), "KMMLU, 35,028 of 35,030 items, 2 failed"),
    ],
)
def test_only_the_whole_is_called_kmmlu(samples: list[Sample], title: str) -> None:
    assert aggregate(samples).title == title


def test_other_scopes_have_their_own_names() -> None:
    assert aggregate(samples_of("Law", 1000, 1), "kmmlu/law").title == "KMMLU Law"
    assert aggregate(samples_of("Law", 20, 1), "kmmlu/law").title == "KMMLU Law, 20 of 1,000 items"
    hard = [sample for s in SUBJECTS for sample in samples_of(s.snake, s.hard, 3)]
    assert aggregate(hard, "kmmlu-hard").title == "KMMLU-HARD"
    humss = [sample for s in SUBJECTS if s.category == "humss" for sample in samples_of(s.config, s.test, 3)]
    assert aggregate(humss, "kmmlu/humss").title == "KMMLU HUMSS"
    assert aggregate(samples_of("Law", 5, 1), "kmmlu/law", split="dev", shots=0).title == "KMMLU Law dev split"


def test_one_subject_has_an_accuracy_with_its_interval() -> None:
    found = aggregate(samples_of("Law", 1000, 550), "kmmlu/law")
    assert found.headline == "acc"
    assert set(found.estimates) == {"acc"}
    assert found.estimates["acc"].method == "Wilson"


def test_a_failed_item_is_no_zero_but_the_headline_becomes_a_lower_bound() -> None:
    found = aggregate([*samples_of("Law", 10, 7, failed=2), *samples_of("Math", 10, 5)])
    assert found.headline == "macro_lower_bound"
    assert found.estimates["macro_lower_bound"].value == pytest.approx((0.7 + 0.5) / 2)
    assert found.estimates["macro"].value == pytest.approx((7 / 8 + 0.5) / 2)
    assert found.title.endswith("2 failed")
    assert any("2 items failed" in note for note in found.notes)


def test_nothing_but_failures_still_aggregates() -> None:
    found = aggregate(samples_of("Law", 3, 0, failed=3), "kmmlu/law")
    assert found.estimates[found.headline].value == 0
    assert found.title == "KMMLU Law, 0 of 1,000 items, 3 failed"


def test_seeds_are_repeats_of_an_item_not_more_items() -> None:
    twice = [*samples_of("Law", 10, 4, seed=1), *samples_of("Law", 10, 6, seed=2)]
    both = [*twice, *samples_of("Math", 10, 5, seed=1), *samples_of("Math", 10, 5, seed=2)]
    found = aggregate(both)
    assert (found.estimates["macro"].value, found.estimates["macro"].n) == (0.5, 20)
    assert {seed: estimate.value for seed, estimate in found.breakdown["seed"].items()} == {"1": 0.45, "2": 0.55}
    with pytest.raises(ValueError, match="two samples under seed 1"):
        aggregate([*both, next(iter(samples_of("Law", 1, 1, seed=1)))])


def test_letters_are_counted_by_prediction_and_by_right_answer() -> None:
    found = aggregate(samples_of("Law", 100, 60, unparsed=5), "kmmlu/law")
    assert "predicted letters: A 35, B 0, C 60, D 0, none 5" in found.notes
    assert {name: e.value for name, e in found.breakdown["predicted letter"].items()} == {
        "A": 0.35,
        "B": 0,
        "C": 0.6,
        "D": 0,
    }
    assert {name: e.value for name, e in found.breakdown["recall by right letter"].items()} == {"C": 0.6}


def test_leaks_and_faulty_items_are_left_out_beside_the_headline() -> None:
    leak = Sample("Law/test/90", Outcome.RIGHT, "A", "A", {"acc": 1.0}, "Law", detail={"flags": ["states-answer"]})
    noted = Sample("Law/test/91", Outcome.RIGHT, "A", "A", {"acc": 1.0}, "Law", detail={"flags": ["editor-note"]})
    rest = [Sample(f"Law/test/{n}", Outcome.WRONG, "A", "B", {"acc": 0.0}, "Law") for n in range(2)]
    found = aggregate([leak, noted, *rest], "kmmlu/law")
    values = {name: estimate.value for name, estimate in found.estimates.items()}
    assert values == {"acc": 0.5, "acc_without_leaks": pytest.approx(1 / 3), "acc_clean": 0.0}


def test_a_sampled_run_is_not_called_by_the_plain_name() -> None:
    found = aggregate(samples_of("Law", 1000, 1), "kmmlu/law", "direct", sampling=Sampling(temperature=0.6))
    assert found.title == "KMMLU Law, sampled"
    assert not any("temperature" in note for note in found.notes), "every task's result says that by itself"


def test_constant_letters_of_the_real_answers(upstream: Path) -> None:
    items = make_task(upstream, shots=0).items()
    reached = {k: (round(100 * a.value, 2), round(100 * b.value, 2)) for k, (a, b) in constant_letters(items).items()}
    assert reached == {"A": (9.87, 12.54), "B": (29.74, 28.55), "C": (29.91, 29.45), "D": (30.48, 29.46)}
    floors = make_task(upstream, shots=0).floors(items)
    assert list(floors) == ["chance", "always D", "longest option", "always D, micro", "longest option, micro"]
    assert floors["chance"].value == 0.25
    assert round(100 * floors["always D"].value, 2) == 29.46
    assert round(100 * floors["always D, micro"].value, 2) == 30.48


def test_the_best_letter_is_found_for_each_average(tmp_path: Path) -> None:
    """Given six rows of law that say A, and of mathematics one that says A and two that say B."""

    def rows(answers: str) -> list[Row]:
        return [(f"{n}번 물음", 1 + "ABCD".index(a), "하나", "둘이다", "셋", "넷") for n, a in enumerate(answers)]

    write_csv(tmp_path / "Law-test.csv", rows("AABDDD"))
    write_csv(tmp_path / "math-test.csv", rows("ABB"))
    task = make_task(tmp_path, shots=0)
    floors = {name: (round(floor.value, 4), floor.n) for name, floor in task.floors(task.items()).items()}
    assert floors == {
        "chance": (0.25, 9),
        "always B": (round((1 / 6 + 2 / 3) / 2, 4), 9),
        "longest option": (round((1 / 6 + 2 / 3) / 2, 4), 9),
        "always A, micro": (round(3 / 9, 4), 9),
        "longest option, micro": (round(3 / 9, 4), 9),
    }


def test_floors_of_one_subject(tmp_path: Path) -> None:
    write_subject(tmp_path, "Law")
    task = make_task(tmp_path, "kmmlu/law")
    floors = task.floors(task.items())
    assert set(floors) == {"chance", "always A", "longest option"}
    assert floors["always A"].value == 0.25
    assert task.floors([]) == {}
