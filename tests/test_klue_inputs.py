"""Inputs without labels: the release's files, plain rows and lines of text become records that hold no gold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from klue_gold import written

from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.klue.labels import LABELS
from jatdae.benchmarks.klue.reading.unlabelled import NO_HEAD, UNKNOWN, input_notes, read_inputs
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError

MINI = Source.of("mini")

ASKED: Mapping[str, Callable[[Any], object]] = {
    "ynat": lambda record: record.title,
    "sts": lambda record: (record.sentence1, record.sentence2),
    "nli": lambda record: (record.premise, record.hypothesis),
    "ner": lambda record: record.characters,
    "re": lambda record: (record.sentence, record.subject, record.object),
    "dp": lambda record: (record.words, record.pos),
    "mrc": lambda record: (record.context, record.question),
    "wos": lambda record: [(turn.role, turn.text) for turn in record.turns],
}
"""What each task's model reads of a record."""

SAID: Mapping[str, Callable[[Any], object]] = {
    "ynat": lambda record: record.label,
    "sts": lambda record: (math.isnan(record.real_label), math.isnan(record.label), record.binary),
    "nli": lambda record: (record.label, record.votes),
    "ner": lambda record: (set(record.tags), record.inline),
    "re": lambda record: record.label,
    "dp": lambda record: (set(record.heads), set(record.labels)),
    "mrc": lambda record: (record.answers, record.plausible, record.is_impossible),
    "wos": lambda record: [turn.state for turn in record.turns if turn.state],
}
SILENCE: Mapping[str, object] = {
    "ynat": UNKNOWN,
    "sts": (True, True, UNKNOWN),
    "nli": (UNKNOWN, ()),
    "ner": ({UNKNOWN}, ""),
    "re": UNKNOWN,
    "dp": ({NO_HEAD}, {UNKNOWN}),
    "mrc": ((), (), False),
    "wos": [],
}
"""What a record says of its labels, and what it says when it says nothing."""


def asked(task: str, records: list[Any]) -> list[tuple[str, object]]:
    return [(record.guid, ASKED[task](record)) for record in records]


def plain_row(task: str, record: Any) -> dict[str, Any]:
    """Only what is asked, as people would write it."""
    if task == "ner":
        return {"sentence": record.text}
    if task == "dp":
        return {"words": list(record.words), "pos": ["+".join(tags) for tags in record.pos]}
    if task == "wos":
        return {"dialogue": [{"role": turn.role, "text": turn.text} for turn in record.turns]}
    if task == "re":
        spans = {"subject_entity": record.subject, "object_entity": record.object}
        return {
            "sentence": record.sentence,
            **{
                name: {"word": span.word, "start_idx": span.start, "end_idx": span.end, "type": span.type}
                for name, span in spans.items()
            },
        }
    fields = {"ynat": ["title"], "sts": ["sentence1", "sentence2"], "nli": ["premise", "hypothesis"]}
    return {name: getattr(record, name) for name in fields.get(task, ["context", "question"])}


@pytest.mark.parametrize("task", TASKS)
def test_a_file_of_the_release_is_read_and_its_labels_are_not(task: str) -> None:
    path = locate(MINI, task, "dev")

    records = read_inputs(task, path)

    assert asked(task, records) == asked(task, read_task(task, path))
    assert all(SAID[task](record) == SILENCE[task] for record in records)
    assert UNKNOWN not in LABELS.get(task, ())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_plain_rows_hold_nothing_but_what_is_asked(task: str, ending: str, tmp_path: Path) -> None:
    gold = read_task(task, locate(MINI, task, "dev"))
    rows = [plain_row(task, record) for record in gold]
    text = json.dumps(rows, ensure_ascii=False) if ending == "json" else "\n".join(json.dumps(row) for row in rows)

    records = read_inputs(task, written(tmp_path / f"rows.{ending}", text))

    assert [record.guid for record in records] == [f"input-{n}" for n in range(1, len(gold) + 1)]
    assert [ASKED[task](record) for record in records] == [ASKED[task](record) for record in gold]
    assert all(SAID[task](record) == SILENCE[task] for record in records)


