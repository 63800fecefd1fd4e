"""Sets of what models wrote to a task: from the store's own requests and answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jatdae.app.annotation.creating import Wanted, create_from_task
from jatdae.app.annotation.exporting import apply_set, export_set
from jatdae.app.annotation.rating import Rating
from jatdae.cli import run_app
from jatdae.errors import RequestError
from jatdae.models.base import ModelIdentity
from jatdae.store import Store, request_key
from jatdae.store.annotations import Annotations
from jatdae.types import (
    Completion,
    Generate,
    Message,
    OptionScore,
    Outcome,
    Protocol,
    Request,
    Sample,
    Score,
    Scores,
)

MODELS = [ModelIdentity("hf:models/가람-7B", {"weights": "a"}), ModelIdentity("openai:naru-2", {"weights": "b"})]


def add_result(store: Store, model: ModelIdentity, mode: str, count: int = 3) -> int:
    """A result whose items were asked in a mode: `direct` is written, `letter` is scored."""
    store.remember_model(model)
    run = store.start_run("jatdae run kmmlu", {}, {})
    result = store.start_result(
        run,
        task="kmmlu",
        model_key=model.key,
        mode=mode,
        protocol=Protocol(mode),
        fingerprint=mode,
        data_hash="d",
        task_version="1",
    )
    for number in range(count):
        request: Request
        if mode == "direct":
            request = Generate((Message("system", "짧게 답하세요."), Message("user", f"{number}번 문제")))
            answer = Completion(f"저는 {model.reference}입니다. 답은 {number}입니다.", "stop")
        else:
            request, answer = Score(f"{number}번 문제", (" A", " B")), Scores((OptionScore(-1.0, 1, True),) * 2)
        key = request_key(model.key, request)
        store.remember(model.key, [(key, request, answer)])
        store.add_samples(result, [Sample(f"i{number}", Outcome.RIGHT, "A", "A", group="법", requests=(key,))])
    return run


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "store") as opened:
        for model in MODELS:
            add_result(opened, model, "direct")
        add_result(opened, MODELS[0], "letter")
        yield opened


def test_pairs_of_two_models_show_the_question_and_hide_the_names(store: Store, tmp_path: Path) -> None:
    # The newest result of the first model holds likelihoods, so the one before it is taken.
    made = create_from_task(store, Wanted("법", "pairs", None, 1), "kmmlu", ["가람", "naru"])

    tables = Annotations(store)
    bodies = [tables.body(made.id, unit) for unit in tables.unit_names(made.id)]
    shown = json.dumps(bodies, ensure_ascii=False)
    assert len(bodies) == 3
    assert "[질문]\\n0번 문제" in shown and "[지시]\\n짧게 답하세요." in shown and "답은 2입니다." in shown
    assert "가람" not in shown and "naru" not in shown
    rating = Rating(tables, made, "김서연")
    for unit in rating.order:
        rating.say(unit, {"choice": "left", "comment": ""})
    assert export_set(store, "법", tmp_path / "짝.jsonl") == 3
    rows = [json.loads(line) for line in (tmp_path / "짝.jsonl").read_text("utf-8").splitlines()]
    assert {row["model_a"] for row in rows} == {"hf:models/가람-7B"}
    assert all(row["preference"] == row["left"] for row in rows)
    with pytest.raises(RequestError, match="use: export"):
        apply_set(store, "법")


def test_scores_have_one_criterion_where_nobody_names_any(store: Store) -> None:
    made = create_from_task(store, Wanted("하나", "rubric", 2, 1), "kmmlu", ["naru"])
    own = create_from_task(
        store, Wanted("둘", "rubric", 2, 1, ("정확성: 답이 맞는지 봅니다.", "유창성")), "kmmlu", ["naru"]
    )

    tables = Annotations(store)
    names = [
        [(one["name"], one["description"]) for one in tables.body(kind.id, tables.unit_names(kind.id)[0])["criteria"]]
        for kind in (made, own)
    ]
    assert [name for name, _ in names[0]] == ["전반적인 품질"]
    assert names[1] == [("정확성", "답이 맞는지 봅니다."), ("유창성", "")]


def test_what_cannot_be_rated_is_told(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    letters = max(one.run_id for one in store.results())
    folder = str(store.file.parent)
    for words, told in (
        (["--model", "가람", "--run", str(letters)], "likelihoods cannot be read"),
        (["--model", "다온"], "no result of kmmlu by a model like '다온'"),
        (["--model", "e"], "fits several models"),
        (["--model", "naru", "--criteria", ":설명"], "write a name, or NAME: DESCRIPTION"),
        ([], "--task needs --model"),
    ):
        create = ["annotate", "create", "x", "--kind", "rubric", "--task", "kmmlu", "--store", folder]
        assert run_app([*create, *words]) == 2
        assert told in capsys.readouterr().err
    with pytest.raises(RequestError, match="pairs need two models"):
        create_from_task(store, Wanted("x", "pairs", None, 1), "kmmlu", ["naru"])
    assert Annotations(store).sets() == []
