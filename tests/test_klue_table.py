"""KLUE's tasks side by side."""

from __future__ import annotations

from jatdae.reports.klue import METRICS, klue_table
from jatdae.types import Estimate, Protocol, Result


def result(task: str, model: str = "hf:a", **values: float) -> Result:
    estimates = {name: Estimate(value, 0.01, value - 0.02, value + 0.02, 100) for name, value in values.items()}
    protocol = Protocol(mode="finetune")
    return Result(task, model, protocol, "f", task, next(iter(values)), estimates, {}, {}, {}, 100, True)


def cells(results: list[Result]) -> tuple[list[str], list[list[str]]]:
    table = klue_table(results)
    assert table is not None
    columns = [[str(cell) for cell in column.cells] for column in table.columns]
    return [str(column.header) for column in table.columns], [list(row) for row in zip(*columns, strict=True)]


def test_a_model_with_several_tasks_has_a_row_of_its_official_metrics_with_their_errors():
    header, rows = cells([result("klue/sts", pearson=0.9, f1=0.85), result("klue/nli", accuracy=0.8, extra=0.1)])
    assert header == ["model", "sts r", "sts F1", "nli acc."]
    assert rows == [["hf:a\nfinetune", "90.00\n±1.00", "85.00\n±1.00", "80.00\n±1.00"]]


def test_an_undefined_metric_is_a_gap_and_no_zero():
    first = [result("klue/sts", f1=0.85), result("klue/nli", accuracy=0.8)]
    other = [result("klue/sts", "hf:b", pearson=0.5, f1=0.5), result("klue/nli", "hf:b", accuracy=0.4)]
    _, rows = cells([*first, *other])
    assert rows[0][1] == ""


def test_there_is_no_table_for_one_task_or_another_benchmark():
    assert klue_table([result("klue/nli", accuracy=0.8)]) is None
    assert klue_table([result("kmmlu", macro=0.3), result("konubench", accuracy=0.2)]) is None


def test_all_fourteen_official_metrics_have_a_column():
    assert len(METRICS) == 14
