"""KLUE by prompting: what is sent, to the letter, which examples are shown, and what a reply is worth."""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from klue_gold import questions, relations, similarities, topics, written
from klue_predictions import klue
from scripted import ScriptedBackend

import jatdae
from jatdae import evaluate
from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.klue.labels import LABELS
from jatdae.benchmarks.klue.prompted import PromptedKlueTask
from jatdae.benchmarks.klue.prompting import ASKING, balanced
from jatdae.benchmarks.klue.records import Record
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, RequestFailed
from jatdae.evaluate import choose_items, fingerprint_of
from jatdae.types import (
    Answer,
    Completion,
    Generate,
    Message,
    OptionScore,
    Outcome,
    Protocol,
    Request,
    Sample,
    Sampling,
    Score,
    Scores,
)

MINI = Path(jatdae.__file__).parent / "benchmarks" / "klue" / "mini"
PROMPTED = tuple(ASKING)


def prompted(task: str, data: Any = "mini", **choices: Any) -> PromptedKlueTask:
    made = klue(task, data, mode="prompt", **choices)
    assert isinstance(made, PromptedKlueTask)
    return made


def shown(task: PromptedKlueTask, place: int = 0) -> str:
    """The prompt of an item as text."""
    prompt = task.prompt(task.items()[place])
    assert isinstance(prompt, str)
    return prompt


class Planned:
    """A model that answers by plan and remembers what it was asked."""

    def __init__(
        self, scores: Callable[[Score], Sequence[float]] | None = None, replies: Sequence[Completion | str] = ()
    ) -> None:
        self.scores, self.replies = scores, list(replies)
        self.asked: list[Request] = []

    async def score(self, request: Score) -> Scores:
        self.asked.append(request)
        values = self.scores(request) if self.scores else [-1.0] * len(request.options)
        return Scores(tuple(OptionScore(value, 1, False) for value in values))

    async def generate(self, request: Generate) -> Completion:
        self.asked.append(request)
        reply = self.replies.pop(0)
        return reply if isinstance(reply, Completion) else Completion(reply, "stop")


def run(task: PromptedKlueTask, model: Planned) -> list[Sample]:
    return [asyncio.run(task.evaluate(item, model)) for item in task.items()]


def knows(task: PromptedKlueTask) -> Callable[[Score], list[float]]:
    """Scores by which the right label of each item is the likeliest."""
    right = {task.prompt(item): ASKING[task.task].answer(item.gold) for item in task.items()}
    return lambda request: [0.0 if option.strip() == right[request.context] else -9.0 for option in request.options]


# ---- what is sent


def test_the_prompt_of_a_topic(tmp_path: Path) -> None:
    made = prompted("ynat", topics(tmp_path, ["경제"]).parent)
    request = made.request(made.items()[0])

    assert request == Score(
        "뉴스 제목을 읽고 어느 분야의 기사인지 답하세요. "
        "분야는 정치, 경제, 사회, 생활문화, 세계, IT과학, 스포츠 가운데 하나입니다.\n\n제목: 제목 0\n분야:",
        (" 정치", " 경제", " 사회", " 생활문화", " 세계", " IT과학", " 스포츠"),
    )


def test_the_prompt_of_a_similarity(tmp_path: Path) -> None:
    made = prompted("sts", similarities(tmp_path, [2.0]).parent)

    assert made.request(made.items()[0]) == Score(
        "두 문장의 뜻이 얼마나 비슷한지 0부터 5까지의 정수로 답하세요. "
        "뜻이 전혀 다르면 0, 중요한 내용이 같으면 3, 뜻이 똑같으면 5입니다.\n\n문장 1: 문장 0\n문장 2: 글월 0\n점수:",
        (" 0", " 1", " 2", " 3", " 4", " 5"),
    )


def test_the_prompt_of_an_inference_with_an_example() -> None:
    made = prompted("nli", shots=1)
    (example,) = made.examples(made.items()[0])
    word = {"entailment": "참", "contradiction": "거짓", "neutral": "중립"}[example.label]
    record = made.items()[0].gold

    assert example in made.training_records()
    assert shown(made) == (
        "전제가 사실일 때 가설이 어떤지 답하세요. "
        "가설이 반드시 맞으면 '참', 맞을 수 없으면 '거짓', 전제만으로 알 수 없으면 '중립'입니다.\n\n"
        f"전제: {example.premise}\n가설: {example.hypothesis}\n판단: {word}\n\n"
        f"전제: {record.premise}\n가설: {record.hypothesis}\n판단:"
    )
    assert made.request(made.items()[0]).options == (" 참", " 거짓", " 중립")


