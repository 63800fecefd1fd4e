"""Faults that other tools have shown in what reaches the model: lost tokens, doubled start tokens, leaked answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kmmlu_folder import DEV, write_subject
from konubench_files import item, write_json
from scripted import ScriptedBackend
from tiny_model import CHAT_TEMPLATE, CHAT_TEMPLATE_WITH_BOS, build_tiny_model

pytest.importorskip("transformers")

from jatdae import evaluate, load_task
from jatdae.benchmarks.kmmlu import Kmmlu
from jatdae.benchmarks.konubench import KoNUBench
from jatdae.cli import run_app
from jatdae.errors import RequestError
from jatdae.models.base import ModelReference
from jatdae.models.hf import HfBackend
from jatdae.models.options import ModelOptions
from jatdae.store import Store
from jatdae.types import Completion, Generate, Message, OptionScore, Sampling, Score, Scores

BOS = 0
LETTERS = (" A", " B", " C", " D")
CPU = ModelOptions(device="cpu", offline=True)


# A token that covers the end of the prompt and the start of an option


def with_tokens(folder: Path, words: tuple[str, ...], target: Path) -> Path:
    """The checkpoint with more words in its vocabulary, each one token."""
    from tokenizers import AddedToken
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in words])
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    return target


def answer(backend: HfBackend, requests: list[Score]) -> list[tuple[OptionScore, ...]]:
    found = dict(pair for batch in backend.answer(requests) for pair in batch)
    scores = [found[place] for place in range(len(requests))]
    return [score.options for score in scores if isinstance(score, Scores)]


@pytest.mark.parametrize(
    ("words", "context", "options"),
    [
        ((": C",), "다음 계절은?\n정답:", LETTERS),
        ((": A", ": B", ": C", ": D"), "다음 계절은?\n정답:", LETTERS),
        ((":B",), "다음 계절은?\n정답:", ("A", "B", "C", "D")),
        (("정답: D",), "다음 계절은?\n정답:", LETTERS),
        ((": 여름",), "봄 다음은:", (" 여름이 온다.", " 겨울이 온다.")),
        (("은?답",), "다음은?", ("답", "글")),
    ],
)
def test_a_token_over_the_boundary_leaves_no_option_without_a_token(
    words: tuple[str, ...], context: str, options: tuple[str, ...], tiny_model: Path, tmp_path: Path
) -> None:
    """All options of the question are split at one place before that token, and the answer says so."""
    backend = HfBackend.load(ModelReference("hf", str(with_tokens(tiny_model, words, tmp_path))), CPU)
    plain = Score("봄 다음은 여름이다.", LETTERS)
    merged, usual = answer(backend, [Score(context, options), plain])
    assert len(merged) == len(options)
    assert all(option.tokens >= 1 and option.log_likelihood < 0 for option in (*merged, *usual))
    assert len({option.log_likelihood for option in merged}) == len(options), "no tie, so no silent first option"
    sent = [one.ids for one in backend.preview(Score(context, options))]
    starts = {ids[: len(ids) - option.tokens] for ids, option in zip(sent, merged, strict=True)}
    assert len(starts) == 1, "one context for all"


def test_a_whole_run_with_such_a_vocabulary_ends_and_says_what_was_done(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = with_tokens(tiny_model, (": C",), tmp_path / "model")
    words = ["run", "kmmlu", "--data", "mini", "--set", "cue=정답:", "--shots", "0", "--json", "--model", str(model)]
    assert run_app([*words, "--store", str(tmp_path / "store")]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["complete"]
    assert any("covers the end of the prompt" in note for note in result["notes"])
    with Store.open(tmp_path / "store") as store:
        samples = list(store.samples(store.results()[0].id))
    assert len(samples) == result["items"]
    tokens = {tuple(sample.detail["tokens"]) for sample in samples}
    assert len(tokens) == 1, "every question is split alike"
    assert [count > 1 for count in tokens.pop()] == [True, True, False, True], "from the colon on; `: C` is one token"


def test_what_was_done_is_also_said_when_all_answers_come_from_the_store(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = with_tokens(tiny_model, (": C",), tmp_path / "model")
    words = ["run", "kmmlu", "--data", "mini", "--set", "cue=정답:", "--shots", "0", "--json", "--model", str(model)]
    notes = []
    for _ in range(2):
        assert run_app([*words, "--store", str(tmp_path / "store")]) == 0
        notes.append(json.loads(capsys.readouterr().out)["results"][0]["notes"])
    assert notes[0] == notes[1]


# The start token


@pytest.mark.parametrize("template", [CHAT_TEMPLATE_WITH_BOS, CHAT_TEMPLATE], ids=["template writes it", "it does not"])
@pytest.mark.parametrize("mode", ["letter", "cloze", "direct", "cot"])
@pytest.mark.parametrize("shots_as", ["turns", "text"])
def test_exactly_one_start_token_reaches_the_model(
    template: str, mode: str, shots_as: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether the template writes it or the tokenizer adds it; a preview shows the ids."""
    model = build_tiny_model(tmp_path / "model", bos=True, chat_template=template, window=16384)
    words = ["run", "kmmlu/biology", "--data", "mini", "--mode", mode, "--shots", "1", "--preview", "2", "--json"]
    assert run_app([*words, "--chat-template", "--shots-as", shots_as, "--model", str(model)]) == 0
    shown = json.loads(capsys.readouterr().out)["preview"]
    sequences = [sequence for entry in shown for sequence in entry["sequences"]]
    assert len(sequences) == 2 * (4 if mode in ("letter", "cloze") else 1)
    for sequence in sequences:
        assert sequence["ids"][0] == BOS
        assert sequence["ids"].count(BOS) == 1


