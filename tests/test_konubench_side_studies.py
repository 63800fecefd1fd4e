"""The side studies, and what a negation costs within an item."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from konubench_files import Scripted, write_json

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.konubench import paired_polarity
from jatdae.benchmarks.konubench.side_studies import SideStudy
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError
from jatdae.types import Outcome, Sample, Sampling, Score


def question(number: int, answer: int, **changes: Any) -> dict[str, Any]:
    row = {
        "question": f"{number}번 물음",
        "A": "가",
        "B": "나",
        "answer": answer,
        "Category": "Law",
        "Human Accuracy": 0.5,
    }
    return {**row, **changes}


def study(name: str, folder: Path, **choices: Any) -> SideStudy:
    entry = find_task(name)
    built = entry.task(entry.name, build_protocol(entry, **choices), Source(folder), 0)
    assert isinstance(built, SideStudy)
    return built


def run(task: SideStudy, *values: float) -> list[Sample]:
    model = Scripted(lambda request: values)
    return [asyncio.run(task.evaluate(item, model)) for item in task.items()]


def test_a_kmmlu_question_is_asked_with_two_letters(tmp_path: Path) -> None:
    write_json(tmp_path / "kmmlu_neg.json", [question(1, 1)])
    task = study("konubench/kmmlu-neg", tmp_path)

    assert task.request(task.items()[0]) == Score("1번 물음\nA. 가\nB. 나\n정답：", (" A", " B"))


def test_a_boolq_prompt_ends_in_a_blank_and_each_answer_brings_its_own(tmp_path: Path) -> None:
    rows = [{"paragraph": "강은 길다.", "question": "강이 짧지 않은가?", "label": 1, "notes": None}]
    write_json(tmp_path / "dataset/kobest_boolq_neg/test/any.json", rows)
    task = study("konubench/boolq-neg", tmp_path)

    assert task.request(task.items()[0]) == Score("강은 길다. 질문: 강이 짧지 않은가? 답변: ", (" 아니오", " 예"))
    (sample,) = run(task, -6.0, -2.5)
    assert sample.scores == {"acc": 1.0}
    assert sample.prediction == "B"


BOOLQ = [
    {"paragraph": "강은 길다.", "question": "강이 짧지 않은가?", "label": 1, "notes": None},
    {"paragraph": "  산은 높고 멀다. ", "question": "산이 가까운가?", "label": 0, "notes": None},
]


@pytest.mark.parametrize("bos", [True, False])
def test_boolq_reaches_the_model_as_the_harness_sends_it(tmp_path: Path, bos: bool) -> None:
    """Given the harness's own task file over these rows, both engines make the same ids of every answer."""
    pytest.importorskip("lm_eval")
    from datasets import Dataset
    from lm_eval import tasks
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.models import huggingface
    from lm_eval.tasks._yaml_loader import load_yaml
    from tiny_model import build_tiny_model

    from jatdae.models.hf.encoding import EncodedScore, Encoder

    elsewhere = ("dataset", "metric", "training", "validation")
    config = load_yaml(Path(str(tasks.__file__)).parent / "kobest" / "kobest_boolq.yaml", resolve_func=False)
    config = {name: value for name, value in config.items() if not name.startswith(elsewhere)}
    rows = Dataset.from_list(BOOLQ)
    harness_task = ConfigurableTask(config={**config, "custom_dataset": lambda **_: {"test": rows}})
    engine: Any = huggingface.HFLM
    model = engine(pretrained=str(build_tiny_model(tmp_path / "model", bos=bos)), device="cpu", dtype="float32")
    write_json(tmp_path / "kobest_boolq_neg.json", BOOLQ)
    task = study("konubench/boolq-neg", tmp_path)
    encoder = Encoder(model.tokenizer, 2048)

    for row, item in zip(BOOLQ, task.items(), strict=True):
        context = harness_task.fewshot_context(row, 0)
        instances = harness_task.construct_requests(row, context, metadata=("boolq", 0, 1))
        assert isinstance(instances, list)
        theirs = [model._encode_pair(*instance.args) for instance in instances]
        (ours,) = encoder.encode([task.request(item)])

        assert isinstance(ours, EncodedScore)
        assert [(ours.context.tolist(), list(option)) for option in ours.options] == theirs


def test_the_raw_sum_decides_for_boolq(tmp_path: Path) -> None:
    """Given -6 over three syllables and -2.5 over one, division by length would choose the other answer."""
    write_json(tmp_path / "kobest_boolq_neg.json", [{"paragraph": "글", "question": "물음", "label": 0, "notes": None}])

    (sample,) = run(study("konubench/boolq-neg", tmp_path), -6.0, -2.5)

    assert sample.outcome is Outcome.WRONG


