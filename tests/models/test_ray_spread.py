"""Spreading requests over actors: how many, with what, in which portions."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import ModelError, RequestError, RequestFailed, TransientFailure
from jatdae.models.base import parse_reference
from jatdae.models.ray.spread import MOST_SCORES, MOST_TEXTS, Spread, portions, read_spread, settled
from jatdae.types import Generate, Score

texts = st.text("가나다라 .", max_size=6)
requests = st.lists(
    st.one_of(texts.map(lambda text: Score(text, (" 예", " 아니오"))), texts.map(Generate)), max_size=80
)


@given(requests, st.integers(1, 9))
def test_every_request_is_in_one_portion(asked, actors):
    found = portions(asked, actors)

    assert sorted(index for portion in found for index in portion) == list(range(len(asked)))
    assert all(portion for portion in found)


@given(requests, st.integers(1, 9))
def test_texts_and_scores_do_not_travel_together_and_portions_stay_small(asked, actors):
    for portion in portions(asked, actors):
        kinds = {type(asked[index]) for index in portion}

        assert len(kinds) == 1
        assert len(portion) <= (MOST_SCORES if kinds == {Score} else MOST_TEXTS)


def test_neighbours_share_their_beginning():
    asked = [Score(f"{'가나'[n % 2]} 지문 {n:03}", (" 예",)) for n in range(64)]

    first = portions(asked, 1)[0]

    assert {asked[index].context[0] for index in first} == {"가"}


@pytest.mark.parametrize(
    ("wish", "nodes", "expected"),
    [
        (Spread(), [{"GPU": 8, "CPU": 64}, {"GPU": 4, "CPU": 32}], Spread(12, 1, 1)),
        (Spread(), [{"CPU": 4}, {"CPU": 8}], Spread(3, 0, 4)),
        (Spread(actors=2), [{"GPU": 8, "CPU": 64}], Spread(2, 1, 1)),
        (Spread(actors=50, cpus=2, gpus=0), [{"CPU": 4}], Spread(2, 0, 2)),
        (Spread(gpus=0.5), [{"GPU": 1, "CPU": 8}], Spread(2, 0.5, 1)),
    ],
)
def test_the_cluster_decides_what_nobody_asked_for(wish, nodes, expected):
    assert settled(wish, nodes) == expected


def test_a_cluster_without_room_for_one_actor_is_refused_at_once():
    with pytest.raises(ModelError, match="2 GPUs"):
        settled(Spread(gpus=2), [{"CPU": 4}])


@pytest.mark.parametrize(
    "option", [("actor", "2"), ("actors", "zwei"), ("actors", "0"), ("gpus", "-1"), ("actors", "1.5")]
)
def test_an_option_that_cannot_be_is_refused(option):
    with pytest.raises(RequestError):
        read_spread([option])


def test_options_are_read():
    assert read_spread([("actors", "3"), ("gpus", "0.5")]) == Spread(3, 0.5, None)


@pytest.mark.parametrize(
    ("text", "shown"), [("ray:hf:./model", "ray:hf:./model"), ("ray:org/name@main", "ray:hf:org/name@main")]
)
def test_a_spread_model_is_named_by_the_model_inside(text, shown):
    assert str(parse_reference(text)) == shown
    assert parse_reference(str(parse_reference(text))) == parse_reference(text)


@pytest.mark.parametrize("text", ["ray:", "ray:openai:gpt", "ray:ray:hf:x"])
def test_only_a_local_model_is_spread(text):
    with pytest.raises(RequestError):
        parse_reference(text)


@pytest.mark.parametrize(
    "error", [RequestFailed("zu lang", kind="overlong"), TransientFailure("weg", kind="connection")]
)
def test_a_failure_travels_between_processes(error):
    back = pickle.loads(pickle.dumps(error))

    assert (type(back), str(back), back.kind) == (type(error), str(error), error.kind)
