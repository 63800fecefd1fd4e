"""Anchors that are held at an earlier fit until the games say otherwise; and who is checked before a stage."""

from __future__ import annotations

import json

import pytest
from mun_runs import FIRST, SECOND, MunRun

from jatdae.cli import run_app
from jatdae.errors import RequestError

ANCHORS = [FIRST, SECOND]


def _with_lock(run: MunRun, values: list[float]) -> MunRun:
    """Both anchors play each other; an earlier fit, without the third model, put them at these values."""
    anchored = run.changed(pairwise={"anchors": ANCHORS})
    assert anchored.stages() == ([], [])
    file = anchored.results / "anchors.lock.json"
    lock = json.loads(file.read_text(encoding="utf-8"))
    lock |= {"models": ANCHORS, "anchors": dict(zip(ANCHORS, values, strict=True))}
    file.write_text(json.dumps(lock, ensure_ascii=False), encoding="utf-8")
    return anchored


def _ratings(run: MunRun) -> dict:
    return json.loads((run.results / "ratings.json").read_text(encoding="utf-8"))


def test_anchors_that_stand_as_they_stood_are_held(run: MunRun):
    fitted = run.changed(pairwise={"anchors": ANCHORS})
    fitted.stages()
    values = [_ratings(fitted)["headline"][name] for name in ANCHORS]

    held = _with_lock(run, values)
    held.stages("elo")

    assert _ratings(held)["mode"] == "locked"
    assert [_ratings(held)["headline"][name] for name in ANCHORS] == pytest.approx(values)


def test_anchors_that_have_drifted_are_fitted_anew_and_the_ratings_say_so(run: MunRun):
    drifted = _with_lock(run, [400.0, 2000.0])

    drifted.stages("elo")

    found = _ratings(drifted)
    assert found["mode"] == "mean_pin"
    assert any("drifted" in note for note in found["notes"])
    assert sum(found["headline"][name] for name in ANCHORS) / 2 == pytest.approx(1200)


def test_drifted_anchors_are_not_held_even_when_asked_for(run: MunRun):
    drifted = _with_lock(run, [400.0, 2000.0]).changed(pairwise={"anchors": ANCHORS}, ratings={"anchor_mode": "locked"})

    with pytest.raises(RequestError, match="drifted"):
        drifted.stages("elo")


def test_a_stage_is_not_kept_from_running_by_what_another_one_lacks(run: MunRun, monkeypatch, capsys):
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    settings = run.changed(judges=["openrouter/openai/gpt-5"]).write()

    assert run_app(["munbench", "generate", "-c", str(settings), "--quiet"]) == 0
    assert run_app(["munbench", "judge", "--mode", "rubric", "-c", str(settings), "--quiet"]) == 3
    assert "OPENROUTER_API_KEY" in capsys.readouterr().err