def test_the_prompt_of_a_relation_offers_all_thirty(tmp_path: Path) -> None:
    relations(tmp_path, ["no_relation"]).rename(tmp_path / "klue-re-v1.1_dev.json")
    made = prompted("re", tmp_path)
    request = made.request(made.items()[0])

    assert isinstance(request, Score)
    assert isinstance(request.context, str)
    assert request.context.startswith("문장에서 주체와 대상이 어떤 관계인지 답하세요. ")
    assert request.context.endswith(
        ", 직함. 어느 것도 아니면 '관계 없음'입니다.\n\n"
        "문장: 가온과 나래 0\n주체: 가온 (인물)\n대상: 나래 (인물)\n관계:"
    )
    assert (len(request.options), request.options[0], request.options[12]) == (30, " 관계 없음", " 생년월일")


def test_the_prompt_of_a_question_asks_for_text(tmp_path: Path) -> None:
    made = prompted("mrc", questions(tmp_path, [["서울"]]).parent)

    assert made.request(made.items()[0]) == Generate(
        "지문을 읽고 질문에 답하세요. "
        "답은 지문에 있는 말 그대로 짧게 쓰고, 지문에 답이 없으면 '답 없음'이라고만 쓰세요.\n\n"
        "지문: 서울 / 자문\n질문: 물음 0\n답:",
        Sampling(max_tokens=64, stop=("\n",)),
    )
    assert made.needs == frozenset()


def test_braces_in_a_text_are_text(tmp_path: Path) -> None:
    rows = [{"guid": "ynat-v1_dev_00000", "title": "{title} {0} {{}}", "label": "경제"}]
    written(tmp_path / "ynat-v1.1_dev.json", rows)

    assert "\n제목: {title} {0} {{}}\n".strip() in shown(prompted("ynat", tmp_path))


@pytest.mark.parametrize("task", PROMPTED)
def test_through_a_chat_template_examples_are_turns(task: str) -> None:
    made = prompted(task, shots=2, chat_template=True)
    item = made.items()[0]
    prompt = made.prompt(item)
    asking = ASKING[task]

    assert isinstance(prompt, tuple)
    assert [turn.role for turn in prompt] == ["user", "assistant", "user", "assistant", "user"]
    first, second = made.examples(item)
    assert prompt[0] == Message("user", asking.wording.description + asking.block(first))
    assert prompt[1] == Message("assistant", asking.answer(first))
    assert prompt[3:] == (Message("assistant", asking.answer(second)), Message("user", asking.block(item.gold)))
    request = made.request(item)
    assert isinstance(request, Generate) or not any(option.startswith(" ") for option in request.options)
    assert "chat" in made.needs


@pytest.mark.parametrize("task", PROMPTED)
def test_no_word_is_the_beginning_of_another(task: str) -> None:
    words = list(ASKING[task].wording.words.values())

    assert not [(a, b) for a in words for b in words if a is not b and b.startswith(a)]
    if task in ("ynat", "nli", "re"):
        assert tuple(ASKING[task].wording.words) == LABELS[task]


# ---- examples


def example_ids(task: PromptedKlueTask) -> dict[str, list[str]]:
    return {item.id: [record.guid for record in task.examples(item)] for item in task.items()}


@pytest.mark.parametrize("demos", ["fixed", "per-item"])
@pytest.mark.parametrize("task", PROMPTED)
def test_examples_depend_on_nothing_but_seed_and_item(task: str, demos: str, tmp_path: Path) -> None:
    """Neither on a limit, nor on the order in which items are asked, nor on the order of the train file."""
    whole = example_ids(prompted(task, shots=3, demos=demos))
    name = "ynat-v1.1" if task == "ynat" else f"klue-{task}-v1.1"
    for split in ("train", "dev"):
        content = json.loads((MINI / f"{name}_{split}.json").read_text(encoding="utf-8"))
        rows = content["data"] if isinstance(content, dict) else content
        random.Random(split).shuffle(rows)
        written(tmp_path / f"{name}_{split}.json", content)

    shuffled = prompted(task, tmp_path, shots=3, demos=demos)
    limited = prompted(task, shots=3, demos=demos, limit=2)

    assert example_ids(shuffled) == whole
    chosen = choose_items(limited, 2)
    assert {item.id: [record.guid for record in limited.examples(item)] for item in chosen}.items() <= whole.items()
    assert (len({tuple(ids) for ids in whole.values()}) == 1) == (demos == "fixed")


