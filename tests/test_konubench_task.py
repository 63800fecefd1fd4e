"""The task in its modes: what is asked, how it is scored, and what a result says."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from konubench_files import Scripted, item, item_of_three, write_json

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.konubench.task import KoNUBench
from jatdae.benchmarks.sources import Source
from jatdae.errors import DataError, RequestError
from jatdae.types import Generate, Message, Outcome, Sample, Sampling, Score

ITEMS = [item("1"), item("3000"), item_of_three("G5")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_json(tmp_path / "test.json", ITEMS)
    write_json(tmp_path / "val.json", [item(str(number)) for number in range(100, 120)])
    return tmp_path


def task(folder: Path, mode: str = "cloze", seed: int = 1234, **choices: Any) -> KoNUBench:
    entry = find_task("konubench")
    built = entry.task(entry.name, build_protocol(entry, mode, **choices), Source(folder), seed)
    assert isinstance(built, KoNUBench)
    return built


def run(task: KoNUBench, model: Scripted) -> list[Sample]:
    return [asyncio.run(task.evaluate(question, model)) for question in task.items()]


def test_the_cloze_prompt_is_description_then_three_lines(folder: Path) -> None:
    request = task(folder).request(task(folder).items()[0])

    assert isinstance(request, Score)
    assert isinstance(request.context, str)
    description, block = request.context.rsplit("\n\n", 1)
    assert description.startswith("standard negation:\n- ")
    assert description.split("\n\n")[1].startswith("한국어의 부정 표현:\n- ")
    assert block == (
        "문제: 다음 문장을 표준 부정의 방식에 따라 올바르게 부정하시오.\n"
        "원문: 1번 가게는 아침에 열고 직원이 빵을 판다.\n"
        "부정문:"
    )
    assert request.options[0] == " 1번 가게는 아침에 열지 않거나 직원이 빵을 팔지 않는다."
    assert len(request.options) == 4


def test_the_symbol_prompt_lists_the_options_and_asks_for_letters(folder: Path) -> None:
    symbol = task(folder, "symbol")
    request = symbol.request(symbol.items()[2])

    assert isinstance(request, Score)
    assert isinstance(request.context, str)
    assert request.context.split("\n\n", 2)[2] == (
        "문제: 다음 원문을 표준 부정의 방식에 따라 올바르게 부정한 문장을 고르시오.\n"
        "원문: G5번 가게는 아침에 열고 직원이 빵을 판다.\n"
        "A. G5번 가게는 아침에 열지 않거나 직원이 빵을 팔지 않는다.\n"
        "B. G5번 가게는 밤에만 열고 직원이 빵을 버린다.\n"
        "C. 아침이면 여는 G5번 가게에서 직원이 빵을 판매한다.\n"
        "\n"
        "정답:"
    )
    assert request.options == (" A", " B", " C")


def test_an_example_is_the_same_block_then_one_blank_and_its_answer(folder: Path) -> None:
    cloze = task(folder, shots=1)
    question = cloze.items()[0]
    (example,) = cloze.examples(question)

    prompt = cloze.prompt(question)

    assert isinstance(prompt, str)
    assert prompt == f"{cloze.description}{cloze.write(example)} {example.options[0]}\n\n{cloze.write(question)}"


def test_the_chat_prompt_is_one_user_turn_with_a_demand(folder: Path) -> None:
    chat = task(folder, "chat")
    request = chat.request(chat.items()[0])

    assert isinstance(request, Generate)
    assert isinstance(request.prompt, tuple)
    (turn,) = request.prompt
    assert isinstance(turn, Message)
    assert "[설명 없이 정답에 해당하는 알파벳 한 글자만 쓰시오.]\n원문: " in turn.content
    assert (request.sampling.max_tokens, request.sampling.stop) == (16, ("\n",))
    assert chat.needs == {"chat"}


def test_braces_in_a_sentence_are_text(tmp_path: Path) -> None:
    write_json(tmp_path / "test.json", [item("1", original_sentence="{{options}}라고 쓴 종이가 있다.")])
    symbol = task(tmp_path, "symbol")

    assert "원문: {{options}}라고 쓴 종이가 있다.\nA. " in symbol.write(symbol.items()[0])


def test_another_wording_can_be_dropped_in_and_changes_the_hash(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "wording"
    other.mkdir()
    (other / "description.txt").write_text("", encoding="utf-8")
    (other / "cloze.txt").write_text("{{original_sentence}}\n부정:\n", encoding="utf-8")

    given = task(folder, options={"prompt": str(other)})

    assert given.prompt(given.items()[0]) == "1번 가게는 아침에 열고 직원이 빵을 판다.\n부정:"
    assert given.prompt_hash != task(folder).prompt_hash
    with pytest.raises(RequestError, match=r"symbol\.txt is not there"):
        task(folder, "symbol", options={"prompt": str(other)}).request(given.items()[0])
    (other / "cloze.txt").write_text("{{sentence}}:", encoding="utf-8")
    with pytest.raises(DataError, match=r"cloze\.txt, field 'original_sentence': this placeholder is missing"):
        _ = task(folder, options={"prompt": str(other)}).description


def test_examples_per_item_follow_one_running_generator(folder: Path) -> None:
    few = task(folder, shots=2, seed=308)
    generator = random.Random(308)

    expected = [generator.sample([str(number) for number in range(100, 120)], 2) for _ in ITEMS]

    backwards = {question.id: few.examples(question) for question in reversed(few.items())}
    assert [[example.id for example in backwards[row["idx"]]] for row in ITEMS] == expected


def test_fixed_examples_are_the_same_for_every_item(folder: Path) -> None:
    few = task(folder, shots=3, demos="fixed")

    drawn = [[example.id for example in few.examples(question)] for question in few.items()]

    assert drawn == [random.Random(1234).sample([str(number) for number in range(100, 120)], 3)] * 3


@pytest.mark.parametrize("demos", ["fixed", "per-item"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_item_is_never_its_own_example(tmp_path: Path, demos: str, seed: int) -> None:
    write_json(tmp_path / "val.json", [item("1"), item("2"), item("3")])

    few = task(tmp_path, shots=2, seed=seed, split="validation", demos=demos)

    for question in few.items():
        assert {example.id for example in few.examples(question)} == {"1", "2", "3"} - {question.id}
    with pytest.raises(RequestError, match="3 examples are wanted and the validation split has 2"):
        many = task(tmp_path, shots=3, seed=seed, split="validation", demos=demos)
        many.examples(many.items()[0])


def test_the_published_protocol_is_the_default(folder: Path) -> None:
    protocol = task(folder).protocol

    assert (protocol.mode, protocol.demos, protocol.seeds) == ("cloze", "per-item", (1234, 308, 1028))
    assert task(folder).by_letter is False
    with pytest.raises(RequestError, match="--set repair=maybe"):
        task(folder, options={"repair": "maybe"}).items()


def test_fixed_log_likelihoods_give_known_metrics(folder: Path) -> None:
    """Given raw sums that favour the short contradiction, division by length turns the choice to the right option."""
    cloze = task(folder)
    first = run(cloze, Scripted(lambda request: [-30.0, -40.0, -29.0, -50.0][: len(request.options)]))[0]

    assert first.scores["acc"] == 0.0
    assert first.scores["acc_norm"] == 1.0
    assert first.detail["kinds"][first.detail["choices"]["acc"]] == "contradiction"
    assert first.cluster == "1001"
    assert first.group == "대등절 일부"


def test_a_tie_goes_to_the_first_option_and_is_counted(folder: Path) -> None:
    cloze = task(folder)
    samples = run(cloze, Scripted(lambda request: [-1.0 * len(text[1:]) for text in request.options]))

    numbers = cloze.aggregate(samples)

    assert [sample.outcome for sample in samples] == [Outcome.RIGHT] * 3
    assert numbers.estimates["acc_norm"].value == 1.0
    assert any("3 ties for the first place" in note for note in numbers.notes)
    assert all(sample.detail["near_tie"] for sample in samples)


def prefer(kind: int) -> Scripted:
    """A model that likes one place best."""
    return Scripted(lambda request: [0.0 if index == kind else -900.0 for index in range(len(request.options))])


def test_mistakes_are_named_by_each_items_own_options(folder: Path) -> None:
    """Given a model that always takes the second option: local negation twice, but the contradiction of the third."""
    cloze = task(folder)

    numbers = cloze.aggregate(run(cloze, prefer(1)))

    for table in ("errors", "errors by raw log-likelihood"):
        shares = {kind: share.value for kind, share in numbers.breakdown[table].items()}
        assert shares == pytest.approx({"local": 2 / 3, "contradiction": 1 / 3, "paraphrase": 0.0})


@pytest.mark.parametrize("repair", ["none", "swap"])
def test_exchanged_fields_are_put_right_in_the_count_of_mistakes(folder: Path, repair: str) -> None:
    """Item 3000 has the two fields exchanged: stored, its third place is a paraphrase, repaired it is not."""
    cloze = task(folder, options={"repair": repair})

    shares = cloze.aggregate(run(cloze, prefer(2))).breakdown["errors"]

    paraphrases = 2 if repair == "none" else 1
    assert shares["paraphrase"].value == pytest.approx(paraphrases / 3)
    assert shares["contradiction"].value == pytest.approx(1 - paraphrases / 3)


def test_a_perfect_run_has_no_table_of_mistakes(folder: Path) -> None:
    cloze = task(folder)

    numbers = cloze.aggregate(run(cloze, prefer(0)))

    assert "errors" not in numbers.breakdown
    assert set(numbers.estimates) == {"acc", "acc_norm", "acc_bytes", "acc_tokens"}
    assert numbers.headline == "acc_norm"
    assert numbers.title == "KoNUBench, altered data, 3 of 1,284 items"


def test_symbol_is_scored_by_letter(folder: Path) -> None:
    symbol = task(folder, "symbol")
    right = {question.question: question.answer for question in symbol.items()}

    def gold(request: Score) -> Sequence[float]:
        answer = next(index for sentence, index in right.items() if f"원문: {sentence}\n" in str(request.context))
        return [0.0 if index == answer else -5.0 for index in range(len(request.options))]

    samples = run(symbol, Scripted(gold))

    assert [sample.prediction for sample in samples] == [question.letter for question in symbol.items()]
    assert symbol.aggregate(samples).headline == "acc"
    assert symbol.aggregate(samples).estimates["acc"].value == 1.0


@pytest.mark.parametrize(
    ("text", "finish", "outcome", "acc", "clean"),
    [
        ("A", "stop", Outcome.RIGHT, 1.0, 1.0),
        ("정답은 A입니다.", "stop", Outcome.RIGHT, 1.0, 1.0),
        ("B", "stop", Outcome.WRONG, 0.0, 0.0),
        ("D", "stop", Outcome.WRONG, 0.0, 0.0),
        ("Because the answer is A", "stop", Outcome.WRONG, 0.0, 1.0),
        ("글쎄요", "stop", Outcome.UNPARSED, 0.0, 0.0),
        ("먼저 원문을 살펴보면", "length", Outcome.TRUNCATED, 0.0, 0.0),
        ("죄송합니다. 답변할 수 없습니다.", "stop", Outcome.REFUSED, 0.0, 0.0),
    ],
)
def test_chat_reads_a_letter_as_published_and_with_care(
    tmp_path: Path, text: str, finish: str, outcome: Outcome, acc: float, clean: float
) -> None:
    """Given an item of three options whose answer is A; the published rule takes the B of `Because`."""
    write_json(tmp_path / "test.json", [item_of_three("G5")])
    chat = task(tmp_path, "chat")

    (sample,) = run(chat, Scripted(text=text, finish=finish))

    assert sample.target == "A"
    assert sample.outcome is outcome
    assert sample.scores == {"acc": acc, "acc_clean": clean}


def test_a_letter_that_the_item_does_not_have_is_no_valid_letter(tmp_path: Path) -> None:
    write_json(tmp_path / "test.json", [item_of_three("G5"), item("1")])
    chat = task(tmp_path, "chat")

    shares = chat.aggregate(run(chat, Scripted(text="D"))).breakdown["errors"]

    assert shares["no valid letter"].value == pytest.approx(0.5)


def test_the_data_hash_covers_items_and_examples(folder: Path) -> None:
    zero, few = task(folder).data_hash, task(folder, shots=2).data_hash

    write_json(folder / "val.json", [item(str(number)) for number in range(200, 220)])

    assert task(folder).data_hash == zero
    assert task(folder, shots=2).data_hash not in (zero, few)


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("the source passage, by which errors are clustered", {"raw_id": 7.0}),
        ("the clause, by which results are sorted", {"local_negation_type": "명사절"}),
    ],
)
def test_the_data_hash_covers_what_sorts_the_answers(folder: Path, what: str, changes: dict[str, Any]) -> None:
    before = task(folder)
    asked, hashed = before.request(before.items()[0]), before.data_hash

    write_json(folder / "test.json", [item("1", **changes), *ITEMS[1:]])

    after = task(folder)
    assert after.request(after.items()[0]) == asked
    assert after.data_hash != hashed, what


def test_the_fingerprint_sees_the_wording_and_not_its_folder(folder: Path, tmp_path: Path) -> None:
    places = [tmp_path / "here", tmp_path / "there"]
    for place in places:
        place.mkdir()
        (place / "description.txt").write_text("", encoding="utf-8")
        (place / "cloze.txt").write_text("{{original_sentence}}\n부정:\n", encoding="utf-8")

    here, there = (task(folder, options={"prompt": str(place), "repair": "swap"}) for place in places)

    assert here.fingerprint_options == there.fingerprint_options == {"repair": "swap", "edges": "stored"}
    assert here.prompt_hash == there.prompt_hash


@pytest.mark.parametrize("mode", ["cloze", "symbol"])
def test_settings_of_sampling_are_refused_where_nothing_is_generated(folder: Path, mode: str) -> None:
    with pytest.raises(RequestError, match=rf"temperature=0\.5, seed=3: the mode {mode} compares log-likelihoods"):
        task(folder, mode, sampling=Sampling(temperature=0.5, seed=3)).items()
    assert task(folder, "chat", sampling=Sampling(temperature=0.5)).items()


def test_floors_on_the_release(upstream: Path) -> None:
    """The published chance and longest-option baseline; letters as they are distributed over the test items."""
    cloze, symbol = task(upstream), task(upstream, "symbol")

    floors = {name: floor.value for name, floor in cloze.floors(cloze.items()).items()}
    letters = {name: floor.value for name, floor in symbol.floors(symbol.items()).items()}

    assert cloze.random_floor
    assert not symbol.random_floor
    assert floors["chance"] == pytest.approx(0.2523, abs=5e-5)
    assert floors["longest option"] == pytest.approx(0.650, abs=5e-4)
    assert "always A" not in floors
    assert letters["always A"] == pytest.approx(336 / 1284)
    assert letters["longest option, ties right"] == pytest.approx(0.650, abs=5e-4)


def test_the_whole_release_has_the_plain_title(upstream: Path) -> None:
    cloze = task(upstream)
    model = Scripted(lambda request: [-float(len(text)) for text in request.options])

    numbers = cloze.aggregate(run(cloze, model))

    assert numbers.title == "KoNUBench"
    assert "data: published files, revision a855ffc0" in numbers.notes
    assert numbers.estimates["acc"].n == 1284


def test_altered_items_or_examples_are_said_in_the_title(upstream: Path, folder: Path, tmp_path: Path) -> None:
    """Given the published test file beside a validation file of another make."""
    (folder / "test.json").write_bytes((upstream / "konubench" / "test.json").read_bytes())
    model = Scripted(lambda request: [-float(len(text)) for text in request.options])
    bare, shown = task(folder), task(folder, shots=1)

    assert bare.aggregate(run(bare, model)).title == "KoNUBench"
    numbers = shown.aggregate(run(shown, model))

    assert numbers.title == "KoNUBench, altered data"
    assert "altered data: not the published files of revision a855ffc0: val.json" in numbers.notes
