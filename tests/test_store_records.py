"""Whatever a task can hold is written as JSON and read back as it was."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import StoreError
from jatdae.store import records
from jatdae.types import (
    Completion,
    Estimate,
    Generate,
    Message,
    OptionScore,
    Outcome,
    Protocol,
    Result,
    Sample,
    Sampling,
    Score,
    Scores,
    request_json,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(["뷁 ☕ —", "\0", '"\\ud800"'])
lone_surrogates = st.text(st.sampled_from("가a\\\ud83d\udc80"), max_size=6).filter(lambda t: "\ud83d\udc80" not in t)
model_texts = texts | lone_surrogates
numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 10**6)
seeds = st.none() | st.integers()
names = st.text(max_size=5, alphabet="가나abc_")

samplings = st.builds(
    Sampling,
    st.integers(1, 9999),
    st.floats(0, 9),
    st.floats(0, 1, exclude_min=True),
    st.lists(model_texts, max_size=3).map(tuple),
    seeds,
)
messages = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), model_texts)
prompts = model_texts | st.lists(messages, max_size=3).map(tuple)
options = st.lists(model_texts.filter(bool), min_size=1, max_size=4).map(tuple)
requests = st.builds(Score, prompts, options) | st.builds(Generate, prompts, samplings, counts)
option_scores = st.builds(OptionScore, numbers, st.integers(1, 99), st.booleans())
answers = st.builds(Scores, st.lists(option_scores, max_size=4).map(tuple), counts, counts) | st.builds(
    Completion, model_texts, st.sampled_from(["stop", "length"]), counts, counts, counts
)
details = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | model_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(model_texts, inner, max_size=3),
    max_leaves=6,
)
samples = st.builds(
    Sample,
    item=model_texts,
    outcome=st.sampled_from(Outcome),
    prediction=st.none() | model_texts,
    target=texts,
    scores=st.dictionaries(names, numbers, max_size=3),
    group=texts,
    cluster=texts,
    seed=seeds,
    requests=st.lists(names, max_size=3).map(tuple),
    detail=st.dictionaries(model_texts, details, max_size=3),
)
estimates = st.builds(Estimate, numbers, *[st.none() | numbers] * 3, counts, st.none() | counts, texts)
estimate_tables = st.dictionaries(names, estimates, max_size=3)
protocols = st.builds(
    Protocol,
    mode=names,
    seeds=st.lists(st.integers(), min_size=1, max_size=3, unique=True).map(tuple),
    limit=st.none() | st.integers(1, 9999),
    sampling=samplings,
    options=st.dictionaries(names, texts, max_size=2),
)
results = st.builds(
    Result,
    task=names,
    model=texts,
    protocol=protocols,
    fingerprint=names,
    title=texts,
    headline=names,
    estimates=estimate_tables,
    rates=estimate_tables,
    floors=estimate_tables,
    breakdown=st.dictionaries(names, estimate_tables, max_size=2),
    items=counts,
    complete=st.booleans(),
    notes=st.lists(texts, max_size=2).map(tuple),
)


@given(requests)
def test_a_request_comes_back_as_it_was_and_spells_the_same_key(request) -> None:
    again = records.decode_request(records.encode_request(request))

    assert again == request
    assert request_json(again) == request_json(request)


@given(answers)
def test_an_answer_comes_back_as_it_was(answer) -> None:
    text = records.encode_answer(answer)

    assert repr(records.decode_answer(text)) == repr(answer)
    text.encode("utf-8")  # what SQLite keeps


@given(samples)
def test_a_sample_comes_back_as_it_was(sample) -> None:
    assert repr(records.decode_sample(records.encode_sample(sample))) == repr(sample)


@given(protocols)
def test_a_protocol_comes_back_as_it_was(protocol) -> None:
    assert repr(records.decode_protocol(records.encode_protocol(protocol))) == repr(protocol)


@given(results)
def test_a_result_comes_back_as_it_was_with_its_tables_in_order(result) -> None:
    assert repr(records.decode_result(records.encode_result(result))) == repr(result)


@given(numbers)
def test_a_log_likelihood_keeps_every_bit(number: float) -> None:
    again = records.decode_answer(records.encode_answer(Scores((OptionScore(number, 1, True),))))

    assert isinstance(again, Scores)
    assert again.options[0].log_likelihood.hex() == number.hex()


def test_two_surrogates_that_spell_a_character_come_back_as_that_character() -> None:
    again = records.decode_answer(records.encode_answer(Completion("a\ud83d\ude00", "stop")))

    assert again == Completion("a\N{GRINNING FACE}", "stop")


def test_korean_text_stands_in_the_json_as_it_is_written() -> None:
    assert "뷁 ☕ —" in records.encode_answer(Completion("뷁 ☕ —", "stop"))


def test_a_tuple_in_a_detail_comes_back_as_a_list() -> None:
    sample = Sample("q1", Outcome.RIGHT, "A", "A", detail={"options": ("하나", "둘")})

    assert records.decode_sample(records.encode_sample(sample)).detail == {"options": ["하나", "둘"]}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_with_its_place(number: float) -> None:
    sample = Sample("q7", Outcome.RIGHT, "A", "A", scores={"accuracy": number})

    with pytest.raises(StoreError, match="sample 'q7', scores, accuracy is "):
        records.encode_sample(sample)


@pytest.mark.parametrize("detail", [{"raw": b"bytes"}, {"by_index": {0: "A"}}, {"set": {1}}])
def test_a_detail_that_json_cannot_hold_exactly_is_refused(detail: dict) -> None:
    with pytest.raises(StoreError, match="the store keeps"):
        records.encode_sample(Sample("q1", Outcome.RIGHT, "A", "A", detail=detail))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"kind": "Scores", "options": [{}]}', '{"kind": "x"}'])
def test_a_damaged_answer_is_reported_as_such(text: str) -> None:
    with pytest.raises(StoreError, match="a stored answer is damaged"):
        records.decode_answer(text)


@pytest.mark.parametrize("data", [b"", b"not compressed", records.zlib.compress(b"\xff")])
def test_a_damaged_request_is_reported_as_such(data: bytes) -> None:
    with pytest.raises(StoreError, match="a stored request is damaged"):
        records.decode_request(data)


def test_a_record_without_a_field_that_came_later_takes_its_default() -> None:
    raw = json.loads(records.encode_protocol(Protocol("letter", shots=5)))
    del raw["shots_as"]

    assert records.decode_protocol(json.dumps(raw)) == Protocol("letter", shots=5)
