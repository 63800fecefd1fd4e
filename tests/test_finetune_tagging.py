"""Tags of characters as tags of tokens and back, for every kind of tokenizer, and the recipe around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_texts import anything
from overfitting import overfit
from tokenizer_kinds import (
    every_kind,
    random_model,
    saved_encoder,
    sentences,
    tokenizer_of,
    trained_wordpiece,
    wordpiece,
)
from transformers import BertConfig, BertModel

from jatdae.benchmarks.klue.labels import ENTITY_TAGS, ENTITY_TYPES
from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.recipes import PUBLISHED
from jatdae.benchmarks.klue.records import TaggedSentence
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import JUDGING, Judged
from jatdae.benchmarks.sources import Source
from jatdae.finetune.alignment import Piece, WordPieces
from jatdae.finetune.encoder import Encoder
from jatdae.finetune.recipe import Feature
from jatdae.finetune.recipes.tagging import TaggingRecipe
from jatdae.finetune.tag_alignment import clean_tags, official_labels, official_tags
from jatdae.models.hf.loading import Source as Checkpoint
from jatdae.models.options import ModelOptions


def _words(text: str) -> list[str]:
    return text.split()


few = settings(max_examples=40, deadline=None)
JAMO = "".join(map(chr, range(0x1100, 0x1200)))
"""The conjoining jamo, which the vocabularies of most models lack."""
OUTSIDE = ENTITY_TAGS.index("O")
EXAMPLE = "경찰은 또 서울역에서 김철수(32)!"
EXAMPLE_TAGS = _words("B-OG I-OG O O O O B-LC I-LC I-LC O O O B-PS I-PS I-PS O B-QT I-QT O O")


def recipe_on(tokenizer: Any, **options: Any) -> TaggingRecipe:
    """The recipe over a tokenizer, for all that needs no weights."""
    config = BertConfig(vocab_size=len(tokenizer))
    encoder = Encoder(Checkpoint("none", None, None), ModelOptions(), config, tokenizer)
    return TaggingRecipe(encoder, replace(PUBLISHED["ner"], **options))


def words_of(tokenizer: Any, sentence: str) -> list[tuple[Piece, ...]]:
    return [WordPieces(tokenizer).split(word) for word in sentence.split(" ")]


def echoed(recipe: TaggingRecipe, records: Sequence[TaggedSentence]) -> dict[str, Any]:
    """What is predicted by a model that gives every token the label it was trained with."""
    features = recipe.features(records, training=True)
    outputs = [np.array([*feature.inputs["labels"], OUTSIDE]) for feature in features]
    return recipe.predictions(records, features, outputs)


def judged(records: Sequence[TaggedSentence], predictions: dict[str, Any]) -> Judged:
    return judge("ner", JUDGING["ner"].units(records), predictions)


def scores(records: Sequence[TaggedSentence], predictions: dict[str, Any]) -> list[tuple[float | None, float | None]]:
    found = judged(records, predictions).scores
    return [(found[name].official, found[name].clean) for name in ("entity_f1", "character_f1")]


@pytest.fixture(scope="module")
def toy() -> Any:
    return wordpiece(_words("경찰 ##은 또 서울 ##역 ##에서 ( 32 ) !"))


def test_the_official_labels_of_a_word_with_an_unknown_token_are_its_first_characters(toy: Any) -> None:
    words = words_of(toy, EXAMPLE)
    tokens = [piece.token for word in words for piece in word]

    labels = official_labels(EXAMPLE, EXAMPLE_TAGS, words, "[UNK]")

    assert tokens == _words("경찰 ##은 또 서울 ##역 ##에서 [UNK] ( 32 ) !")
    assert labels == _words("B-OG O O B-LC I-LC O B-PS B-PS B-PS B-PS B-PS")


def clean_labels(sentence: str, tags: Sequence[str], words: Sequence[Sequence[Piece]]) -> list[str]:
    """A tag for each token: that of the first character which it covers, `O` where it covers none."""
    labels, start = [], 0
    for word, pieces in zip(sentence.split(" "), words, strict=True):
        labels += ["O" if piece.start == piece.end else tags[start + piece.start] for piece in pieces]
        start += len(word) + 1
    return labels


def test_the_clean_labels_follow_offsets(toy: Any) -> None:
    labels = clean_labels(EXAMPLE, EXAMPLE_TAGS, words_of(toy, EXAMPLE))

    assert labels == _words("B-OG O O B-LC I-LC O B-PS O B-QT O O")


def test_training_takes_the_official_labels_and_trains_both_ends(toy: Any) -> None:
    record = TaggedSentence("a", tuple(EXAMPLE), tuple(EXAMPLE_TAGS))

    [feature] = recipe_on(toy).features([record], training=True)

    expected = _words("O B-OG O O B-LC I-LC O B-PS B-PS B-PS B-PS B-PS O")
    assert [ENTITY_TAGS[number] for number in feature.inputs["labels"]] == expected
    assert feature.inputs["input_ids"][0] == toy.cls_token_id
    assert feature.inputs["input_ids"][-1] == toy.sep_token_id


@pytest.mark.parametrize(
    ("sentence", "labels", "official", "clean"),
    [
        ("또 서울역에서", "O B-LC I-LC O", "O O B-LC I-LC I-LC O O O", "O O B-LC I-LC I-LC O O"),
        ("찝찝 서울역에서", "O B-LC I-LC O", "O O O O O B-LC I-LC I-LC O", "O O O B-LC I-LC I-LC O O"),
        (
            "찝! 서울역에서 또",
            "O O B-LC I-LC O O",
            "O O O O O B-LC I-LC I-LC O O",
            "O O O B-LC I-LC I-LC O O O O",
        ),
    ],
)
def test_tokens_tags_become_characters_tags_in_both_ways(
    toy: Any, sentence: str, labels: str, official: str, clean: str
) -> None:
    words = words_of(toy, sentence)

    assert official_tags(sentence, words, labels.split(), ("O", "O"), "[UNK]") == official.split()
    assert clean_tags(sentence, words, labels.split()) == clean.split()


def test_blanks_within_an_entity_belong_to_it_and_others_do_not() -> None:
    sentence, words = "가  나 다", words_of(wordpiece(["가", "나", "다"]), "가  나 다")

    assert clean_tags(sentence, words, ["B-PS", "I-PS", "B-PS"]) == ["B-PS", "I-PS", "I-PS", "I-PS", "O", "B-PS"]
    assert clean_tags(sentence, words, ["B-PS", "I-LC", "I-LC"]) == ["B-PS", "O", "O", "I-LC", "I-LC", "I-LC"]


@every_kind
@few
@given(data=st.data(), sentence=anything)
def test_every_character_gets_exactly_one_tag_whatever_the_model_says(
    kind: str, data: st.DataObject, sentence: str
) -> None:
    recipe = recipe_on(tokenizer_of(kind))
    record = TaggedSentence("a", tuple(sentence), ("O",) * len(sentence))
    [feature] = recipe.features([record], training=False)
    tags = st.integers(0, len(ENTITY_TAGS) - 1)
    output = data.draw(st.lists(tags, min_size=feature.length + 1, max_size=feature.length + 1))

    predicted = recipe.predictions([record], [feature], [np.array(output)])["a"]

    dense = sum(character != " " for character in sentence)
    assert len(predicted["tags"]) == len(sentence)
    assert 2 <= len(predicted["official_tags"]) <= dense + 2
    assert predicted["official_tags"][-1] == ENTITY_TAGS[output[-1]]
    if recipe.before:
        assert predicted["official_tags"][0] == ENTITY_TAGS[output[0]]
        # both readers agree where the official one meets no unknown token
        if not any(
            piece.token == recipe.encoder.tokenizer.unk_token for word in recipe._words(record) for piece in word
        ):
            plain = [tag for tag, character in zip(predicted["tags"], sentence, strict=True) if character != " "]
            assert predicted["official_tags"][1:-1] == plain


@every_kind
@few
@given(data=st.data(), sentence=anything)
def test_tags_whose_borders_are_borders_of_tokens_come_back(kind: str, data: st.DataObject, sentence: str) -> None:
    words = words_of(tokenizer_of(kind), sentence)
    tags = _tags_by_tokens(data, sentence, words)

    labels = clean_labels(sentence, tags, words)

    assert clean_tags(sentence, words, labels) == tags


def _tags_by_tokens(data: st.DataObject, sentence: str, words: Sequence[Sequence[Piece]]) -> list[str]:
    """Tags in which every entity is a run of whole tokens and the blanks between them."""
    tags, before, start = ["O"] * len(sentence), "O", 0
    last = 0
    for word, pieces in zip(sentence.split(" "), words, strict=True):
        for piece in (piece for piece in pieces if piece.end > piece.start):
            kinds = ["O", *(f"B-{kind}" for kind in ENTITY_TYPES), *([f"I-{before[2:]}"] if before != "O" else [])]
            before = data.draw(st.sampled_from(kinds))
            first, end = start + piece.start, start + piece.end
            tags[first:end] = [before] + [before.replace("B-", "I-")] * (end - first - 1)
            if before.startswith("I-"):
                tags[last:first] = [before] * (first - last)
            last = end
        start += len(word) + 1
    return tags


def characters_of(records: Sequence[TaggedSentence], without: str = "") -> Any:
    """A WordPiece tokenizer whose tokens are the records' characters."""
    known = sorted({character for record in records for character in record.text} - set(f" {without}"))
    return wordpiece([*known, *(f"##{character}" for character in known)])


