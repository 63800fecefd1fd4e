"""Faults that people reported of tools that score KLUE: each small input gives the right answer here."""

from __future__ import annotations

from pathlib import Path

import pytest
from klue_gold import (
    dialogues,
    inferences,
    parsed,
    questions,
    relations,
    similarities,
    tagged,
    topics,
    written,
)

from jatdae.benchmarks.klue.labels import RELATIONS
from jatdae.benchmarks.klue.scoring import KlueScore, score_predictions
from jatdae.errors import DataError, JatdaeError, RequestError


def scored(task: str, gold: Path, predictions: object, label_order: str | None = None) -> KlueScore:
    pred = written(gold.parent / "pred.json", predictions)
    return score_predictions(task, pred, gold, label_order=label_order, draws=20)


def official(score: KlueScore, metric: str) -> float | None:
    estimate = score.metrics[metric].official
    return None if estimate is None else estimate.value


def clean(score: KlueScore, metric: str) -> float | None:
    estimate = score.metrics[metric].clean
    return None if estimate is None else estimate.value


def told(score: KlueScore, *words: str) -> bool:
    return any(all(word in note for word in words) for note in score.notes)


def test_a_drifting_start_changes_no_score(tmp_path: Path) -> None:
    context = "한국은행은 기준금리를 연 3.25%로 올렸다. 시장은 연 3.5%를 예상했다."
    question = {
        "guid": "klue-mrc-v1_dev_00000",
        "question": "기준금리는?",
        "is_impossible": False,
        "answers": [{"text": "3.25%", "answer_start": 17}],
    }
    data = [{"title": "금리", "paragraphs": [{"context": context, "qas": [question]}]}]
    gold = written(tmp_path / "gold.json", {"data": data})

    score = scored("mrc", gold, ["3.25%"])

    assert official(score, "exact_match") == 1


def test_decoys_are_no_gold(tmp_path: Path) -> None:
    gold = questions(tmp_path, [[], ["서울"]], plausible="인수합병(M&amp;A) 자문")

    empty = scored("mrc", gold, ["", "서울"])
    decoy = scored("mrc", gold, ["인수합병(M&A) 자문", "서울"])

    assert (official(empty, "exact_match"), official(empty, "rouge_w")) == (1, 1)
    assert official(decoy, "exact_match") == 0.5
    assert told(empty, "1 questions are unanswerable", "distractors")


def test_rows_are_read_and_never_the_inline_form(tmp_path: Path) -> None:
    text, tags = "<은하 특급> 정말", "O B-PS I-PS I-PS I-PS I-PS O O O O"
    gold = tagged(tmp_path, [(text, tags)])

    assert official(scored("ner", gold, [tags.split()]), "entity_f1") == 1


def test_names_and_numbers_follow_the_order_that_is_said(tmp_path: Path) -> None:
    gold = inferences(tmp_path, ["entailment", "neutral", "contradiction", "contradiction"])

    names = scored("nli", gold, ["entailment", "neutral", "contradiction", "neutral"])
    by_hub = scored("nli", gold, [0, 1, 2, 1], "hub")
    by_official = scored("nli", gold, [0, 1, 2, 1], "official")

    assert [official(score, "accuracy") for score in (names, by_hub, by_official)] == [0.75, 0.75, 0.5]
    assert told(by_official, "WARNING", "would be 75.00")
    assert names.metrics["accuracy"].detail["recall"]["entailment"] == 100


@pytest.mark.parametrize("number", [10, "10", 10.0, "10.0"])
def test_a_number_where_a_name_belongs_stops(tmp_path: Path, number: object) -> None:
    gold = relations(tmp_path, ["org:top_members/employees"])

    with pytest.raises(DataError, match=r"pred.json, line 2.*label 10 is a number.*--label-order official\|hub"):
        scored("re", gold, [number])
    assert official(scored("re", gold, [number], "hub"), "micro_f1") == 1
    with pytest.raises(DataError, match="label 30 is outside 0 to 29"):
        scored("re", gold, [30], "hub")
    with pytest.raises(RequestError, match="did you mean 'hub'"):
        scored("re", gold, [10], "hubb")


def test_relations_of_another_data_set_are_counted_and_never_mapped(tmp_path: Path) -> None:
    gold = relations(tmp_path, ["per:place_of_residence", "per:place_of_residence", "no_relation"])

    score = scored("re", gold, ["per:cities_of_residence", "per:place_of_residence", "no_relation"])

    assert official(score, "micro_f1") == pytest.approx(2 / 3)
    assert score.metrics["micro_f1"].detail["recall"] == 50
    assert score.outside == {"per:cities_of_residence": 1}
    assert told(score, "1 of 3 predictions are outside the 30", "per:cities_of_residence")


def test_an_overlap_is_at_most_one(tmp_path: Path) -> None:
    gold = questions(tmp_path, [["뉴 74 에디션"]])

    assert official(scored("mrc", gold, ["뉴 74 에디션"]), "rouge_w") == 1
    assert official(scored("mrc", gold, ["뉴 74"]), "rouge_w") == pytest.approx(2 / 3)


def test_a_missing_topic_is_an_error_in_macro_f1_too(tmp_path: Path) -> None:
    gold = topics(tmp_path, ["정치", "정치", "경제", "경제"])

    score = scored("ynat", gold, ["정치", None, "경제", "경제"])

    assert official(score, "accuracy") == 0.75
    assert official(score, "macro_f1") == pytest.approx(0.833333, abs=5e-7)
    assert told(score, "1 of 4 have no prediction and count as wrong")


