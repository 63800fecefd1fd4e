"""Reading comprehension as a recipe: rows and targets, gold through the whole way, answers of any script, learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from overfitting import overfit
from reading_encoders import byte_level_encoder, character_encoder, reading_recipe, toy_encoder

from jatdae.benchmarks.klue.reading import read_task
from jatdae.benchmarks.klue.reading.files import locate
from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.benchmarks.klue.records import Answer, Question
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.finetune.reading_spans import Passage, Reading, Span, read, within
from jatdae.finetune.reading_windows import LONGEST
from jatdae.finetune.recipe import Feature
from jatdae.finetune.recipes.reading import ReadingRecipe

MINI = Source.of("mini")


def asked(context: str, *answers: str, question: str = "무엇인가?", guid: str = "q") -> Question:
    """A question on a passage; unanswerable without answers, and with a start of None where one is not there."""
    given = tuple(
        Answer(answer, context.index(answer) if answer in context else None, context.find(answer)) for answer in answers
    )
    return Question(guid, "", context, question, given, is_impossible=not answers)


@pytest.fixture(scope="module")
def mini() -> list[Question]:
    return [question for split in ("train", "dev") for question in read_task("mrc", locate(MINI, "mrc", split))]


@pytest.fixture(scope="module")
def characters(mini: list[Question], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder whose tokens are the characters of the mini questions."""
    return character_encoder(tmp_path_factory.mktemp("characters"), [text for item in mini for text in item.texts])