@pytest.mark.parametrize("task", ["ynat", "sts", "nli", "re", "wos"])
def test_labels_may_be_missing_or_wrong_in_a_file_of_the_release(task: str, tmp_path: Path) -> None:
    path = locate(MINI, task, "dev")
    rows = json.loads(path.read_text(encoding="utf-8"))
    for row in rows:
        for name in ("label", "labels", "gold_label", "annotations", "author", "domains"):
            row[name] = 7
        for turn in row.get("dialogue", ()):
            turn.pop("state", None)
    changed = written(tmp_path / path.name, rows)

    assert asked(task, read_inputs(task, changed)) == asked(task, read_inputs(task, path))


def test_the_columns_of_labels_may_be_missing_in_the_layouts_of_tags_and_trees(tmp_path: Path) -> None:
    tags = "## klue-ner-v1_test_00000-nsmc\t가 나\n가\n \n나\t\n\n"
    trees = "## klue-dp-v1_test_00000_airbnb\t방이 넓다\n1\t방이\t방 이\tNNG+JKS\n2\t넓다\t넓 다\tVA+EF\t_\t_\n\n"

    (sentence,) = read_inputs("ner", written(tmp_path / "klue-ner-v1.1_test.tsv", tags))
    (tree,) = read_inputs("dp", written(tmp_path / "klue-dp-v1.1_test.tsv", trees))

    assert (sentence.guid, sentence.text) == ("klue-ner-v1_test_00000-nsmc", "가 나")
    assert (tree.words, tree.pos) == (("방이", "넓다"), (("NNG", "JKS"), ("VA", "EF")))
    assert tree.heads == (NO_HEAD, NO_HEAD)


def test_unanswered_questions_keep_their_passages(tmp_path: Path) -> None:
    content = json.loads(locate(MINI, "mrc", "dev").read_text(encoding="utf-8"))
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            paragraph["qas"] = [{"guid": qa["guid"], "question": qa["question"]} for qa in paragraph["qas"]]

    records = read_inputs("mrc", written(tmp_path / "klue-mrc-v1.1_test.json", content))

    assert asked("mrc", records) == asked("mrc", read_inputs("mrc", locate(MINI, "mrc", "dev")))


