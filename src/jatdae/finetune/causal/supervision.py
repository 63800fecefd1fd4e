"""What is learned: prompts of KoNUBench as the evaluation asks them, each with its right answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.konubench.options import NegationQuestion
from jatdae.benchmarks.konubench.task import KoNUBench
from jatdae.benchmarks.sources import Source
from jatdae.errors import RequestError, did_you_mean
from jatdae.finetune.causal.settings import Layout

TASK = "konubench"
MODES = ("cloze", "symbol")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A prompt and the answer that is learned after it, which begins with the blank between them."""

    id: str
    prompt: str
    answer: str


def training_task(mode: str, source: Source, options: Mapping[str, str]) -> KoNUBench:
    """The benchmark on its train split, which says how a question is written. Raises RequestError, DataError.

    `options` are the task's own settings: `repair`, `edges`, `prompt`.
    """
    if mode not in MODES:
        raise RequestError(f"--mode {mode}: {TASK} is trained in cloze or symbol; {did_you_mean(mode, MODES)}")
    entry = find_task(TASK)
    protocol = build_protocol(entry, mode, split="train", options=dict(options))
    return KoNUBench(TASK, protocol, source, protocol.seeds[0])


def lessons(task: KoNUBench, layout: Layout) -> Iterator[Lesson]:
    """One lesson an item, in file order. Cloze: the standard negation; symbol: its letter and the sentence."""
    for item in task.items():
        yield Lesson(item.id, _prompt(task, item, layout), _answer(task, item))


def _prompt(task: KoNUBench, item: NegationQuestion, layout: Layout) -> str:
    block = task.write(item)
    if layout == "evaluation" or task.by_letter:
        return task.description + block
    instruction, line_feed, rest = block.partition("\n")
    return instruction + line_feed + task.description + rest


def _answer(task: KoNUBench, item: NegationQuestion) -> str:
    text = item.options[item.answer]
    return f" {item.letter}. {text}" if task.by_letter else f" {text}"
