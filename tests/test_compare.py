"""Two models on the same items: the difference, its test and its words, from what the store holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap
from scripted import ScriptedBackend, hashed

from jatdae import Store, evaluate
from jatdae.cli import run_app
from jatdae.errors import RequestError
from jatdae.evaluate.comparing import Difference, compare, verdict
from jatdae.stats import holm
from jatdae.types import Answer, OptionScore, Request, Score, Scores


def knowing(share: int) -> Any:
    """A model that prefers the first option, which is right in KoNUBench's cloze, on some items; else it guesses."""

    def script(request: Request) -> Answer:
        guess = hashed(request)
        if not isinstance(request, Score) or not isinstance(guess, Scores) or len(str(request.context)) % 10 >= share:
            return guess
        likely = (OptionScore(-0.001, 1, False), *guess.options[1:])
        return replace(guess, options=likely)

    return script


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for name, share in (("base", 1), ("tuned", 9)):
        for mode, task in (("cloze", "konubench"), ("letter", "kmmlu")):
            evaluate(
                task,
                ScriptedBackend(knowing(share), name=name),
                mode=mode,
                shots=0,
                data="mini",
                store=tmp_path / "store",
            )
    return tmp_path / "store"


def both(store: Path, **choices: Any) -> list[Difference]:
    with Store.open(store) as opened:
        return compare(opened, ["hf:base", "hf:tuned"], **choices)


def scores(store: Path, model: str, task: str, metric: str) -> np.ndarray:
    with Store.open(store) as opened:
        found = next(one for one in opened.results(task=task) if one.model_reference == model)
        return np.array([sample.scores[metric] for sample in opened.samples(found.id)])


def test_a_gain_is_told_with_its_interval_its_test_and_in_words(store: Path) -> None:
    negation, knowledge = both(store)

    first, second = (scores(store, model, "konubench", "acc_norm") for model in ("hf:base", "hf:tuned"))
    assert (negation.first, negation.second) == (first.mean(), second.mean())
    assert negation.difference.value == pytest.approx((second - first).mean())
    assert len(negation.gained) == (second > first).sum()
    assert len(negation.lost) == (second < first).sum()
    assert [negation.corrected_p, knowledge.corrected_p] == holm([negation.p, knowledge.p])
    assert verdict(negation).startswith("hf:tuned is better by ")
    assert {group.group for group in negation.groups} >= {"관형절", "부사절"}


def test_p_and_interval_are_those_of_scipy(store: Path) -> None:
    negation = both(store)[0]

    first, second = (scores(store, model, "konubench", "acc_norm") for model in ("hf:base", "hf:tuned"))
    gained, lost = int((second > first).sum()), int((second < first).sum())
    expected = bootstrap(
        (second - first,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(3)
    )

    assert negation.test == "McNemar, exact"
    assert negation.p == pytest.approx(binomtest(lost, gained + lost).pvalue)
    assert negation.difference.low == pytest.approx(expected.confidence_interval.low, abs=0.03)
    assert negation.difference.high == pytest.approx(expected.confidence_interval.high, abs=0.03)


def test_a_macro_headline_is_compared_as_a_macro(store: Path) -> None:
    knowledge = both(store)[1]

    with Store.open(store) as opened:
        shown = {one.model_reference: one.result for one in opened.results(task="kmmlu")}
    levels = [shown[model].estimates["macro"].value for model in ("hf:base", "hf:tuned")]  # type: ignore[union-attr]
    assert [knowledge.first, knowledge.second] == pytest.approx(levels)
    assert knowledge.difference.value == pytest.approx(levels[1] - levels[0])
    assert all(group.p <= group.corrected_p for group in knowledge.groups)


def test_a_model_differs_in_nothing_from_itself(store: Path) -> None:
    with Store.open(store) as opened:
        [negation, _] = compare(opened, ["hf:base", "hf:base"])

    assert negation.difference.value == 0
    assert negation.p == negation.corrected_p == 1
    assert verdict(negation).startswith("no difference can be told")


def test_questions_that_differ_are_refused_by_the_name_of_what_differs(store: Path) -> None:
    # Given a model that was asked a part of the items only, of which the protocol knows
    evaluate("konubench", ScriptedBackend(name="other"), mode="cloze", shots=0, limit=4, data="mini", store=store)

    with Store.open(store) as opened:
        with pytest.raises(RequestError, match=r"differ in limit; run both in one way, or .* --force"):
            compare(opened, ["hf:base", "hf:other"])
        [forced] = compare(opened, ["hf:base", "hf:other"], force=True)

    assert forced.unlike == ("limit",)
    assert forced.difference.n == 4
    assert forced.missing > 0


def test_names_that_stand_for_nothing_or_for_many_are_refused(store: Path) -> None:
    with Store.open(store) as opened:
        with pytest.raises(RequestError, match="999: nothing finished is stored"):
            compare(opened, ["hf:base", "999"])
        with pytest.raises(RequestError, match=r"hf: stands for 2 models \(hf:base, hf:tuned\)"):
            compare(opened, ["hf:", "hf:base"])


def test_the_command_speaks_on_a_terminal_in_markdown_and_in_json(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["compare", "hf:base", "tuned", "--store", str(store)]

    assert run_app([*names, "--groups"]) == 0
    table = capsys.readouterr().out
    assert "hf:tuned is better by" in table
    assert "by group" in table
    assert run_app([*names, "--format", "md"]) == 0
    assert "| konubench | cloze | 0 | acc\\_norm |" in capsys.readouterr().out
    assert run_app([*names, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["comparisons"][0]
    assert told["verdict"].startswith("hf:tuned is better by")
    assert {"difference", "p", "corrected_p", "detectable", "gained", "lost"} <= told.keys()
    assert run_app(["compare", "hf:base", "--store", str(store)]) == 2
    assert "name two models or runs" in capsys.readouterr().err
