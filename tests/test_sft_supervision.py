"""What is learned in fine-tuning on KoNUBench: how many steps, which prompts, which answers, which labels."""

from __future__ import annotations

from dataclasses import asdict

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from hypothesis import given
from hypothesis import strategies as st
from konubench_files import item, item_of_three, write_json
from tiny_model import build_tokenizer

from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError
from jatdae.finetune.causal.rows import IGNORED, encode_lessons
from jatdae.finetune.causal.sampling import StepSampler
from jatdae.finetune.causal.settings import SEED, CausalSettings, resolve_settings
from jatdae.finetune.causal.supervision import Lesson, lessons, training_task
from jatdae.types import Score

# Settings and steps


def test_the_defaults_are_the_published_ones():
    published = {"lr": 3e-5, "epochs": 3, "batch": 128, "micro_batch": 16, "warmup": 0.1, "weight_decay": 0.01}
    shape = {"rank": 8, "alpha": 32, "dropout": 0.05, "targets": "attention", "max_length": 2048}
    rest = {"train_limit": 0, "gradient_checkpointing": False, "layout": "evaluation"}
    assert asdict(resolve_settings({})) == {**published, **shape, **rest}
    assert SEED == 1200


def test_the_published_items_make_57_steps_of_which_the_rate_rises_over_6():
    settings = CausalSettings()
    assert settings.steps_per_epoch(2_500) == 19
    assert settings.steps(2_500) == 57
    assert settings.warmup_steps(2_500) == 6


@pytest.mark.parametrize(("processes", "accumulation"), [(1, 8), (2, 4), (8, 1)])
def test_a_step_takes_128_items_whatever_the_number_of_devices(processes: int, accumulation: int):
    assert CausalSettings().accumulation(processes) == accumulation


def test_devices_that_cannot_share_a_step_equally_are_refused():
    with pytest.raises(RequestError, match="batch=128 is no multiple of micro_batch=16 times 3 processes"):
        CausalSettings().accumulation(3)
    with pytest.raises(RequestError, match="100 items do not fill one batch of 128; set batch to 100 or fewer"):
        CausalSettings().steps(100)


@pytest.mark.parametrize(
    ("given_settings", "message"),
    [
        ({"lr": "nan"}, "lr=nan: a number above 0"),
        ({"lr": "2"}, "lr=2: a number above 0 and up to 1"),
        ({"epochs": "1.5"}, "epochs=1.5: a whole number"),
        ({"targets": "mlp"}, "targets=mlp: attention or linear"),
        ({"layout": "other"}, "layout=other: evaluation or authors"),
        ({"rnak": "4"}, "did you mean 'rank'"),
    ],
)
def test_a_setting_that_cannot_be_is_named(given_settings, message):
    with pytest.raises(RequestError, match=message):
        resolve_settings(given_settings)


@given(st.lists(st.integers(1, 90), min_size=1, max_size=300), st.integers(1, 40), st.integers(0, 3))
def test_an_epoch_has_whole_batches_of_rows_that_come_once(lengths, batch, epoch):
    sampler = StepSampler(lengths, batch, SEED)
    sampler.set_epoch(epoch)
    order = list(sampler)
    assert len(order) == len(sampler) == len(lengths) // batch * batch
    assert len(set(order)) == len(order)
    again = StepSampler(lengths, batch, SEED)
    again.set_epoch(epoch)
    assert list(again) == order


def test_epochs_drop_different_rows_and_a_batch_is_sorted_by_length():
    lengths = [(7 * n) % 50 for n in range(2_500)]
    sampler = StepSampler(lengths, 128, SEED)
    epochs = []
    for epoch in range(3):
        sampler.set_epoch(epoch)
        epochs.append(list(sampler))
    assert [len(order) for order in epochs] == [19 * 128] * 3
    assert len({frozenset(order) for order in epochs}) == 3
    first = [lengths[place] for place in epochs[0][:128]]
    assert first == sorted(first)


# Prompts and answers


@pytest.fixture
def source(tmp_path):
    rows = [item("11"), item_of_three("12"), item("G13", standard_negation="가게는 문을 열지 않는다. ")]
    write_json(tmp_path / "train.json", rows)
    return Source.of(str(tmp_path))


