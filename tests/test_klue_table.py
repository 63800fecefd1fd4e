"""KLUE's tasks side by side."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from jatdae.reports.klue import METRICS, klue_table
from jatdae.types import Estimate, Protocol, Result


def result(task: str, model: str = "hf:a", shots: int = 0, **values: float) -> Result:
    estimates = {name: Estimate(value, 0.01, value - 0.02, value + 0.02, 100) for name, value in values.items()}
    protocol = Protocol(mode="prompt", shots=shots)
    return Result(task, model, protocol, "f", task, next(iter(values)), estimates, {}, {}, {}, 100, True)


def cells(results: list[Result]) -> tuple[list[str], list[list[str]]]:
    table = klue_table(results)
    assert table is not None
    columns = [[str(cell) for cell in column.cells] for column in table.columns]
    return [str(column.header) for column in table.columns], [list(row) for row in zip(*columns, strict=True)]


def test_a_model_with_several_tasks_has_a_column_of_its_official_metrics_with_their_errors():
    header, rows = cells([result("klue/sts", pearson=0.9, f1=0.85), result("klue/nli", accuracy=0.8, extra=0.1)])
    assert header == ["task", "metric", "hf:a\nprompt"]
    assert rows == [
        ["sts", "pearson", "90.00 ±1.00"],
        ["sts", "f1", "85.00 ±1.00"],
        ["nli", "accuracy", "80.00 ±1.00"],
    ]


def test_an_undefined_metric_is_a_gap_and_no_zero():
    first = [result("klue/sts", f1=0.85), result("klue/nli", accuracy=0.8)]
    other = [result("klue/sts", "hf:b", pearson=0.5, f1=0.5), result("klue/nli", "hf:b", accuracy=0.4)]
    _, rows = cells([*first, *other])
    assert rows[0] == ["sts", "pearson", "", "50.00 ±1.00"]


def test_numbers_of_shots_stand_apart():
    results = [result(task, shots=shots, **{name: 0.1 + shots / 10}) for shots in (0, 2) for task, name in TWO]
    header, rows = cells(results)
    assert header[2:] == ["hf:a\nprompt", "hf:a\nprompt, 2 shots"]
    assert rows[0][2:] == ["10.00 ±1.00", "30.00 ±1.00"]


TWO = (("klue/ynat", "macro_f1"), ("klue/nli", "accuracy"))


def test_there_is_no_table_for_one_task_or_another_benchmark():
    assert klue_table([result("klue/nli", accuracy=0.8)]) is None
    assert klue_table([result("kmmlu", macro=0.3), result("konubench", accuracy=0.2)]) is None


@pytest.mark.parametrize("width", [80, 120])
def test_all_fourteen_metrics_are_whole_on_narrow_screens(width: int):
    results = [
        result(f"klue/{task}", model, **{metric: 0.8125})
        for model in ("hf:a", "hf:klue/roberta-small")
        for task, metric in METRICS
    ]
    table = klue_table(results)
    assert table is not None and len(METRICS) == 14
    screen = io.StringIO()
    Console(file=screen, width=width).print(table)
    assert screen.getvalue().count("81.25 ±1.00") == 28
