"""Every mode against a model that answers by a plan: what is asked, what is read, what it is worth."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from kmmlu_folder import TEST, Planned, make_task, write_csv, write_subject, write_worked_examples

from jatdae.benchmarks.kmmlu import Kmmlu
from jatdae.types import Completion, Generate, Outcome, Sample, Score

GOLD = "BADC"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_subject(tmp_path, "Law")
    write_worked_examples(tmp_path, {"law": "법학"})
    return tmp_path


def run(task: Kmmlu, model: Planned) -> list[Sample]:
    async def all_items() -> list[Sample]:
        return list(await asyncio.gather(*(task.evaluate(item, model) for item in task.items())))

    return asyncio.run(all_items())


def reply_of(folder: Path, text: str | Completion, mode: str = "direct", **options: str) -> Sample:
    task = make_task(folder, "kmmlu/law", mode, options=options)
    return asyncio.run(task.evaluate(task.items()[0], Planned(reply=lambda request: text)))


def test_letter_takes_the_most_likely_letter(folder: Path) -> None:
    def prefers_b(request: Score) -> Sequence[float]:
        return [-3.0, -1.0, -1.02, -4.0]

    samples = run(make_task(folder, "kmmlu/law"), Planned(prefers_b))
    assert [sample.prediction for sample in samples] == ["B"] * 4
    assert [sample.outcome for sample in samples] == [Outcome.RIGHT, *[Outcome.WRONG] * 3]
    assert "".join(sample.target for sample in samples) == GOLD
    assert all(sample.detail["near_tie"] and sample.detail["tied"] == 1 for sample in samples)


def test_a_tie_goes_to_the_first_letter_and_is_counted(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law")
    samples = run(task, Planned())
    assert [sample.prediction for sample in samples] == ["A"] * 4
    assert any(note.startswith("4 exact ties") for note in task.aggregate(samples).notes)


def test_cloze_shows_every_unit_side_by_side(tmp_path: Path) -> None:
    """The winner changes with the unit: two Hangul syllables are six bytes, five Latin letters are five."""
    write_csv(
        tmp_path / "Law-test.csv", [("한국의 수도는?", 1, "서울", "Seoul", "서울특별자치광역시구", "Seoul in Korea")]
    )
    task = make_task(tmp_path, "kmmlu/law", "cloze", shots=0)
    model = Planned(lambda request: [-6.0, -9.0, -60.0, -60.0])
    samples = run(task, model)
    assert samples[0].detail["choices"]["acc"] == 0
    assert samples[0].detail["choices"]["acc_norm"] == 1
    assert samples[0].detail["choices"]["acc_bytes"] == 0
    found = task.aggregate(samples)
    assert found.headline == "acc_norm"
    values = {name: estimate.value for name, estimate in found.estimates.items()}
    assert values == {"acc": 1, "acc_norm": 0, "acc_bytes": 1, "acc_tokens": 1}


def test_cloze_by_character_and_by_byte_as_in_the_published_example(tmp_path: Path) -> None:
    write_csv(tmp_path / "Law-test.csv", [("무엇인가?", 1, "가나다", "12345", "라라라라라라", "999999999")])
    task = make_task(tmp_path, "kmmlu/law", "cloze", shots=0)
    sample = run(task, Planned(lambda request: [-6.0, -8.0, -99.0, -99.0]))[0]
    assert sample.detail["choices"] == {"acc": 0, "acc_norm": 1, "acc_bytes": 0, "acc_tokens": 0}


@pytest.mark.parametrize(
    ("text", "letter", "strict"),
    [
        (" B", 1, 1),
        (" (B)", 1, 1),
        ("B.", 1, 1),
        ("B\n", 1, 0),
        ("B입니다", 1, 0),
        ("②", 1, 0),
        ("\uff22", 1, 0),
        ("B) 젖는다", 1, 0),
        ("정답: B", 1, 0),
        ("b", 1, 1),
        ("C", 0, 0),
        ("B\n\n물이 어는 온도는? 정답： A", 1, 1),
        ("젖는다", 1, 0),
    ],
)
def test_direct_scores_both_readings(folder: Path, text: str, letter: int, strict: int) -> None:
    sample = reply_of(folder, text)
    assert sample.scores == {"acc": letter, "acc_strict": strict}
    assert sample.detail["response"] == text
    strictly = reply_of(folder, text, match="strict-lm-eval")
    assert (strictly.outcome is Outcome.RIGHT) == bool(strict)


@pytest.mark.parametrize(
    ("completion", "outcome"),
    [
        ("잘 모르겠습니다.", Outcome.REFUSED),
        ("비가 오면 젖게 됩니다.", Outcome.UNPARSED),
        (Completion("비가 온 뒤의 땅을 생각해 보면", "length"), Outcome.TRUNCATED),
        (Completion("<think>B가 맞을 것 같다", "length"), Outcome.TRUNCATED),
        (Completion("B", "length"), Outcome.RIGHT),
        ("D", Outcome.WRONG),
        ("정답: E", Outcome.UNPARSED),
    ],
)
def test_what_has_no_letter_is_told_apart_and_earns_nothing(
    folder: Path, completion: str | Completion, outcome: Outcome
) -> None:
    sample = reply_of(folder, completion)
    assert sample.outcome is outcome
    assert (sample.prediction is None) == (outcome in (Outcome.REFUSED, Outcome.UNPARSED, Outcome.TRUNCATED))
    assert sample.scores["acc"] == float(outcome is Outcome.RIGHT)


def test_a_leading_blank_line_does_not_cost_the_answer(folder: Path) -> None:
    def reply(request: Generate) -> str:
        whole = "\n\nB\n\n다음 문제의 답은 C"
        return "" if "\n\n" in request.sampling.stop else whole

    task = make_task(folder, "kmmlu/law", "direct")
    model = Planned(reply=reply)
    sample = asyncio.run(task.evaluate(task.items()[0], model))
    assert (sample.prediction, sample.outcome) == ("B", Outcome.RIGHT)
    assert len(model.asked) == 2
    usual = Planned()
    asyncio.run(task.evaluate(task.items()[0], usual))
    assert len(usual.asked) == 1


def test_reasoning_in_a_direct_answer_is_not_the_answer(folder: Path) -> None:
    def reply(request: Generate) -> str:
        whole = "<think>A일까.\n\nD일까.</think>\n\n정답: B"
        return whole.split("\n\n")[0] if "\n\n" in request.sampling.stop else whole

    task = make_task(folder, "kmmlu/law", "direct")
    sample = asyncio.run(task.evaluate(task.items()[0], Planned(reply=reply)))
    assert sample.prediction == "B"


@pytest.mark.parametrize(
    ("text", "letter", "strict"),
    [
        ("물을 머금습니다. 따라서, 정답은 (B) 입니다.", 1, 1),
        ("물을 머금습니다.\n정답: B", 1, 0),
        ("처음에는 A로 보이지만 정답은 (B) 입니다.\n\n질문: 다음은? 정답은 (C) 입니다.", 1, 1),
        ("<think>정답은 (A) 입니다. 아니다.</think> 정답은 (B) 입니다.", 1, 0),
    ],
)
def test_cot_scores_both_readings(folder: Path, text: str, letter: int, strict: int) -> None:
    assert reply_of(folder, text, "cot").scores == {"acc": letter, "acc_strict": strict}


def test_options_that_are_numbers_can_be_read_by_value(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law", "direct", options={"value_reading": "yes"})
    sample = asyncio.run(task.evaluate(task.items()[1], Planned(reply=lambda request: "정답: 50")))
    assert (sample.prediction, sample.detail["stage"]) == ("C", "value")


def test_the_headline_follows_the_match(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law", "direct", options={"match": "strict-lm-eval"})
    found = task.aggregate(run(task, Planned(reply=lambda request: "B입니다")))
    assert found.headline == "acc_strict"
    assert found.estimates["acc_strict"].value == 0
    assert found.estimates["acc"].value == 0.25
    assert any(note.startswith("the two readings differ: acc_strict 0.00, acc 25.00") for note in found.notes)


def test_what_a_backend_must_be_able_to_do(folder: Path) -> None:
    assert make_task(folder).needs == {"log_likelihoods"}
    assert make_task(folder, mode="cot").needs == frozenset()
    assert make_task(folder, mode="direct", chat_template=True).needs == {"chat"}


@pytest.mark.parametrize("mode", ["letter", "direct", "cot", "cloze"])
def test_the_bundled_items_run_in_every_mode(mode: str) -> None:
    task = make_task(None, mode=mode)
    found = task.aggregate(run(task, Planned()))
    assert found.title == "KMMLU mini items"
    assert found.estimates[found.headline].n == len(task.items()) >= 12
    assert TEST[0][0] not in {item.question for item in task.items()}
