"""Generation: what a contestant is sent, turn by turn, and how what comes back is classified."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from jatdae.benchmarks.munbench.cases import applied, case_of, response_of
from jatdae.benchmarks.munbench.generating import generate, is_blank
from jatdae.benchmarks.munbench.generations import Status
from jatdae.benchmarks.munbench.prompts import MARKER
from jatdae.benchmarks.munbench.records import (
    Dataset,
    EmotionItem,
    LiteraryItem,
    MunItem,
    NuanceItem,
    Rubric,
    SlopList,
    Variant,
)
from jatdae.benchmarks.munbench.units import NEUTRAL, Unit, units_of
from jatdae.errors import RequestFailed
from jatdae.judging.cases import Criterion
from jatdae.types import Completion, Generate, Message, Sampling, Score, Scores

SECRET = "심사자만아는말"
PLAY = EmotionItem(
    "T1-01-01", f"제목{SECRET}", "직장", "월요일 아침 사무실이다.", "한지우, 스물아홉 살 대리", "오 과장, 마흔둘",
    ("왔어?", "주말엔 푹 쉬었고?", "그럼 됐네."), (SECRET,), "오 과장은 왜 짧게 말했을까?", SECRET,
)  # fmt: skip
COMMISSION = LiteraryItem(
    "T2-01-01",
    "수필",
    "빨래를 개는 저녁에 대해 쓰세요.",
    ("'행복'이라는 말 금지", "대화 없음"),
    SECRET,
    "400~600자",
    SECRET,
)
TASK = NuanceItem(
    "T3-02-01", "idiom", "'소 잃고 외양간 고친다'를 장면에 녹이세요. 배경은 학교입니다.", SECRET, SECRET,
    Variant("decontextualised", "'소 잃고 외양간 고친다'를 장면에 녹이세요."),
)  # fmt: skip
ITEMS: tuple[MunItem, ...] = (PLAY, COMMISSION, TASK)
Reply = Callable[[Generate, int], Completion]


class Spy:
    """A contestant that writes down everything that it is sent."""

    def __init__(self, reply: Reply) -> None:
        self.asked: list[Generate] = []
        self._reply = reply

    async def generate(self, request: Generate) -> Completion:
        self.asked.append(request)
        return self._reply(request, len(self.asked))

    async def score(self, request: Score) -> Scores:
        raise AssertionError("nothing is scored by log-likelihood here")


def _numbered(request: Generate, call: int) -> Completion:
    return Completion(f"{call}번째 대답입니다.", "stop", 10, 5, cost_usd=0.01)


def _generate(unit: Unit, reply: Reply = _numbered, sampling: Sampling | None = None):
    spy = Spy(reply)
    return asyncio.run(generate(unit, spy, "시험 모델", sampling or Sampling(2048, 1.0))), spy


def test_a_role_play_is_four_calls_with_the_whole_history_each_time():
    made, spy = _generate(Unit(PLAY))

    roles = [[message.role for message in request.prompt] for request in spy.asked]  # type: ignore[union-attr]
    assert roles[0] == ["system", "user"]
    assert roles[3] == ["system", "user", "assistant", "user", "assistant", "user", "assistant", "user"]
    last = spy.asked[3].prompt[-1]
    assert last == Message("user", f"{MARKER} 오 과장은 왜 짧게 말했을까?")
    assert made.outputs == tuple(f"{number}번째 대답입니다." for number in (1, 2, 3, 4))
    assert (made.status, made.cost_usd, made.usage["completion"]) == (Status.OK, pytest.approx(0.04), 20)


def test_a_commission_is_one_message_with_constraints_and_length():
    _, spy = _generate(Unit(COMMISSION))

    assert spy.asked[0].prompt == (
        Message(
            "user",
            "빨래를 개는 저녁에 대해 쓰세요.\n\n[지켜야 할 조건]\n- '행복'이라는 말 금지\n- 대화 없음\n\n"
            "분량: 400~600자",
        ),
    )


def test_a_commission_without_constraints_has_no_heading_for_them():
    _, spy = _generate(Unit(replace(COMMISSION, constraints=())))

    assert spy.asked[0].prompt[0].content == "빨래를 개는 저녁에 대해 쓰세요.\n\n분량: 400~600자"  # type: ignore[union-attr]


@pytest.mark.parametrize(("variant", "text"), [("specified", TASK.prompt), (NEUTRAL, TASK.variant.text)])  # type: ignore[union-attr]
def test_a_nuance_task_and_its_variant_are_sent_as_they_stand(variant, text):
    _, spy = _generate(Unit(TASK, variant))

    assert spy.asked[0].prompt == (Message("user", text),)


def test_nothing_that_is_for_judges_reaches_a_contestant():
    dataset = Dataset(ITEMS, {}, SlopList("2", ()), "")
    for unit in units_of(dataset):
        _, spy = _generate(unit)
        assert spy.asked
        assert not any(SECRET in message.content for request in spy.asked for message in request.prompt)  # type: ignore[union-attr]


def test_public_versions_of_a_situation_go_before_the_full_ones():
    play = replace(PLAY, setup=f"속마음: {SECRET}", setup_public="월요일이다.", interlocutor_public="오 과장")

    _, spy = _generate(Unit(play))

    system = spy.asked[0].prompt[0].content  # type: ignore[union-attr]
    assert SECRET not in system
    assert "월요일이다." in system


def test_a_role_play_that_breaks_on_its_third_call_keeps_what_was_said():
    def breaks(request: Generate, call: int) -> Completion:
        if call == 3:
            raise RequestFailed("server error 500 (4 attempts)", kind="server")
        return _numbered(request, call)

    made, spy = _generate(Unit(PLAY), breaks)

    assert made.status is Status.PARTIAL
    assert made.outputs == ("1번째 대답입니다.", "2번째 대답입니다.")
    assert made.error == "server: server error 500 (4 attempts)"
    assert len(spy.asked) == 3


def test_a_first_call_that_fails_is_an_error_without_outputs():
    def fails(request: Generate, call: int) -> Completion:
        raise RequestFailed("no connection", kind="connection")

    made, _ = _generate(Unit(COMMISSION), fails)

    assert (made.status, made.outputs, made.error) == (Status.ERROR, (), "connection: no connection")


@pytest.mark.parametrize(
    ("text", "finish", "status"),
    [
        ("저녁 빛이 마루에 누웠다.", "stop", Status.OK),
        ("저녁 빛이 마루에", "length", Status.TRUNCATED),
        ("", "stop", Status.EMPTY),
        (" \u200b\n ***\n--- ", "stop", Status.EMPTY),
        ("", "filter", Status.REFUSED),
        ("죄송하지만 요청하신 글은 작성해 드릴 수 없습니다.", "stop", Status.REFUSED),
        ("I'm sorry, but I can't help with that.", "stop", Status.REFUSED),
        ("저는 AI 언어 모델이라 감정을 느낄 수 없습니다.", "stop", Status.REFUSED),
        ("죄송합니다, 과장님. 오늘은 못 가겠어요.", "stop", Status.OK),
        ("모르겠어요, 저도.", "stop", Status.OK),
        ("<think>짧게 쓰자</think>저녁이 왔다.", "stop", Status.OK),
    ],
)
def test_what_came_back_is_classified(text, finish, status):
    made, _ = _generate(Unit(COMMISSION), lambda request, call: Completion(text, finish))

    assert made.status is status


def test_reasoning_never_becomes_part_of_the_text():
    made, _ = _generate(Unit(COMMISSION), lambda *_: Completion("<think>AI 티를 내지 말자</think>저녁이 왔다.", "stop"))

    assert made.outputs == ("저녁이 왔다.",)


def test_half_a_character_at_the_token_limit_is_cut_off():
    made, _ = _generate(Unit(COMMISSION), lambda *_: Completion("저녁이 왔\ufffd\ufffd", "length"))

    assert (made.status, made.outputs) == (Status.TRUNCATED, ("저녁이 왔",))


def test_a_budget_that_hidden_reasoning_ate_is_doubled_once():
    def reasons(request: Generate, call: int) -> Completion:
        return Completion("" if call == 1 else "저녁이 왔다.", "length" if call == 1 else "stop")

    made, spy = _generate(Unit(COMMISSION), reasons)

    assert [request.sampling.max_tokens for request in spy.asked] == [2048, 4096]
    assert (made.status, made.outputs) == (Status.OK, ("저녁이 왔다.",))


def test_one_blank_line_of_a_role_play_is_a_gap_and_not_emptiness():
    made, _ = _generate(Unit(PLAY), lambda request, call: Completion("" if call == 2 else "네.", "stop"))

    assert made.status is Status.TRUNCATED


@pytest.mark.parametrize("text", ["", " ", "\u200b", "**", "---\n", "\ufeff", "# \n> "])
def test_marks_and_invisible_signs_are_no_text(text):
    assert is_blank(text)


def test_a_case_has_no_names_of_models_and_marks_scripted_lines():
    rubric = Rubric(1, (Criterion("일관성", "인물이 그대로인가", 1.0),))
    dataset = Dataset(ITEMS, {1: rubric}, SlopList("2", ()), "")
    made, _ = _generate(Unit(PLAY))

    case, response = case_of(Unit(PLAY), dataset), response_of(Unit(PLAY), made)

    assert [section.fixed for section in response.sections] == [True, False, True, False, True, False, False]
    assert "시험 모델" not in str(case)
    assert case.notes == SECRET
    assert not any(SECRET in section.text or "제목" in section.text for section in case.context)


def test_criteria_that_do_not_apply_are_left_out_and_weights_sum_to_one_again():
    criteria = tuple(Criterion(name, "", weight) for name, weight in (("경어", 0.4), ("반어", 0.4), ("관용구", 0.2)))

    kept = applied(criteria, {"반어": 0.0, "관용구": 0.5})

    assert [(one.name, pytest.approx(one.weight)) for one in kept] == [("경어", 0.8), ("관용구", 0.2)]


def test_a_sincere_control_without_its_own_expectation_is_not_scorable():
    control = Variant("sincere_control", "진심인 상황입니다. 답하세요.")
    task = replace(TASK, subtype="subtext", variant=control)

    assert not Unit(task, NEUTRAL).scorable
    assert Unit(replace(task, variant=replace(control, expected="그대로 받는다")), NEUTRAL).scorable
    assert Unit(task, "specified").scorable