@pytest.fixture(scope="module")
def bytes_(mini: list[Question], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder whose tokens are bytes, a few of them joined."""
    return byte_level_encoder(tmp_path_factory.mktemp("bytes"), [text for item in mini for text in item.texts])


def gold_readings(recipe: ReadingRecipe, records: Sequence[Question]) -> tuple[list[Feature], list[Reading]]:
    """What a model says that points at the targets, through the recipe's own search for spans."""
    features, learned = (recipe.features(records, training=training) for training in (False, True))
    readings = []
    for feature, target in zip(features, learned, strict=True):
        batch = recipe.collate([feature])
        may_start, may_end = (within(batch[name], feature.length) for name in ("starts", "ends"))
        logits = torch.zeros(2, 1, feature.length)
        logits[0, 0, target.inputs["start_positions"]] = logits[1, 0, target.inputs["end_positions"]] = 10.0
        readings += read(logits[0], logits[1], may_start, may_end, batch["none"], LONGEST)
    return features, readings


def gold_scores(recipe: ReadingRecipe, records: Sequence[Question]) -> dict[str, float | None]:
    """The official scores (0..100) of targets that went through the decision and back to text."""
    predictions = recipe.predictions(records, *gold_readings(recipe, records))
    scores = judge("mrc", JUDGING["mrc"].units(records), predictions).scores
    return {name: score.official for name, score in scores.items()}


def test_a_row_is_question_and_window_with_segments(tmp_path: Path):
    recipe = reading_recipe(toy_encoder(tmp_path, ["한", "달", "##가", "##량", "왜", "?"]))
    (feature,) = recipe.features([asked("한 달가량", question="왜?")], training=False)
    tokens = recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"])
    assert tokens == ["[CLS]", "왜", "?", "[SEP]", "한", "달", "##가", "##량", "[SEP]"]
    assert feature.inputs["token_type_ids"] == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert (feature.detail.starts, feature.detail.ends, feature.detail.none) == ((4, 8), (4, 8), 0)


def test_a_roberta_gets_its_double_separator_and_no_segments(bytes_: Path):
    recipe = reading_recipe(bytes_)
    (feature,) = recipe.features([asked("ab", question="c")], training=False)
    tokens = recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"])
    assert "token_type_ids" not in recipe.collate([feature])
    assert tokens[0] == "<s>" and tokens[-1] == "</s>" and tokens.count("</s>") == 3


@pytest.mark.parametrize(
    ("answer", "tokens"), [("한 달가량", "한 달 ##가 ##량"), ("한 달", "한 달"), ("가량", "##가 ##량")]
)
def test_targets_are_the_tokens_that_give_the_answer(tmp_path: Path, answer: str, tokens: str):
    recipe = reading_recipe(toy_encoder(tmp_path, ["한", "달", "##가", "##량", "약", "뒤"]))
    (feature,) = recipe.features([asked("약 한 달가량 뒤", answer)], training=True)
    assert _pointed(recipe, feature) == tokens


@pytest.mark.parametrize(
    ("answer", "tokens"), [("한 달", "한 달가 ##량"), ("가량", "달가 ##량"), ("달가량", "달가 ##량")]
)
def test_an_answer_that_ends_within_a_token_is_widened_to_whole_words(tmp_path: Path, answer: str, tokens: str):
    recipe = reading_recipe(toy_encoder(tmp_path, ["한", "달가", "##량", "약", "뒤"]))
    records = [asked("약 한 달가량 뒤", answer)]
    (feature,) = features = recipe.features(records, training=True)
    assert _pointed(recipe, feature) == tokens
    assert bool(recipe.notes(records, features)) == (answer != "달가량")


def _pointed(recipe: ReadingRecipe, feature: Feature) -> str:
    """The tokens that a row's targets span."""
    span = slice(feature.inputs["start_positions"], feature.inputs["end_positions"] + 1)
    return " ".join(recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"][span]))


@pytest.mark.parametrize("vocabulary", [1, 700, 2000])
def test_targets_are_those_of_the_baselines_search(mini: list[Question], tmp_path: Path, vocabulary: int):
    from jatdae.finetune.tiny import build_tiny_encoder

    # given tokens of one, or of several characters
    texts = [text for item in mini for text in item.texts]
    recipe = reading_recipe(build_tiny_encoder(tmp_path, texts, vocabulary=vocabulary, hidden=32, layers=1))
    for record in mini:
        passage = Passage.of(record.context, recipe.pieces)
        for answer in (*record.answers, *record.plausible):
            assert answer.start is not None
            found = passage.target(record.context, answer.text, answer.start)
            assert found == _searched(passage, record.context, answer.text, answer.start)


def _searched(passage: Passage, context: str, answer: str, start: int) -> tuple[int, int]:
    """Whole words first, and then the first and longest run of their tokens whose text is the answer."""
    touched = {passage.words[i] for i in range(len(passage)) if passage.starts[i] < start + len(answer)}
    touched -= {passage.words[i] for i in range(len(passage)) if passage.ends[i] <= start} - {
        passage.words[i] for i in range(len(passage)) if passage.ends[i] > start
    }
    inside = [i for i in range(len(passage)) if passage.words[i] in touched]
    for first in inside:
        for last in reversed(inside[inside.index(first) :]):
            if context[passage.starts[first] : passage.ends[last]] == answer:
                return first, last
    return inside[0], inside[-1]


@pytest.mark.parametrize("max_length", [64, 128, 510])
def test_every_answerable_question_has_a_window_with_its_answer(
    mini: list[Question], characters: Path, max_length: int
):
    recipe = reading_recipe(characters, max_length=max_length)
    features = recipe.features(mini, training=True)
    with_answer = {feature.item for feature in features if feature.inputs["end_positions"] > 0}
    assert with_answer == {record.guid for record in mini if record.answers}
    assert max(feature.length for feature in features) <= max_length
    answers = {record.guid: record.answers[0].text for record in mini if record.answers}
    for feature in features:
        first, last = feature.inputs["start_positions"], feature.inputs["end_positions"]
        assert feature.item in with_answer or last == 0
        if last:
            # all of the answer stands in the row, before its last special token
            assert sum(map(len, answers[feature.item].split())) == last - first + 1
            assert feature.detail.ends[0] <= first and last < feature.length - 1


def test_windows_show_all_of_a_passage_whatever_the_lengths(characters: Path):
    encoder = reading_recipe(characters).encoder

    @settings(deadline=None, max_examples=60)
    @given(
        words=st.lists(st.text("가나다 \n", min_size=1, max_size=12), min_size=1, max_size=60),
        question=st.integers(1, 90).map("가".__mul__),
        max_length=st.integers(8, 140),
    )
    def check(words: list[str], question: str, max_length: int):
        recipe = ReadingRecipe(encoder, replace(PUBLISHED["mrc"], max_length=max_length))
        context = " ".join(words) + "가"
        features = recipe.features([asked(context, question=question)], training=False)
        seen: dict[int, str] = {}
        for feature in features:
            assert feature.length <= max_length
            seen |= _characters(recipe, feature)
        assert [seen[place] for place in sorted(seen)] == [letter for letter in context if not letter.isspace()]
        assert sorted(seen) == list(range(len(seen)))
        # and an answer may start with each of them in exactly one window
        assert [i + row.detail.shift for row in features for i in range(*row.detail.starts)] == sorted(seen)

    check()


def _characters(recipe: ReadingRecipe, feature: Feature) -> dict[int, str]:
    """A row's tokens of the passage, by their place there."""
    tokens = recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"])
    return {i + feature.detail.shift: tokens[i].removeprefix("##") for i in range(*feature.detail.ends)}


@pytest.mark.parametrize("max_length", [64, 128, 510])
def test_gold_goes_through_without_loss(mini: list[Question], characters: Path, max_length: int):
    recipe = reading_recipe(characters, max_length=max_length)
    assert gold_scores(recipe, mini) == {"exact_match": 100, "rouge_w": 100}


@pytest.mark.parametrize("max_length", [256, 510])
def test_gold_of_the_real_dev_questions_goes_through_without_loss(upstream: Path, tmp_path: Path, max_length: int):
    records = read_task("mrc", locate(Source.of(upstream), "mrc", "dev"))
    folder = character_encoder(tmp_path, [text for record in records for text in record.texts])
    recipe = reading_recipe(folder, max_length=max_length)
    assert gold_scores(recipe, records) == {"exact_match": 100, "rouge_w": 100}
    assert recipe.notes(records, recipe.features(records, training=False)) == ()


def test_bytes_give_gold_back_but_for_answers_that_become_too_long(mini: list[Question], bytes_: Path):
    recipe = reading_recipe(bytes_)
    rows = recipe.features(mini, training=True)
    # the text of an answer so long is none that the recipe may name
    too_long = {row.item for row in rows if row.inputs["end_positions"] - row.inputs["start_positions"] >= LONGEST}
    assert too_long
    assert gold_scores(recipe, mini)["exact_match"] == pytest.approx(100 * (1 - len(too_long) / len(mini)))


TEXTS = st.lists(
    st.text("가힣한ㄱᄒ\u1161\u11ababZ0.,《》 \u3000\n\t🙂👩\u200d🚀é\u0301\x07", min_size=1, max_size=9),
    min_size=1,
    max_size=20,
).map(" ".join)


@pytest.mark.parametrize("kind", ["characters", "bytes_"])
def test_answers_are_whole_characters_of_the_passage(kind: str, request: pytest.FixtureRequest):
    recipe = reading_recipe(request.getfixturevalue(kind))

    @settings(deadline=None, max_examples=100)
    @given(text=TEXTS.filter(str.strip), data=st.data())
    def check(text: str, data: st.DataObject):
        # when a model points at any tokens of the passage
        record = asked(text)
        (feature,) = recipe.features([record], training=False)
        passage = feature.detail.passage
        first = data.draw(st.integers(0, len(passage) - 1))
        last = data.draw(st.integers(first, len(passage) - 1))
        reading = Reading(0.0, Span(1.0, first - feature.detail.shift, last - feature.detail.shift))
        # then their characters are the answer, and all tokens together give all that is visible
        answer = recipe.predictions([record], [feature], [reading])["q"]["prediction"]
        assert answer and answer in text
        assert passage.text(text, 0, len(passage) - 1) == text.strip()

    check()


def test_a_token_in_the_middle_of_a_character_gives_its_word(bytes_: Path):
    recipe = reading_recipe(bytes_)
    record = asked("a 🙂! b")
    (feature,) = recipe.features([record], training=False)
    place = feature.detail.passage.starts.index(3)  # the second token of the emoji
    assert feature.detail.passage.ends[place] == 3
    reading = Reading(0.0, Span(1.0, place - feature.detail.shift, place - feature.detail.shift))
    assert recipe.predictions([record], [feature], [reading]) == {"q": {"prediction": "🙂!"}}


def test_spans_within_a_word_and_no_answer_become_text(tmp_path: Path):
    recipe = reading_recipe(toy_encoder(tmp_path, ["한", "달", "##가", "##량"]))
    records = [asked("한  달가량", guid=guid) for guid in ("part", "nothing", "impossible")]
    features = recipe.features(records, training=False)
    start, _ = features[0].detail.starts
    readings = [Reading(1.0, Span(1.0, start, start + 1)), Reading(2.0, Span(1.0, start, start)), Reading(0.0, None)]
    assert recipe.predictions(records, features, readings) == {
        "part": {"prediction": "한  달"},
        "nothing": {"prediction": ""},
        "impossible": {"prediction": ""},
    }


def test_what_cannot_be_learned_is_left_out_and_told(characters: Path):
    records = [
        asked("가나 다라", "다라", guid="there"),
        asked("가나 다라", "마바", guid="absent"),
        asked("가나 다라", guid="impossible", question="가" * 70),
    ]
    recipe = reading_recipe(characters)
    features = recipe.features(records, training=True)
    assert [feature.item for feature in features] == ["there", "impossible"]
    assert recipe.notes(records, features) == (
        "1 of 3 questions were left out: their answer is not found in the passage",
        "1 of 2 questions were cut to 64 tokens",
    )
    predicting = recipe.features(records, training=False)
    assert [feature.item for feature in predicting] == ["there", "absent", "impossible"]
    assert recipe.notes(records, predicting)[-1].startswith("1 of 2 answerable questions cannot be answered exactly")


def test_only_the_first_answer_is_learned(characters: Path):
    (feature,) = reading_recipe(characters).features([asked("가나 다라", "다라", "가나")], training=True)
    assert feature.inputs["start_positions"] - feature.detail.ends[0] == 2


def test_a_model_too_short_for_a_question_and_a_passage_is_refused(characters: Path):
    with pytest.raises(RequestError, match="max_length=4 leaves no room"):
        reading_recipe(characters, max_length=4)


@pytest.fixture(scope="module")
def learner(characters: Path) -> ReadingRecipe:
    return reading_recipe(characters, max_length=128)


def test_the_loss_is_the_mean_of_start_and_end(learner: ReadingRecipe, mini: list[Question]):
    batch = learner.collate(learner.features(mini[:3], training=True))
    with torch.no_grad():
        told = learner.build().eval()(**batch)
    expected = [
        torch.nn.functional.cross_entropy(told[f"{side}_logits"], batch[f"{side}_positions"])
        for side in ("start", "end")
    ]
    assert float(told["loss"]) == pytest.approx(float(sum(expected)) / 2)


def told_by(recipe: ReadingRecipe, model: Any, features: Sequence[Feature]) -> list[Reading]:
    """What a model says to the features, as one batch."""
    with torch.no_grad():
        return recipe.outputs(model.eval(), recipe.collate(features))


def test_what_is_said_to_a_row_does_not_depend_on_its_batch(learner: ReadingRecipe, mini: list[Question]):
    model = learner.build()
    short = replace(mini[0], context=mini[0].context[:20])
    features = learner.features([short, *mini[1:3]], training=False)
    assert len({feature.length for feature in features}) > 1
    together = told_by(learner, model, features)
    for feature, reading in zip(features, together, strict=True):
        (alone,) = told_by(learner, model, [feature])
        assert reading.span and alone.span
        assert (reading.span.start, reading.span.end) == (alone.span.start, alone.span.end)
        assert reading.none == pytest.approx(alone.none, abs=1e-5)
        # and the span is one that the row may name
        assert feature.detail.starts[0] <= reading.span.start < feature.detail.starts[1]
        assert reading.span.start <= reading.span.end < min(feature.detail.ends[1], reading.span.start + LONGEST)


def test_a_saved_model_says_the_same(learner: ReadingRecipe, mini: list[Question], tmp_path: Path):
    model = learner.build()
    features = learner.features(mini[:6], training=False)
    learner.save(model, tmp_path)
    learner.encoder.tokenizer.save_pretrained(tmp_path)
    again = reading_recipe(tmp_path, max_length=128)
    assert told_by(again, again.load(tmp_path), features) == told_by(learner, model, features)


def test_the_head_learns_questions_by_heart(tmp_path: Path):
    records = read_task("mrc", locate(MINI, "mrc", "train"))[-32:]
    assert 0 < sum(record.is_impossible for record in records) < 32
    folder = character_encoder(tmp_path, [text for record in records for text in record.texts], hidden=64)
    recipe = reading_recipe(folder, max_length=192)
    scores = overfit(recipe, records, steps=300, lr=3e-3)
    assert scores["exact_match"] >= 95 and scores["rouge_w"] >= 95
