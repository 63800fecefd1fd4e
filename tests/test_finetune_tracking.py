"""The dialogue tracker's recipe: turns to rows, states to targets and back, and whether it can learn."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

import torch
from dialogue_states import KINDS, LITERALS, bert, byte_level_roberta, corpus, dialogue, mini, recipe_on
from hypothesis import given
from hypothesis import strategies as st
from overfitting import predicted_scores
from tokenizer_kinds import every_kind, tokenizer_of

from jatdae.benchmarks.klue.labels import SLOTS
from jatdae.benchmarks.klue.reading import locate, read_task
from jatdae.benchmarks.klue.reading.dialogues import read_ontology
from jatdae.benchmarks.klue.records import Dialogue
from jatdae.benchmarks.klue.scoring.fields import judge
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.benchmarks.sources import Source
from jatdae.errors import ModelError
from jatdae.finetune.dialogue_turns import GATES, LONGEST, Speller, exchanges, readings
from jatdae.finetune.recipe import Feature
from jatdae.finetune.recipes.tracking import TrackingRecipe

SEPARATOR = -1
utterances = st.lists(st.integers(0, 9), max_size=4)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> TrackingRecipe:
    return recipe_on(bert(tmp_path_factory.mktemp("bert"), corpus(mini()), vocabulary=2_000))


@pytest.fixture(scope="module", params=KINDS)
def any_recipe(request: Any, tmp_path_factory: pytest.TempPathFactory) -> TrackingRecipe:
    return recipe_on(KINDS[request.param](tmp_path_factory.mktemp("encoder"), corpus(mini())))


def shown(recipe: TrackingRecipe, feature: Feature) -> list[str]:
    return recipe.encoder.tokenizer.convert_ids_to_tokens(feature.inputs["input_ids"])


def gold_outputs(recipe: TrackingRecipe, records: list[Dialogue]) -> tuple[list[Feature], list[Any]]:
    """Rows, and outputs as of a model that is always right: the targets' own gates and tokens."""
    features = recipe.features(records, training=True)
    pointer = GATES.index("ptr")
    outputs = [
        (gates, {slot: values[slot][:LONGEST] for slot, gate in enumerate(gates) if gate == pointer})
        for gates, values in ((feature.inputs["gates"], feature.inputs["values"]) for feature in features)
    ]
    return features, outputs


def test_a_turn_is_read_after_all_that_was_said_before(recipe: TrackingRecipe) -> None:
    # Given words that are one token each
    first, second, third, fourth, fifth = words = ["공원", "호텔", "지역", "종류", "이름"]
    assert all(len(ids) == 1 for ids in recipe.speller.tokens(words))
    said = dialogue(("user", first, []), ("sys", second), ("user", third, []), ("sys", fourth), ("user", fifth, []))

    # When
    rows = [" ".join(shown(recipe, feature)) for feature in recipe.features([said], training=False)]

    # Then
    assert rows == [
        f"[CLS] [SEP] [SEP] {first} [SEP]",
        f"[CLS] [SEP] {first} [SEP] {second} [SEP] {third} [SEP]",
        f"[CLS] [SEP] {first} [SEP] {second} [SEP] {third} [SEP] {fourth} [SEP] {fifth} [SEP]",
    ]


@given(st.lists(st.tuples(utterances, utterances), min_size=1, max_size=5))
def test_each_turn_continues_what_was_read_before(parts: list[tuple[list[int], list[int]]]) -> None:
    parts = [([], parts[0][1]), *parts[1:]]

    rows = list(readings(parts, SEPARATOR))

    assert rows[0] == [SEPARATOR, SEPARATOR, *parts[0][1]]
    before = [rows[0][1:], *rows[1:]]
    for earlier, row, (system, user) in zip(before, rows[1:], parts[1:], strict=False):
        assert row == [*earlier, SEPARATOR, *system, SEPARATOR, *user]


def test_turns_of_one_side_in_a_row_do_not_shift_the_sides() -> None:
    said = dialogue(("sys", "a"), ("sys", "b"), ("user", "c", []), ("user", "d", []), ("sys", "e"))

    assert exchanges(said) == [("a b", "c"), ("", "d")]


def test_rows_are_named_as_the_turns_that_are_scored(recipe: TrackingRecipe) -> None:
    records = [*mini(), *mini("dev")]

    named = [feature.item for feature in recipe.features(records, training=False)]

    assert named == [unit.id for unit in JUDGING["wos"].units(records)]
    assert named == [feature.item for feature in recipe.features(records, training=True)]


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> TrackingRecipe:
    return recipe_on(bert(tmp_path_factory.mktemp("bert"), corpus(mini()), vocabulary=2_000), max_length=60)