def test_gold_tags_come_back_whole_where_all_characters_are_known() -> None:
    predictions = echoed(recipe_on(characters_of(sentences())), sentences())

    assert scores(sentences(), predictions) == [(100, 100), (100, 100)]
    assert {record.id: list(record.tags) for record in sentences()} == {
        guid: prediction["tags"] for guid, prediction in predictions.items()
    }


def test_an_unknown_token_costs_the_official_reading_more_than_the_clean_one() -> None:
    predictions = echoed(recipe_on(characters_of(sentences(), without="도서")), sentences())

    for official, clean in scores(sentences(), predictions):
        assert official is not None
        assert clean is not None
        assert official < clean < 100


@pytest.fixture(scope="module")
def real(upstream: Path) -> list[TaggedSentence]:
    return read_task("ner", locate(Source.of(str(upstream)), "ner", "dev"))


def test_real_gold_comes_back_whole_where_all_characters_are_known(real: list[TaggedSentence]) -> None:
    predictions = echoed(recipe_on(characters_of(real)), real)

    # two entities start on a blank, whose tag no token has
    assert sum(predictions[record.id]["tags"] != list(record.tags) for record in real) == 2
    for record in real:
        dense = [tag for tag, text in zip(record.tags, record.text, strict=True) if text != " "]
        assert predictions[record.id]["official_tags"] == ["O", *dense, "O"]