def test_plain_text_gets_one_start_token_even_where_it_begins_with_one(tiny_model: Path) -> None:
    backend = HfBackend.load(ModelReference("hf", str(tiny_model)), CPU)
    for context in ("봄 다음은?", "<s>봄 다음은?"):
        for sent in backend.preview(Score(context, LETTERS)):
            assert sent.ids[0] == BOS and sent.ids.count(BOS) == 1


@pytest.mark.parametrize("template", [CHAT_TEMPLATE_WITH_BOS, CHAT_TEMPLATE])
def test_a_chat_prompt_is_a_flat_list_of_ids_as_long_as_its_text(template: str, tmp_path: Path) -> None:
    """Not the number of keys of a mapping, and the same ids as the template's text by itself."""
    folder = build_tiny_model(tmp_path, bos=False, chat_template=template)
    backend = HfBackend.load(ModelReference("hf", str(folder)), CPU)
    messages = (Message("user", "할머니는 시장에서 무엇을 했는가?"),)
    request = Generate(messages, Sampling(max_tokens=3))
    (sent,) = backend.preview(request)
    assert all(type(token) is int for token in sent.ids)
    assert list(sent.ids) == backend.tokenizer(sent.text)["input_ids"]
    turns = [{"role": "user", "content": messages[0].content}]
    library = backend.tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True)
    assert list(sent.ids) == list(library["input_ids"])
    assert 10 < len(sent.ids) <= len(sent.text.encode())
    ((_, completion),) = [pair for batch in backend.answer([request]) for pair in batch]
    assert isinstance(completion, Completion)
    assert completion.prompt_tokens == len(sent.ids)
    score = Score(messages, ("A", "B"))
    ((_, scores),) = [pair for batch in backend.answer([score]) for pair in batch]
    assert isinstance(scores, Scores)
    whole = scores.prompt_tokens + scores.options[0].tokens
    assert whole == len(sent.ids) + 1, "the prompt and one letter; the header's line end may be counted with the letter"


