"""Faults that other tools have shown in reading and counting answers."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedBackend, hashed

from jatdae import evaluate
from jatdae.benchmarks.base import Card, register
from jatdae.benchmarks.kmmlu import extract_answer
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question, choose, normalised
from jatdae.cli import run_app
from jatdae.store import Store
from jatdae.types import Answer, Completion, OptionScore, Outcome, Request, Score, Scores

OUTPUTS = Path("kmmlu") / "model_outputs"


# The unit that a log-likelihood is divided by

CAPITALS = (OptionScore(-6.0, 2, False), OptionScore(-9.0, 2, False))


@register("capitals", "one question whose options are of two scripts")
class Capitals(MultipleChoice):
    version = "1"
    card = Card("Capitals", "CC0-1.0", "written for this test")

    def items(self) -> list[Question]:
        return [Question("c1", "한국의 수도는?", ("서울", "Seoul"), 0)]


def test_characters_and_bytes_are_two_metrics_with_two_winners() -> None:
    values = normalised(CAPITALS, ("서울", "Seoul"))
    assert values["acc"] == [-6.0, -9.0]
    assert values["acc_norm"] == pytest.approx([-3.0, -1.8])
    assert values["acc_bytes"] == pytest.approx([-1.0, -1.8])
    assert {name: choose(row).index for name, row in values.items()} == {
        "acc": 0,
        "acc_norm": 1,
        "acc_bytes": 0,
        "acc_tokens": 0,
    }


@pytest.mark.parametrize(
    ("texts", "sums", "by_character", "by_byte"),
    [
        (("가나다", "12345"), (-6.0, -8.0), 1, 0),
        (("①", "가", "abc"), (-3.0, -3.3, -3.6), 2, 0),
        (("㎡", "m2"), (-2.0, -3.0), 1, 0),
        (("🙂", "ㅋㅋㅋ"), (-4.0, -6.0), 1, 1),
    ],
)
def test_a_character_is_a_code_point_and_a_byte_one_of_utf_8(
    texts: tuple[str, ...], sums: tuple[float, ...], by_character: int, by_byte: int
) -> None:
    values = normalised([OptionScore(value, 1, False) for value in sums], texts)
    assert choose(values["acc_norm"]).index == by_character
    assert choose(values["acc_bytes"]).index == by_byte


def test_a_result_names_the_unit_of_every_accuracy(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: Scores(CAPITALS, 5))
    result = evaluate("capitals", backend, store=tmp_path, mode="cloze")
    found = {name: estimate.value for name, estimate in result.estimates.items()}
    assert found == {"acc": 1.0, "acc_norm": 0.0, "acc_bytes": 1.0, "acc_tokens": 1.0}
    assert result.headline == "acc_norm"
    with Store.open(tmp_path) as store:
        (sample,) = store.samples(store.results()[0].id)
    assert sample.detail["choices"] == {"acc": 0, "acc_norm": 1, "acc_bytes": 0, "acc_tokens": 0}


# Which letter a reply states


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("정답:\n답: C", "C"),
        ("정답:\n\n정답: C", "C"),
        ("정답: A는 오답이고 정답: C", "C"),
        ("정답: B는 아니다. 정답은 D", "D"),
        ("Answer: Answer: B", "B"),
        ("Answer:\nAnswer: B", "B"),
        ("Answer: Considering the whole text, the answer is D.", "D"),
        ("Answer: Because of the rain.", None),
        ("정답: Digital 방식", None),
        ("정답: C언어", None),
        ("정답은 A형 간염", None),
        ("오답: A", None),
    ],
)
def test_the_last_stated_answer_counts_and_no_letter_is_cut_out_of_a_word(reply: str, letter: str | None) -> None:
    assert extract_answer(reply) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("질문 1의 정답은 C, 질문 2의 정답", None),
        ("질문 1의 정답은 A, 질문 2의 정답은", None),
        ("1번 문제의 정답은 C, 2번 문제의 정답은 B, 3번 문제의 정", None),
        ("[EMPTY_RESPONSE]", None),
        ("EMPTY_RESPONSE", None),
        ("[ERROR: BAD GATEWAY]", None),
        ("", None),
        ("### ANSWER\nC", "C"),
        ("### 정답\nB", "B"),
        ("## ANSWER:\n\n D", "D"),
    ],
)
def test_a_reply_that_answers_the_examples_or_nothing_has_no_letter(reply: str, letter: str | None) -> None:
    assert extract_answer(reply) == letter


THINKING = [
    ("<think>A 아니면 B일까</think> 정답: C", "C", None),
    ("<think>A일 것 같다", None, Outcome.TRUNCATED),
    ("</think>정답은 D입니다.", "D", None),
    ("A가 맞나? B인가?\n</think>\n정답: C", "C", None),
    ("<think>정답: A</think>", None, Outcome.UNPARSED),
    ("<think>정답: A</think>정답: B<think>아니, 정답: C", None, Outcome.TRUNCATED),
    ("<THINKING>정답은 A</THINKING>\n정답은 B", "B", None),
    ("[THINK]정답은 A[/THINK]정답은 D", "D", None),
    ("<reasoning>정답: C", None, Outcome.TRUNCATED),
    ("<|channel|>analysis<|message|>정답: A<|end|><|channel|>final<|message|>정답: B<|return|>", "B", None),
]


@pytest.mark.parametrize(("reply", "letter", "outcome"), THINKING)
@pytest.mark.parametrize("mode", ["direct", "cot"])
def test_a_letter_inside_the_reasoning_is_no_answer(
    reply: str, letter: str | None, outcome: Outcome | None, mode: str, tmp_path: Path
) -> None:
    """From the reply to the counted outcome: cut off while thinking is told apart from no answer."""
    assert extract_answer(reply) == letter
    backend = ScriptedBackend(lambda request: Completion(reply, "stop", 5, 5))
    result = evaluate("kmmlu/biology", backend, store=tmp_path, data="mini", mode=mode, limit=3)
    with Store.open(tmp_path) as store:
        samples = list(store.samples(store.results()[0].id))
    assert {sample.prediction for sample in samples} == {letter}
    if outcome:
        assert {sample.outcome for sample in samples} == {outcome}
        assert result.rates[outcome.value].value == 1.0
        assert any(f"are {outcome.value} and count as wrong" in note for note in result.notes)


@pytest.mark.parametrize(
    "reply",
    [
        "정답은 C입니다.",
        "보기 가운데 옳은 것은 (B)입니다.",
        "차근차근 보면\n따라서 정답은 ③번이다.",
        "A가 아니라 D가 맞습니다.",
    ],
)
@pytest.mark.parametrize("form", ["NFD", "NFKD"])
def test_a_decomposed_reply_states_the_same_letter(reply: str, form: Any) -> None:
    changed = unicodedata.normalize(form, reply)
    assert changed != reply
    assert extract_answer(changed) == extract_answer(reply) is not None


# Published outputs: rows without an answer, rows that are missing


def score(capsys: pytest.CaptureFixture[str], path: Path, *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run_app(["score", "kmmlu", "--pred", str(path), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)["score"]


def test_a_file_with_a_third_of_its_answers_missing_is_scored_over_all_and_warned_about(
    upstream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored = score(capsys, upstream / OUTPUTS / "kmmlu_hard_llama-3-1-8b-instruct_5shot.csv")
    assert (scored["rows"], scored["unanswered"]) == (4_104, 1_240)
    assert scored["micro"]["value"] == pytest.approx(0.158138, abs=5e-7)
    answered = scored["micro"]["value"] * scored["rows"] / (scored["rows"] - scored["unanswered"])
    assert answered == pytest.approx(0.226606, abs=5e-7), "what leaving them out would have given"
    assert any("have no answer" in warning and "count as wrong" in warning for warning in scored["warnings"])


def test_a_file_with_whole_batches_missing_is_called_incomplete_by_subject(
    upstream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored = score(capsys, upstream / OUTPUTS / "kmmlu_gpt-35-turbo-230613.csv")
    assert not scored["complete"]
    assert (scored["rows"], "34,870 of 35,030" in scored["title"]) == (34_870, True)
    assert scored["micro"]["value"] == pytest.approx(0.403011, abs=5e-7)
    assert scored["macro"]["value"] == pytest.approx(0.398643, abs=5e-7)
    assert scored["missing"].pop("Law") == 40
    assert len(scored["missing"]) == 6 and set(scored["missing"].values()) == {20}
    (said,) = [warning for warning in scored["warnings"] if warning.startswith("incomplete")]
    assert "Law 40" in said and "Telecommunications-and-Wireless-Technology 20" in said


# A file of predictions whose writer was killed


def lines(*records: dict[str, str]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


WHOLE = [
    {"id": "q1", "category": "Law", "answer": "A", "response": "정답은 A입니다."},
    {"id": "q2", "category": "Law", "answer": "B", "response": "답은 B다."},
]


def test_half_a_line_at_the_end_is_named_wherever_it_was_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also inside a Korean character. The whole lines before it are not scored as if they were all."""
    path, begin = tmp_path / "pred.jsonl", lines(*WHOLE)
    last = lines({"id": "q3", "category": "Law", "답": "가나", "answer": "C", "response": "정답은 C"}).rstrip(b"\n")
    for cut in range(1, len(last)):
        path.write_bytes(begin + last[:cut])
        capsys.readouterr()
        assert run_app(["score", "kmmlu", "--pred", str(path), "--json"]) == 2
        shown = capsys.readouterr()
        (line,) = shown.err.splitlines()
        assert "pred.jsonl, line 3" in line and set(json.loads(shown.out)) == {"error", "exit_code"}
    path.write_bytes(begin + last)
    assert score(capsys, path)["rows"] == 3


