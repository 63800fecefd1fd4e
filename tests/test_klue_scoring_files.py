"""The forms that a file of predictions may have, and what is said of one that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from klue_gold import dialogues, inferences, parsed, questions, relations, similarities, tagged, topics, written

from jatdae.benchmarks.klue.labels import RELATIONS
from jatdae.benchmarks.klue.scoring import KlueScore, score_predictions
from jatdae.errors import DataError, RequestError

LABELS = ["정치", "경제", "사회"]
GUIDS = [f"ynat-v1_dev_{n:05d}" for n in range(3)]


def value(score: KlueScore, metric: str) -> float:
    estimate = score.metrics[metric].official
    assert estimate is not None
    return estimate.value


FORMS: dict[str, tuple[str, str]] = {
    "array": ("p.json", json.dumps([{"guid": g, "prediction": x} for g, x in zip(GUIDS, LABELS, strict=True)])),
    "object": ("p.json", json.dumps(dict(zip(GUIDS, LABELS, strict=True)))),
    "object of rows": ("p.json", json.dumps({g: {"Label": x} for g, x in zip(GUIDS, LABELS, strict=True)})),
    "values": ("p.json", json.dumps(LABELS)),
    "lines": ("p.jsonl", "\n\n".join(f'{{"ID": "{g}", "pred": "{x}"}}' for g, x in zip(GUIDS, LABELS, strict=True))),
    "table": ("p.csv", "guid,answer\n" + "\n".join(f"{g},{x}" for g, x in zip(GUIDS, LABELS, strict=True))),
    "bom, order": ("p.tsv", "\ufeffPredicted_Label\tother\r\n" + "".join(f"{x} \t\r\n" for x in LABELS)),
    "reversed": (
        "p.tsv",
        "id\tpred_label\n" + "\n".join(f"{g}\t{x}" for g, x in zip(GUIDS[::-1], LABELS[::-1], strict=True)),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_labels_in_any_form(tmp_path: Path, form: str) -> None:
    name, text = FORMS[form]

    score = score_predictions("klue/ynat", written(tmp_path / name, text), topics(tmp_path, LABELS), draws=2)

    assert value(score, "accuracy") == 1
    assert score.by_order == (form in ("values", "bom, order"))
    assert any("in gold's order" in note for note in score.notes) == score.by_order


def test_the_last_complete_row_of_an_identifier_counts(tmp_path: Path) -> None:
    rows = f"guid,pred\n{GUIDS[0]},사회\n{GUIDS[0]},정치\n{GUIDS[0]},\n{GUIDS[1]},경제\nother,경제\n"

    score = score_predictions("ynat", written(tmp_path / "p.csv", rows), topics(tmp_path, LABELS), draws=2)

    assert value(score, "accuracy") == pytest.approx(2 / 3)
    assert (score.missing, score.duplicates, score.unknown) == (1, (GUIDS[0],), ("other",))
    assert any("the last complete one counts" in note for note in score.notes)


def test_a_name_twice_in_an_object_is_seen(tmp_path: Path) -> None:
    text = f'{{"{GUIDS[0]}": "사회",\n "{GUIDS[0]}": "정치"}}'

    score = score_predictions("ynat", written(tmp_path / "p.json", text), topics(tmp_path, LABELS), draws=2)

    assert score.duplicates == (GUIDS[0],)
    assert value(score, "accuracy") == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "row",
    [
        ["B-PS", "I-PS", "O", "O", "B-LC"],
        ["B-PS", "I-PS", "O", "B-LC"],
        ["O", "B-PS", "I-PS", "O", "B-LC", "O"],
    ],
)
def test_tags_with_and_without_blanks_and_outer_positions(tmp_path: Path, row: list[str]) -> None:
    gold = tagged(tmp_path, [("가나 다라", "B-PS I-PS O O B-LC")])
    table = "guid\ttags\nklue-ner-v1_dev_00000-wikitree\t" + " ".join(row) + "\n"

    as_list = score_predictions("ner", written(tmp_path / "p.json", [row]), gold, draws=2)
    as_text = score_predictions("ner", written(tmp_path / "p.tsv", table), gold, draws=2)

    assert [value(score, "entity_f1") for score in (as_list, as_text)] == [1, 1]


def test_tag_numbers_follow_the_order_that_is_said(tmp_path: Path) -> None:
    gold = tagged(tmp_path, [("가나", "B-PS O")])
    pred = written(tmp_path / "p.json", [[0, 12]])

    assert value(score_predictions("ner", pred, gold, label_order="official", draws=2), "entity_f1") == 1
    assert value(score_predictions("ner", pred, gold, label_order="hub", draws=2), "entity_f1") == 0


TREE = [("나는", 2, "NP_SBJ"), ("간다", 0, "VP")]


@pytest.mark.parametrize(
    "row",
    [
        {"heads": [2, 0], "deprels": ["NP_SBJ", "VP"]},
        {"head": ["2", "0"], "label": ["NP_SBJ", "VP"], "words": ["나는", "간다"]},
        {"prediction": [[2, "NP_SBJ"], [0, "VP"]]},
        {"prediction": [{"head": 2, "deprel": "NP_SBJ"}, {"head": 0, "label": "VP"}]},
    ],
)
def test_trees_as_columns_and_as_pairs(tmp_path: Path, row: dict[str, Any]) -> None:
    score = score_predictions("dp", written(tmp_path / "p.json", [row]), parsed(tmp_path, [TREE]), draws=2)

    assert (value(score, "las_macro"), value(score, "uas_macro")) == (1, 1)


def test_an_empty_cell_is_no_answer_and_null_is_none_at_all(tmp_path: Path) -> None:
    gold = questions(tmp_path, [[], ["서울"]])
    table = written(tmp_path / "p.csv", "id,prediction_text\nklue-mrc-v1_dev_00000,\nklue-mrc-v1_dev_00001,서울\n")

    cell = score_predictions("mrc", table, gold, draws=2)
    null = score_predictions("mrc", written(tmp_path / "p.json", [None, "서울"]), gold, draws=2)

    assert (value(cell, "exact_match"), cell.missing) == (1, 0)
    assert any("1 empty cells are read as `no answer`" in note for note in cell.notes)
    assert (value(null, "exact_match"), null.missing) == (0.5, 1)
    assert any("over the answered questions alone is 100.00" in note for note in null.notes)


def test_states_as_lists_and_in_cells(tmp_path: Path) -> None:
    gold = dialogues(tmp_path, [[["식당-지역-서울 동쪽"], []]])
    cells = 'guid\tstate\nwos-v1_dev_00000-0\t"[""식당-지역-서울 동쪽""]"\nwos-v1_dev_00000-1\t[]\n'

    score = score_predictions("wos", written(tmp_path / "p.tsv", cells), gold, draws=2)

    assert (value(score, "joint_goal_accuracy"), score.items, score.clusters) == (1, 2, 1)


def test_probabilities_by_column_by_list_and_by_name(tmp_path: Path) -> None:
    labels = ["org:product", "no_relation"]
    gold = relations(tmp_path, labels)
    table = [[float(name == label) for name in RELATIONS] for label in labels]
    columns = "\n".join(
        [
            ",".join(["label", *RELATIONS]),
            *(",".join([x, *map(str, row)]) for x, row in zip(labels, table, strict=True)),
        ]
    )
    lists = [{"label": x, "probs": json.dumps(row)} for x, row in zip(labels, table, strict=True)]
    named = [
        {"label": x, "scores": dict(zip(RELATIONS, row, strict=True))} for x, row in zip(labels, table, strict=True)
    ]

    files = [
        written(tmp_path / "p.csv", columns),
        written(tmp_path / "a.json", lists),
        written(tmp_path / "b.json", named),
    ]

    best = (2 + 28 / 2) / 30
    assert [value(score_predictions("re", path, gold, draws=2), "auprc") for path in files] == [pytest.approx(best)] * 3


NER = "## klue-ner-v1_dev_00000-wikitree\t가나\n"
DP = "## klue-dp-v1_dev_00000_wikitree\t나는 간다\n1\t나는\t나\tNP\t2\tNP_SBJ\n"
BAD: dict[str, tuple[str, str, str, str]] = {
    "cut json": ("ynat", "p.json", '[\n{"guid"', r"p\.json, line 2: not valid JSON: it ends too early"),
    "bare number": ("ynat", "p.json", "3", r"p\.json, line 1: an array of predictions"),
    "cut line": ("ynat", "p.jsonl", '{"guid":"a","pred":"정치"}\n{"gu', r"p\.jsonl, line 2: not valid JSON"),
    "ending": ("ynat", "p.xlsx", "x", r"p\.xlsx: predictions are read from \.csv"),
    "no column": (
        "ynat",
        "p.csv",
        "guid,topic\na,정치\n",
        r"no column of predictions; found: guid, topic; say which by --column",
    ),
    "nothing": ("ynat", "p.csv", "guid,pred\n", r"p\.csv: no predictions in this file"),
    "short row": ("ynat", "p.csv", "guid,pred\na,b\na\n", r"p\.csv, line 3: 1 fields where the header has 2"),
    "open quote": ("ynat", "p.csv", 'guid,pred\na,"정치\n', r"p\.csv, line \d: not readable as a table"),
    "count": ("ynat", "p.json", '["정치"]', r"1 predictions without guid for 3 items; add a column `guid`"),
    "strangers": ("ynat", "p.json", '{"x": "정치"}', r"none of 1 identifiers is an item's: 'x' here, 'ynat-v1_dev_"),
    "some guids": ("ynat", "p.jsonl", '{"guid":"a","pred":1}\n{"pred":1}', r"line 2, field 'guid': no identifier"),
    "kind": ("ynat", "p.json", '[["정치"], "", ""]', r"line 1, field 'prediction': a label's name is expected"),
    "true": (
        "sts",
        "p.json",
        "[1, 2,\n true]",
        r"p\.json, line 2, field 'prediction': a number is expected, found True",
    ),
    "word": ("sts", "p.csv", "pred\n1\n2\n비슷함\n", r"p\.csv, line 4, field 'pred': a number is expected"),
    "number": ("mrc", "p.json", "[3]", r"line 1, field 'prediction': text is expected, found 3"),
    "state": ("wos", "p.json", '["식당"]', r"'식당' is no list; write lists as JSON"),
    "state entry": ("wos", "p.json", "[[3]]", r"text is expected, found 3"),
    "probabilities": ("re", "p.json", '[{"label":"no_relation","probs":[1]}]', r"field 'probs': 30 numbers"),
    "tags": ("ner", "p.json", '[["O"]]', r"line 1: 1 tags for 2 characters \(2 without blanks\)"),
    "tag row": ("ner", "p.tsv", NER + "가\tO\n나 O\n", r"p\.tsv, line 3: one character, a tab and a tag"),
    "other text": (
        "ner",
        "p.tsv",
        NER + "가\tO\n너\tO\n",
        r"p\.tsv, line 3, field 'characters': .*'너' where gold has '나'",
    ),
    "tag number": ("ner", "p.tsv", NER + "가\t12\n나\t0\n", r"p\.tsv, line 2, field 'tags': .*label 12 is a number"),
    "columns": ("dp", "p.tsv", DP + "2\t간다\t0\n", r"p\.tsv, line 3: 3 columns"),
    "head": ("dp", "p.tsv", DP + "2\t간다\t가다\tVV\t_\tVP\n", r"p\.tsv, line 3, field 'heads': .*a word's number"),
    "other word": ("dp", "p.tsv", DP + "2\t갔다\t가다\tVV\t0\tVP\n", r"p\.tsv, line 3, field 'words': .*'갔다' where"),
    "words": ("dp", "p.json", '[{"heads":[0],"deprels":["VP"]}]', r"field 'heads': 1 of them for 2 words"),
    "pair": ("dp", "p.json", "[[2, 0]]", r"a pair of head and label is expected, found 2"),
}


@pytest.fixture
def golds(tmp_path: Path) -> dict[str, Path]:
    return {
        "ynat": topics(tmp_path, LABELS),
        "sts": similarities(tmp_path, [1.0, 2.0, 3.0]),
        "nli": inferences(tmp_path, ["neutral"]),
        "ner": tagged(tmp_path, [("가나", "O O")]),
        "re": relations(tmp_path, ["no_relation"]),
        "dp": parsed(tmp_path, [TREE]),
        "mrc": questions(tmp_path, [["서울"]]),
        "wos": dialogues(tmp_path, [[["식당-지역-서울 동쪽"]]]),
    }


@pytest.mark.parametrize("case", BAD)
def test_a_faulty_file_is_named_with_line_and_field(case: str, tmp_path: Path, golds: dict[str, Path]) -> None:
    task, name, text, message = BAD[case]

    with pytest.raises(RequestError, match=message) as caught:
        score_predictions(task, written(tmp_path / name, text), golds[task], draws=2)

    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_another_encoding_is_named(tmp_path: Path, golds: dict[str, Path]) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes("pred\n정치\n경제\n사회\n".encode("cp949"))

    with pytest.raises(DataError, match="not UTF-8 but cp949"):
        score_predictions("ynat", path, golds["ynat"])