def test_another_seed_shows_other_examples() -> None:
    entry = find_task("klue/nli")
    protocol = build_protocol(entry, "prompt", shots=3)
    seen = []
    for seed in (1, 1, 2):
        made = entry.task(entry.name, protocol, Source.of("mini"), seed)
        assert isinstance(made, PromptedKlueTask)
        seen.append(example_ids(made))

    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize(("task", "kinds"), [("ynat", 7), ("nli", 3), ("sts", 6), ("mrc", 2)])
def test_labels_take_turns(task: str, kinds: int) -> None:
    made = prompted(task, shots=2 * kinds)
    labels = [ASKING[task].kind(record) for record in made.examples(made.items()[0])]

    assert len(set(labels[:kinds])) == kinds
    assert labels[kinds:] == labels[:kinds]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 99))
def test_every_example_comes_once_and_kinds_take_turns(sizes: list[int], seed: int) -> None:
    pools = [[Record(f"{kind}-{n}") for n in range(size)] for kind, size in enumerate(sizes)]

    order = [record.guid for record in balanced(pools, random.Random(seed))]

    assert sorted(order) == sorted(record.guid for pool in pools for record in pool)
    assert len({guid.partition("-")[0] for guid in order[: len(sizes)]}) == len(sizes)


def test_the_first_kind_and_the_first_of_each_kind_are_drawn() -> None:
    pools = [[Record(f"{kind}-{n}") for n in range(20)] for kind in "ab"]
    firsts = {next(balanced(pools, random.Random(seed))).guid for seed in range(40)}

    assert {guid[0] for guid in firsts} == {"a", "b"}
    assert len(firsts) > 15


@pytest.mark.parametrize("demos", ["fixed", "per-item"])
def test_an_item_is_never_its_own_example(demos: str, tmp_path: Path) -> None:
    rows = [{"guid": f"ynat-v1_train_{n:05d}", "title": f"제목 {n % 3}", "label": "경제"} for n in range(4)]
    written(tmp_path / "ynat-v1.1_train.json", rows)
    made = prompted("ynat", tmp_path, split="train", shots=2, demos=demos)

    for place, item in enumerate(made.items()):
        block = ASKING["ynat"].block(item.gold)
        assert shown(made, place).count(block) == 1
        assert len(made.examples(item)) == 2
    with pytest.raises(RequestError, match=r"--shots 3: klue/ynat has 2 examples for .*; use --shots 2 or fewer"):
        prompted("ynat", tmp_path, split="train", shots=3, demos=demos).check()


def test_examples_need_the_train_split_and_nothing_else_does(tmp_path: Path) -> None:
    folder = topics(tmp_path, ["경제"]).parent

    prompted("ynat", folder).check()
    with pytest.raises(RequestError, match=r"no ynat-v1\.1_train\.json"):
        prompted("ynat", folder, shots=1).check()


# ---- labels by log-likelihood


@pytest.mark.parametrize(("task", "metric"), [("ynat", "macro_f1"), ("nli", "accuracy"), ("re", "micro_f1")])
def test_a_model_that_knows_gets_all_there_is(task: str, metric: str) -> None:
    made = prompted(task, shots=1)
    samples = run(made, Planned(knows(made)))

    numbers = made.aggregate(samples)

    assert numbers.headline == metric
    assert numbers.estimates[metric].value == 1
    assert {sample.outcome for sample in samples} == {Outcome.RIGHT}
    for sample in samples:
        probabilities = sample.detail["prediction"]["probabilities"]
        assert sum(probabilities) == pytest.approx(1)
        assert LABELS[task][probabilities.index(max(probabilities))] == sample.prediction
        assert len(sample.detail["examples"]) == 1
    if task == "re":
        assert numbers.estimates["auprc, clean"].value == 1


