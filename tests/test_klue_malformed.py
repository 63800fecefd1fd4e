"""Real files with one fault each: `jatdae score` ends with exit code 2 and one line that names file and line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from klue_gold import AS_PREDICTED, written

from jatdae.benchmarks.klue import locate, read_task
from jatdae.benchmarks.sources import Source
from jatdae.cli import run_app

ITEM = 12
"""The item of a JSON file that is made faulty, from 0."""
ROW = 2_000
"""About where a line of a row file is made faulty, from 0."""


def refused(capsys: pytest.CaptureFixture[str], task: str, *words: str | Path) -> str:
    """The one line of a command that has to fail with exit code 2."""
    code = run_app(["score", f"klue/{task}", *map(str, words)])
    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    (line,) = shown.err.splitlines()
    return line


def without(field: str) -> Callable[[dict[str, Any]], None]:
    return lambda item: item.pop(field)


def put(value: Any, *keys: str | int) -> Callable[[Any], None]:
    """Puts a value at a place inside the item."""

    def change(item: Any) -> None:
        for key in keys[:-1]:
            item = item[key]
        item[keys[-1]] = value

    return change


def first_user_state(state: list[str]) -> Callable[[dict[str, Any]], None]:
    return put(state, "dialogue", 0, "state")


JSON_FAULTS: dict[str, tuple[str, Callable[[Any], None], str, str]] = {
    "ynat, column": ("ynat", without("title"), "title", "this column is missing"),
    "sts, column": (
        "sts",
        lambda item: item["labels"].pop("real-label"),
        "labels.real-label",
        "this column is missing",
    ),
    "nli, column": ("nli", without("gold_label"), "gold_label", "this column is missing"),
    "re, column": ("re", without("object_entity"), "object_entity", "this column is missing"),
    "wos, column": ("wos", without("domains"), "domains", "this column is missing"),
    "ynat, label": ("ynat", put("날씨", "label"), "label", "unknown label '날씨'"),
    "ynat, number": ("ynat", put(3, "label"), "label", "label 3 is a number where a name is expected"),
    "nli, label": ("nli", put("entails", "gold_label"), "gold_label", "unknown label 'entails'"),
    "re, label": ("re", put("per:cities_of_residence", "label"), "label", "unknown label 'per:cities_of_residence'"),
    "re, span": ("re", put("없는말", "subject_entity", "word"), "subject_entity.start_idx", "'없는말' is not at"),
    "wos, slot": ("wos", first_user_state(["식당-맛-단맛"]), "dialogue[0].state", "unknown slot '식당-맛'"),
    "wos, no value": ("wos", first_user_state(["식당-지역"]), "dialogue[0].state", "is not domain-slot-value"),
}


@pytest.mark.parametrize("fault", JSON_FAULTS)
def test_a_faulty_item_of_gold(fault: str, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, change, field, message = JSON_FAULTS[fault]
    items = json.loads(locate(Source.of(upstream), task, "dev").read_text(encoding="utf-8"))
    change(items[ITEM])
    gold = written(tmp_path / "gold.json", items)

    told = refused(capsys, task, "--gold", gold, "--pred", "p.json")

    guid = items[ITEM]["guid"]
    line = gold.read_text(encoding="utf-8").split(f'"{guid}"')[0].count("\n") + 1
    assert f"{gold}, line {line}, field '{field}': item {ITEM + 1} ({guid}): " in told
    assert message in told


@pytest.mark.parametrize("task", ["ynat", "sts", "nli", "re", "wos"])
@pytest.mark.parametrize("change", [without("guid"), put(7, "guid")], ids=["missing", "a number"])
def test_an_item_of_gold_without_an_identifier(
    task: str, change: Callable[[Any], None], upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = json.loads(locate(Source.of(upstream), task, "dev").read_text(encoding="utf-8"))
    ahead = json.dumps(items[:ITEM], ensure_ascii=False, indent=1)
    change(items[ITEM])
    gold = written(tmp_path / "gold.json", items)

    told = refused(capsys, task, "--gold", gold, "--pred", "p.json")

    # the items before it take as many lines as they do alone; the bracket that ends them gives its line to the fault
    assert f"{gold}, line {ahead.count(chr(10)) + 1}, field 'guid': item {ITEM + 1}: " in told


def test_an_identifier_that_stands_twice(upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = json.loads(locate(Source.of(upstream), "nli", "dev").read_text(encoding="utf-8"))
    items[ITEM]["guid"] = items[3]["guid"]
    gold = written(tmp_path / "gold.json", items)

    told = refused(capsys, "nli", "--gold", gold, "--pred", "p.json")

    pieces = gold.read_text(encoding="utf-8").split(f'"{items[3]["guid"]}"')
    line = (pieces[0] + pieces[1]).count("\n") + 1
    assert f"{gold}, line {line}, field 'guid': item {ITEM + 1}: {items[3]['guid']} is also item 4" in told
    # and another fault of the second is told with the line of the second
    del items[ITEM]["premise"]
    told = refused(capsys, "nli", "--gold", written(gold, items), "--pred", "p.json")
    assert f"{gold}, line {line}, field 'premise'" in told


QUESTION_FAULTS: dict[str, tuple[Callable[[Any], None], str, str]] = {
    "answer not in the context": (
        put([{"text": "없는 대답", "answer_start": 3}], "answers"),
        "paragraphs[0].qas[1].answers[0].text",
        "the answer '없는 대답' is nowhere in the context",
    ),
    "column": (without("question"), "paragraphs[0].qas[1].question", "this column is missing"),
    "start": (
        put([{"text": "은", "answer_start": "3"}], "answers"),
        "paragraphs[0].qas[1].answers[0].answer_start",
        "a whole number is expected",
    ),
    "answerable without an answer": (put([], "answers"), "paragraphs[0].qas[1].answers", "has no answer"),
}


@pytest.mark.parametrize("fault", QUESTION_FAULTS)
def test_a_faulty_question(fault: str, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, field, message = QUESTION_FAULTS[fault]
    content = json.loads(locate(Source.of(upstream), "mrc", "dev").read_text(encoding="utf-8"))
    article = next(one for one in content["data"] if len(one["paragraphs"][0]["qas"]) > 1)
    question = article["paragraphs"][0]["qas"][1]
    question["is_impossible"] = False
    change(question)
    gold = written(tmp_path / "gold.json", content)

    told = refused(capsys, "mrc", "--gold", gold, "--pred", "p.json")

    line = gold.read_text(encoding="utf-8").split(f'"{question["guid"]}"')[0].count("\n") + 1
    assert f"{gold}, line {line}, field '{field}': " in told
    assert message in told


def test_a_passage_without_its_context_is_named_by_where_its_article_starts(
    upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(locate(Source.of(upstream), "mrc", "dev").read_text(encoding="utf-8"))
    del content["data"][4]["paragraphs"][0]["context"]
    gold = written(tmp_path / "gold.json", content)

    told = refused(capsys, "mrc", "--gold", gold, "--pred", "p.json")

    (line,) = re.findall(r"gold\.json, line (\d+), field 'paragraphs\[0\]\.context': item 5: ", told)
    before = "".join(gold.read_text(encoding="utf-8").splitlines(keepends=True)[: int(line) - 1])
    assert before.count('"paragraphs"') == 4
    assert before.rstrip().endswith("},")


ROW_FAULTS: dict[str, tuple[str, str, str, str | None, str]] = {
    "unknown tag": ("ner", r".\tI-PS", "{0}-XX", "NE_TAG", "unknown label"),
    "no tag": ("ner", r".\tI-PS", "가", None, "one character, a tab and a tag are expected"),
    "two characters for a tag": ("ner", r".\tI-PS", "가나\tI-PS", None, "one character, a tab and a tag are expected"),
    "a tag for no character": ("ner", r".\tI-PS", "\tI-PS", None, "one character, a tab and a tag are expected"),
    "head outside the sentence": (
        "dp",
        r"(3\t\S+\t[^\t]+\t\S+)\t\d+\t(\S+)",
        "{1}\t99\t{2}",
        "HEAD",
        "head 99 is outside",
    ),
    "unknown dependency": ("dp", r"(3\t\S+\t[^\t]+\t\S+\t\d+)\t(\S+)", "{1}\tnsubj", "DEPREL", "unknown label 'nsubj'"),
    "missing column": ("dp", r"(3\t\S+)\t[^\t]+(\t\S+\t\d+\t\S+)", "{1}{2}", None, "5 columns where 6 are expected"),
    "head that is no number": ("dp", r"(3\t\S+\t[^\t]+\t\S+)\t\d+\t(\S+)", "{1}\t_\t{2}", "HEAD", "head _ is outside"),
}


@pytest.mark.parametrize("fault", ROW_FAULTS)
def test_a_faulty_row_of_gold(fault: str, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, pattern, changed, field, message = ROW_FAULTS[fault]
    lines = locate(Source.of(upstream), task, "dev").read_text(encoding="utf-8").split("\n")
    at = next(n for n, line in enumerate(lines) if n > ROW and re.fullmatch(pattern, line))
    match = re.fullmatch(pattern, lines[at])
    assert match is not None
    lines[at] = changed.format(match[0], *match.groups())
    gold = written(tmp_path / "gold.tsv", "\n".join(lines))

    told = refused(capsys, task, "--gold", gold, "--pred", "p.json")

    named = f", field '{field}'" if field else ""
    assert f"{gold}, line {at + 1}{named}: {message}" in told


def fewer_tags(rows: list[dict[str, Any]]) -> None:
    rows[ITEM]["tags"].pop()


def fewer_heads(rows: list[dict[str, Any]]) -> None:
    rows[ITEM]["heads"].pop()


PRED_FAULTS: dict[str, tuple[str, Callable[[Any], None], str]] = {
    "ner, tags": ("ner", fewer_tags, r"tags for \d+ characters"),
    "dp, heads": ("dp", fewer_heads, r"field 'heads': .*: \d+ of them for \d+ words"),
    "nli, number": ("nli", put(2, ITEM, "prediction"), r"field 'prediction': .*label 2 is a number"),
    "sts, text": ("sts", put("비슷함", ITEM, "prediction"), r"field 'prediction': .*a number is expected"),
    "re, probabilities": ("re", put([1.0], ITEM, "probs"), r"field 'probs': .*30 numbers in the order"),
    "mrc, list": ("mrc", put(["서울"], ITEM, "prediction"), r"field 'prediction': .*text is expected"),
    "wos, text": ("wos", put("식당", ITEM, "prediction"), r"field 'prediction': .*'식당' is no list"),
    "ynat, no guid": ("ynat", lambda rows: rows[ITEM].pop("guid"), r"field 'guid': no identifier"),
}


@pytest.mark.parametrize("fault", PRED_FAULTS)
def test_a_faulty_prediction(fault: str, upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task, change, message = PRED_FAULTS[fault]
    path = locate(Source.of(upstream), task, "dev")
    rows = [row for record in read_task(task, path)[:40] for row in AS_PREDICTED[task](record)]
    ahead = json.dumps(rows[:ITEM], ensure_ascii=False, indent=1)
    change(rows)
    pred = written(tmp_path / "pred.json", rows)

    told = refused(capsys, task, "--gold", path, "--pred", pred)

    assert re.search(rf"pred\.json, line {ahead.count(chr(10)) + 1}\b.*{message}", told)


def test_a_file_without_a_column_of_predictions(
    upstream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pred = written(tmp_path / "pred.csv", "guid,topic\nynat-v1_dev_00000,정치\n")

    told = refused(capsys, "ynat", "--data", upstream, "--pred", pred)

    assert f"{pred}, line 1: no column of predictions; found: guid, topic" in told
