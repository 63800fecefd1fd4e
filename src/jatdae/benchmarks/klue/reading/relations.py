"""Reading relations: a sentence with two entities."""

from __future__ import annotations

from jatdae.benchmarks.klue.labels import OBJECT_TYPES, RELATIONS
from jatdae.benchmarks.klue.reading.places import place
from jatdae.benchmarks.klue.reading.rows import Row
from jatdae.benchmarks.klue.records import EntitySpan, Relation


def relation(row: Row) -> Relation:
    """A row of a release file or the hub, whose fields are the same. Raises DataError."""
    sentence = row.text("sentence")
    return Relation(
        guid=row.text("guid"),
        sentence=sentence,
        subject=_span(row.inner("subject_entity"), sentence),
        object=_span(row.inner("object_entity"), sentence),
        label=row.label("label", RELATIONS),
        source=row.optional_text("source") or "",
    )


def _span(row: Row, sentence: str) -> EntitySpan:
    word, start, end = row.text("word"), row.integer("start_idx"), row.integer("end_idx")
    kind = row.label("type", OBJECT_TYPES)
    found = start if end - start + 1 == len(word) and start == place(word, sentence, start) else place(word, sentence)
    if found is None:
        times = sentence.count(word)
        raise row.fault(
            f"{word!r} is not at {start} to {end}, and stands {times} times in the sentence"
            if times
            else f"{word!r} is not at {start} to {end}, nor anywhere in the sentence",
            "start_idx",
            "end_idx counts the last character in; correct the two numbers",
        )
    return EntitySpan(word, found, found + len(word) - 1, kind, (start, end))