def test_curves_are_drawn_from_the_probabilities(tmp_path: Path) -> None:
    """Both items are predicted wrongly, and of both labels the item that has it still ranks first."""
    relations(tmp_path, ["org:product", "no_relation"]).rename(tmp_path / "klue-re-v1.1_dev.json")
    made = prompted("re", tmp_path)
    product = LABELS["re"].index("org:product")

    def scores(request: Score) -> list[float]:
        values = [-50.0] * 30
        values[1], values[product] = 0.0, -2.0 if "나래 0" in str(request.context) else -4.0
        return values

    samples = run(made, Planned(scores))
    estimates = made.aggregate(samples).estimates

    assert [sample.prediction for sample in samples] == ["org:dissolved"] * 2
    assert estimates["micro_f1"].value == 0
    assert estimates["auprc, clean"].value == 1


def test_ties_go_to_the_first_label_and_are_told() -> None:
    made = prompted("nli")
    samples = run(made, Planned())

    assert {sample.prediction for sample in samples} == {"entailment"}
    notes = made.aggregate(samples).notes
    assert "12 exact ties, decided for the first label" in notes
    assert any("highest total log-likelihood" in note for note in notes)


def test_a_near_tie_is_marked() -> None:
    made = prompted("nli")
    sample = asyncio.run(made.evaluate(made.items()[0], Planned(lambda _: [-1.0, -1.03, -5.0])))

    assert (sample.detail["near_tie"], sample.detail["tied"]) == (True, 1)


@pytest.mark.parametrize(
    ("log_likelihoods", "expected"),
    [
        ([-1.0] * 6, 2.5),
        ([-800.0] * 5 + [-1.0], 5.0),
        ([math.log(p) for p in (0.1, 0.1, 0.1, 0.1, 0.1, 0.5)], 3.5),
        ([math.log(p) - 900 for p in (0.1, 0.1, 0.1, 0.1, 0.1, 0.5)], 3.5),
    ],
)
def test_a_similarity_is_the_expected_score(log_likelihoods: list[float], expected: float) -> None:
    made = prompted("sts")
    sample = asyncio.run(made.evaluate(made.items()[0], Planned(lambda _: log_likelihoods)))

    assert sample.detail["prediction"]["prediction"] == pytest.approx(expected)
    assert sum(sample.detail["chances"]) == pytest.approx(1)


def test_similarities_are_correlated_and_the_rule_is_told() -> None:
    made = prompted("sts")
    right = {made.prompt(item): item.gold.real_label for item in made.items()}

    def near(request: Score) -> list[float]:
        return [-5 * (score - right[request.context]) ** 2 for score in range(6)]

    numbers = made.aggregate(run(made, Planned(near)))

    assert numbers.estimates["pearson"].value > 0.98
    assert numbers.estimates["f1"].value > 0.9
    assert any(note.startswith("the expected value of the six scores") for note in numbers.notes)


@pytest.mark.parametrize(("label", "score"), [(0.4, "0"), (0.5, "1"), (2.5, "3"), (4.857, "5"), (5.0, "5")])
def test_an_example_shows_the_nearest_score(label: float, score: str, tmp_path: Path) -> None:
    record = prompted("sts", similarities(tmp_path, [label]).parent).records()[0]

    assert ASKING["sts"].answer(record) == score


# ---- answers in words


@pytest.fixture
def asked(tmp_path: Path) -> PromptedKlueTask:
    """One question that `한 달가량` or `한 달` answers, and one that nothing answers."""
    return prompted("mrc", questions(tmp_path, [["한 달가량", "한 달"], []], plausible="인수합병(M&A) 자문").parent)


def replied(task: PromptedKlueTask, reply: Completion | str, place: int = 0) -> Sample:
    return asyncio.run(task.evaluate(task.items()[place], Planned(replies=[reply] * 2)))