# An item among its own examples


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three items, and no other split to take examples from."""
    for name in ("test", "val"):
        write_json(tmp_path / "three" / f"{name}.json", [item(str(number)) for number in range(1, 4)])
    return tmp_path / "three"


@pytest.mark.parametrize("demos", ["per-item", "fixed"])
@pytest.mark.parametrize("split", ["val", "test"])
@pytest.mark.parametrize("mode", ["cloze", "symbol"])
def test_no_prompt_holds_its_own_question_and_too_few_others_are_refused(
    demos: Any,
    split: str,
    mode: str,
    three: Path,
    tmp_path: Path,
    tiny_model: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = 0
    for seed in (1, 2, 3):
        choices: dict[str, Any] = {"data": three, "shots": 2, "seeds": (seed,), "demos": demos, "split": split}
        task = load_task("konubench", mode=mode, **choices)
        assert isinstance(task, KoNUBench)
        for question in task.items():
            prompt = task.prompt(question)
            assert isinstance(prompt, str)
            assert prompt.count(question.question) == 1
            assert prompt.count(question.options[question.answer]) == (mode == "symbol"), "only as an option to choose"
            assert {example.id for example in task.examples(question)} == {"1", "2", "3"} - {question.id}
            asked += 1
    assert asked == 9
    words = ["run", "konubench", "--data", str(three), "--mode", mode, "--split", split, "--demos", demos]
    assert run_app([*words, "--shots", "3", "--model", str(tiny_model), "--store", str(tmp_path / "s")]) == 2
    assert "has 2 that are not the item itself; use --shots 2" in capsys.readouterr().err


@pytest.mark.parametrize("demos", ["per-item", "fixed"])
@pytest.mark.parametrize("mode", ["letter", "cloze", "direct"])
def test_a_split_that_serves_as_its_own_examples_leaves_each_item_out(demos: Any, mode: str, tmp_path: Path) -> None:
    write_subject(tmp_path, "Law", dev=DEV[:3])
    for seed in (1, 2, 3):
        task = load_task("kmmlu/law", mode=mode, data=tmp_path, split="dev", shots=2, demos=demos, seeds=(seed,))
        assert isinstance(task, Kmmlu)
        prompts = {question.question: str(task.prompt(question)) for question in task.items()}
        assert all(prompt.count(question) == 1 for question, prompt in prompts.items())
        assert all(sum(other in prompt for other in prompts) == 3 for prompt in prompts.values())
    backend = ScriptedBackend()
    with pytest.raises(RequestError, match="an item is never its own example"):
        evaluate(
            "kmmlu/law", backend, store=tmp_path / "s", data=tmp_path, mode=mode, split="dev", shots=3, demos=demos
        )
    assert backend.asked == []


# The text of a prompt is never changed

AWKWARD = (
    "넓이는 10㎡, ㈜가나의 ３．５％, 25℃와 25 °C, ￦500, ㅋㅋ와 \u110f\u110f, \u212b와 \u00c5, \uf914과 \u6a02, "
    "e\u0301와 \u00e9, \u3000\xa0\u2003, \ue000, \u200b, ①, ﬁ, ½"
)
"""Compatibility and full-width forms, letters with two spellings, unusual blanks, a private character."""


@pytest.mark.parametrize("mode", ["letter", "cloze", "direct"])
def test_compatibility_characters_reach_the_model_byte_for_byte(
    mode: str, tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = (f"{AWKWARD} 옳은 것은?", 2, "1㎡", "２㎡", "③", "넷")
    write_subject(tmp_path / "data", "Law", test=[row])
    words = ["run", "kmmlu/law", "--data", str(tmp_path / "data"), "--mode", mode, "--shots", "0", "--preview", "1"]
    assert run_app([*words, "--json", "--model", str(tiny_model)]) == 0
    sequences = json.loads(capsys.readouterr().out)["preview"][0]["sequences"]
    backend = HfBackend.load(ModelReference("hf", str(tiny_model)), CPU)
    for sequence in sequences:
        assert AWKWARD in sequence["text"]
        assert AWKWARD in backend.tokenizer.decode(sequence["ids"], clean_up_tokenization_spaces=False)
    if mode == "cloze":
        assert [sequence["text"].rpartition("정답： ")[2] for sequence in sequences] == list(row[2:])