@pytest.mark.parametrize(("task", "field"), [("ynat", "title"), ("ner", "text")])
def test_lines_of_text_are_items_and_blank_ones_are_none(task: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes("\ufeff비가 온다\r\n\r\n눈도 온다 \n".encode())

    records = read_inputs(task, path)

    assert [(record.guid, getattr(record, field)) for record in records] == [
        ("input-1", "비가 온다"),
        ("input-2", "눈도 온다 "),
    ]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_any_sentence_keeps_all_of_its_characters(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    sentences = [f"가{text}" for text in texts]
    path = written(
        tmp_path_factory.mktemp("texts") / "rows.jsonl", "\n".join(json.dumps({"sentence": s}) for s in sentences)
    )

    assert [record.text for record in read_inputs("ner", path)] == sentences


def test_the_hubs_sentence_with_its_answers_in_it_is_refused_and_its_tokens_are_taken(tmp_path: Path) -> None:
    row = {"sentence": "<경찰:OG>은 갔다", "tokens": list("경찰은 갔다")}

    (record,) = read_inputs("ner", written(tmp_path / "hub.json", [row]))
    with pytest.raises(DataError, match=r"bare\.json, line 2, field 'sentence': item 1: inline tags such as ':OG>'"):
        read_inputs("ner", written(tmp_path / "bare.json", [{"sentence": row["sentence"]}]))

    assert record.text == "경찰은 갔다"


def test_sentences_without_parts_of_speech_are_parsed_and_told_of(tmp_path: Path) -> None:
    rows = [{"words": ["방이", "넓다"]}, {"words": ["좋다"], "pos": ["VA+EF"]}]

    records = read_inputs("dp", written(tmp_path / "rows.json", rows))

    assert [record.pos for record in records] == [(("",), ("",)), (("VA", "EF"),)]
    (note,) = input_notes("dp", records)
    assert note.startswith("1 of 2 sentences have no parts of speech")
    assert input_notes("dp", records[1:]) == input_notes("nli", records) == ()


SPAN = {"word": "가", "start_idx": 0, "end_idx": 0, "type": "PER"}
FAULTS = [
    (
        "ynat",
        [{"title": "가"}, {"headline": "나"}],
        "line 5, field 'title': item 2: this column is missing; found: hea",
    ),
    ("ynat", [{"guid": "a", "title": " "}], "line 2, field 'title': item 1 (a): the text is empty"),
    ("ynat", [{"guid": 3, "title": "가"}], "field 'guid': item 1: text is expected, found 3"),
    ("sts", [{"sentence1": "가"}], "field 'sentence2': item 1: this column is missing; found: sentence1"),
    ("nli", [{"premise": "가", "hypothesis": None}], "field 'hypothesis': item 1: text is expected, found nothing"),
    ("ner", [{"tokens": ["가나"]}], "field 'tokens[0]': item 1: one character is expected"),
    (
        "re",
        [{"sentence": "가", "subject_entity": SPAN, "object_entity": {**SPAN, "word": "나"}}],
        "nor anywhere in the",
    ),
    ("dp", [{"words": ["가 나"]}], "field 'words[0]': item 1: a word without blanks is expected, found '가 나'"),
    ("dp", [{"words": []}], "field 'words': item 1: there are no words in it"),
    ("dp", [{"words": ["가"], "pos": ["NNG", "VA"]}], "field 'pos': item 1: 2 values for 1 words"),
    ("mrc", [{"context": "가", "question": ""}], "field 'question': item 1: the text is empty"),
    (
        "wos",
        [{"dialogue": [{"role": "user"}]}],
        "field 'dialogue[0].text': item 1: this column is missing; found: role",
    ),
    ("wos", [{"dialogue": [{"role": "sys", "text": "네"}]}], "field 'dialogue': item 1: there is no turn of the user"),
    ("nli", [], "there are no items in it"),
    ("nli", {"premise": "가"}, "line 1: an array of objects is expected"),
    ("ynat", ["가"], "item 1 is not an object"),
    (
        "ynat",
        [{"guid": "a", "title": "가"}, {"guid": "a", "title": "나"}],
        "line 6, field 'guid': item 2 (a): a is an earlier item's, too; predictions go by it",
    ),
    ("ynat", [{"title": "\u1100\u1161"}], "stored as separate letters (NFD) in 1 of 1 items; convert"),
]


@pytest.mark.parametrize(("task", "content", "told"), FAULTS)
def test_a_fault_names_file_line_and_field(task: str, content: object, told: str, tmp_path: Path) -> None:
    path = written(tmp_path / "rows.json", content)

    with pytest.raises(DataError) as caught:
        read_inputs(task, path)

    assert str(caught.value).startswith(str(path))
    assert told in str(caught.value)


def test_a_fault_in_json_lines_names_the_line_in_spite_of_blank_ones(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", '{"title": "가"}\n\n{"title": 5}\n')

    with pytest.raises(DataError, match=r"rows\.jsonl, line 3, field 'title': item 2: text is expected, found 5"):
        read_inputs("ynat", path)


@pytest.mark.parametrize(
    ("task", "rows", "told"),
    [
        ("ner", "## klue-ner-1\t가나\n가나\tO\n", "line 2: one character, alone or with a tab and a tag"),
        ("dp", "## klue-dp-1\t가\n1\t가\t가\n", "line 2: 3 columns where INDEX, WORD_FORM, LEMMA, POS are expected"),
        ("dp", "## klue-dp-1\t가\n2\t가\t가\tNNG\n", "line 2, field 'INDEX': 1 is expected, found '2'"),
    ],
)
def test_a_fault_in_the_layouts_of_tags_and_trees_names_the_line(
    task: str, rows: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as caught:
        read_inputs(task, written(tmp_path / f"klue-{task}-v1.1_test.tsv", rows))

    assert told in str(caught.value)


@pytest.mark.parametrize(("task", "name"), [("nli", "a.txt"), ("sts", "a.tsv"), ("dp", "a.txt"), ("ner", "a.csv")])
def test_an_ending_that_the_task_is_not_read_from_is_refused(task: str, name: str) -> None:
    with pytest.raises(RequestError, match=rf"{name}: inputs of klue/{task} are read from \.json, \.jsonl"):
        read_inputs(task, Path(name))
