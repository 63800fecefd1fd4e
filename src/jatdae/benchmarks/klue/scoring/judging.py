"""How the predictions of each task are read and scored against gold, and what a reader of the scores has to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jatdae.benchmarks.klue import metrics
from jatdae.benchmarks.klue.labels import LABELS, RELATIONS, SLOTS
from jatdae.benchmarks.klue.metrics.score import Score, undefined
from jatdae.benchmarks.klue.reading.dialogues import split_item
from jatdae.benchmarks.klue.records import Dialogue, ParsedSentence, Question, Record, SimilarityPair, TaggedSentence
from jatdae.benchmarks.klue.scoring import remarks
from jatdae.benchmarks.klue.scoring.entries import PREDICTED, Entry
from jatdae.benchmarks.klue.scoring.readings import (
    LabelNames,
    has_probabilities,
    read_number,
    read_probabilities,
    read_state,
    read_text_answer,
)
from jatdae.benchmarks.klue.scoring.rows import HEADS, read_tag_rows, read_tree

Entries = Sequence[Entry | None]


@dataclass(frozen=True, slots=True)
class Unit:
    """What one prediction is for: its identifier, the cluster it is drawn with, its gold, the group of its record."""

    id: str
    cluster: str
    gold: Any
    group: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores by name. Of the items so many have no prediction, and so many one that can be right.

    `outside` counts what was predicted and is no label of the task.
    """

    scores: Mapping[str, Score]
    missing: int
    valid: int
    outside: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()


Judge = Callable[[Sequence[Any], Entries, str, LabelNames], Judged]


@dataclass(frozen=True, slots=True)
class Judging:
    """How a task is scored: what an item is, what items are drawn with, the official metrics, and the columns under
    which predictions may stand. `blank_counts` says that a blank text is a prediction as good as any other.
    """

    unit: str
    cluster: str
    official: tuple[str, ...]
    judge: Judge
    units: Callable[[Sequence[Any]], list[Unit]]
    columns: tuple[str, ...] = PREDICTED
    blank_counts: bool = False

    def is_complete(self, entry: Entry, column: str) -> bool:
        """Whether an entry has a prediction."""
        return (entry.fields.get(column) if self.blank_counts else entry.value(column)) is not None


def _each(cluster: Callable[[Any], str]) -> Callable[[Sequence[Record]], list[Unit]]:
    return lambda records: [Unit(record.guid, cluster(record), record, record.group) for record in records]


def _turns(dialogues: Sequence[Dialogue]) -> list[Unit]:
    return [
        Unit(f"{dialogue.guid}-{number}", dialogue.guid, turn.state_items, dialogue.group)
        for dialogue in dialogues
        for number, turn in enumerate(dialogue.user_turns)
    ]


def _labels(entries: Entries, column: str, names: LabelNames) -> list[str | None]:
    return [None if entry is None else names.read(entry.value(column), entry, column) for entry in entries]


def _outside(guesses: Iterable[str | None], names: Sequence[str]) -> Counter[str]:
    return Counter(guess for guess in guesses if guess is not None and guess not in names)


def _judge_labels(
    task: str, measure: Callable[[list[str], list[str | None]], dict[str, Score]]
) -> Callable[[Sequence[Any], Entries, str, LabelNames], Judged]:
    def judge(golds: Sequence[Any], entries: Entries, column: str, names: LabelNames) -> Judged:
        gold, guesses = [record.label for record in golds], _labels(entries, column, names)
        outside, missing = _outside(guesses, names.names), guesses.count(None)
        scores = measure(gold, guesses)
        if task == "re":
            scores |= {"auprc": _auprc(gold, entries)}
        notes = (*remarks.of_labels(task, scores), *remarks.of_order(task, gold, guesses))
        return Judged(scores, missing, len(gold) - missing - outside.total(), outside, notes)

    return judge


def _auprc(gold: Sequence[str], entries: Entries) -> Score:
    there = [entry for entry in entries if entry is not None]
    if not has_probabilities(there):
        return undefined("no probabilities of the 30 relations are given", len(gold))
    return metrics.relation_auprc(gold, [None if entry is None else read_probabilities(entry) for entry in entries])


def _judge_similarity(golds: Sequence[SimilarityPair], entries: Entries, column: str, _: LabelNames) -> Judged:
    gold = [pair.real_label for pair in golds]
    guesses = [None if entry is None else read_number(entry, column) for entry in entries]
    scores = {"pearson": metrics.pearson(gold, guesses), "f1": metrics.f1_at_threshold(gold, guesses)}
    infinite = Counter(str(guess) for guess in guesses if guess is not None and not np.isfinite(guess))
    missing = guesses.count(None)
    return Judged(scores, missing, len(gold) - missing - infinite.total(), infinite, remarks.of_similarity(scores))


def _judge_tags(golds: Sequence[TaggedSentence], entries: Entries, column: str, names: LabelNames) -> Judged:
    rows = read_tag_rows(golds, entries, column, names)
    entity, character = (
        measure(rows.gold, rows.official)
        if rows.agree
        else metrics.merged(measure(rows.official_gold, rows.official), measure(rows.gold, rows.clean))
        for measure in (metrics.entity_macro_f1, metrics.character_macro_f1)
    )
    scores = {"entity_f1": entity, "character_f1": character}
    official, clean = (
        _outside((tag for row in several if row for tag in row), names.names) for several in (rows.official, rows.clean)
    )
    valid = sum(row is not None and not set(names.names).isdisjoint(row[1:-1]) for row in rows.clean)
    notes = remarks.of_tags(scores, rows.layout, rows.left_out)
    # a union of counters takes the larger count of each, so a tag in both is not counted twice
    return Judged(scores, rows.clean.count(None), valid, official | clean, notes)


