"""KLUE's metrics of named entities, and how tags travel from subwords to characters."""

from __future__ import annotations

import string
import unicodedata
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.klue.labels import ENTITY_TAGS
from jatdae.benchmarks.klue.metrics import (
    character_macro_f1,
    clean_characters,
    cut_gold,
    entities,
    entity_macro_f1,
    merged,
    official_characters,
)
from jatdae.errors import RequestError

EXACT = 1e-9


@pytest.mark.parametrize(
    ("gold", "predicted", "entity", "character"),
    [
        ("O B-PS I-PS I-PS O B-LC I-LC O O", "O B-PS I-PS I-PS O B-LC O O O", 50.0, 91.45299145299145),
        ("O B-PS I-PS O B-LC I-LC O", "O I-PS I-PS O B-LC I-LC O", 50.0, 89.74358974358974),
        ("O B-OG I-OG I-OG O", "O B-OG I-LC I-LC O", 0.0, 84.61538461538461),
        ("O B-PS I-PS O O O", "O B-PS I-PS O B-DT O", 50.0, 91.20879120879121),
        ("O B-DT I-DT B-TI I-TI O", "O B-DT I-DT I-DT I-TI O", 0.0, 89.74358974358974),
        ("O I-QT I-QT O B-PS O", "O B-QT I-QT O B-PS O", 50.0, 89.74358974358974),
    ],
)
def test_both_metrics_equal_the_official_scorer(gold: str, predicted: str, entity: float, character: float) -> None:
    rows = [gold.split()], [predicted.split()]

    assert entity_macro_f1(*rows).official == pytest.approx(entity, abs=EXACT)
    assert character_macro_f1(*rows).official == pytest.approx(character, abs=EXACT)


def test_an_inside_tag_alone_opens_no_entity() -> None:
    score = entity_macro_f1([["B-PS", "I-PS", "O", "B-LC"]], [["I-PS", "I-PS", "O", "B-LC"]])

    assert score.official == pytest.approx(50.0, abs=EXACT)
    assert score.detail["micro"] == pytest.approx(200 / 3, abs=EXACT)
    assert score.detail["scheme"] == "IOB2 strict"


def test_the_official_row_joins_sentences_and_the_clean_one_does_not() -> None:
    score = entity_macro_f1([["O", "B-PS"], ["O", "O"]], [["O", "B-PS"], ["I-PS", "O"]])

    assert (score.official, score.clean) == (0.0, 100.0)
    first, second = ["B-PS", "I-PS", "O", "B-LC", "I-LC"], ["O", "O", "B-PS"]
    longer = entity_macro_f1([first, second], [first, ["I-LC", "O", "B-PS"]])
    assert (longer.official, longer.clean) == (pytest.approx(50, abs=EXACT), 100)
    assert longer.detail["micro"] == pytest.approx(200 / 3, abs=EXACT)


def test_no_entity_at_all_is_undefined() -> None:
    score = entity_macro_f1([["O", "O"]], [["O", "O"]])

    assert (score.official, score.clean, score.reason) == (None, None, "no entity in gold or prediction")


def test_the_clean_character_score_leaves_o_out() -> None:
    gold, predicted = (
        [["O", "B-PS", "I-PS", "I-PS", "O", "B-LC", "I-LC", "O", "O"]],
        [["O", "B-PS", "I-PS", "I-PS", "O", "B-LC", "O", "O", "O"]],
    )

    score = character_macro_f1(gold, predicted)

    assert score.clean == pytest.approx(100 * 11 / 12, abs=EXACT)
    assert score.detail["f1"]["O"] == pytest.approx(800 / 9, abs=EXACT)
    assert len(score.detail["absent"]) == 8


def test_a_missing_sentence_earns_nothing_for_its_o() -> None:
    gold = [["O", "B-PS"], ["O", "O"]]

    lost = character_macro_f1(gold, [["O", "B-PS"], None])
    entity = entity_macro_f1([*gold, ["B-PS"]], [["O", "B-PS"], None, None])

    assert lost.detail["f1"]["O"] == pytest.approx(50, abs=EXACT)
    assert (lost.missing, entity.missing) == (1, 2)
    assert entity.official == pytest.approx(200 / 3, abs=EXACT)
    assert entity_macro_f1(gold, [None, None]).reason == "no valid prediction: 0 of 2 valid"


def test_an_unknown_tag_is_counted_and_finds_nothing() -> None:
    gold, predicted = [["B-PS", "O"]], [["B-PER", "O"]]

    assert (entity_macro_f1(gold, predicted).official, entity_macro_f1(gold, predicted).invalid) == (0, 1)
    assert character_macro_f1(gold, predicted).detail["f1"] == {"B-PS": 0, "O": 100}


