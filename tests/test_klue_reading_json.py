"""Reading KLUE's JSON tasks: labels stay names, and a fault is told by file, line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue import TASKS, read_task
from jatdae.benchmarks.klue.labels import RELATIONS
from jatdae.benchmarks.klue.reading import findings
from jatdae.benchmarks.klue.reading.places import place
from jatdae.errors import DataError, RequestError

CONTEXT = "항구의 창고는 오전 9시에 연다. 등대의 관리인은 9시에 문을 잠그고 배는 12노트로 간다."


def headline(number: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "guid": f"ynat-v1_dev_{number:05d}",
        "title": f"작은 섬에 다리 {number}개 놓인다",
        "label": "사회",
        **changes,
    }


def similarity(**labels: Any) -> dict[str, Any]:
    return {
        "guid": "klue-sts-v1_dev_00000",
        "source": "policy-rtt",
        "sentence1": "방이 넓고 조용했다.",
        "sentence2": "조용하고 넓은 방이었다.",
        "labels": {"label": 4.3, "real-label": 4.333333333333333, "binary-label": 1, **labels},
        "annotations": {"agreement": "0:0:0:0:2:1", "annotators": ["01", "02", "03"], "annotations": [4, 4, 5]},
    }


def inference(**changes: Any) -> dict[str, Any]:
    row = {"guid": "klue-nli-v1_dev_00000", "source": "wikitree", "premise": "비가 온다.", "hypothesis": "날이 궂다."}
    votes = dict.fromkeys(("gold_label", "author", "label2", "label3", "label4", "label5"), "entailment")
    return {**row, **votes, **changes}


def relation(word: str = "한별", start: int = 0, end: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "guid": "klue-re-v1_dev_00000",
        "sentence": "한별은 바다상사의 대표이고 한별의 동생은 배를 몬다.",
        "subject_entity": {"word": "바다상사", "start_idx": 4, "end_idx": 7, "type": "ORG"},
        "object_entity": {"word": word, "start_idx": start, "end_idx": end, "type": "PER"},
        "label": "org:top_members/employees",
        "source": "wikipedia",
        **changes,
    }


def question(**changes: Any) -> dict[str, Any]:
    answers = [{"text": "12노트", "answer_start": CONTEXT.index("12노트")}]
    row = {"guid": "klue-mrc-v1_dev_00000", "question": "배의 속도는?", "answers": answers, "is_impossible": False}
    return {**row, "question_type": 1, **changes}


def passage(*questions: dict[str, Any], context: str = CONTEXT) -> dict[str, Any]:
    paragraphs = [{"context": context, "qas": list(questions)}]
    return {"version": "v1.1", "data": [{"title": "항구", "news_category": None, "paragraphs": paragraphs}]}


def dialogue(*states: list[str]) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    for number, state in enumerate(states):
        turns += [{"role": "user", "text": f"{number}번째 부탁입니다.", "state": state}, {"role": "sys", "text": "네."}]
    return {"guid": "wos-v1_dev_00000", "domains": ["식당"], "dialogue": turns}


def saved(folder: Path, content: Any, name: str = "rows.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def told(task: str, records: list[Any], name: str) -> tuple[str, ...]:
    return next(found.ids for found in findings(task, records) if found.name == f"{task}: {name}")


def test_a_headline_needs_no_annotations(tmp_path: Path) -> None:
    scopes = {
        "first-scope": ["사회", "사회", "경제"],
        "second-scope": ["해당없음"] * 3,
        "third-scope": ["해당없음"] * 3,
    }
    annotated = headline(
        1, annotations={"annotators": ["1", "2", "3"], "annotations": scopes}, url="http://a", date="b"
    )
    bare, whole = read_task("klue/ynat", saved(tmp_path, [headline(predefined_news_category="경제"), annotated]))
    assert (bare.label, bare.publisher, bare.scopes, bare.url) == ("사회", "경제", (), None)
    assert whole.scopes[0] == ("사회", "사회", "경제")
    assert told("ynat", [bare, whole], "label-not-first-choice") == ()


def test_a_number_where_a_release_has_a_name_stops_the_reading(tmp_path: Path) -> None:
    path = saved(tmp_path, [relation(label=10)])
    with pytest.raises(
        DataError, match=r"rows.json, line 3, field 'label': item 1 \(klue-re-v1_dev_00000\): label 10 is"
    ):
        read_task("re", path)
    with pytest.raises(DataError, match="unknown label '10'"):
        read_task("re", saved(tmp_path, [relation(label="10")]))
    with pytest.raises(DataError, match=r"did you mean 'per:place_of_residence'"):
        read_task("re", saved(tmp_path, [relation(label="per:places_of_residence")]))
    assert read_task("re", saved(tmp_path, [relation()]))[0].label == RELATIONS[10]


@pytest.mark.parametrize(
    ("task", "row", "field"),
    [
        ("ynat", {**headline(), "label": None}, "label"),
        ("ynat", {**headline(), "title": "  "}, "title"),
        ("sts", similarity(**{"real-label": 5.5}), "labels.real-label"),
        ("sts", similarity(**{"real-label": float("nan")}), "labels.real-label"),
        ("sts", similarity(**{"binary-label": 2}), "labels.binary-label"),
        ("nli", {k: v for k, v in inference().items() if k != "gold_label"}, "gold_label"),
        ("nli", {k: v for k, v in inference().items() if k != "source"}, "source"),
        ("re", relation(source=3), "source"),
        ("re", relation(word="항구"), "object_entity.start_idx"),
        ("wos", {**dialogue([]), "domains": "식당"}, "domains"),
        ("wos", dialogue(["식당-가격-싸다"]), "dialogue[0].state"),
        ("wos", dialogue(["식당-가격대"]), "dialogue[0].state"),
    ],
)
def test_what_cannot_be_used_is_named_by_field_and_line(tmp_path: Path, task: str, row: Any, field: str) -> None:
    with pytest.raises(DataError) as caught:
        read_task(task, saved(tmp_path, [row]))
    assert (caught.value.field, caught.value.line) == (field, 3)


def test_the_similarity_target_is_the_unrounded_label(tmp_path: Path) -> None:
    (pair,) = read_task("sts", saved(tmp_path, [similarity()]))
    assert (pair.real_label, pair.label, pair.binary) == (4.333333333333333, 4.3, "positive")
    assert pair.ratings == (("01", 4), ("02", 4), ("03", 5))
    odd = read_task("sts", saved(tmp_path, [similarity(**{"binary-label": 0, "label": 4.0, "real-label": 4.2})]))
    for name in ("binary-other-side", "label-not-rounded", "real-label-not-mean"):
        assert told("sts", odd, name) == ("klue-sts-v1_dev_00000",)


def test_train_calls_the_source_of_a_premise_genre(tmp_path: Path) -> None:
    row = inference(genre="NSMC", label4="neutral")
    del row["source"]
    (pair,) = read_task("nli", saved(tmp_path, [row]))
    assert (pair.source, pair.group, pair.label) == ("NSMC", "NSMC", "entailment")
    assert pair.votes == ("entailment", "entailment", "entailment", "neutral", "entailment")


def test_a_word_elsewhere_is_found_where_it_stands_once(tmp_path: Path) -> None:
    (found,) = read_task("re", saved(tmp_path, [relation("동생", 18, 19)]))
    assert (found.object.start, found.object.end, found.object.stated) == (19, 20, (18, 19))
    assert found.sentence[found.object.start : found.object.end + 1] == "동생"
    assert told("re", [found], "span-drift") == ("klue-re-v1_dev_00000: object stated at 18 to 19, found at 19",)
    with pytest.raises(DataError, match="'한별' is not at 1 to 2, and stands 2 times in the sentence"):
        read_task("re", saved(tmp_path, [relation(start=1, end=2)]))


def test_an_exclusive_end_is_not_taken_for_an_inclusive_one(tmp_path: Path) -> None:
    (found,) = read_task("re", saved(tmp_path, [relation("대표", 10, 12)]))
    assert (found.object.start, found.object.end) == (10, 11)
    assert found.object.drifts


def test_spans_that_share_characters_are_told(tmp_path: Path) -> None:
    records = read_task("re", saved(tmp_path, [relation("바다", 4, 5)]))
    assert told("re", records, "spans-overlap") == ("klue-re-v1_dev_00000",)


def test_a_drifting_answer_is_found_by_its_text_and_told_with_both_numbers(tmp_path: Path) -> None:
    context = "한국은행은 기준금리를 연 3.25%로 올렸다. 시장은 연 3.5%를 예상했다."
    row = question(answers=[{"text": "3.25%", "answer_start": 17}])
    records = read_task("mrc", saved(tmp_path, passage(row, context=context)))
    (answer,) = records[0].answers
    assert (answer.start, answer.stated, records[0].gold) == (14, 17, ("3.25%",))
    assert told("mrc", records, "answer-drift") == ("klue-mrc-v1_dev_00000: answer stated at 17, found at 14",)


def test_an_answer_that_stands_twice_is_not_guessed_at(tmp_path: Path) -> None:
    records = read_task("mrc", saved(tmp_path, passage(question(answers=[{"text": "9시", "answer_start": 2}]))))
    assert records[0].answers[0].start is None
    assert told("mrc", records, "answer-drift")[0].endswith("answer stated at 2, not placed, it stands 2 times")


def test_distractors_are_never_gold_and_an_html_entity_is_told(tmp_path: Path) -> None:
    decoy = [{"text": "인수합병(M&amp;A) 자문", "answer_start": 0}]
    apart = question(answers=[], plausible_answers=decoy, is_impossible=True, question_type=3)
    mixed = question(guid="klue-mrc-v1_dev_00001", answers=decoy, is_impossible=True)
    records = read_task("mrc", saved(tmp_path, passage(apart, mixed)))
    assert [(r.answers, r.gold, r.plausible[0].text) for r in records] == [((), ("",), decoy[0]["text"])] * 2
    assert told("mrc", records, "html-entity") == ("klue-mrc-v1_dev_00000", "klue-mrc-v1_dev_00001")
    assert told("mrc", records, "decoys-in-answers") == ("klue-mrc-v1_dev_00001",)
    assert told("mrc", records, "type-differs") == ("klue-mrc-v1_dev_00001",)


def test_a_fault_in_a_passage_names_the_question(tmp_path: Path) -> None:
    bad = question(answers=[{"text": "12노트"}])
    with pytest.raises(
        DataError, match=r"line \d+, field 'paragraphs\[0\].qas\[0\].answers\[0\].answer_start'.*dev_00000"
    ):
        read_task("mrc", saved(tmp_path, passage(bad)))
    with pytest.raises(DataError, match="an answerable question has no answer"):
        read_task("mrc", saved(tmp_path, passage(question(answers=[]))))


def test_a_value_may_hold_hyphens_and_colons(tmp_path: Path) -> None:
    states = [["식당-이름-바다-하늘"], ["식당-이름-바다-하늘", "식당-예약 시간-18:30"]]
    (talk,) = read_task("wos", saved(tmp_path, [dialogue(*states)]))
    assert talk.user_turns[1].state == (("식당-이름", "바다-하늘"), ("식당-예약 시간", "18:30"))
    assert [list(turn.state_items) for turn in talk.user_turns] == states
    assert talk.turns[1].state == ()
    twice = read_task("wos", saved(tmp_path, [dialogue(["식당-지역-서울 동쪽", "식당-지역-서울 서쪽"])]))
    assert told("wos", twice, "slot-twice") == ("wos-v1_dev_00000, turn 0: 식당-지역",)


def test_an_identifier_stands_once_and_fits_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="item 2: ynat-v1_dev_00000 is also item 1"):
        read_task("ynat", saved(tmp_path, [headline(), headline()]))
    with pytest.raises(DataError, match="is of dev, the file's name says test"):
        read_task("ynat", saved(tmp_path, [headline()], "ynat-v1.1_test.json"))


def test_a_file_in_separate_letters_is_refused_but_not_a_single_item(tmp_path: Path) -> None:
    letters = "\u1109\u1165\u11b7"
    with pytest.raises(DataError, match="convert the file to NFC"):
        read_task("ynat", saved(tmp_path, [headline(title=letters)]))
    records = read_task("ynat", saved(tmp_path, [headline(title=letters), headline(1), headline(2)]))
    assert told("ynat", records, "separate-letters") == ("ynat-v1_dev_00000",)


@pytest.mark.parametrize("content", ["[]", "{}", '[{"guid": ', "[1]", '{"data": 3}'])
@pytest.mark.parametrize("task", ["ynat", "mrc", "wos"])
def test_a_file_of_another_shape_is_refused(tmp_path: Path, task: str, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"x\.json"):
        read_task(task, path)


def test_an_unknown_task_is_refused(tmp_path: Path) -> None:
    assert len(TASKS) == 8
    with pytest.raises(RequestError, match="did you mean 'ynat'"):
        read_task("ynatt", tmp_path)


@given(st.text("가나", min_size=1, max_size=3), st.text("가나다 ", max_size=12), st.integers(-3, 15))
def test_a_placed_text_stands_where_it_is_placed(text: str, whole: str, stated: int) -> None:
    start = place(text, whole, stated)
    places = [i for i in range(len(whole)) if whole[i : i + len(text)] == text]
    if stated in places:
        assert start == stated
    else:
        assert start == (places[0] if len(places) == 1 else None)
