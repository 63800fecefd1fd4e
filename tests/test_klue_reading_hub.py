"""Rows of the hub's copy, which numbers its labels in another order, give the same records as the release's files."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jatdae.benchmarks.klue import from_hub, locate, read_task
from jatdae.benchmarks.klue.labels import ENTITY_TAGS, HUB_LABELS, INFERENCE, LABELS, RELATIONS, SLOTS, TOPICS
from jatdae.benchmarks.klue.reading import findings
from jatdae.benchmarks.klue.records import Answer
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError

ABSENT_ON_THE_HUB = {"publisher", "scopes", "ratings", "votes", "line"}


def hub_row(task: str, record: Any) -> dict[str, Any]:
    """A release record as the hub has it."""
    row = {field.name: getattr(record, field.name) for field in fields(record)}
    codes = {name: code for code, name in enumerate(HUB_LABELS.get(task, ()))}
    if task in ("ynat", "nli"):
        return {**row, "label": codes[record.label]}
    if task == "sts":
        binary = codes[record.binary]
        return {**row, "labels": {"label": record.label, "real-label": record.real_label, "binary-label": binary}}
    if task == "ner":
        return {"sentence": record.inline, "tokens": record.characters, "ner_tags": [codes[t] for t in record.tags]}
    if task == "dp":
        index, pos = list(range(1, len(record.words) + 1)), ["+".join(chain) for chain in record.pos]
        columns = {"index": index, "word_form": record.words, "lemma": record.lemmas, "pos": pos}
        return {"sentence": record.header, **columns, "head": record.heads, "deprel": record.labels}
    if task == "re":
        return {**row, "label": codes[record.label], "subject_entity": entity(record.subject)} | {
            "object_entity": entity(record.object)
        }
    if task == "mrc":
        every = (*record.answers, *record.plausible)
        return {**row, "answers": {"text": [a.text for a in every], "answer_start": [a.stated for a in every]}}
    turns = [{"role": t.role, "text": t.text, "state": list(t.state_items)} for t in record.turns]
    return {"guid": record.guid, "domains": record.domains, "dialogue": turns}


def entity(span: Any) -> dict[str, Any]:
    return {"word": span.word, "start_idx": span.start, "end_idx": span.end, "type": span.type}


@pytest.mark.parametrize("task", ["ynat", "sts", "nli", "ner", "re", "dp", "mrc", "wos"])
def test_hub_and_release_give_the_same_records(upstream: Path, task: str) -> None:
    release = read_task(task, locate(Source.of(upstream), task, "dev"))
    hub = from_hub(task, (hub_row(task, record) for record in release))
    blank: dict[str, Any] = {"publisher": None, "scopes": (), "ratings": (), "votes": (), "line": None}
    assert len(hub) == len(release)
    for number, (first, second) in enumerate(zip(release, hub, strict=True)):
        absent = {name: blank[name] for name in ABSENT_ON_THE_HUB & {field.name for field in fields(first)}}
        if task in ("ner", "dp"):
            absent["guid"] = f"hub-{task}-{number:05d}"
        if task == "mrc":
            absent["decoys_in_answers"] = first.is_impossible
        assert replace(first, **absent) == second


def test_the_two_orders_differ_and_numbers_are_read_in_the_hubs() -> None:
    row = {"source": "a", "premise": "눈이 온다.", "hypothesis": "춥다."}
    read = from_hub("nli", [{**row, "guid": str(n), "label": n} for n in range(3)])
    assert [pair.label for pair in read] == ["entailment", "neutral", "contradiction"] != list(INFERENCE)
    named = from_hub("nli", [{**row, "guid": "0", "label": "contradiction"}])
    assert named[0].label == "contradiction"
    topics = from_hub("ynat", [{"guid": str(n), "title": "가", "label": np.int64(n)} for n in range(7)])
    assert " ".join(topic.label for topic in topics) == "IT과학 경제 사회 생활문화 세계 스포츠 정치" != " ".join(TOPICS)


@pytest.mark.parametrize("label", [3, -1, True, 1.0, "1", None])
def test_a_hub_label_outside_the_list_is_refused(label: Any) -> None:
    row = {"guid": "x", "source": "a", "premise": "눈이 온다.", "hypothesis": "춥다.", "label": label}
    with pytest.raises(DataError, match=r"hub rows of klue/nli, field 'label': item 1 \(x\)"):
        from_hub("nli", [row])


def test_characters_and_tags_are_of_one_number() -> None:
    row = {"sentence": "가나", "tokens": ["가", "나"], "ner_tags": [12]}
    with pytest.raises(DataError, match="field 'ner_tags': item 1: 1 tags for 2 characters"):
        from_hub("ner", [row])
    arrays = {"sentence": "<가:PS>나", "tokens": np.array(["가", "나"]), "ner_tags": np.array([6, 12])}
    assert from_hub("ner", [arrays])[0].tags == ("B-PS", "O")


def test_a_head_outside_the_sentence_is_refused() -> None:
    row = {"sentence": "가", "index": [1], "word_form": ["가"], "lemma": ["가"], "pos": ["NNG"], "deprel": ["NP"]}
    with pytest.raises(DataError, match="head 2 is outside the sentence's 0 to 1"):
        from_hub("dp", [{**row, "head": [2]}])
    with pytest.raises(DataError, match="0 values for 1 words"):
        from_hub("dp", [{**row, "head": []}])


def test_a_stripped_passage_keeps_its_answers_and_distractors_are_set_apart() -> None:
    answers = {"text": ["등대"], "answer_start": [5]}
    row = {
        "title": "바다",
        "context": "섬의 등대가 켜졌다.",
        "question": "무엇이?",
        "answers": answers,
        "question_type": 1,
    }
    asked = {**row, "guid": "a", "is_impossible": False, "news_category": None, "source": "x"}
    decoy = {**asked, "guid": "b", "is_impossible": True, "question_type": 3}
    first, second = from_hub("mrc", [asked, decoy])
    assert first.answers == (Answer("등대", 3, 5),)
    assert (second.answers, second.gold, second.plausible) == ((), ("",), first.answers)
    told = {found.name: found.count for found in findings("mrc", [first, second])}
    assert (told["mrc: answer-drift"], told["mrc: decoys-in-answers"]) == (2, 1)


def test_the_lists_have_the_published_lengths() -> None:
    sizes = {task: len(names) for task, names in LABELS.items()}
    assert sizes == {"ynat": 7, "sts": 2, "nli": 3, "ner": 13, "re": 30, "dp": 38, "wos": 45}
    assert " ".join(ENTITY_TAGS) == "B-PS I-PS B-LC I-LC B-OG I-OG B-DT I-DT B-TI I-TI B-QT I-QT O"
    assert " ".join(HUB_LABELS["ner"]) == "B-DT I-DT B-LC I-LC B-OG I-OG B-PS I-PS B-QT I-QT B-TI I-TI O"
    assert (RELATIONS[10], RELATIONS[29], LABELS["dp"][14]) == ("org:top_members/employees", "per:title", "VP_SBJ")
    for task, names in HUB_LABELS.items():
        assert sorted(names) == sorted(LABELS[task])
    assert (SLOTS[0], SLOTS[-1]) == ("관광-경치 좋은", "택시-출발지")
