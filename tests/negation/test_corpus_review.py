"""The review sheet: out to a person and back, with verdicts applied and every fault named by line and column."""

from __future__ import annotations

import csv
import io
import json

import pytest

from jatdae.errors import DataError, RequestError
from jatdae.korean.negation.kinds import ClauseType, Negation, NegationType
from jatdae.negation.corpus.review import (
    DECIDED,
    FOUND,
    apply_verdicts,
    count_verdicts,
    csv_sheet,
    holds_verdicts,
    json_sheet,
    read_verdicts,
    sheet_rows,
)
from jatdae.negation.corpus.sentences import Finding, Sentence


def negation(kind=NegationType.SHORT_AN, clause=ClauseType.MAIN, **more):
    return Negation(kind, 3, 4, "안", "가다", 5, 7, clause, 0, **more)


FINDINGS = [
    Finding(Sentence("=a.txt:1:1", "=a.txt#1", '=나는 안 간다, "정말"\u200b.'), (negation(), negation(double=True))),
    Finding(Sentence("=a.txt:2:1", "=a.txt#1", "조용하다."), ()),
    Finding(Sentence("=a.txt:3:1", "=a.txt#1", "또 안 가지 않니?"), (negation(confirmation=True),), "=a.txt:1:1"),
]


@pytest.fixture(params=["csv", "jsonl"])
def sheet(request, tmp_path):
    """A function that writes the sheet with some cells changed, {(row, column): text}."""

    def write(changes):
        rows = list(sheet_rows(FINDINGS, {}))
        text = csv_sheet(rows) if request.param == "csv" else json_sheet(rows)
        path = tmp_path / f"sheet.{request.param}"
        if request.param == "csv":
            cells = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        else:
            cells = [json.loads(line) for line in text.splitlines()]
        for (row, column), value in changes.items():
            cells[row][column] = value
        if request.param == "csv":
            with path.open("w", encoding="utf-8-sig", newline="") as stream:
                writer = csv.DictWriter(stream, cells[0])
                writer.writeheader()
                writer.writerows(cells)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in cells), encoding="utf-8")
        return path

    return write


def test_the_sheet_has_a_row_a_negation_with_remarks_and_no_formula():
    rows = list(csv.DictReader(io.StringIO(csv_sheet(list(sheet_rows(FINDINGS, {}))).removeprefix("\ufeff"))))

    assert [row["number"] for row in rows] == ["1", "2", "1"]
    assert [row["remarks"] for row in rows] == ["", "이중부정", "확인형, 중복"]
    assert [row["counted"] for row in rows] == ["yes", "yes", "no"]
    assert list(rows[0]) == [*FOUND, *DECIDED]
    assert not any(cell.startswith("=") for row in rows for cell in row.values())


def test_an_untouched_sheet_changes_nothing(sheet):
    path = sheet({})

    assert not holds_verdicts(path)
    assert read_verdicts(path, FINDINGS) == {}
    assert apply_verdicts(FINDINGS, {}) == FINDINGS


def test_rejections_and_corrections_are_applied_and_counted(sheet):
    path = sheet(
        {
            (0, "verdict"): " Reject",
            (0, "note"): "성씨",
            (1, "correct_type"): "안 장형",
            (1, "correct_clause"): "관형절",
            (2, "verdict"): "keep",
            (2, "correct_clause"): "주절",
        }
    )

    verdicts = read_verdicts(path, FINDINGS)
    reviewed = apply_verdicts(FINDINGS, verdicts)

    assert holds_verdicts(path)
    assert [(one.type, one.clause) for one in reviewed[0].negations] == [("안 장형", "관형절")]
    assert [one.confirmation for one in reviewed[2].negations] == [False]
    counts = count_verdicts(FINDINGS, verdicts)
    assert (counts.rows, counts.kept, counts.rejected, counts.corrected_types, counts.corrected_clauses) == (
        3,
        2,
        1,
        1,
        2,
    )
    again = [row for row in sheet_rows(FINDINGS, verdicts) if row["note"] == "성씨"]
    assert [row["verdict"] for row in again] == ["reject"]


def test_a_confirmation_form_that_a_person_finds_is_no_longer_counted(sheet):
    reviewed = apply_verdicts(FINDINGS, read_verdicts(sheet({(0, "correct_clause"): "확인형"}), FINDINGS))

    assert len(reviewed[0].counted) == 1


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({(1, "verdict"): "maybe"}, "verdict"),
        ({(1, "correct_type"): "안 단"}, "correct_type"),
        ({(1, "correct_clause"): "절"}, "correct_clause"),
        ({(1, "verdict"): "reject", (1, "correct_clause"): "관형절"}, "correct_clause"),
        ({(1, "id"): "b.txt:1:1"}, "id"),
        ({(1, "number"): "9"}, "id"),
        ({(1, "number"): "x"}, "id"),
        ({(1, "number"): "1"}, "number"),
        ({(1, "sentence"): "다른 문장"}, "sentence"),
    ],
)
def test_a_fault_is_named_by_line_and_column(sheet, changes, column):
    path = sheet(changes)

    with pytest.raises(DataError) as caught:
        read_verdicts(path, FINDINGS)

    assert (caught.value.line, caught.value.field) == (3 if path.suffix == ".csv" else 2, column)


def test_a_sheet_that_is_not_there_or_lacks_a_column_is_refused(tmp_path):
    with pytest.raises(RequestError, match="no such file"):
        read_verdicts(tmp_path / "none.csv", FINDINGS)
    (tmp_path / "sheet.csv").write_text("id,number\nx,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="sentence"):
        read_verdicts(tmp_path / "sheet.csv", FINDINGS)
    assert holds_verdicts(tmp_path / "sheet.csv"), "a sheet that cannot be read may hold somebody's work"