def test_the_original_boolq_is_read_from_json_lines_or_asked_for(tmp_path: Path) -> None:
    task = study("konubench/boolq", tmp_path)
    with pytest.raises(RequestError, match=r"no kobest_boolq\.json .* fetch the KoBEST BoolQ test set"):
        task.items()
    row = json.dumps({"paragraph": "글", "question": "물음", "label": 1}, ensure_ascii=False)
    (tmp_path / "kobest_boolq.jsonl").write_text(row + "\n", encoding="utf-8")

    assert study("konubench/boolq", tmp_path).items()[0].answer == 1

    (tmp_path / "kobest_boolq.jsonl").write_text(row + "\n{\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"kobest_boolq\.jsonl, line 2: not valid JSON"):
        study("konubench/boolq", tmp_path).items()


def test_separators_of_unicode_inside_a_text_do_not_end_a_line(tmp_path: Path) -> None:
    rows = [{"paragraph": f"첫 줄{mark}둘째 줄", "question": "물음", "label": 1} for mark in "\u2028\u2029\x85"]
    text = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "kobest_boolq.jsonl").write_text(text + "\n\n", encoding="utf-8", newline="")

    items = study("konubench/boolq", tmp_path).items()

    assert [item.question for item in items] == [f"{row['paragraph']} 질문: 물음" for row in rows]


def test_settings_of_sampling_are_refused_where_nothing_is_generated(tmp_path: Path) -> None:
    write_json(tmp_path / "kmmlu_pos.json", [question(1, 0)])

    with pytest.raises(RequestError, match=r"temperature=0\.5: the mode letter compares log-likelihoods"):
        study("konubench/kmmlu-pos", tmp_path, sampling=Sampling(temperature=0.5)).items()


@pytest.mark.parametrize(
    ("field", "value"),
    [("answer", 2), ("answer", True), ("answer", "1"), ("A", ""), ("Human Accuracy", 1.5), ("Category", 3)],
)
def test_a_fault_names_item_and_field(tmp_path: Path, field: str, value: object) -> None:
    write_json(tmp_path / "kmmlu_pos.json", [question(1, 0), {**question(2, 0), field: value}])

    with pytest.raises(DataError, match="item 2") as caught:
        study("konubench/kmmlu-pos", tmp_path).items()

    assert caught.value.field == field


def test_examples_and_other_splits_are_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "kmmlu_pos.json", [question(1, 0)])

    with pytest.raises(RequestError, match="test split only"):
        study("konubench/kmmlu-pos", tmp_path, shots=5).items()


def test_what_a_negation_costs_is_measured_within_items(tmp_path: Path) -> None:
    """Given a model that always says A: right on three of four affirmative items, on one of the negated."""
    write_json(tmp_path / "kmmlu_pos.json", [question(i, a) for i, a in enumerate([0, 0, 0, 1])])
    write_json(tmp_path / "kmmlu_neg.json", [question(i, 1 - a) for i, a in enumerate([0, 0, 0, 1])])
    positive, negative = (run(study(f"konubench/kmmlu-{form}", tmp_path), -1.0, -2.0) for form in ("pos", "neg"))

    report = paired_polarity(positive, negative)

    assert (report.n, report.unpaired, report.mismatched) == (4, 0, 0)
    assert (report.positive.value, report.negative.value) == (0.75, 0.25)
    assert report.difference.value == pytest.approx(0.5)
    assert report.consistency.value == 0.0


def sample(item: str, acc: float | None, basis: str = "글") -> Sample:
    scores = {} if acc is None else {"acc": acc}
    return Sample(item, Outcome.RIGHT, "A", "A", scores, detail={"basis": basis})


def test_failed_missing_and_unlike_partners_are_counted_and_left_out() -> None:
    positive = [sample("0", 1.0), sample("1", 1.0), sample("2", None), sample("3", 0.0, "다른 글")]
    negative = [sample("0", 1.0), sample("2", 1.0), sample("3", 0.0), sample("4", 1.0)]

    report = paired_polarity(positive, negative)

    assert (report.n, report.unpaired, report.mismatched) == (1, 3, 1)
    with pytest.raises(RequestError, match="no item has both"):
        paired_polarity(positive[:1], negative[1:])


def test_the_released_forms_have_opposite_answers_row_by_row(upstream: Path) -> None:
    positive, negative = (study(f"konubench/kmmlu-{form}", upstream).items() for form in ("pos", "neg"))

    assert len(positive) == len(negative) == 7154
    for first, second in zip(positive, negative, strict=True):
        assert first.options == second.options
        assert first.answer == 1 - second.answer
        assert first.question != second.question


def test_an_altered_study_is_said_in_the_title(tmp_path: Path) -> None:
    write_json(tmp_path / "kmmlu_neg.json", [question(1, 0), question(2, 1)])
    task = study("konubench/kmmlu-neg", tmp_path)

    numbers = task.aggregate(run(task, -1.0, -2.0))

    assert numbers.title == "KMMLU for negation, negated, altered data, 2 of 7,154 items"
    assert any("kmmlu_neg.json" in note for note in numbers.notes)