def test_what_is_too_long_loses_its_oldest_tokens(recipe: TrackingRecipe, short: TrackingRecipe) -> None:
    # Given rows that are cut, and the same ones whole
    cut, whole = short.features(mini(), training=False), recipe.features(mini(), training=False)
    assert {feature.length <= 60 for feature in whole} == {True, False}

    # Then
    for feature, entire in zip(cut, whole, strict=True):
        ids, all_ids = feature.inputs["input_ids"], entire.inputs["input_ids"]
        assert ids == (all_ids if len(all_ids) <= 60 else [all_ids[0], *all_ids[-59:]])

    # And it is told of how many
    longer = sum(feature.length > 60 for feature in whole)
    assert short.notes(mini(), cut) == (f"{longer} of {len(cut)} turns are longer than 60 tokens: their start was cut",)


def test_in_training_what_is_too_long_is_left_out(recipe: TrackingRecipe, short: TrackingRecipe) -> None:
    whole = recipe.features(mini(), training=True)

    kept = short.features(mini(), training=True)

    assert [feature.item for feature in kept] == [feature.item for feature in whole if feature.length <= 60]
    missing = len(whole) - len(kept)
    assert missing > 0
    assert short.notes(mini(), kept) == (f"{missing} of {len(whole)} turns are longer than 60 tokens: not trained on",)


def test_a_state_becomes_a_gate_and_tokens_for_every_slot(recipe: TrackingRecipe) -> None:
    # Given a state that grows
    kind, region = ("관광-종류", "공원"), ("관광-지역", "서울 중앙")
    record = dialogue(("user", "공원", [kind]), ("sys", "호텔"), ("user", "서울", [kind, region]))

    # When
    batch = recipe.collate(recipe.features([record], training=True))

    # Then
    chosen = [SLOTS.index(slot) for slot, _ in (kind, region)]
    assert batch["gates"][:, chosen].tolist() == [[2, 0], [2, 2]]
    assert batch["gates"].sum(-1).tolist() == [2, 4]
    tokens = [
        [recipe.encoder.tokenizer.convert_ids_to_tokens(values) for values in row]
        for row in batch["values"][:, chosen].tolist()
    ]
    park, none = ["공원", "[SEP]", "[PAD]"], ["none", "[SEP]", "[PAD]"]
    assert tokens == [[park, none], [park, ["서울", "중앙", "[SEP]"]]]


def test_literal_values_have_gates_of_their_own_and_are_spelled_too(recipe: TrackingRecipe) -> None:
    # Given
    state = [("숙소-주차 가능", "yes"), ("숙소-흡연 가능", "no"), ("숙소-가격대", "dontcare")]

    # When
    inputs = recipe.features([dialogue(("user", "호텔", state))], training=True)[0].inputs

    # Then
    for slot, value in [*state, ("숙소-이름", "none")]:
        place = SLOTS.index(slot)
        assert inputs["gates"][place] == {"none": 0, "dontcare": 1, "yes": 3, "no": 4}[value]
        assert inputs["values"][place] == recipe.speller.spell(value)
        assert inputs["values"][place][-1] == recipe.encoder.tokenizer.sep_token_id


def test_segments_are_all_zero_and_only_where_the_encoder_has_them(any_recipe: TrackingRecipe) -> None:
    batch = any_recipe.collate(any_recipe.features(mini()[:2], training=False))

    assert ("token_type_ids" in batch) == any_recipe.encoder.uses_segments
    if any_recipe.encoder.uses_segments:
        assert not batch["token_type_ids"].any()
    assert set(batch) <= {"input_ids", "attention_mask", "token_type_ids"}


def test_a_state_is_read_from_gates_and_tokens(recipe: TrackingRecipe) -> None:
    # Given a value that ends at its separator, one of two words, and one that is `none`
    gates = [0] * len(SLOTS)
    said = {
        "숙소-이름": "ptr",
        "숙소-지역": "ptr",
        "숙소-종류": "ptr",
        "숙소-흡연 가능": "no",
        "숙소-가격대": "dontcare",
    }
    for slot, gate in said.items():
        gates[SLOTS.index(slot)] = GATES.index(gate)
    spell, rest = recipe.speller.spell, recipe.speller.tokens(["호텔 호텔"])[0]
    spelled = {"숙소-이름": [*spell("18:30"), *rest], "숙소-지역": spell("서울 중앙"), "숙소-종류": spell("none")}

    # When
    state = recipe.speller.state(gates, {SLOTS.index(slot): tokens for slot, tokens in spelled.items()})

    # Then
    assert state == ["숙소-가격대-dontcare", "숙소-이름-18:30", "숙소-지역-서울 중앙", "숙소-흡연 가능-no"]