def test_real_gold_comes_back_up_to_the_known_ceilings_without_jamo(real: list[TaggedSentence]) -> None:
    predictions = echoed(recipe_on(characters_of(real, without=JAMO)), real)

    found = judged(real, predictions).scores
    by_tag = found["character_f1"].detail["clean"]["f1"]

    assert found["entity_f1"].official == pytest.approx(98.37, abs=0.005)
    assert found["entity_f1"].clean == pytest.approx(99.42, abs=0.005)
    assert found["character_f1"].official == pytest.approx(99.01, abs=0.005)
    # counted over 13 tags with O, where the clean metric leaves O out
    assert np.mean([by_tag[tag] for tag in ENTITY_TAGS]) == pytest.approx(99.71, abs=0.005)


def test_what_is_too_long_is_cut_said_and_predicted_as_outside() -> None:
    record = sentences()[0]
    recipe = recipe_on(trained_wordpiece([record.text]), max_length=8)
    everything = ENTITY_TAGS.index("B-PS")

    [feature] = recipe.features([record], training=True)
    predicted = recipe.predictions([record], [feature], [np.full(9, everything)])[record.id]

    kept = sum(tag == "B-PS" for tag in predicted["tags"])
    assert feature.length == len(feature.inputs["labels"]) == 8
    assert kept == 6
    assert predicted["tags"][-1] == "O"
    assert len(predicted["tags"]) == len(record.text)
    assert len(predicted["official_tags"]) < sum(character != " " for character in record.text) + 2
    assert recipe.notes([record], [feature])[0].startswith("1 of 1 sentences are longer than 8 tokens")
    assert recipe_on(recipe.encoder.tokenizer).notes([record], [Feature("a", {}, (0, 0))]) == ()


def test_a_batch_is_padded_with_what_the_loss_leaves_out() -> None:
    recipe = recipe_on(trained_wordpiece([record.text for record in sentences()]))
    features = sorted(recipe.features(sentences()[:8], training=True), key=lambda feature: feature.length)

    batch = recipe.collate(features)

    assert batch["labels"].shape == batch["input_ids"].shape == (8, features[-1].length)
    assert (batch["labels"] == -100).tolist() == (batch["attention_mask"] == 0).tolist()


def test_words_of_blanks_alone_have_tokens_and_tags() -> None:
    recipe = recipe_on(trained_wordpiece(["가나"]))
    record = TaggedSentence("a", tuple(" 가\u3000 \u200b "), ("O", "B-PS", "I-PS", "O", "O", "O"))

    assert echoed(recipe, [record])["a"]["tags"] == ["O", "B-PS", "I-PS", "O", "O", "O"]


def test_a_tiny_encoder_learns_sentences_by_heart(tmp_path: Path) -> None:
    records, tokenizer = sentences()[:32], characters_of(sentences())
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=128,
    )
    encoder = saved_encoder(tmp_path, random_model(lambda: BertModel(config)), tokenizer)

    found = overfit(TaggingRecipe(encoder, PUBLISHED["ner"]), records, steps=220, lr=2e-3)

    assert found["entity_f1"] >= 95
    assert found["character_f1"] >= 95