def test_rows_have_to_agree_in_length() -> None:
    with pytest.raises(RequestError, match="row 1 of the sentences: 1 predicted tags for 2 in gold"):
        entity_macro_f1([["O"], ["O", "O"]], [["O"], ["O"]])


TAG_ROWS = st.lists(st.sampled_from(ENTITY_TAGS), min_size=1, max_size=12)


@given(st.lists(TAG_ROWS, min_size=1, max_size=5).filter(lambda rows: any(entities(row) for row in rows)))
def test_gold_as_prediction_is_perfect(rows: list[list[str]]) -> None:
    for score in (entity_macro_f1(rows, rows), character_macro_f1(rows, rows)):
        assert (score.official, score.clean) == (100, 100) or "no entity" in score.reason


@given(TAG_ROWS)
def test_entities_are_apart_and_of_one_type(row: list[str]) -> None:
    found = entities(row)

    assert len(found) == sum(tag.startswith("B-") for tag in row)
    for (start, end, kind), after in zip(found, [start for start, _, _ in found[1:]] + [len(row)], strict=False):
        assert row[start] == f"B-{kind}"
        assert row[start + 1 : end] == [f"I-{kind}"] * (end - start - 1)
        assert start < end <= after
        assert end == len(row) or row[end] != f"I-{kind}"


