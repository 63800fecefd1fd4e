"""What `data info` and `data validate` say about KMMLU's files."""

from __future__ import annotations

from pathlib import Path

from kmmlu_folder import TEST, write_csv, write_subject

from jatdae.benchmarks.kmmlu.inspection import inspect
from jatdae.benchmarks.sources import Source


def test_upstream_has_the_published_sizes_and_irregularities(upstream: Path) -> None:
    found = inspect(Source(upstream / "kmmlu" / "data"))
    assert found.valid
    facts = found.facts
    assert (facts["test items"], facts["dev items"], facts["test subjects"]) == (35_030, 225, 45)
    assert [facts[f"test items, {name}"] for name in ("STEM", "Applied Science", "HUMSS", "Other")] == [
        9_900,
        11_600,
        5_130,
        8_400,
    ]
    assert [facts[f"test answers {letter}"] for letter in "ABCD"] == [3_458, 10_418, 10_477, 10_677]
    assert facts["human accuracy, mean of the test items that have one"] == 0.3512
    assert facts["test items with a human accuracy"] == 33_804
    assert {finding.name: finding.count for finding in found.findings} == {
        "editor-note": 365,
        "states-answer": 41,
        "identical-options": 13,
        "gold-tie": 22,
        "figure": 30,
        "not-nfc": 155,
        "changed-by-nfkc": 4_204,
        "private-use": 27,
        "double-space": 298,
        "outer-white-space": 3,
        "digit-option": 572,
        "letter-option": 36,
        "duplicate": 214,
        "duplicate-other-answer": 5,
        "duplicate-across-subjects": 44,
        "dev-in-test": 2,
        "train-in-test": found.finding("train-in-test").count,
        "sorted-by-human-accuracy": 44,
        "changed-file": 0,
    }
    assert all(item.startswith("Korean-History/test/") for item in found.finding("outer-white-space").ids)


def test_a_part_of_the_data_and_a_faulty_file_are_problems_by_name(tmp_path: Path) -> None:
    write_subject(tmp_path, "Law")
    write_csv(tmp_path / "Biology-test.csv", [(TEST[0][0], 7, *TEST[0][2:])])
    found = inspect(Source(tmp_path))
    assert not found.valid
    assert any("Biology-test.csv, line 2, field 'answer'" in problem for problem in found.problems)
    assert any(
        problem.startswith("test: 1 of 45 subjects; missing or faulty: Accounting,") for problem in found.problems
    )
    assert "test: Law has 4 rows, published are 1,000" in found.problems
    assert found.finding("changed-file").ids == ("Law-dev.csv", "Law-test.csv")
    assert [(file.name, file.items) for file in found.files] == [("Law-dev.csv", 5), ("Law-test.csv", 4)]


def test_an_example_that_is_also_a_question_is_found(tmp_path: Path) -> None:
    write_subject(tmp_path, "Law", dev=[TEST[3]])
    assert inspect(Source(tmp_path)).finding("dev-in-test").ids == ("Law/dev/0 = Law/test/3",)