@pytest.mark.parametrize(
    ("reply", "prediction", "exact"),
    [
        (" 한 달", "한 달", 1),
        ("한 달.", "한 달.", 1),
        ("'한 달가량'", "'한 달가량'", 1),
        ("답: 한 달", "한 달", 1),
        ("정답 : 한 달\n질문: 다음은?\n답: 없음", "한 달", 1),
        ("\n\n한 달", "한 달", 1),
        ("답:\n한 달", "한 달", 1),
        ("<think>한 달일까 두 달일까\n\n</think>\n한 달", "한 달", 1),
        ("</think>한 달입니다.", "한 달입니다.", 0),
        ("답변은 한 달", "답변은 한 달", 0),
        ("답 없음", "(none)", 0),
        ("답을 찾을 수 없음", None, 0),
    ],
)
def test_the_first_line_that_says_something_is_the_answer(
    asked: PromptedKlueTask, reply: str, prediction: str | None, exact: float
) -> None:
    sample = replied(asked, reply)

    assert (sample.prediction, sample.scores["exact_match"]) == (prediction, exact)


@pytest.mark.parametrize("reply", ["답 없음", " '답 없음'", "답없음.", "정답: 답 없음\n\n지문: 다음", "**답 없음**"])
def test_one_wording_alone_means_no_answer(asked: PromptedKlueTask, reply: str) -> None:
    sample = replied(asked, reply, 1)

    assert sample.detail["prediction"] == {"prediction": ""}
    assert (sample.outcome, dict(sample.scores)) == (Outcome.RIGHT, {"exact_match": 1.0, "rouge_w": 1.0})


@pytest.mark.parametrize("reply", ["인수합병(M&A) 자문", "없음", "지문에 답 없음", "답 없음 아님"])
def test_anything_else_is_an_answer_and_wrong_where_there_is_none(asked: PromptedKlueTask, reply: str) -> None:
    sample = replied(asked, reply, 1)

    assert (sample.outcome, dict(sample.scores)) == (Outcome.WRONG, {"exact_match": 0.0, "rouge_w": 0.0})


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Completion("", "stop"), Outcome.UNPARSED),
        (Completion(" \n \n", "stop"), Outcome.UNPARSED),
        (Completion("답:", "stop"), Outcome.UNPARSED),
        (Completion("한 달이라고 볼 수 있는 까닭은 지문의 첫", "length"), Outcome.TRUNCATED),
        (Completion("", "length"), Outcome.TRUNCATED),
        (Completion("<think>한 달일 것 같다", "length"), Outcome.TRUNCATED),
        (Completion("<think>한 달일 것 같다", "stop"), Outcome.TRUNCATED),
        (Completion("죄송합니다. 답변을 드릴 수 없습니다.", "stop"), Outcome.REFUSED),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_reply_without_an_answer_earns_nothing_even_where_there_is_none(
    asked: PromptedKlueTask, reply: Completion, outcome: Outcome, place: int
) -> None:
    sample = replied(asked, reply, place)

    assert (sample.outcome, sample.prediction) == (outcome, None)
    assert set(sample.scores.values()) == {0.0}
    assert sample.detail["response"] == reply.text


def test_a_whole_line_before_the_limit_is_an_answer(asked: PromptedKlueTask) -> None:
    assert replied(asked, Completion("한 달\n왜냐하면 지문의 첫", "length")).outcome is Outcome.RIGHT


def test_words_of_the_passage_are_no_refusal(tmp_path: Path) -> None:
    made = prompted("mrc", questions(tmp_path, [["답변을 드릴 수 없습니다"]]).parent)

    assert replied(made, "답변을 드릴 수 없습니다").outcome is Outcome.RIGHT


def test_equal_korean_texts_overlap_wholly(tmp_path: Path) -> None:
    made = prompted("mrc", questions(tmp_path, [["서울은 수도다"]]).parent)

    assert dict(replied(made, "서울은 수도다").scores) == {"exact_match": 1.0, "rouge_w": 1.0}


@pytest.mark.parametrize(
    ("first", "times"), [("", 2), ("답:", 2), ("<think>", 2), ("한 달", 1), (Completion("<think>한", "length"), 1)]
)
def test_a_text_that_says_nothing_in_its_first_line_is_asked_for_again(
    asked: PromptedKlueTask, first: str | Completion, times: int
) -> None:
    model = Planned(replies=[first, "<think>\n음\n</think>\n한 달"])

    sample = asyncio.run(asked.evaluate(asked.items()[0], model))

    stops = [request.sampling.stop for request in model.asked if isinstance(request, Generate)]
    assert stops == [("\n",), ()][:times]
    assert (sample.outcome is Outcome.RIGHT) == (first != Completion("<think>한", "length"))