def test_nothing_valid_is_no_score(tmp_path: Path) -> None:
    gold = similarities(tmp_path, [0.2 * n for n in range(10)])

    with pytest.raises(JatdaeError, match=r"no score, 0 of 10 valid \(10 missing") as caught:
        scored("sts", gold, [None] * 10)
    assert caught.value.exit_code == 1


def test_a_constant_prediction_has_no_correlation_and_still_an_f1(tmp_path: Path) -> None:
    gold = similarities(tmp_path, [1.0, 2.0, 3.0, 4.0])

    score = scored("sts", gold, [3.0] * 4)

    assert (official(score, "pearson"), clean(score, "pearson")) == (None, None)
    assert official(score, "f1") == pytest.approx(2 / 3)
    assert told(score, "pearson is undefined", "every prediction is 3")


def test_infinite_numbers_are_counted_and_wrong(tmp_path: Path) -> None:
    gold = similarities(tmp_path, [1.0, 2.0, 3.0, 4.0])

    score = scored("sts", gold, ["1.0", "2.5", "inf", "4"])

    assert (official(score, "pearson"), official(score, "f1")) == (None, pytest.approx(2 / 3))
    assert score.outside == {"inf": 1}
    assert told(score, "1 numbers are not finite")


def test_entities_are_strict_and_the_average_is_named(tmp_path: Path) -> None:
    gold = tagged(tmp_path, [("가나다라", "B-PS I-PS O B-LC")])

    score = scored("ner", gold, [["I-PS", "I-PS", "O", "B-LC"]])

    assert official(score, "entity_f1") == 0.5
    assert told(score, "strict IOB2", "macro over the types", "micro of the same counts: 66.67")


def test_a_tag_at_a_sentences_start_continues_nothing_and_this_is_said(tmp_path: Path) -> None:
    gold = tagged(tmp_path, [("가나", "O B-PS"), ("다라", "O O")])

    score = scored("ner", gold, [["O", "B-PS"], ["I-PS", "O"]])

    assert (official(score, "entity_f1"), clean(score, "entity_f1")) == (1, 1)
    assert told(score, "sentences are scored apart")


def test_tags_of_the_outer_positions_join_sentences_as_the_official_scorer_does(tmp_path: Path) -> None:
    gold = tagged(tmp_path, [("가나", "O B-PS"), ("다라", "O O")])

    score = scored("ner", gold, [["O", "O", "B-PS", "I-PS"], ["O", "O", "O", "O"]])

    assert (official(score, "entity_f1"), clean(score, "entity_f1")) == (0, 1)
    assert told(score, "official takes the given tags of the positions around each sentence")


def test_the_classes_of_an_average_are_told(tmp_path: Path) -> None:
    gold = topics(tmp_path, ["정치", "경제"])

    score = scored("ynat", gold, ["정치", "스포츠"])

    assert official(score, "macro_f1") == pytest.approx(1 / 3)
    assert clean(score, "macro_f1") == 0.5
    assert told(score, "3 classes in gold or prediction", "the 2 in gold", "over all 7 it is 14.29")


def test_relations_without_gold_are_named_and_nothing_is_nan(tmp_path: Path) -> None:
    gold = relations(tmp_path, ["no_relation", "org:product", "org:product"])
    rows = [{"label": name, "probs": [float(other == name) for other in RELATIONS]} for name in RELATIONS[:1]]
    rows += [{"label": "org:product", "probs": [float(n == 8) for n in range(30)]} for _ in "ab"]

    score = scored("re", gold, rows)

    assert clean(score, "auprc") == 1
    assert official(score, "auprc") == pytest.approx((2 + 28 / 2) / 30)
    assert len(score.metrics["auprc"].detail["absent"]) == 28
    assert told(score, "28 of 30 relations have no gold", "per:title")


def test_dontcare_is_a_value_and_only_none_is_left_out(tmp_path: Path) -> None:
    second = ["식당-지역-서울 동쪽", "식당-종류-일식당"]
    gold = dialogues(tmp_path, [[["식당-가격대-dontcare", "식당-지역-서울 동쪽"], second]])

    score = scored(
        "wos",
        gold,
        {
            "wos-v1_dev_00000-0": {"식당-지역": "서울 동쪽", "식당-가격대": "none"},
            "wos-v1_dev_00000-1": second[::-1],
        },
    )

    assert official(score, "joint_goal_accuracy") == 0.5


def test_unknown_slots_are_counted(tmp_path: Path) -> None:
    gold = dialogues(tmp_path, [[["식당-지역-서울 동쪽"]]])

    score = scored("wos", gold, [["식당-지역-서울 동쪽", "식당-맛-단맛"]])

    assert score.outside == {"식당-맛": 1}
    assert official(score, "joint_goal_accuracy") == 0


def test_equal_korean_texts_overlap_fully(tmp_path: Path) -> None:
    gold = questions(tmp_path, [["서울은 수도다"]])

    assert official(scored("mrc", gold, ["서울은 수도다"]), "rouge_w") == 1


def test_foreign_dependency_labels_are_counted_and_heads_are_still_scored(tmp_path: Path) -> None:
    gold = parsed(tmp_path, [[("나는", 2, "NP_SBJ"), ("간다", 0, "VP")]])

    score = scored("dp", gold, [{"heads": [2, 0], "deprels": ["nsubj", "root"]}])

    assert (official(score, "uas_micro"), official(score, "uas_macro")) == (1, 1)
    assert score.outside == {"nsubj": 1, "root": 1}
