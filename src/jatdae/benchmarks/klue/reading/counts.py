"""What a task's examples count up to: the numbers by which a copy of the data is recognised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from jatdae.benchmarks.inspection import Fact
from jatdae.benchmarks.klue.labels import (
    DEPENDENCIES,
    ENTITY_TYPES,
    INFERENCE,
    NO_RELATION,
    SCORED_DEPENDENCIES,
    SIMILARITY,
    TOPICS,
    known_task,
)
from jatdae.benchmarks.klue.records import (
    Dialogue,
    InferencePair,
    ParsedSentence,
    Question,
    Record,
    Relation,
    SimilarityPair,
    TaggedSentence,
    Topic,
)

Facts = dict[str, Fact]


def counts(task: str, records: Sequence[Record]) -> Facts:
    """The counts of a task's examples by name. Raises RequestError for an unknown task."""
    return _COUNTS[known_task(task)](records)


def _each(what: str, values: Iterable[str], order: Sequence[str] | None = None) -> Facts:
    found = Counter(values)
    names = sorted(found) if order is None else order
    return {f"{what} {name}": found[name] for name in names}


def _topics(records: Sequence[Topic]) -> Facts:
    published = [record for record in records if record.publisher is not None]
    return {
        "headlines": len(records),
        **_each("label", (record.label for record in records), TOPICS),
        "publisher's section differs": sum(record.publisher != record.label for record in published),
    }


def _similarity(records: Sequence[SimilarityPair]) -> Facts:
    raters = [len(record.ratings) for record in records if record.ratings]
    facts: Facts = {"pairs": len(records), **_each("label", (record.binary for record in records), SIMILARITY)}
    facts |= _each("source", (record.source for record in records))
    if raters:
        facts["raters of a pair, fewest"], facts["raters of a pair, most"] = min(raters), max(raters)
        facts["raters"] = len({name for record in records for name, _ in record.ratings})
    return facts


def _inference(records: Sequence[InferencePair]) -> Facts:
    facts: Facts = {
        "pairs": len(records),
        "premises": len({record.premise for record in records}),
        **_each("label", (record.label for record in records), INFERENCE),
        **_each("source", (record.source for record in records)),
    }
    sizes = Counter(record.votes.count(record.label) for record in records if record.votes)
    return facts | {f"votes for the label {size}": sizes[size] for size in sorted(sizes, reverse=True)}


def _tagged(records: Sequence[TaggedSentence]) -> Facts:
    entities = [entity for record in records for entity in record.entities]
    tags = Counter(tag for record in records for tag in record.tags)
    touching = sum(
        tag.startswith("B-") and before != "O"
        for record in records
        for before, tag in zip(record.tags, record.tags[1:], strict=False)
    )
    return {
        "sentences": len(records),
        **_each("source", (record.group for record in records if record.group)),
        "characters": sum(tags.values()),
        "longest sentence": max(len(record.characters) for record in records),
        "longest sentence without blanks": max(len("".join(record.text.split())) for record in records),
        "entities": len(entities),
        **_each("entities", (entity.type for entity in entities), ENTITY_TYPES),
        "tag O": tags["O"],
        "entities right after another": touching,
        "blanks inside entities": sum(
            character.isspace() and tag != "O"
            for record in records
            for character, tag in zip(record.characters, record.tags, strict=True)
        ),
    }


def _relations(records: Sequence[Relation]) -> Facts:
    return {
        "sentences": len(records),
        "relations that occur": len({record.label for record in records}),
        NO_RELATION: sum(record.label == NO_RELATION for record in records),
        **_each("source", (record.source for record in records if record.source)),
        **_each("subject", (record.subject.type for record in records)),
        **_each("object", (record.object.type for record in records)),
    }


def _parsed(records: Sequence[ParsedSentence]) -> Facts:
    labels = Counter(label for record in records for label in record.labels)
    roots = (label for record in records for head, label in zip(record.heads, record.labels, strict=True) if head == 0)
    return {
        "sentences": len(records),
        **_each("source", (record.group for record in records if record.group)),
        "words": sum(labels.values()),
        "longest sentence in words": max(len(record.words) for record in records),
        "labels that occur": len(labels),
        "words with a label that is not scored alone": sum(labels[name] for name in DEPENDENCIES[SCORED_DEPENDENCIES:]),
        **_each("root", roots),
    }


def _questions(records: Sequence[Question]) -> Facts:
    return {
        "questions": len(records),
        "passages": len({record.context for record in records}),
        "unanswerable": sum(record.is_impossible for record in records),
        "answers": sum(len(record.answers) for record in records),
        "plausible answers": sum(len(record.plausible) for record in records),
        **_each("question", (record.group or "of unstated type" for record in records)),
    }


def _dialogues(records: Sequence[Dialogue]) -> Facts:
    user = [turn for record in records for turn in record.user_turns]
    return {
        "dialogues": len(records),
        "turns": sum(len(record.turns) for record in records),
        "user turns": len(user),
        "user turns with an empty state": sum(not turn.state for turn in user),
        "slots that occur": len({slot for turn in user for slot, _ in turn.state}),
        **_each("domain", (domain for record in records for domain in record.domains)),
    }


_COUNTS: Mapping[str, Callable[[Sequence[Any]], Facts]] = {
    "ynat": _topics,
    "sts": _similarity,
    "nli": _inference,
    "ner": _tagged,
    "re": _relations,
    "dp": _parsed,
    "mrc": _questions,
    "wos": _dialogues,
}
