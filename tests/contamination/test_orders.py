"""Order tests: a model that has memorised the order is detected, an innocent one is not."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from scripted import ScriptedBackend, hashed

from jatdae import Store, load_task
from jatdae.benchmarks.multiple_choice import Question
from jatdae.contamination.audit import audit_options
from jatdae.contamination.orders import (
    file_requests,
    file_test,
    order_request,
    order_test,
    shift_requests,
    shift_scores,
    unexchangeable,
    upper_tail,
)
from jatdae.errors import RequestError
from jatdae.evaluate import open_run
from jatdae.runtime import Progress
from jatdae.types import OptionScore, Score, Scores


def question(*options: str, answer: int = 0) -> Question:
    return Question("q", "알맞은 것은?", options, answer)


def knows_the_order(request):
    """Prefers the first of all orders, which is the published one, for most items."""
    guess = hashed(request)
    if isinstance(request, Score) and len(request.options) == 24 and hash_of(request) % 4:
        return Scores((OptionScore(-0.1, 1, False), *guess.options[1:]), 1)
    return guess


def hash_of(request: Score) -> int:
    return sum(map(ord, request.context))


@pytest.mark.parametrize(("hits", "p"), [(70, 2.507e-5), (55, 0.02469)])
def test_the_binomial_tail_has_the_known_digits(hits, p):
    assert upper_tail(hits, [1 / 24] * 1000) == pytest.approx(p, rel=2e-4)


def test_items_with_fewer_options_have_their_own_chance():
    rng = np.random.default_rng(0)
    chances = [1 / 24] * 40 + [1 / 6] * 30
    simulated = (rng.random((40_000, 70)) < chances).sum(axis=1)

    assert upper_tail(12, chances) == pytest.approx((simulated >= 12).mean(), abs=0.01)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("봄", "여름", "가을", "겨울"), None),
        (("10 %", "20 %", "30 %", "40 %"), "options are sorted by number"),
        (("4개", "3개", "2개", "1개"), "options are sorted by number"),
        (("가", "나", "다", "위의 모두"), "an option points at the others"),
        (("ㄱ, ㄴ", "ㄱ, ㄷ", "ㄴ, ㄷ", "ㄱ, ㄴ, ㄷ"), "options combine marks"),
        (("같다", "같다", "다르다", "모른다"), "two options are alike"),
        (tuple("가나다라마"), "more than four options"),
    ],
)
def test_options_that_could_not_stand_in_any_order_are_left_out(options, reason):
    assert unexchangeable(question(*options)) == reason


def test_all_orders_are_asked_the_published_one_first():
    request = order_request(question("가", "나", "다"))

    assert len(set(request.options)) == 6
    assert request.options[0] == "A. 가\nB. 나\nC. 다"


def run_of(store, backend, limit=None):
    with Store.open(store) as opened, open_run(opened, "jatdae audit", Progress(quiet=True)) as run:
        return audit_options(load_task("kmmlu", data="mini", limit=limit), backend, run)


def test_a_model_that_knows_the_order_is_detected_and_an_innocent_one_is_not(tmp_path):
    guilty = run_of(tmp_path / "one", ScriptedBackend(knows_the_order, name="guilty"))
    innocent = run_of(tmp_path / "two", ScriptedBackend(hashed, name="innocent"))

    assert guilty.p < 1e-6
    assert innocent.p > 0.01
    assert guilty.items == innocent.items > 10


def test_nothing_is_asked_twice(tmp_path):
    first, second = (ScriptedBackend(hashed, name="same") for _ in range(2))

    assert run_of(tmp_path, first) == run_of(tmp_path, second)
    assert first.asked
    assert not second.asked


def test_innocent_models_are_accused_no_more_often_than_said():
    rng = np.random.default_rng(7)
    items = [question("가", "나", "다", "라")] * 200
    accused = 0
    for _ in range(300):
        answers = [Scores(tuple(OptionScore(-value, 1, False) for value in rng.random(24) + 1)) for _ in items]
        accused += order_test(items, answers, Counter()).p < 0.05
    assert accused / 300 < 0.09


def test_where_the_order_means_nothing_the_check_is_refused(tmp_path):
    task = load_task("konubench", data="mini")

    with (
        Store.open(tmp_path) as store,
        open_run(store, "jatdae audit", Progress(quiet=True)) as run,
        pytest.raises(RequestError, match="first place"),
    ):
        audit_options(task, ScriptedBackend(), run)


def test_a_memorised_file_is_told_from_a_file_that_is_only_read():
    rows = [f"{at}번째 줄의 글" for at in range(400)]
    requests = file_requests(rows)

    def answers(bonus: float):
        rng = np.random.default_rng(5)
        return [
            [
                Scores((OptionScore(-500 + rng.normal() + (bonus if at == 0 else 0), 9, False),))
                for at in range(len(own))
            ]
            for own in requests
        ]

    known, innocent = file_test(answers(4.0)), file_test(answers(0.0))

    assert (known.shards, len(requests[0])) == (8, 6)
    assert known.p < 1e-4
    assert known.gain > 2
    assert innocent.p > 0.05
    assert file_test(answers(1.0)[:1]) is None


def preferring(request: Score, wanted: str) -> Scores:
    return Scores(tuple(OptionScore(-0.1 if option == wanted else -3.0, 1, False) for option in request.options))


def test_moved_options_are_scored_where_they_went():
    one = question("가", "나", "다", answer=2)
    requests = shift_requests(one)

    def knowing(request: Score) -> Scores:
        right = next(line[0] for line in request.context.splitlines() if line.endswith(". 다"))
        return Scores(
            tuple(OptionScore(-0.1 if option.strip() == right else -3.0, 1, False) for option in request.options)
        )

    def stubborn(request: Score) -> Scores:
        return preferring(request, " C")

    assert shift_scores(one, [knowing(request) for request in requests]) == (1.0, 1.0)
    assert shift_scores(one, [stubborn(request) for request in requests]) == (1.0, 0.0)


@pytest.mark.parametrize("check", ["order", "shuffle"])
def test_the_commands_work_on_a_real_model(check, tiny_model, tmp_path, capsys):
    from jatdae.cli import run_app

    words = ["audit", "contamination", check, "kmmlu", "--data", "mini", "--model", str(tiny_model), "--limit", "2"]
    assert run_app([*words, "--store", str(tmp_path), "--device", "cpu", "--json", "--quiet"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["claim"].startswith("Claim")
    assert 0 <= told["finding"].get("p", 0) <= 1
