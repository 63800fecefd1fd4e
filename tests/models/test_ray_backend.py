"""Answers from actors are those of a local run, also where a machine is lost in the middle."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

from sleeping_model import SleepingModel, reply

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.base import parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions
from jatdae.models.ray import RayBackend
from jatdae.models.ray.spread import Spread
from jatdae.types import Generate, Score

ASKED = [Score(f"문맥 {n}", (" 예", " 아니오")) for n in range(40)] + [Generate(f"질문 {n}") for n in range(40)]


def collected(backend, requests):
    return {index: answer for part in backend.answer(requests) for index, answer in part}


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator:
    """Two nodes on this machine, each with processes of its own."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Workers must find the module of the sleeping model.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.second = nodes.add_node(num_cpus=1)  # pyright: ignore[reportAttributeAccessIssue]
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture
def opened() -> Iterator:
    made: list[RayBackend] = []

    def spread(make, **wish):
        backend = RayBackend(make(), make, Spread(**({"gpus": 0, "cpus": 1} | wish)))
        made.append(backend)
        return backend

    yield spread
    for backend in made:
        backend.close()


def test_answers_are_those_of_a_local_run(opened):
    backend = opened(SleepingModel)

    found = collected(backend, ASKED)

    assert found == {index: reply(request) for index, request in enumerate(ASKED)}
    assert backend.identity == SleepingModel().identity
    assert backend.settings == {"backend": "ray", "actors": "2"}
    assert backend.notes == ["it slept"]


def test_both_nodes_take_part(opened, tmp_path):
    log = tmp_path / "log"

    backend = opened(partial(SleepingModel, 0.02, log))
    _ = backend.identity
    while not all(actor.ready for actor in backend._actors):
        backend._await_any()

    collected(backend, ASKED)

    assert len(set(log.read_text().split())) == 2


def test_a_refused_request_fails_alone(opened):
    found = collected(opened(SleepingModel), [Generate("질문"), Generate("refuse")])

    assert found[0] == reply(Generate("질문"))
    assert isinstance(found[1], RequestFailed)
    assert found[1].kind == "overlong"


def test_a_caller_that_stops_leaves_the_actors_usable(opened):
    backend = opened(partial(SleepingModel, 0.01))

    parts = backend.answer(ASKED)
    next(parts)
    parts.close()

    assert collected(backend, ASKED[:9]) == {index: reply(request) for index, request in enumerate(ASKED[:9])}


def test_a_model_that_does_not_open_is_told_in_its_own_words(opened):
    def broken():
        if ray.get_runtime_context().get_actor_id() is None:
            return SleepingModel()
        raise ModelError("no such checkpoint")

    with pytest.raises(ModelError, match="no such checkpoint"):
        opened(broken).identity  # noqa: B018 - asking for it starts the actors


def test_nodes_with_different_weights_are_refused(opened, tmp_path):
    def differs():
        seen = tmp_path / "seen"
        with seen.open("a") as file:
            file.write("x")
        return SleepingModel(name=f"weights {len(seen.read_text())}")

    backend = opened(differs)
    with pytest.raises(ModelError, match="different files"):
        collected(backend, ASKED)
        time.sleep(1)
        collected(backend, ASKED)


def test_a_real_model_scores_as_it_does_here(tiny_model):
    here = open_backend(parse_reference(str(tiny_model)), ModelOptions(device="cpu"))
    options = ModelOptions(device="cpu", backend_options=(("actors", "1"),))
    there = open_backend(parse_reference(f"ray:hf:{tiny_model}"), options)
    asked = [Score(f"{n}번 문항의 답은", (" 가", " 나다")) for n in range(12)]

    expected, found = collected(here, asked), collected(there, asked)
    there.close()

    assert there.identity == here.identity
    for index, scores in expected.items():
        numbers = [option.log_likelihood for option in found[index].options]
        assert numbers == pytest.approx([option.log_likelihood for option in scores.options], rel=1e-5)


def test_the_work_of_a_lost_machine_is_done_by_others(opened, cluster, tmp_path):
    """The last test: it takes a node away for good."""
    log = tmp_path / "log"
    backend = opened(partial(SleepingModel, 0.05, log))
    _ = backend.identity
    while not all(actor.ready for actor in backend._actors):
        backend._await_any()
    found, killed = {}, False

    for part in backend.answer(ASKED):
        found |= dict(part)
        if not killed and len(set(log.read_text().split())) == 2:
            cluster.remove_node(cluster.second, allow_graceful=False)
            killed = True

    assert killed
    assert found == {index: reply(request) for index, request in enumerate(ASKED)}
    assert any("lost" in note for note in backend.notes)