@pytest.mark.parametrize("end", ["[UNK]", "[PAD]", "[CLS]", "[MASK]"])
def test_any_special_token_ends_a_value(recipe: TrackingRecipe, end: str) -> None:
    token = recipe.encoder.tokenizer.convert_tokens_to_ids(end)
    before, after = recipe.speller.tokens(["서울", "중앙"])

    assert recipe.speller.read([*before, token, *after]) == "서울"


def test_gold_goes_through_and_scores_100(any_recipe: TrackingRecipe) -> None:
    records = mini()
    features, outputs = gold_outputs(any_recipe, records)

    predictions = any_recipe.predictions(records, features, outputs)

    scores = judge("wos", JUDGING["wos"].units(records), predictions).scores
    assert {name: score.official for name, score in scores.items()} == {"joint_goal_accuracy": 100, "slot_f1": 100}
    assert any_recipe.notes(records, features) == ()


@given(st.lists(st.sampled_from(sorted({word for text in corpus(mini()) for word in text.split()})), min_size=1))
def test_bytes_spell_any_words(words: list[str]) -> None:
    speller = byte_speller()
    value = " ".join(words)

    assert speller.read(speller.spell(value)) == value


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "So"], exclude_characters="#"), min_size=1))
def test_bytes_spell_any_characters(value: str) -> None:
    assert byte_speller().read(byte_speller().spell(value)) == value


BYTES: list[Speller] = []


def byte_speller() -> Speller:
    return BYTES[0]


@pytest.fixture(scope="module", autouse=True)
def _bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    encoder = byte_level_roberta(tmp_path_factory.mktemp("bytes"), corpus(mini()))
    BYTES.append(Speller.of(encoder.tokenizer, encoder.name))


def test_a_value_copied_from_within_a_sentence_has_no_blank_before_it() -> None:
    speller = byte_speller()
    alone, within = speller.tokens(["공원", " 공원"])

    assert alone != within
    assert speller.read(alone) == speller.read(within) == "공원"


@every_kind
def test_every_tokenizer_gives_rows_targets_and_states(kind: str, recipe: TrackingRecipe) -> None:
    # Given
    tokenizer = tokenizer_of(kind)
    given_recipe = recipe_on(replace(recipe.encoder, tokenizer=tokenizer))

    # When
    features, outputs = gold_outputs(given_recipe, mini()[:2])
    predictions = given_recipe.predictions(mini()[:2], features, outputs)

    # Then every row holds its separators, every target ends, and every state with a gate is read
    for feature in features:
        ids = feature.inputs["input_ids"]
        number = int(feature.item.rpartition("-")[2])
        assert (ids[0], ids[-1]) == (tokenizer.cls_token_id, tokenizer.sep_token_id)
        assert ids.count(tokenizer.sep_token_id) == (3 if number == 0 else 2 * number + 2)
        assert all(value[-1] == tokenizer.sep_token_id for value in feature.inputs["values"])
        literal = [item for item in predictions[feature.item]["prediction"] if item.endswith(("-yes", "-no"))]
        assert len(literal) == sum(gate in (3, 4) for gate in feature.inputs["gates"])


def test_a_tokenizer_without_separators_is_refused(recipe: TrackingRecipe) -> None:
    class Bare:
        cls_token_id = sep_token_id = None

    with pytest.raises(ModelError, match="no classification and separator tokens"):
        recipe_on(replace(recipe.encoder, tokenizer=Bare()))


def test_values_that_cannot_be_read_back_are_told(recipe: TrackingRecipe) -> None:
    # Given brackets, which WordPiece sets apart, a value of too many tokens, and turns without either
    lost = ("관광-이름", "공원 (서울)")
    long = ("숙소-이름", " ".join(["호텔"] * (LONGEST + 1)))
    fine = ("식당-지역", "서울 중앙")
    record = dialogue(("user", "a", [fine]), ("user", "b", [fine, lost]), ("user", "c", [fine, lost, long]))

    # When
    notes = recipe.notes([record], recipe.features([record], training=False))

    # Then
    assert notes == (
        f"3 of 6 gold values cannot be spelled by this tokenizer in {LONGEST} tokens and read back: "
        "joint goal accuracy is at most 33.33",
    )


