"""Self-written files in KMMLU's format, and a model that answers by a plan."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jatdae.benchmarks.base import build_protocol, find_task
from jatdae.benchmarks.kmmlu import Kmmlu
from jatdae.benchmarks.kmmlu.reasoning import FILE
from jatdae.benchmarks.sources import Source
from jatdae.types import Completion, Generate, OptionScore, Score, Scores

HEADER: tuple[str, ...] = ("question", "answer", "A", "B", "C", "D", "Category", "Human Accuracy")
Row = tuple[str, int, str, str, str, str]

DEV: list[Row] = [
    (f"다음 가운데 {number}에 {number}을 더한 값은?", 1 + number % 4, str(number), str(number + 10), "모른다", "없다")
    for number in range(11, 16)
]
TEST: list[Row] = [
    ("비가 온 뒤 땅이 어떻게 되는가? ", 2, "마른다", "젖는다", "뜨거워진다", "사라진다"),
    ("물이 어는 온도는 섭씨 몇 도인가?", 1, "0", "12.0", "50", "100"),
    ("소금의 맛으로 옳은 것은?", 4, "달다", "쓰다", "시다", "짜다"),
    ("한 주는 며칠인가?", 3, "닷새", "엿새", "이레", "여드레"),
]


def write_csv(path: Path, rows: Sequence[Row], header: Sequence[str] = HEADER) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            fields = dict(zip(HEADER, (*row, "Some Category", 0.5), strict=True))
            writer.writerow({name: fields[name] for name in header})
    return path


def write_subject(folder: Path, name: str, test: Sequence[Row] = TEST, dev: Sequence[Row] = DEV) -> None:
    write_csv(folder / f"{name}-test.csv", test)
    write_csv(folder / f"{name}-dev.csv", dev)


def write_worked_examples(folder: Path, subjects: dict[str, str]) -> None:
    """`subjects` maps the file's subject names to their Korean names."""
    content = {
        name: [_worked(row, korean, place) for place, row in enumerate(DEV)] for name, korean in subjects.items()
    }
    (folder / FILE).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _worked(row: Row, korean: str, place: int) -> dict[str, str]:
    question, answer, *options = row
    opening = f"차근 차근 생각해봅시다. {korean} 관련 정보를 위해 위키피디아를 참조하겠습니다."
    return {
        "question": f"질문: {question}" if place == 0 else question,
        **dict(zip("ABCD", options, strict=True)),
        "target": f"{opening} 두 수를 더해 봅니다. 따라서, 정답은 ({'ABCD'[answer - 1]}) 입니다.",
    }


def make_task(
    folder: Path | None, name: str = "kmmlu", mode: str = "letter", seed: int = 1234, **choices: Any
) -> Kmmlu:
    entry = find_task(name)
    task = entry.task(entry.name, build_protocol(entry, mode, **choices), Source(folder), seed)
    assert isinstance(task, Kmmlu)
    return task


class Planned:
    """Answers by two functions and keeps what it was asked."""

    def __init__(
        self,
        scores: Callable[[Score], Sequence[float]] = lambda request: [-1.0] * len(request.options),
        reply: Callable[[Generate], Completion | str] = lambda request: " B",
    ) -> None:
        self._scores, self._reply = scores, reply
        self.asked: list[Score | Generate] = []

    async def score(self, request: Score) -> Scores:
        self.asked.append(request)
        return Scores(tuple(OptionScore(value, 1, False) for value in self._scores(request)))

    async def generate(self, request: Generate) -> Completion:
        self.asked.append(request)
        reply = self._reply(request)
        return Completion(reply, "stop") if isinstance(reply, str) else reply