def test_unread_answers_count_as_wrong_and_are_told(asked: PromptedKlueTask) -> None:
    samples = [replied(asked, "한 달"), replied(asked, Completion("", "stop"), 1)]

    numbers = asked.aggregate(samples)

    assert numbers.estimates["exact_match"].value == 0.5
    assert "1 of 2 have no prediction and count as wrong" in numbers.notes


# ---- protocols


@pytest.mark.parametrize("task", PROMPTED)
def test_the_protocol_of_a_prompt(task: str) -> None:
    protocol = build_protocol(find_task(f"klue/{task}"), "prompt")

    sampling = Sampling(max_tokens=64, stop=("\n",)) if task == "mrc" else Sampling()
    assert protocol == Protocol(mode="prompt", split="dev", sampling=sampling)


def test_settings_without_use_are_refused() -> None:
    with pytest.raises(RequestError, match=r"sampling with temperature=0\.7"):
        prompted("nli", sampling=Sampling(temperature=0.7)).check()
    prompted("mrc", sampling=Sampling(temperature=0.7, seed=1)).check()
    with pytest.raises(RequestError, match="klue/nli has no setting 'lr'"):
        prompted("nli", options={"lr": "1e-5"})


def test_another_wording_is_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {task: (prompted(task).prompt_hash, fingerprint_of(prompted(task))) for task in PROMPTED}
    assert len(set(before.values())) == len(PROMPTED)
    for task in PROMPTED:
        wording = ASKING[task].wording
        monkeypatch.setattr(type(ASKING[task]), "wording", replace(wording, block=f"{wording.block} "))

    after = {task: (prompted(task).prompt_hash, fingerprint_of(prompted(task))) for task in PROMPTED}

    assert all(before[task][place] != after[task][place] for task in PROMPTED for place in (0, 1))
    assert klue("nli").prompt_hash == ""


# ---- the whole flow


def scripted(request: Request) -> Answer:
    if isinstance(request, Generate):
        return Completion("답 없음", "stop")
    return Scores(tuple(OptionScore(-1.0 - place, 1, False) for place, _ in enumerate(request.options)))


@pytest.mark.parametrize("task", PROMPTED)
def test_a_task_runs_through_the_runtime(task: str, tmp_path: Path) -> None:
    backend = ScriptedBackend(scripted)

    result = evaluate(f"klue/{task}", backend, mode="prompt", data="mini", shots=2, store=tmp_path)

    assert result.complete
    assert result.items == len(prompted(task).items())
    assert result.headline in result.estimates or task == "sts"
    assert result.floors
    if task == "mrc":
        assert result.estimates["exact_match"].value == result.floors["never an answer"].value
    if task == "ynat":
        assert result.estimates["macro_f1"].value == pytest.approx(result.floors["always 정치"].value)


def test_a_failed_request_is_left_out_and_makes_the_result_incomplete(tmp_path: Path) -> None:
    lost = prompted("nli").items()[3].gold.hypothesis

    def script(request: Request) -> Answer | RequestFailed:
        assert isinstance(request, Score)
        return RequestFailed("no room", kind="memory") if lost in str(request.context) else scripted(request)

    result = evaluate("klue/nli", ScriptedBackend(script), mode="prompt", data="mini", store=tmp_path)

    assert not result.complete
    assert result.title == "klue/nli mini dev: 11 of 12 pairs, 4 premises, 1 failed and left out"
    assert result.estimates["accuracy"].n == 11


def test_several_few_shot_seeds_are_meaned(tmp_path: Path) -> None:
    result = evaluate("klue/nli", ScriptedBackend(), mode="prompt", data="mini", shots=2, seeds=(1, 2), store=tmp_path)

    seeds: Mapping[str, Any] = result.breakdown["seeds"]
    assert list(seeds) == ["1", "2"]
    assert result.estimates["accuracy"].value == pytest.approx(sum(seed.value for seed in seeds.values()) / 2)
    assert result.estimates["accuracy"].n == 12


def test_a_real_model_is_asked(tiny_model: Path, tmp_path: Path) -> None:
    result = evaluate("klue/nli", f"hf:{tiny_model}", mode="prompt", data="mini", store=tmp_path)

    assert result.complete
    assert 0 <= result.estimates["accuracy"].value <= 1
    assert result.estimates["accuracy"].n == 12
    assert result.floors["always entailment"].value == pytest.approx(1 / 3)
