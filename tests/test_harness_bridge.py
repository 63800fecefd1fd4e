"""Tasks of lm-evaluation-harness on our engine: its own numbers, our samples, nothing asked twice."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from tiny_model import SENTENCES, build_tiny_model

from jatdae import Store
from jatdae.cli import run_app
from jatdae.errors import RequestError
from jatdae.evaluate.harness.language_model import generation
from jatdae.types import Sampling

TASKS = ("own_choice", "own_text", "own_perplexity")
FILES = {
    "own_choice": """
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: "{{answer}}"
metric_list: [{metric: acc}, {metric: acc_norm}]
""",
    "own_text": """
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{text}}"
generation_kwargs: {until: ["\\n", "."], max_gen_toks: 10}
metric_list: [{metric: exact_match}]
""",
    "own_perplexity": """
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{text}}"
metric_list: [{metric: byte_perplexity}]
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three task files in the harness's format, their data, and a small model."""
    root = tmp_path_factory.mktemp("harness")
    draw = random.Random(1)
    documents = []
    for number in range(24):
        choices = draw.sample(SENTENCES, 4)
        fields = {"question": f"{choices[0][:6]} 다음은?", "choices": choices, "answer": number % 4, "text": choices[1]}
        documents.append(json.dumps(fields, ensure_ascii=False))
    (root / "items.jsonl").write_text("\n".join(documents), encoding="utf-8")
    source = f"dataset_path: json\ndataset_kwargs: {{data_files: {{test: {root}/items.jsonl}}}}\ntest_split: test\n"
    for name, rest in FILES.items():
        (root / f"{name}.yaml").write_text(
            f"task: {name}\n{source}{rest}metadata: {{version: 3.0}}\n", encoding="utf-8"
        )
    build_tiny_model(root / "model", bos=False)
    return root


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    """What the harness says of the same model by its own means."""
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    model = HFLM(pretrained=str(folder / "model"), device="cpu", dtype="float32")
    return simple_evaluate(model=model, tasks=list(TASKS), task_manager=TaskManager(include_path=str(folder)))


def run(folder: Path, store: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    words = ["lm-eval", "--model", f"hf:{folder}/model", "--tasks", ",".join(TASKS), "--include_path", str(folder)]
    assert run_app([*words, "--store", str(store), "--offline", "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)["results"]


def test_every_kind_of_task_gets_the_number_of_the_harness(
    folder: Path, expected: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = {result["task"]: result["estimates"] for result in run(folder, tmp_path, capsys)}

    rows = expected["results"]
    for metric in ("acc", "acc_norm"):
        ours, theirs = results["lm-eval/own_choice"][metric], rows["own_choice"]
        assert ours["value"] == theirs[f"{metric},none"]
        assert ours["stderr"] == pytest.approx(theirs[f"{metric}_stderr,none"])
    assert results["lm-eval/own_text"]["exact_match"]["value"] == rows["own_text"]["exact_match,none"]
    perplexity = results["lm-eval/own_perplexity"]["byte_perplexity"]
    assert perplexity["value"] == pytest.approx(rows["own_perplexity"]["byte_perplexity,none"], rel=1e-6)


def test_samples_lead_to_what_was_asked_and_a_second_run_asks_nothing(
    folder: Path, expected: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(folder, tmp_path, capsys)
    with Store.open(tmp_path) as store:
        answers = store.counts()
        [choice] = store.results(task="lm-eval/own_choice")
        samples = list(store.samples(choice.id))
        request, answer = store.exchange(samples[0].requests[1]) or pytest.fail("the answer is not stored")

    second = run(folder, tmp_path, capsys)

    assert [row["estimates"] for row in second] == [row["estimates"] for row in first]
    with Store.open(tmp_path) as store:
        assert store.counts()["responses"] == answers["responses"]
    logged = expected["samples"]["own_choice"]
    assert {sample.item: sample.scores["acc"] for sample in samples} == {
        str(row["doc_id"]): row["acc"] for row in logged
    }
    assert (request.context, *request.options) == tuple(logged[0]["arguments"][1])  # type: ignore[union-attr]
    assert answer.options[0].log_likelihood == pytest.approx(float(logged[0]["resps"][1][0][0]), rel=1e-4)  # type: ignore[union-attr]


def test_two_results_of_the_harness_are_compared_as_pairs(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(folder, tmp_path, capsys, "--limit", "8")
    build_tiny_model(tmp_path / "other", bos=False, seed=11)
    words = ["lm-eval", "--model", f"hf:{tmp_path}/other", "--tasks", "own_choice", "--include_path", str(folder)]
    assert run_app([*words, "--store", str(tmp_path), "--offline", "--limit", "8", "--quiet"]) == 0
    capsys.readouterr()

    assert run_app(["compare", f"{folder}/model", f"{tmp_path}/other", "--store", str(tmp_path), "--json"]) == 0

    [told] = json.loads(capsys.readouterr().out)["comparisons"]
    assert (told["task"], told["metric"], told["difference"]["n"]) == ("lm-eval/own_choice", "acc_norm", 8)


def test_unknown_tasks_and_settings_are_told_in_one_line(folder: Path, tmp_path: Path, capsys: Any) -> None:
    words = ["lm-eval", "--model", f"hf:{folder}/model", "--tasks", "no_such_task", "--store", str(tmp_path)]

    assert run_app([*words, "--offline"]) == 2

    assert "lm-evaluation-harness has no task 'no_such_task'" in capsys.readouterr().err
    with pytest.raises(RequestError, match="generates with num_beams"):
        generation("글", {"num_beams": 4})


def test_settings_of_generation_keep_their_meaning() -> None:
    assert generation("글", {"until": "\n"}).sampling == Sampling(max_tokens=256, stop=("\n",))
    assert generation("글", {"do_sample": False, "temperature": 0.9}).sampling.temperature == 0
    sampled = generation("글", {"do_sample": True, "temperature": 0.7, "top_p": 0.9, "max_gen_toks": 5}).sampling
    assert (sampled.temperature, sampled.top_p, sampled.max_tokens) == (0.7, 0.9, 5)
