"""The formats of the leaderboard's prediction files, written out by hand for each task."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from klue_gold import dialogues, inferences, parsed, questions, relations, similarities, tagged, topics

from jatdae.benchmarks.klue import TASKS, locate
from jatdae.benchmarks.klue.labels import ENTITY_TAGS, RELATIONS, TOPICS
from jatdae.benchmarks.klue.reading.unlabelled import read_inputs
from jatdae.benchmarks.klue.submission import submission
from jatdae.benchmarks.sources import Source
from jatdae.errors import JatdaeError, RequestError


def test_topics_and_inferences_are_numbered_in_the_official_order(tmp_path: Path) -> None:
    headlines = read_inputs("ynat", topics(tmp_path, TOPICS))
    pairs = read_inputs("nli", inferences(tmp_path, ["neutral"] * 3))
    said = ["entailment", "contradiction", "neutral"]

    written_topics = submission(
        "ynat", headlines, {h.id: {"prediction": t} for h, t in zip(headlines, TOPICS, strict=True)}
    )
    written_pairs = submission("klue/nli", pairs, {p.id: {"prediction": s} for p, s in zip(pairs, said, strict=True)})

    assert written_topics == "0\n1\n2\n3\n4\n5\n6\n"
    assert written_pairs == "0\n1\n2\n"


def test_similarities_are_the_models_own_numbers(tmp_path: Path) -> None:
    pairs = read_inputs("sts", similarities(tmp_path, [1.0, 2.0]))
    predictions = {pairs[0].id: {"prediction": -0.0625}, pairs[1].id: {"prediction": 5.123456789}}

    assert submission("sts", pairs, predictions) == "-0.0625\n5.123456789\n"


def test_a_relation_has_its_number_and_thirty_probabilities(tmp_path: Path) -> None:
    pairs = read_inputs("re", relations(tmp_path, ["per:title"]))
    probabilities = [0.0] * 29 + [1.0]

    told = submission("re", pairs, {pairs[0].id: {"prediction": RELATIONS[29], "probabilities": probabilities}})

    assert told == "29\t" + "0.0 " * 29 + "1.0\n"


def test_a_sentence_has_tags_for_all_but_blanks_and_for_the_two_positions_around(tmp_path: Path) -> None:
    sentences = read_inputs("ner", tagged(tmp_path, [("가온 댁", "O O O O"), ("나", "O")]))
    predictions = {
        sentences[0].id: {"tags": ["B-PS", "I-PS", "O", "O"], "official_tags": ["O", "B-PS", "I-PS", "O", "I-QT"]},
        sentences[1].id: {"tags": ["B-LC"], "official_tags": ["O", "B-LC", "O"]},
    }

    told = submission("ner", sentences, predictions)

    assert told == "12,0,1,12,11\r\n12,2,12\r\n"
    rows = [[ENTITY_TAGS[int(number)] for number in row] for row in csv.reader(told.splitlines())]
    assert rows == [prediction["official_tags"] for prediction in predictions.values()]


def test_words_follow_each_other_without_a_mark_between_sentences(tmp_path: Path) -> None:
    sentences = read_inputs("dp", parsed(tmp_path, [[("가", 2, "NP"), ("나", 0, "VP")], [("다", 0, "VP")]]))
    predictions = {
        sentences[0].id: {"heads": [2, 0], "deprels": ["NP_SBJ", "VP"]},
        sentences[1].id: {"heads": [0], "deprels": ["NP_SVJ"]},
    }

    assert submission("dp", sentences, predictions) == "2 3\n0 2\n0 37\n"


def test_answers_are_one_object_in_ascii(tmp_path: Path) -> None:
    asked = read_inputs("mrc", questions(tmp_path, [["답"], []]))
    first, second = (question.id for question in asked)

    told = submission("mrc", asked, {second: {"prediction": ""}, first: {"prediction": "답"}})

    assert told == f'{{\n    "{first}": "\\ub2f5",\n    "{second}": ""\n}}\n'


def test_states_are_an_array_of_the_users_turns(tmp_path: Path) -> None:
    talks = read_inputs("wos", dialogues(tmp_path, [[[], []]]))
    guid = talks[0].guid
    predictions = {f"{guid}-0": {"prediction": []}, f"{guid}-1": {"prediction": ["식당-예약 시간-18:00"]}}

    told = submission("wos", talks, predictions)

    assert json.loads(told) == [
        {"guid": f"{guid}-0", "pred": []},
        {"guid": f"{guid}-1", "pred": ["식당-예약 시간-18:00"]},
    ]
    assert told.startswith('[\n    {\n        "guid"') and "식당-예약" in told and told.endswith("]")


FAULTS: Sequence[tuple[dict[str, Any], str]] = [
    ({}, "no prediction; the file goes by order"),
    ({"probabilities": []}, "the prediction has no 'prediction', which the file consists of"),
    ({"prediction": "2"}, "'2' is none of the 7 labels"),
]


@pytest.mark.parametrize(("prediction", "told"), FAULTS)
def test_what_cannot_be_written_is_named_by_its_item(prediction: dict[str, Any], told: str, tmp_path: Path) -> None:
    (headline,) = read_inputs("ynat", topics(tmp_path, ["정치"]))

    with pytest.raises(JatdaeError, match=f"klue/ynat, {headline.id}: {told}"):
        submission("ynat", [headline], {headline.id: prediction} if prediction else {})


@pytest.mark.parametrize("task", TASKS)
def test_no_task_writes_a_file_that_leaves_items_out(task: str) -> None:
    records = read_inputs(task, locate(Source.of("mini"), task, "dev"))

    with pytest.raises(JatdaeError, match="no prediction"):
        submission(task, records, {})


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(RequestError, match="KLUE has no task 'cola'"):
        submission("cola", [], {})