def _is_within(head: int | None, sentence: ParsedSentence) -> bool:
    return head is None or 0 <= head <= len(sentence.words)


def _judge_trees(golds: Sequence[ParsedSentence], entries: Entries, column: str, names: LabelNames) -> Judged:
    pairs = zip(golds, entries, strict=True)
    pair = None if column in HEADS else column
    trees = [None if entry is None else read_tree(gold, entry, pair, names) for gold, entry in pairs]
    lost = Counter(
        f"head {head}"
        for gold, tree in zip(golds, trees, strict=True)
        for head in (tree.heads if tree else ())
        if not _is_within(head, gold)
    )
    scored = metrics.attachment(
        [gold.heads for gold in golds],
        [gold.labels for gold in golds],
        [
            tree and [head if _is_within(head, gold) else None for head in tree.heads]
            for gold, tree in zip(golds, trees, strict=True)
        ],
        [tree and tree.labels for tree in trees],
    )
    scores = {name: getattr(scored, name) for name in ("uas_macro", "las_macro", "uas_micro", "las_micro")}
    outside = lost + _outside((label for tree in trees if tree for label in tree.labels), names.names)
    heads = sum(tree is not None and any(head is not None for head in tree.heads) for tree in trees)
    return Judged(scores, trees.count(None), heads, outside, remarks.of_trees(scores))


def _judge_answers(golds: Sequence[Question], entries: Entries, column: str, _: LabelNames) -> Judged:
    guesses = [None if entry is None else read_text_answer(entry, column) for entry in entries]
    # an unanswerable question's distractors are no references, and spans are not looked at: text decides
    references = [[answer.text for answer in question.answers] for question in golds]
    scores = {
        "exact_match": metrics.exact_match(guesses, references),
        "rouge_w": metrics.rouge_w(guesses, references),
    }
    pairs = zip(entries, guesses, strict=True)
    empty_cells = sum(entry is not None and entry.is_table and guess == "" for entry, guess in pairs)
    missing = guesses.count(None)
    unanswerable = sum(question.is_impossible for question in golds)
    notes = remarks.of_answers(scores, unanswerable, empty_cells)
    return Judged(scores, missing, len(golds) - missing, notes=notes)


def _judge_states(golds: Sequence[Sequence[str]], entries: Entries, column: str, _: LabelNames) -> Judged:
    guesses = [None if entry is None else read_state(entry, column) for entry in entries]
    scores = {
        "joint_goal_accuracy": metrics.joint_goal_accuracy(golds, guesses),
        "slot_f1": metrics.slot_f1(golds, guesses),
    }
    outside = Counter(
        slot for state in guesses if state for slot in (split_item(item)[0] for item in state) if slot not in SLOTS
    )
    missing = guesses.count(None)
    return Judged(scores, missing, len(golds) - missing, outside, remarks.of_states(scores))


JUDGING: Mapping[str, Judging] = {
    "ynat": Judging(
        "headlines",
        "headline",
        ("macro_f1",),
        _judge_labels(
            "ynat",
            lambda gold, guesses: {
                "macro_f1": metrics.topic_macro_f1(gold, guesses),
                "accuracy": metrics.accuracy(gold, guesses, LABELS["ynat"]),
            },
        ),
        _each(lambda record: record.guid),
    ),
    "sts": Judging(
        "pairs",
        "pair",
        ("pearson", "f1"),
        _judge_similarity,
        _each(lambda record: record.guid),
        (*PREDICTED, "score"),
    ),
    "nli": Judging(
        "pairs",
        "premise",
        ("accuracy",),
        _judge_labels("nli", lambda gold, guesses: {"accuracy": metrics.accuracy(gold, guesses)}),
        _each(lambda record: record.premise),
    ),
    "ner": Judging(
        "sentences",
        "sentence",
        ("entity_f1", "character_f1"),
        _judge_tags,
        _each(lambda record: record.guid),
        (*PREDICTED, "tags", "ner_tags"),
    ),
    "re": Judging(
        "entity pairs",
        "sentence",
        ("micro_f1", "auprc"),
        _judge_labels(
            "re",
            lambda gold, guesses: {
                "micro_f1": metrics.relation_micro_f1(gold, guesses),
                "accuracy": metrics.accuracy(gold, guesses, RELATIONS),
            },
        ),
        _each(lambda record: record.sentence),
    ),
    "dp": Judging(
        "sentences",
        "sentence",
        ("uas_macro", "las_macro"),
        _judge_trees,
        _each(lambda record: record.guid),
        (*HEADS, *PREDICTED),
    ),
    "mrc": Judging(
        "questions",
        "passage",
        ("exact_match", "rouge_w"),
        _judge_answers,
        _each(lambda record: record.context),
        blank_counts=True,
    ),
    "wos": Judging(
        "user turns",
        "dialogue",
        ("joint_goal_accuracy", "slot_f1"),
        _judge_states,
        _turns,
        (*PREDICTED, "state"),
    ),
}
"""Task to how it is scored."""