def test_a_line_that_was_appended_to_half_a_line_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pred.jsonl"
    path.write_bytes(lines(WHOLE[0]) + '{"id":"q3","답'.encode() + lines(WHOLE[1]))
    assert run_app(["score", "kmmlu", "--pred", str(path)]) == 2
    assert "line 2: not valid JSON" in capsys.readouterr().err


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_line_separator_inside_a_reply_ends_no_line(
    mark: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pred.jsonl"
    path.write_bytes(lines({**WHOLE[0], "response": f"먼저 살펴본다.{mark}정답은 A입니다."}))
    assert score(capsys, path)["micro"]["value"] == 1.0


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_decomposed_replies_in_a_file_are_read_like_any_others(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = unicodedata.normalize("NFD", "정답은 A입니다.")
    path = tmp_path / f"pred.{suffix}"
    text = f"category,answer,response\nLaw,A,{reply}\n".encode()
    path.write_bytes(text if suffix == "csv" else lines({**WHOLE[0], "response": reply}))
    assert score(capsys, path)["micro"]["value"] == 1.0


# Two options that are nearly equal


def close(first: float, second: float) -> ScriptedBackend:
    def script(request: Request) -> Answer:
        assert isinstance(request, Score)
        answer = hashed(request)
        assert isinstance(answer, Scores)
        options = [replace(option, log_likelihood=-40.0 - n) for n, option in enumerate(answer.options)]
        options[:2] = [replace(options[0], log_likelihood=first), replace(options[1], log_likelihood=second)]
        return replace(answer, options=tuple(options))

    return ScriptedBackend(script)


def test_a_choice_that_another_batch_size_turns_is_marked_in_both_runs(tmp_path: Path) -> None:
    """Given the values of one question in two batches, when the lead is under the tolerance, then both say so."""
    chosen = []
    for number, values in enumerate([(-21.84, -21.87), (-21.91, -21.87)]):
        result = evaluate("kmmlu/biology", close(*values), store=tmp_path / str(number), data="mini", limit=2)
        assert any(note.startswith("2 of 2 choices were near ties (under 0.05 nat)") for note in result.notes)
        with Store.open(tmp_path / str(number)) as store:
            samples = list(store.samples(store.results()[0].id))
        assert all(sample.detail["near_tie"] for sample in samples)
        assert {round(sample.detail["margin"], 6) for sample in samples} == {(0.03, 0.04)[number]}
        chosen.append({sample.prediction for sample in samples})
    assert chosen == [{"A"}, {"B"}]
    clear = evaluate("kmmlu/biology", close(-21.0, -22.0), store=tmp_path / "clear", data="mini", limit=2)
    assert not any("near ties" in note for note in clear.notes)
