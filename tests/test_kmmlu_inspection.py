"""What `data info` and `data validate` say about KMMLU's files."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from kmmlu_folder import DEV, TEST, Planned, make_task, write_csv, write_subject

from jatdae.benchmarks.base import Aggregate
from jatdae.benchmarks.kmmlu.inspection import inspect
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError


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


def copy_of(upstream: Path, folder: Path, subject: str = "Accounting") -> Path:
    folder.mkdir(exist_ok=True)
    for split in ("test", "dev"):
        name = f"{subject}-{split}.csv"
        (folder / name).write_bytes((upstream / "kmmlu" / "data" / name).read_bytes())
    return folder


def test_a_named_subject_is_valid_by_itself(upstream: Path, tmp_path: Path) -> None:
    folder = copy_of(upstream, tmp_path / "data")
    assert inspect(Source(folder), "kmmlu/accounting").problems == ()
    assert inspect(Source(folder), "kmmlu/humss").problems[0].startswith("test: 1 of 11 subjects; missing or faulty: C")
    assert not inspect(Source(folder)).valid


def test_a_human_accuracy_that_is_no_share_is_refused_by_run_and_check(upstream: Path, tmp_path: Path) -> None:
    folder = copy_of(upstream, tmp_path / "data")
    write_csv(folder / "Accounting-test.csv", TEST)
    path = folder / "Accounting-test.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("0.5", "abc", 1), encoding="utf-8")
    message = r"Accounting-test\.csv, line 2, field 'Human Accuracy': 'abc' is not a share"
    with pytest.raises(DataError, match=message):
        make_task(folder, "kmmlu/accounting").items()
    assert any(re.search(message, problem) for problem in inspect(Source(folder), "kmmlu/accounting").problems)


def test_the_published_files_are_named_by_their_revision(upstream: Path, tmp_path: Path) -> None:
    folder = copy_of(upstream, tmp_path / "data")
    (folder / "Accounting-test.csv").rename(folder / "accounting_test.csv")
    found = aggregated(folder)
    assert found.title == "KMMLU Accounting"
    assert "data: published files, revision d61b3f19" in found.notes


@pytest.mark.parametrize(("rows", "ending"), [(100, ""), (120, ", 20 surplus items"), (10, ", 10 of 100 items")])
def test_altered_data_do_not_pass_as_the_official_set(upstream: Path, tmp_path: Path, rows: int, ending: str) -> None:
    """Given the first row of a published file over and over."""
    folder = copy_of(upstream, tmp_path / "data")
    write_csv(folder / "Accounting-test.csv", [TEST[0]] * rows)
    found = aggregated(folder)
    assert found.title == f"KMMLU Accounting, altered data{ending}"
    assert "altered data: not the published files of revision d61b3f19: Accounting-test.csv" in found.notes
    seen = inspect(Source(folder), "kmmlu/accounting")
    assert any(p.startswith("Accounting-test.csv: not the published file") for p in seen.problems)
    assert seen.finding("changed-file").ids == ("Accounting-test.csv",)


def test_altered_examples_count_where_they_are_shown(upstream: Path, tmp_path: Path) -> None:
    folder = copy_of(upstream, tmp_path / "data")
    write_csv(folder / "Accounting-dev.csv", DEV)
    assert aggregated(folder).title == "KMMLU Accounting, altered data"
    assert aggregated(folder, shots=0).title == "KMMLU Accounting"


def test_bundled_items_are_not_compared() -> None:
    found = inspect(Source(None))
    assert not any("not the published file" in problem for problem in found.problems)
    assert found.finding("changed-file").count == 0


def aggregated(folder: Path, **choices: Any) -> Aggregate:
    task = make_task(folder, "kmmlu/accounting", **choices)
    return task.aggregate([asyncio.run(task.evaluate(item, Planned())) for item in task.items()])