@given(st.lists(st.tuples(TAG_ROWS, TAG_ROWS), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_sentences_matters_for_the_joined_row_alone(
    pairs: list[tuple[list[str], list[str]]], random: object
) -> None:
    cut = [(gold[: len(guess)], guess[: len(gold)]) for gold, guess in pairs]
    shuffled = cut.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    before, after = ([[row for row, _ in order], [row for _, row in order]] for order in (cut, shuffled))

    assert entity_macro_f1(*before).clean == pytest.approx(entity_macro_f1(*after).clean, abs=EXACT)
    assert character_macro_f1(*before).official == pytest.approx(character_macro_f1(*after).official, abs=EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_the_character_score_equals_scikit_learn(seed: int) -> None:
    measure = pytest.importorskip("sklearn.metrics")
    gold, guess = np.random.default_rng(seed).choice(ENTITY_TAGS[4:], (2, 40)).tolist()

    score = character_macro_f1([gold], [guess])

    for value, labels in ((score.official, ENTITY_TAGS), (score.clean, ENTITY_TAGS[:-1])):
        expected = measure.f1_score(gold, guess, labels=list(labels), average="macro", zero_division=1)
        assert value == pytest.approx(100 * expected, abs=EXACT)


# --- from subwords to characters --------------------------------------------------------------------------------------

SEOUL = ["서울", "##역", "##에서"]


@pytest.mark.parametrize(
    ("sentence", "tokens", "tags", "official", "clean"),
    [
        ("또 서울역에서", [["또"], SEOUL], "O B-LC I-LC O", "O O B-LC I-LC I-LC O O O", None),
        (
            "찝찝 서울역에서",
            [["[UNK]"], SEOUL],
            "O B-LC I-LC O",
            "O O O O O B-LC I-LC I-LC O",
            "O O O B-LC I-LC I-LC O O O",
        ),
        (
            "찝! 서울역에서 또",
            [["[UNK]", "!"], SEOUL, ["또"]],
            "O O B-LC I-LC O O",
            "O O O O O B-LC I-LC I-LC O O",
            "O O O B-LC I-LC I-LC O O O O",
        ),
    ],
)
def test_tags_spread_over_characters(
    sentence: str, tokens: list[list[str]], tags: str, official: str, clean: str | None
) -> None:
    padded = ["O", *tags.split(), "O", "O", "O"]

    assert official_characters(sentence, tokens, padded) == official.split()
    assert clean_characters(sentence, tokens, padded) == (clean or official).split()


def test_the_outer_positions_are_the_models_own_in_official_and_o_in_clean() -> None:
    tags = ["B-PS", "O", "O", "I-LC"]

    assert official_characters("또", [["또"]], tags) == ["B-PS", "O", "I-LC"]
    assert clean_characters("또", [["또"]], tags) == ["O", "O", "O"]


def test_a_begin_tag_continues_as_inside() -> None:
    assert clean_characters("서울역", [["서울역"]], ["O", "B-LC", "O"]) == ["O", "B-LC", "I-LC", "I-LC", "O"]
    assert official_characters("찝찝", [["[UNK]"]], ["O", "B-LC", "O"]) == ["O", "B-LC", "I-LC", "O"]


def test_a_known_piece_beside_an_unknown_one_is_one_character_in_official() -> None:
    sentence, tokens = "찝서울 또", [["[UNK]", "##서울"], ["또"]]
    tags = ["O", "O", "B-LC", "O", "O", "O"]

    official = official_characters(sentence, tokens, tags)

    assert official == ["O", "O", "B-LC", "B-LC", "O"]
    assert clean_characters(sentence, tokens, tags) == ["O", "O", "B-LC", "I-LC", "O", "O"]
    assert cut_gold(["O", "B-LC", "I-LC", "O"], official) == ["O", "O", "B-LC", "I-LC", "O"]


def test_a_cut_input_ends_the_official_row_and_gives_o_in_clean() -> None:
    tags = ["O", "B-LC", "I-LC", "O"]  # positions 1 and 2 hold tokens, 3 the end

    official = official_characters("서울역에서", [SEOUL], tags)

    assert official == ["O", "B-LC", "I-LC", "I-LC", "O"]
    assert clean_characters("서울역에서", [SEOUL], tags) == ["O", "B-LC", "I-LC", "I-LC", "O", "O", "O"]


def test_tokens_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RequestError, match="1 lists of tokens for 2 words"):
        official_characters("또 또", [["또"]], ["O", "O", "O"])
    with pytest.raises(RequestError, match="2 predicted characters for 1 in gold"):
        cut_gold(["O"], ["O"] * 4)


# --- the development set ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sentences(upstream: Path) -> list[list[tuple[str, str]]]:
    text = (upstream / "klue" / "klue-ner-v1.1_dev.tsv").read_text(encoding="utf-8")
    blocks = (block.split("\n") for block in text.split("\n\n"))
    rows = ([line for line in block if line and not line.startswith("## ")] for block in blocks)
    return [[(line[0], line[2:]) for line in lines] for lines in rows if lines]


def test_o_everywhere(sentences: list[list[tuple[str, str]]]) -> None:
    gold = [["O", *(tag for sign, tag in row if sign != " "), "O"] for row in sentences]
    nothing = [["O"] * len(row) for row in gold]

    score, entity = character_macro_f1(gold, nothing), entity_macro_f1(gold, nothing)

    assert score.official == pytest.approx(6.770459534404052, abs=EXACT)
    assert score.detail["characters"] == 235_550
    assert (entity.official, entity.clean) == (0, 0)
    assert len(entities(list(chain.from_iterable(gold)))) == 14_255


def stands_alone(sign: str) -> bool:
    return sign in string.punctuation or unicodedata.category(sign)[0] == "P" or "\u4e00" <= sign <= "\u9fff"


def subwords(word: str, *, jamo: bool) -> list[str]:
    """One token a character, as BERT does with such a vocabulary: punctuation and Chinese signs stand alone.

    Where conjoining letters are not in the vocabulary, a piece that holds one is unknown as a whole.
    """
    tokens: list[str] = []
    for piece in "".join(f" {sign} " if stands_alone(sign) else sign for sign in word).split():
        if not jamo and any("\u1100" <= sign <= "\u11ff" for sign in piece):
            tokens.append("[UNK]")
        else:
            tokens += [sign if position == 0 else f"##{sign}" for position, sign in enumerate(piece)]
    return tokens


@pytest.mark.parametrize(
    ("jamo", "official", "clean"), [(True, (100, 100), (100, 100)), (False, (98.37, 99.01), (99.42, 99.71))]
)
def test_gold_subword_tags_come_back(
    sentences: list[list[tuple[str, str]]],
    jamo: bool,
    official: tuple[float, float],
    clean: tuple[float, float],
) -> None:
    truths: dict[str, list[list[str]]] = {"official": [], "clean": []}
    guesses: dict[str, list[list[str]]] = {"official": [], "clean": []}
    for row in sentences:
        sentence = "".join(sign for sign, _ in row)
        gold = [tag for sign, tag in row if sign != " "]
        tokens = [subwords(word, jamo=jamo) for word in sentence.split(" ")]
        first = np.cumsum([0, *(len(word) for word in sentence.split(" "))])
        tags = [
            gold[start + (0 if "[UNK]" in pieces else k)]
            for start, pieces in zip(first, tokens, strict=False)
            for k in range(len(pieces))
        ]
        padded = ["O", *tags, *["O"] * (509 - len(tags))]
        for name, spread in (("official", official_characters), ("clean", clean_characters)):
            guesses[name].append(spread(sentence, tokens, padded))
            truths[name].append(cut_gold(gold, guesses[name][-1]))

    for metric, expected in ((entity_macro_f1, 0), (character_macro_f1, 1)):
        scores = [metric(truths[name], guesses[name]) for name in ("official", "clean")]
        assert scores[0].official == pytest.approx(official[expected], abs=0.005)
        assert scores[1].official == pytest.approx(clean[expected], abs=0.005)
        assert merged(*scores).official == scores[0].official
        assert merged(*scores).clean == scores[1].clean
