"""Sheets: nothing in them runs, they come back as they went out, and faults are named by line and column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from construction_project import Row, Steps, fill_in, make_project
from construction_texts import TEXTS
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.konubench.data import read_records
from jatdae.benchmarks.konubench.options import build_question
from jatdae.errors import DataError, RequestError
from jatdae.judging.fence import cleaned
from jatdae.negation.construction.author_sheet import COLUMNS
from jatdae.negation.construction.human_evaluation import score_forms
from jatdae.negation.construction.sheets import inert, read_sheet, restored, write_sheet
from jatdae.negation.construction.units import next_number

ODD = st.text(st.sampled_from("'=+-@＝ \t가나\",\n\r\u200b\x00\ud800.A1"), max_size=8) | st.text(max_size=20)


@given(ODD)
def test_no_cell_is_a_formula_and_every_cell_comes_back(text: str) -> None:
    cell = inert(text)

    assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝")) and not cell.startswith(("\t", "\r"))
    assert restored(cell) == text


@given(st.lists(ODD, min_size=1, max_size=4))
def test_both_forms_of_a_sheet_hold_the_same_texts(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    stem = tmp_path_factory.mktemp("sheet") / "author-001"
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]

    table, lines = (read_sheet(path, ("id", "text")) for path in write_sheet(stem, ("id", "text"), rows))

    assert [row["text"] for row in table] == [row["text"] for row in lines] == [cleaned(text) for text in texts]


def corrected(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Steps, Path]:
    """A project with an author's sheet, no model needed: the merged sentences are hand-written."""
    steps = Steps(make_project(folder), capsys)
    steps("units")
    steps("sheet")
    return steps, folder / "sheets" / "author-001.csv"


def edit_row(idx: str, **changes: str):
    def edit(row: Row) -> None:
        if row["id"] == idx:
            row.update(changes)

    return edit


WHOLE = {
    "original_sentence": TEXTS[1].merged,
    "standard_negation": "민호는 새벽마다 강가를 달리지 않거나 누나는 저녁에 체육관에서 수영을 배우지 않는다.",
    "contradiction": TEXTS[1].contradiction,
    "paraphrase": TEXTS[1].paraphrase,
}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"decision": "fertig"}, "line 3, field 'decision': 'fertig' is not known"),
        ({"decision": "drop"}, "line 3, field 'reason': why the item is dropped"),
        ({"decision": "done"}, "line 3, field 'original_sentence': is empty"),
        ({"decision": "done", "original_sentence": "비가 온다. "}, "line 3, field 'original_sentence': a blank at"),
        (
            {"decision": "done", **WHOLE, "paraphrase": ""},
            "line 3, field 'paraphrase': is empty; draft it",
        ),
        ({"decision": "done", **WHOLE, "sn_절2": "모름"}, "line 3, field 'sn_절2': '모름' is no label"),
        ({"decision": "done", **WHOLE, "paraphrase": TEXTS[1].merged}, "field 'paraphrase': is the same text as"),
        ({"id": "99"}, "line 3, field 'id': no item '99'"),
        ({"id": "0"}, "line 3, field 'id': '0' stands in line 2 already"),
        ({"original_sentence": "비가 온다.", "version": "0"}, "line 3, field 'version': the item has changed"),
    ],
)
def test_a_faulty_row_is_named_and_nothing_of_the_sheet_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: Row, told: str
) -> None:
    steps, sheet = corrected(tmp_path / "project", capsys)
    log = (steps.folder / "events.jsonl").read_bytes()

    def edit(row: Row) -> None:
        edit_row("0", original_sentence=TEXTS[0].merged, decision="done")(row)
        edit_row("1", **changes)(row)

    with pytest.raises(DataError, match=told):
        steps("sheet", fill_in(sheet, edit), by="kim")

    assert (steps.folder / "events.jsonl").read_bytes() == log


def test_edits_without_a_decision_are_kept_and_a_sheet_read_twice_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps, sheet = corrected(tmp_path / "project", capsys)

    def edit(row: Row) -> None:
        edit_row("0", original_sentence=TEXTS[0].merged)(row)
        edit_row("1", **WHOLE, decision="DONE ")(row)
        edit_row("2", decision="drop", reason="문장이 어색하다.")(row)

    filled = fill_in(sheet, edit)
    first = steps("sheet", filled, by="kim")
    log = (steps.folder / "events.jsonl").read_bytes()

    assert (first["states"], first["saved"]) == ({"refined": 1, "dropped": 1}, 1)
    assert steps.states() == {"drafted": 12, "refined": 1, "dropped": 1}
    assert steps("sheet", filled, by="kim") | {"warnings": []} == {"states": {}, "saved": 0, "warnings": []}
    assert (steps.folder / "events.jsonl").read_bytes() == log
    # A new sheet leaves the earlier one alone.
    steps("sheet")
    assert sheet.exists() and (steps.folder / "sheets" / "author-002.csv").exists()


