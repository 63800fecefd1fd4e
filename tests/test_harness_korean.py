"""The harness's own Korean task files run unchanged but for where their data lie, and give the harness's numbers.

A task file here includes the installed one and names a local file. Items are written for these tests; the last test
reads real data where they are.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
lm_eval = pytest.importorskip("lm_eval")

from tiny_model import build_tiny_model

from jatdae.cli import run_app

OFFICIAL = Path(lm_eval.__file__).parent / "tasks"
ACCURACY = "metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}]\n"
PASSAGES = [
    ("민수는 아침마다 바닷가를 걷는다. 오늘은 비가 와서 집에 있었다.", "민수는 오늘 바닷가를 걸었는가?", 0),
    ("옆집 아저씨는 빵을 굽는 사람이다. 새벽 네 시에 일어난다.", "옆집 아저씨는 새벽에 일어나는가?", 1),
    ("도서관은 월요일에 쉰다. 지은이는 월요일에 도서관에 갔다.", "지은이는 책을 빌렸는가?", 0),
    ("선생님은 운동장에서 아이들과 공을 찼다.", "선생님은 공을 찼는가?", 1),
]
CHOICES = [
    ("봄 다음에 오는 계절은?", ["가을", "여름", "겨울", "장마"], 1),
    ("한 해는 몇 달인가?", ["열 달", "열한 달", "열두 달", "열세 달"], 2),
    ("바닷물의 맛은?", ["짜다", "달다", "시다", "쓰다"], 0),
    ("해가 뜨는 쪽은?", ["남쪽", "북쪽", "서쪽", "동쪽"], 3),
]
CAUSES = [
    ("비가 그쳤다.", "결과", "아이들이 밖으로 나갔다.", "아이들이 우산을 폈다.", 0),
    ("빵이 다 팔렸다.", "원인", "가게가 문을 닫았다.", "손님이 많이 왔다.", 1),
    ("어부가 일찍 잤다.", "결과", "어부가 새벽에 일어났다.", "어부가 밤새 깨어 있었다.", 0),
]
REVIEWS = [
    ("국물이 깊고 따뜻했다.", 1),
    ("자리가 좁고 시끄러웠다.", 0),
    ("다시 오고 싶지 않다.", 0),
    ("친절해서 좋았다.", 1),
]


def boolq() -> list[dict[str, Any]]:
    return [dict(zip(("paragraph", "question", "label"), row, strict=True)) for row in PASSAGES]


def copa() -> list[dict[str, Any]]:
    fields = ("premise", "question", "alternative_1", "alternative_2", "label")
    return [dict(zip(fields, row, strict=True)) for row in CAUSES]


def sentineg() -> list[dict[str, Any]]:
    return [{"sentence": text, "label": label} for text, label in REVIEWS]


def kmmlu() -> list[dict[str, Any]]:
    return [{"question": q, "answer": at + 1, **dict(zip("ABCD", own, strict=True))} for q, own, at in CHOICES]


def haerae() -> list[dict[str, Any]]:
    return [
        {
            "query": f"{q}\n"
            + "\n".join(f"({letter}) {option}" for letter, option in zip("ABCDE", [*own, "없음"], strict=True))
            + "\n정답:",
            "answer": f"({'ABCD'[at]})",
        }
        for q, own, at in CHOICES
    ]


def click() -> list[dict[str, Any]]:
    return [
        {"id": f"Economy_{at}", "paragraph": "", "question": q, "choices": own, "answer": own[at]}
        for q, own, at in CHOICES
    ]


FORMATS = {
    "kobest_boolq": ("kobest/kobest_boolq.yaml", boolq, ACCURACY),
    "kobest_copa": ("kobest/kobest_copa.yaml", copa, ACCURACY),
    "kobest_sentineg": ("kobest/kobest_sentineg.yaml", sentineg, ACCURACY),
    "haerae": ("haerae/_default_haerae_yaml", haerae, ""),
    "click": ("click/click_cul/click_cul_economy.yaml", click, ""),
    "kmmlu": ("kmmlu/default/_default_kmmlu_yaml", kmmlu, ""),
    "kmmlu_direct": ("kmmlu/direct/_direct_kmmlu_yaml", kmmlu, ""),
}
"""The official file, our items in its form, and what is put in place of its metrics: the F1 of KoBEST is fetched from a
hub, so its accuracy alone is compared."""


def write_task(folder: Path, name: str, data: Path, official: str, metrics: str) -> None:
    kind = "csv" if data.suffix == ".csv" else "json"
    files = f"{{test: {data}, dev: {data}, train: {data}, validation: {data}}}"
    (folder / f"{name}.yaml").write_text(
        f"include: {OFFICIAL / official}\ntask: {name}\ndataset_path: {kind}\ndataset_name: null\n"
        f"dataset_kwargs: {{data_files: {files}}}\n{metrics}",
        encoding="utf-8",
    )


def by_the_harness(model: Path, tasks: Sequence[str], folder: Path, **how: Any) -> Mapping[str, Any]:
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    language_model = HFLM(pretrained=str(model), device="cpu", dtype="float32")
    told: Any = simple_evaluate(
        model=language_model, tasks=list(tasks), task_manager=TaskManager(include_path=str(folder)), **how
    )
    return told["results"]


def by_the_bridge(model: Path, tasks: Sequence[str], folder: Path, store: Path, capsys: Any, *more: str) -> Any:
    words = ["lm-eval", "--model", f"hf:{model}", "--tasks", ",".join(tasks), "--include_path", str(folder)]
    assert run_app([*words, "--store", str(store), "--offline", "--json", "--quiet", *more]) == 0
    return {one["task"].partition("/")[2]: one for one in json.loads(capsys.readouterr().out)["results"]}


def assert_same_numbers(ours: Any, theirs: Mapping[str, Any]) -> None:
    compared = 0
    for name, row in theirs.items():
        for metric, estimate in ours[name]["estimates"].items():
            assert estimate["value"] == pytest.approx(row[f"{metric},none"], abs=1e-12), (name, metric)
            compared += 1
    assert compared >= len(theirs)


def test_official_korean_task_files_give_the_numbers_of_the_harness(tmp_path: Path, capsys: Any) -> None:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    model = build_tiny_model(tmp_path / "model", bos=False)
    for name, (official, items, metrics) in FORMATS.items():
        data = tmp_path / f"{name}.jsonl"
        data.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in items()), encoding="utf-8")
        write_task(tasks, f"own_{name}", data, official, metrics)
    names = [f"own_{name}" for name in FORMATS]

    ours = by_the_bridge(model, names, tasks, tmp_path / "store", capsys)

    assert_same_numbers(ours, by_the_harness(model, names, tasks))


def test_real_kmmlu_questions_with_examples_give_the_numbers_of_the_harness(
    upstream: Path, tmp_path: Path, capsys: Any
) -> None:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    model = build_tiny_model(tmp_path / "model", bos=False, window=8192)
    source = upstream / "kmmlu" / "data" / "Law-test.csv"
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[:25]
    data = tmp_path / "law.csv"
    with data.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    write_task(tasks, "own_law", data, FORMATS["kmmlu"][0], "")

    ours = by_the_bridge(model, ["own_law"], tasks, tmp_path / "store", capsys, "--num_fewshot", "3")

    assert_same_numbers(ours, by_the_harness(model, ["own_law"], tasks, num_fewshot=3))
    assert ours["own_law"]["items"] == 24
