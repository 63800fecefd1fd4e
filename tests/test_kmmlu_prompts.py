"""The prompts of every mode, to the byte, and which examples they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kmmlu_folder import DEV, TEST, make_task, write_subject, write_worked_examples

from jatdae.errors import RequestError
from jatdae.types import Message, Sampling


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_subject(tmp_path / "data", "Law")
    write_subject(tmp_path / "data", "math")
    write_worked_examples(tmp_path, {"law": "법학", "math": "수학"})
    return tmp_path / "data"


def test_letter_and_direct_have_the_published_prompt(folder: Path) -> None:
    expected = (
        "다음 가운데 11에 11을 더한 값은?\nA. 11\nB. 21\nC. 모른다\nD. 없다\n정답\uff1a D\n\n"
        "다음 가운데 12에 12을 더한 값은?\nA. 12\nB. 22\nC. 모른다\nD. 없다\n정답\uff1a A\n\n"
        "비가 온 뒤 땅이 어떻게 되는가?\nA. 마른다\nB. 젖는다\nC. 뜨거워진다\nD. 사라진다\n정답\uff1a"
    )
    letter = make_task(folder, "kmmlu/law", shots=2)
    request = letter.scoring(letter.items()[0])
    assert isinstance(request.context, str)
    assert request.context.encode() == expected.encode()
    assert request.options == (" A", " B", " C", " D")
    direct = make_task(folder, "kmmlu/law", "direct", shots=2)
    asked = direct.generation(direct.items()[0])
    assert asked.prompt == expected
    assert asked.sampling == Sampling(max_tokens=16, stop=("\n\n",))


def test_five_examples_in_file_order_are_the_default(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law")
    assert [task.examples(item) for item in task.items()] == [task.examples(task.items()[0])] * 4
    assert [row.question for row in task.examples(task.items()[0])] == [row[0] for row in DEV]


def test_upstream_prompt_is_its_rows_in_the_published_layout(upstream: Path) -> None:
    import csv

    def rows(split: str) -> list[dict[str, str]]:
        path = upstream / "kmmlu" / "data" / f"math-{split}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def block(row: dict[str, str]) -> str:
        return f"{row['question'].strip()}\nA. {row['A']}\nB. {row['B']}\nC. {row['C']}\nD. {row['D']}\n정답："

    shots = "".join(f"{block(row)} {'ABCD'[int(row['answer']) - 1]}\n\n" for row in rows("dev"))
    task = make_task(upstream, "kmmlu/math")
    assert task.scoring(task.items()[7]).context == shots + block(rows("test")[7])


def test_cloze_shows_no_options(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law", "cloze", shots=1)
    request = task.scoring(task.items()[0])
    assert request.context == "다음 가운데 11에 11을 더한 값은?\n정답： 없다\n\n비가 온 뒤 땅이 어떻게 되는가?\n정답："
    assert request.options == (" 마른다", " 젖는다", " 뜨거워진다", " 사라진다")


def test_cot_sets_the_model_thinking_once(folder: Path) -> None:
    opening = "차근 차근 생각해봅시다. 법학 관련 정보를 위해 위키피디아를 참조하겠습니다."
    question = f"비가 온 뒤 땅이 어떻게 되는가?\nA.마른다\nB.젖는다\nC.뜨거워진다\nD.사라진다\n정답: {opening}"
    shown = f"다음 가운데 11에 11을 더한 값은?\nA.11\nB.21\nC.모른다\nD.없다\n정답: {opening}"
    solution = "두 수를 더해 봅니다. 따라서, 정답은 (D) 입니다."
    clean = make_task(folder, "kmmlu/law", "cot", shots=1)
    asked = clean.generation(clean.items()[0])
    assert asked.prompt == f"{shown} {solution}\n\n{question}"
    assert (asked.sampling.max_tokens, asked.sampling.stop[0]) == (2048, "질문:")
    published = make_task(folder, "kmmlu/law", "cot", shots=1, options={"layout": "lm-eval"})
    assert published.generation(published.items()[0]).prompt == f"질문: {shown} {opening} {solution}\n\n{question}"


def test_cot_without_the_worked_examples_says_what_to_do(tmp_path: Path) -> None:
    write_subject(tmp_path, "Law")
    with pytest.raises(RequestError, match=r"kmmlu_hard_cot_dev_exemplars.json .* --shots 0"):
        make_task(tmp_path, mode="cot").items()
    alone = make_task(tmp_path, mode="cot", shots=0)
    assert str(alone.generation(alone.items()[0]).prompt).endswith("위키피디아를 참조하겠습니다.")


def test_a_missing_dev_file_says_what_to_do(folder: Path) -> None:
    (folder / "Law-dev.csv").unlink()
    with pytest.raises(RequestError, match=r"Law has no dev file .* --shots 0"):
        make_task(folder).items()
    assert len(make_task(folder, shots=0).items()) == 8


def test_chat_turns_hold_bare_letters(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law", shots=1, chat_template=True)
    request = task.scoring(task.items()[0])
    assert isinstance(request.context, tuple)
    assert [turn.role for turn in request.context] == ["user", "assistant", "user"]
    assert request.context[1] == Message("assistant", "D")
    assert request.context[2].content.endswith("정답：")
    assert request.options == ("A", "B", "C", "D")


def test_a_chat_model_without_examples_is_told_the_form_of_the_answer(folder: Path) -> None:
    def first(mode: str, **choices: Any) -> str:
        task = make_task(folder, "kmmlu/law", mode, chat_template=True, **choices)
        prompt = task.generation(task.items()[0]).prompt
        assert isinstance(prompt, tuple)
        return prompt[0].content

    assert first("direct", shots=0).startswith("다음 문제를 읽고 알맞은 보기의 글자(A, B, C, D) 하나만 쓰세요.\n\n비가")
    assert "'정답: X'" in first("cot", shots=0)
    assert first("direct", shots=0, options={"instruction": "none"}).startswith("비가")
    assert first("direct", shots=1, options={"instruction": "골라라."}).startswith("골라라.\n\n다음 가운데 11")
    assert first("direct", shots=1).startswith("다음 가운데 11")


def test_drawn_examples_depend_on_seed_and_item_alone(folder: Path) -> None:
    whole = make_task(folder, demos="per-item", shots=3)
    alone = make_task(folder, "kmmlu/math", demos="per-item", shots=3)
    orders = {item.id: [row.id for row in whole.examples(item)] for item in reversed(whole.items())}
    assert all([row.id for row in alone.examples(item)] == orders[item.id] for item in alone.items())
    assert len({tuple(order) for order in orders.values()}) > 4
    other = make_task(folder, demos="per-item", shots=3, seed=308)
    assert any([row.id for row in other.examples(item)] != orders[item.id] for item in other.items())


@pytest.mark.parametrize("mode", ["letter", "direct", "cot", "cloze"])
@pytest.mark.parametrize("demos", ["fixed", "per-item"])
def test_an_item_is_never_its_own_example(folder: Path, mode: str, demos: str) -> None:
    for seed in (1, 2, 3):
        task = make_task(folder, "kmmlu/law", mode, seed, split="dev", shots=4, demos=demos)
        for item in task.items():
            assert str(task.prompt(item)).count(item.question) == 1
    with pytest.raises(RequestError, match=r"--shots 5: Law has 4 examples for Law/dev/0 .* use --shots 4 or fewer"):
        make_task(folder, "kmmlu/law", mode, split="dev").items()


def test_more_examples_than_there_are_is_refused(folder: Path) -> None:
    with pytest.raises(RequestError, match="Law has 5 examples"):
        make_task(folder, shots=6).items()


def test_a_published_overlap_of_examples_and_questions_is_kept_and_flagged(tmp_path: Path) -> None:
    write_subject(tmp_path, "Law", dev=[*DEV[:4], TEST[3]])
    task = make_task(tmp_path)
    assert [item.id for item in task.items() if "shown-as-example" in item.flags] == ["Law/test/3"]
    assert len(task.examples(task.items()[3])) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cue": "정답: "}, "must not be empty or end in white space"),
        ({"match": "strict"}, "strict-lm-eval"),
        ({"value_reading": "maybe"}, "the choices are no, yes"),
    ],
)
def test_settings_that_make_no_sense_are_refused(folder: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        make_task(folder, mode="direct", options=options)


@pytest.mark.parametrize("mode", ["letter", "cloze"])
@pytest.mark.parametrize(
    ("sampling", "named"), [(Sampling(temperature=0.5), r"temperature=0\.5"), (Sampling(max_tokens=9), "max_tokens=9")]
)
def test_sampling_is_refused_where_nothing_is_generated(
    folder: Path, mode: str, sampling: Sampling, named: str
) -> None:
    with pytest.raises(RequestError, match=rf"{named}: the mode {mode} compares log-likelihoods"):
        make_task(folder, mode=mode, sampling=sampling)


@pytest.mark.parametrize("mode", ["direct", "cot"])
def test_sampling_needs_no_second_switch(folder: Path, mode: str) -> None:
    sampling = Sampling(temperature=0.7, seed=3)
    task = make_task(folder, mode=mode, sampling=sampling)
    assert task.generation(task.items()[0]).sampling == sampling
    with pytest.raises(RequestError, match="no setting 'allow_sampling'"):
        make_task(folder, mode=mode, options={"allow_sampling": "yes"})


def test_another_cue_is_used_in_examples_and_question(folder: Path) -> None:
    task = make_task(folder, "kmmlu/law", shots=1, options={"cue": "답:"})
    assert str(task.scoring(task.items()[0]).context).count("\n답:") == 2