def test_the_json_lines_form_is_read_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps, sheet = corrected(tmp_path / "project", capsys)
    lines = [json.loads(line) for line in sheet.with_suffix(".jsonl").read_text("utf-8").splitlines()]
    assert [tuple(line) for line in lines] == [COLUMNS] * len(TEXTS)
    lines[3] |= {"original_sentence": TEXTS[3].merged, "decision": "done"}
    filled = tmp_path / "filled.jsonl"
    filled.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")

    assert steps("sheet", filled, by="lee")["states"] == {"corrected": 1}

    lines[4]["note"] = 5
    filled.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    with pytest.raises(DataError, match="line 5, field 'note': a text is expected"):
        steps("sheet", filled, by="lee")


def test_who_works_must_be_an_author(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps, sheet = corrected(tmp_path / "project", capsys)

    with pytest.raises(RequestError, match="say who you are: --by NAME"):
        steps("sheet", sheet)
    with pytest.raises(RequestError, match=r"--by kin: not an author in project\.yaml; did you mean 'kim'"):
        steps("sheet", sheet, by="kin")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("authurs: [a]", r"field 'authurs': this key is not known; did you mean 'authors'"),
        ("split: {train: 0.9}", "field 'split': train, val and test have to sum to 1"),
        ("authors: ['jatdae:rules']", "letters, digits, dots and hyphens"),
        ("units: {min_chars: 0}", "field 'units.min_chars'"),
        ("a: [", "line 3: not valid YAML"),
    ],
)
def test_a_faulty_setting_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, told: str) -> None:
    steps = Steps(make_project(tmp_path / "project"), capsys)
    (steps.folder / "project.yaml").write_text(f"name: small\n{line}\n", encoding="utf-8")

    with pytest.raises(DataError, match=told):
        steps("status")


def test_units_are_pairs_of_fitting_length_each_once_with_its_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a passage of one sentence, one that is too short, one twice, and one whose second pair fits
    passages = (
        "혼자 있는 문장은 짝이 될 다른 문장을 기다린다.\n"
        "비가 온다. 눈도 온다.\n"
        f"{TEXTS[0].first} {TEXTS[0].second}\n"
        f"{TEXTS[0].first}  {TEXTS[0].second}\n"
        f"짧다. 아주 짧다. {TEXTS[2].first} {TEXTS[2].second}\n"
    )
    steps = Steps(make_project(tmp_path / "project", passages=passages), capsys)

    counts = steps("units")

    assert counts == {
        "passages": 5,
        "made": 2,
        "left_out": {"fewer than two sentences": 1, "length": 1, "already a unit": 1},
    }
    events = [event for idx in ("0", "1") for event in steps("history", idx)]
    assert [event["changes"]["source_line"][1] for event in events] == ["3", "5"]
    assert events[1]["changes"]["first_sentence"][1] == TEXTS[2].first
    # When the step is taken again, nothing is added.
    assert steps("units")["made"] == 0


def test_numbers_at_which_readers_exchange_two_fields_are_passed_over() -> None:
    assert next_number([], constructed=False) == 0 and next_number([], constructed=True) == 1
    assert next_number(["2581", "G9000"], constructed=False) == 2582
    assert next_number(["2582"], constructed=False) == 3304
    assert next_number(["4304"], constructed=False) == 4703


def test_the_human_evaluation_is_scored_over_all_questions(
    tmp_path: Path,
) -> None:
    key = Path(__file__).parents[2] / "src" / "jatdae" / "benchmarks" / "konubench" / "mini" / "test.json"
    right = {record.idx: build_question(record, shuffled=True).letter for record in read_records(key)}

    def form(name: str, answers: dict[str, str]) -> Path:
        path = tmp_path / f"{name}.csv"
        rows = "".join(f"{idx},{letter}\r\n" for idx, letter in answers.items())
        path.write_text(f"\ufeffid,answer\r\n{rows}", encoding="utf-8")
        return path

    first, *others = right
    half = {idx: letter if place % 2 else "" for place, (idx, letter) in enumerate(right.items())}
    one_wrong = {**right, first: "B" if right[first] == "A" else "a"}

    scores = score_forms(key, [form("p1", right), form("p2", half), form("p3", one_wrong)])

    count = len(right)
    assert scores.people == {"p1": 1.0, "p2": (count // 2) / count, "p3": (count - 1) / count}
    assert (scores.lowest, scores.median, scores.highest) == ((count // 2) / count, (count - 1) / count, 1.0)
    assert scores.mean == pytest.approx(sum(scores.people.values()) / 3)
    assert scores.unanswered == count - count // 2
    with pytest.raises(DataError, match=r"lacks \(1 in all\)"):
        score_forms(key, [form("p4", {idx: right[idx] for idx in others})])
    with pytest.raises(DataError, match=r"line 2, field 'answer': 'e' is not known"):
        score_forms(key, [form("p5", {**right, first: "E"})])
