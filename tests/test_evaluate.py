"""The whole flow: what becomes of items that fail, what a fingerprint holds, what stays bounded."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedBackend, hashed

from jatdae import evaluate, load_task
from jatdae.benchmarks.base import Card, build_protocol, find_task, register
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question, scored_sample
from jatdae.benchmarks.sources import Source
from jatdae.errors import JatdaeError, RequestError, RequestFailed
from jatdae.evaluate import choose_items, fingerprint_of
from jatdae.models.base import Capabilities
from jatdae.store import Store
from jatdae.types import Answer, Generate, Model, OptionScore, Request, Sample, Score


@register("counting", "a task for tests of the whole flow")
class Counting(MultipleChoice):
    version = "1"
    card = Card("Counting", "CC0-1.0", "written for this test")
    size = 40

    def items(self) -> list[Question]:
        return [Question(f"c{n}", f"{n} 다음은?", (str(n + 1), str(n + 2)), n % 2) for n in range(self.size)]

    def examples(self, item: Question) -> list[Question]:
        return [question for question in self.items()[:6] if question.id != item.id]  # few items in these tests


@register("careless", "a task whose code fails on some items")
class Careless(Counting):
    faulty = 3

    async def evaluate(self, item: Any, model: Model) -> Sample:
        if int(item.id[1:]) < self.faulty:
            raise KeyError(item.id)
        return await super().evaluate(item, model)


def test_a_failed_request_makes_the_result_incomplete_and_never_a_zero(tmp_path: Path) -> None:
    def script(request: Request) -> Answer | RequestFailed:
        assert isinstance(request, Score)
        return RequestFailed("no room", kind="memory") if "7 다음" in str(request.context) else hashed(request)

    result = evaluate("counting", ScriptedBackend(script), store=tmp_path)
    failed = [n for n in range(40) if "7 다음" in f"{n} 다음"]
    assert not result.complete
    assert result.estimates["acc"].n == 40 - len(failed)
    assert result.rates["failed"].value == len(failed) / 40
    assert any(note.startswith(f"incomplete: {len(failed)} of 40 failed, first c7: no room") for note in result.notes)


def test_one_item_whose_scoring_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    result = evaluate("careless", ScriptedBackend(), store=tmp_path)
    assert not result.complete
    assert result.estimates["acc"].n == 37


def test_a_task_whose_code_fails_on_many_items_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Careless, "faulty", 30)
    with pytest.raises(JatdaeError, match=r"careless failed on \d+ items"):
        evaluate("careless", ScriptedBackend(), store=tmp_path)
    with Store.open(tmp_path) as store:
        assert store.runs()[0].status == "failed"


def test_a_backend_that_cannot_do_what_a_mode_needs_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    backend = ScriptedBackend()
    backend.capabilities = Capabilities(log_likelihoods=False, chat=True)
    with pytest.raises(RequestError, match="log-likelihoods"):
        evaluate("counting", backend, store=tmp_path)
    assert backend.asked == []


def test_ids_that_occur_twice_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load_task("counting", data="mini")
    monkeypatch.setattr(Counting, "items", lambda self: 2 * [Question("same", "?", ("a", "b"), 0)])
    with pytest.raises(RequestError, match="same"):
        choose_items(task, None)


@pytest.mark.parametrize(
    "choices",
    [{"seeds": ()}, {"limit": 0}, {"shots": -1}, {"demos": "perItem"}, {"shots_as": "turn"}, {"colour": "blue"}],
)
def test_choices_that_make_no_sense_are_refused_in_one_line(tmp_path: Path, choices: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match=next(iter(choices))):
        evaluate("counting", ScriptedBackend(), store=tmp_path, **choices)


def test_more_examples_than_there_are_is_refused_and_seeds_draw_among_them(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="--shots 7"):
        evaluate("counting", ScriptedBackend(), store=tmp_path, shots=7)
    first, other = ScriptedBackend(), ScriptedBackend()
    evaluate("counting", first, store=tmp_path / "1", shots=3, demos="per-item", seeds=(1,))
    evaluate("counting", other, store=tmp_path / "2", shots=3, demos="per-item", seeds=(2,))
    assert first.asked != other.asked


def test_a_notebook_that_runs_a_loop_may_evaluate_too(tmp_path: Path) -> None:
    async def cell() -> float:
        return evaluate("counting", ScriptedBackend(), store=tmp_path).estimates["acc"].value

    assert 0 <= asyncio.run(cell()) <= 1


def test_rates_count_items_and_cross_them_with_seeds(tmp_path: Path) -> None:
    result = evaluate("konubench", ScriptedBackend(), store=tmp_path, data="mini", shots=1, mode="symbol")
    assert result.rates["unparsed"].n == result.items == 31


def test_a_failed_item_tells_what_it_had_asked(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: RequestFailed("no", kind="memory"))
    evaluate("counting", backend, store=tmp_path)
    with Store.open(tmp_path) as store:
        (stored,) = store.results()
        assert all(len(sample.requests) == 1 for sample in store.samples(stored.id))


def fingerprint(name: str, mode: str | None = None, **choices: Any) -> str:
    entry = find_task(name)
    protocol = build_protocol(entry, mode, **choices)
    return fingerprint_of(entry.task(entry.name, protocol, Source.of("mini"), protocol.seeds[0]))


def test_a_fingerprint_names_the_question() -> None:
    base = fingerprint("kmmlu")
    assert base == fingerprint("kmmlu")
    changed = [
        fingerprint("kmmlu", "cloze"),
        fingerprint("kmmlu", shots=0),
        fingerprint("kmmlu", seeds=(7,)),
        fingerprint("kmmlu", demos="per-item"),
        fingerprint("kmmlu", limit=3),
        fingerprint("kmmlu", chat_template=True),
        fingerprint("kmmlu", options={"cue": "답:"}),
        fingerprint("kmmlu/biology"),
        fingerprint("konubench"),
        fingerprint("konubench", options={"repair": "swap"}),
    ]
    assert len({base, *changed}) == 1 + len(changed)


def test_the_data_are_part_of_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint("counting")
    monkeypatch.setattr(Counting, "size", 41)
    assert fingerprint("counting") != before


def test_examples_depend_on_seed_and_item_but_not_on_limit_or_order(tmp_path: Path) -> None:
    def prompts(**choices: Any) -> dict[str, set[str]]:
        backend = ScriptedBackend()
        evaluate("konubench", backend, store=tmp_path / str(len(list(tmp_path.iterdir()))), data="mini", **choices)
        found: dict[str, set[str]] = {}
        for request in backend.asked:
            text = str(request.context if isinstance(request, Score) else request.prompt)
            found.setdefault(text[text.rindex("원문:") :], set()).add(text)
        return found

    whole, part = prompts(shots=2, mode="symbol"), prompts(shots=2, mode="symbol", limit=5)
    assert len(part) == 5
    assert all(part[query] == whole[query] for query in part)
    assert prompts(shots=2, mode="symbol", seeds=(7,)) != whole


def test_an_item_is_never_its_own_example(tmp_path: Path) -> None:
    backend = ScriptedBackend()
    evaluate("konubench", backend, store=tmp_path, data="mini", split="val", shots=5, seeds=(1, 2, 3))
    for request in backend.asked:
        assert isinstance(request, Score)
        originals = [line for line in str(request.context).splitlines() if line.startswith("원문:")]
        assert len(originals) == len(set(originals)) == 6
    with pytest.raises(RequestError):
        evaluate("konubench", backend, store=tmp_path, data="mini", split="val", shots=13)


def test_near_ties_are_marked(tmp_path: Path) -> None:
    def close(request: Request) -> Answer:
        answer = hashed(request)
        options = tuple(replace(option, log_likelihood=-21.84 - 0.03 * n) for n, option in enumerate(answer.options))
        return replace(answer, options=options)

    result = evaluate("counting", ScriptedBackend(close), store=tmp_path)
    assert any(note.startswith("40 of 40 choices were near ties") for note in result.notes)


def test_near_means_near_in_nats_however_long_the_options_are() -> None:
    item = Question("q", "?", ("가" * 100, "나" * 50), 0)

    def margin(first: float, second: float) -> float:
        scores = [OptionScore(first, 9, False), OptionScore(second, 9, False)]
        sample = scored_sample(item, scores, item.options, decide="acc_norm", metrics=("acc", "acc_norm"), seed=0)
        return sample.detail["margin"]

    # -200 / 100 against -101 / 50: the second needs 1 nat more to win, the first would have to lose 2.
    assert margin(-200, -101) == pytest.approx(1)


def test_a_second_ctrl_c_stops_at_once_and_loses_no_answer(tmp_path: Path) -> None:
    slow = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from scripted import ScriptedBackend; import test_evaluate; from jatdae import evaluate\n"
        "print('started', flush=True)\n"
        "evaluate('counting', ScriptedBackend(part=1, delay=3), store=sys.argv[2])"
    )
    words = [sys.executable, "-c", slow, str(Path(__file__).parent), str(tmp_path)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 1
    assert time.monotonic() - pressed < 2
    with Store.open(tmp_path) as store:
        assert store.counts()["responses"] >= 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_memory_stays_bounded_for_as_many_items_as_kmmlu_has(tmp_path: Path) -> None:
    measured = (
        "import re, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from scripted import ScriptedBackend; import test_evaluate; from jatdae import evaluate\n"
        "test_evaluate.Counting.size = 35_030\n"
        "result = evaluate('counting', ScriptedBackend(part=256), store=sys.argv[2])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+) kB', Path('/proc/self/status').read_text())[1]\n"
        "print(result.estimates['acc'].n, int(peak) // 1024)"
    )
    words = [sys.executable, "-c", measured, str(Path(__file__).parent), str(tmp_path)]
    items, megabytes = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert int(items) == 35_030
    assert int(megabytes) < 400


def test_ctrl_c_drains_and_the_same_command_continues(tmp_path: Path) -> None:
    script, store, log = Path(__file__).with_name("killed.py"), tmp_path / "store", tmp_path / "log"
    process = subprocess.Popen([sys.executable, str(script), str(store), str(log)], stderr=subprocess.PIPE, text=True)
    while not log.exists() and process.poll() is None:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    assert "Interrupted" in process.communicate(timeout=60)[1]
    asked = log.read_text().split()
    with Store.open(store) as opened:
        assert opened.runs()[0].status == "interrupted"
        assert set(opened.answers(asked)) == set(asked), "what the backend had begun was finished and stored"
    again = subprocess.run(
        [sys.executable, str(script), str(store), str(tmp_path / "log2")], capture_output=True, text=True
    )
    assert json.loads(again.stdout)["complete"]
    assert not set(asked) & set((tmp_path / "log2").read_text().split())


def test_generated_text_is_asked_for_like_everything_else(tmp_path: Path) -> None:
    backend = ScriptedBackend()
    result = evaluate("kmmlu/biology", backend, store=tmp_path, data="mini", mode="direct")
    assert {type(request) for request in backend.asked} == {Generate}
    assert result.rates["unparsed"].value == 0