@pytest.mark.parametrize("options", [{}, {"edges": "stripped"}, {"repair": "swap"}])
def test_cloze_learns_what_the_evaluation_asks_and_the_option_that_it_looks_for(source, options):
    task = training_task("cloze", source, options)
    for lesson, question in zip(lessons(task, "evaluation"), task.items(), strict=True):
        asked = task.request(question)
        assert isinstance(asked, Score)
        assert (lesson.id, lesson.prompt) == (question.id, asked.context)
        assert lesson.answer == asked.options[question.answer]
        assert lesson.answer.endswith(" ") == (question.id == "G13" and "edges" not in options)


def test_symbol_learns_the_letter_and_the_sentence_after_the_evaluations_prompt(source):
    task = training_task("symbol", source, {})
    for lesson, question in zip(lessons(task, "authors"), task.items(), strict=True):
        asked = task.request(question)
        assert isinstance(asked, Score)
        assert lesson.prompt == asked.context
        letter, _, sentence = lesson.answer.partition(". ")
        assert letter == asked.options[question.answer]
        assert f"{letter.strip()}. {sentence}" in lesson.prompt.split("\n")


def test_the_authors_cloze_layout_puts_the_instruction_before_the_definitions(source):
    task = training_task("cloze", source, {})
    [ours, *_], [theirs, *_] = (list(lessons(task, layout)) for layout in ("evaluation", "authors"))
    instruction, rest = theirs.prompt.split("\n", 1)
    assert instruction.startswith("문제: ")
    assert rest.startswith("standard negation:")
    assert rest.endswith("\n\n" + ours.prompt.rsplit("\n\n", 1)[1].split("\n", 1)[1])
    assert sorted(theirs.prompt.split("\n")) == sorted(ours.prompt.split("\n"))
    assert theirs.answer == ours.answer


def test_what_cannot_be_trained_is_refused(source):
    with pytest.raises(RequestError, match="--mode chat: konubench is trained in cloze or symbol"):
        training_task("chat", source, {})
    with pytest.raises(RequestError, match="no setting 'edgse'"):
        training_task("cloze", source, {"edgse": "stored"})


# Labels


LESSONS = [
    Lesson("1", "원문: 민수는 시장에서 빵을 샀다.\n부정문:", " 민수는 시장에서 빵을 사지 않았다."),
    Lesson("2", "원문: 비가 온다.\n부정문:", " 비가 오지 않는다."),
]


@pytest.mark.parametrize("bos", [True, False])
def test_only_the_answer_is_labelled_and_special_tokens_stand_at_the_start_only(bos):
    tokenizer = build_tokenizer(bos=bos)
    encoded = encode_lessons(LESSONS, tokenizer, 2_048)
    for row, lesson in zip(encoded.rows, LESSONS, strict=True):
        prompt = tokenizer(lesson.prompt)["input_ids"]
        answer = tokenizer(lesson.answer, add_special_tokens=False)["input_ids"]
        assert list(row.input_ids) == prompt + answer
        assert list(row.labels) == [IGNORED] * len(prompt) + answer
        assert row.input_ids.count(tokenizer.bos_token_id) == int(bos)
        assert tokenizer.eos_token_id not in row.input_ids
        assert tokenizer.decode([label for label in row.labels if label != IGNORED]) == lesson.answer


def test_a_lesson_is_learned_whole_or_not_at_all():
    tokenizer = build_tokenizer(bos=True)
    long, short = (len(row.input_ids) for row in encode_lessons(LESSONS, tokenizer, 2_048).rows)
    assert short < long
    cut = encode_lessons(LESSONS, tokenizer, long - 1)
    assert ([row.id for row in cut.rows], cut.overlong) == (["2"], ("1",))
    assert [row.id for row in encode_lessons(LESSONS, tokenizer, long).rows] == ["1", "2"]
    with pytest.raises(RequestError, match=f"no item fits 8 tokens, the shortest has {short}"):
        encode_lessons(LESSONS, tokenizer, 8)


def test_the_published_release_has_2500_items_to_learn(upstream):
    folder = upstream / "konubench"
    if not (folder / "train.json").is_file():
        pytest.skip("no train.json there")
    task = training_task("symbol", Source.of(str(folder)), {})
    taught = list(lessons(task, "evaluation"))
    assert CausalSettings().steps(len(taught)) == 57
    letters = [lesson.answer[1] for lesson in taught]
    assert [letters.count(letter) for letter in "ABCD"] == [634, 679, 599, 588]