def test_real_values_are_read_back_but_for_signs_that_wordpiece_sets_apart(upstream: Path, tmp_path: Path) -> None:
    # Given the release's ontology and a tokenizer that knows its characters
    folder = upstream / "klue"
    ontology = read_ontology(folder / "ontology.json")
    records = read_task("wos", locate(Source(folder), "wos", "dev"))
    values = [value for candidates in ontology.values() for value in candidates]
    recipe = recipe_on(bert(tmp_path, [*corpus(records), *values], vocabulary=8_000))

    # When
    lost = {value for value in values if not recipe.speller.is_readable(value)}

    # Then the share that is lost is small, and each has a sign
    assert lost
    assert all(re.search(r"[^\w ]", value) or len(recipe.speller.spell(value)) > LONGEST for value in lost)
    share = 1 - sum(value in lost for value in values) / len(values)
    print(f"{100 * share:.2f} % of {len(values)} candidates are read back")
    assert share > 0.99

    # And gold states reach what the notes say that they can
    features, outputs = gold_outputs(recipe, records)
    predictions = recipe.predictions(records, features, outputs)
    units = JUDGING["wos"].units(records)
    scored = [unit for unit in units if unit.id in predictions]
    accuracy = judge("wos", scored, predictions).scores["joint_goal_accuracy"].official
    whole = sum(all(recipe.speller.is_readable(item.split("-", 2)[2]) for item in unit.gold) for unit in scored)
    assert accuracy == pytest.approx(100 * whole / len(scored))


def learned(recipe: TrackingRecipe, records: list[Dialogue], *, seed: int, target: float) -> tuple[Any, int]:
    """The first scores at which all metrics reach the target, or the last; and after how many steps.

    A tracker's attention decides of gate and first token at once, and in a tiny encoder may settle on a token that
    serves one of them only: hence much noise first, and little memory of the first gradients.
    """
    torch.manual_seed(seed)
    features = recipe.features(records, training=True)
    model = recipe.build().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=8e-3, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 20) * (0.3 if step >= 299 else 1)
    )
    order: list[int] = []
    scores, step = {}, 0
    for step in range(1, 801):
        order = order if len(order) >= 8 else torch.randperm(len(features)).tolist()
        chosen, order = order[:8], order[8:]
        loss = model(**recipe.collate([features[place] for place in chosen]))["loss"]
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            scores = {name: score.official for name, score in predicted_scores(recipe, model, records).items()}
            if min(scores.values()) >= target:
                break
            model.train()
    return scores, step


def test_it_learns_its_training_turns_by_heart(tmp_path: Path) -> None:
    # Given 33 turns: the first three of eleven dialogues
    records = [replace(record, turns=record.turns[:5]) for record in [*mini(), *mini("dev")][:11]]
    recipe = recipe_on(bert(tmp_path, corpus(records), hidden=64, vocabulary=1_500))
    assert sum(len(record.user_turns) for record in records) >= 32

    # When it is trained, from a second start if the first one gets stuck
    for seed in (0, 5):
        start = time.process_time()
        scores, steps = learned(recipe, records, seed=seed, target=95)
        print(f"{scores} after {steps} steps, {time.process_time() - start:.0f} s")
        if min(scores.values()) >= 95:
            break

    # Then
    assert set(scores) == {"joint_goal_accuracy", "slot_f1"}
    assert min(scores.values()) >= 95


def test_what_is_said_of_a_row_is_small(any_recipe: TrackingRecipe) -> None:
    # Given
    torch.manual_seed(1)
    model = any_recipe.build().eval()
    features = any_recipe.features(mini()[:2], training=True)

    # When
    with torch.no_grad():
        outputs = any_recipe.outputs(model, any_recipe.collate(features))

    # Then gates as numbers, and tokens for exactly the slots that point at a value
    assert len(outputs) == len(features)
    for gates, spelled in outputs:
        assert Counter(gates)[GATES.index("ptr")] == len(spelled)
        assert all(gates[slot] == GATES.index("ptr") and len(tokens) == LONGEST for slot, tokens in spelled.items())
    items = [item for told in any_recipe.predictions([], features, outputs).values() for item in told["prediction"]]
    assert not any(item.endswith("-none") for item in items)


def test_literals_are_those_of_the_gate() -> None:
    assert set(GATES) == {*LITERALS, "ptr"}
