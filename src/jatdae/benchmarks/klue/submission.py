"""Predictions in the formats of KLUE's leaderboard: the `output.csv` that each task's example program writes.

The leaderboard is closed: in June 2024 its maintainers said that it is no longer run (KLUE-benchmark/KLUE, issue 46).
It never took prediction files. One uploaded a program with its weights, and the program wrote this file where the
hidden test split lay. So nothing can be submitted; the formats serve those who hold a test split or files of that time.

They are those of the example programs offered with each task (`klue_code`, an `inference.py` each; copies of them are
public, such as LostCow/KLUE for ynat). No file has a header, and but for mrc and wos none has identifiers: the order is
the split's. Numbers for labels follow `labels.LABELS`.

task       one line of `output.csv`
ynat, nli  the label's number
sts        the similarity as the model gives it, neither rounded nor cut to 0..5
re         the label's number, a tab, the 30 probabilities with blanks between
ner        a sentence: the tags' numbers with commas between, of all characters but blanks and of the two positions
           around them, as the official reader spreads them; the line ends with carriage return and line feed
dp         a word: its head's number (0 the root), a blank, the label's number; nothing marks where a sentence ends
mrc        the file is one JSON object: identifier to answer, "" where there is none, indented by 4, ASCII only
wos        the file is one JSON array of {guid, pred}, a user turn each: `guid` ends with the turn's number from 0,
           `pred` lists its state as `domain-slot-value`; indented by 4
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.benchmarks.klue.labels import LABELS, known_task
from jatdae.benchmarks.klue.scoring.fields import Prediction
from jatdae.benchmarks.klue.scoring.judging import JUDGING
from jatdae.errors import JatdaeError

FILE = "output.csv"
CLOSED = (
    "KLUE's leaderboard is closed since 2024 and took programs, not prediction files: "
    "the files have the format that those programs wrote, and cannot be submitted anywhere"
)


def submission(task: str, records: Sequence[Any], predictions: Mapping[str, Prediction]) -> str:
    """The text of a task's file for all records, in their order.

    Raises RequestError for an unknown task; JatdaeError that names the item for a prediction that is missing, lacks a
    field, or is no label of the task.
    """
    task = known_task(task)
    items = [_Item(task, unit.id, predictions.get(unit.id)) for unit in JUDGING[task].units(records)]
    return _WRITE[task](items)


@dataclass(frozen=True, slots=True)
class _Item:
    """One item's prediction, and what is wrong with it said by name."""

    task: str
    id: str
    prediction: Prediction | None

    def field(self, name: str) -> Any:
        if self.prediction is None:
            raise self._fault("no prediction; the file goes by order, so that every item needs one")
        if self.prediction.get(name) is None:
            raise self._fault(f"the prediction has no {name!r}, which the file consists of")
        return self.prediction[name]

    def number(self, label: str) -> str:
        """A label's number."""
        names = LABELS[self.task]
        if label not in names:
            raise self._fault(f"{label!r} is none of the {len(names)} labels")
        return str(names.index(label))

    def _fault(self, what: str) -> JatdaeError:
        return JatdaeError(f"klue/{self.task}, {self.id}: {what}")


def _lines(line: Callable[[_Item], str]) -> Callable[[Iterable[_Item]], str]:
    return lambda items: "".join(map(line, items))


def _label(item: _Item) -> str:
    return item.number(item.field("prediction")) + "\n"


def _similarity(item: _Item) -> str:
    return f"{item.field('prediction')}\n"


def _relation(item: _Item) -> str:
    return f"{item.number(item.field('prediction'))}\t{' '.join(map(str, item.field('probabilities')))}\n"


def _tags(item: _Item) -> str:
    return ",".join(map(item.number, item.field("official_tags"))) + "\r\n"


def _tree(item: _Item) -> str:
    arcs = zip(item.field("heads"), item.field("deprels"), strict=True)
    return "".join(f"{head} {item.number(label)}\n" for head, label in arcs)


def _answers(items: Iterable[_Item]) -> str:
    return json.dumps({item.id: item.field("prediction") for item in items}, indent=4) + "\n"


def _states(items: Iterable[_Item]) -> str:
    told = [{"guid": item.id, "pred": item.field("prediction")} for item in items]
    return json.dumps(told, ensure_ascii=False, indent=4)


_WRITE: Mapping[str, Callable[[Iterable[_Item]], str]] = {
    "ynat": _lines(_label),
    "sts": _lines(_similarity),
    "nli": _lines(_label),
    "ner": _lines(_tags),
    "re": _lines(_relation),
    "dp": _lines(_tree),
    "mrc": _answers,
    "wos": _states,
}
