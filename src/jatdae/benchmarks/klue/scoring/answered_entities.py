"""Named entities as a language model answers them, `[text:TYPE]`, put back into their sentence as tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jatdae.benchmarks.klue.metrics.entity_spreading import OUTSIDE
from jatdae.benchmarks.klue.records import TaggedSentence
from jatdae.benchmarks.klue.scoring.entries import Entry

_ANSWER = re.compile(r"\[(?P<text>[^\[\]]+):\s*(?P<type>[^\[\]:\s]+)\s*\]")


@dataclass(frozen=True, slots=True)
class AnsweredEntities:
    """Entries with a tag for every character in place of their answers; so many entities were `answered`, and so many
    of them are `unplaced`, since they stand nowhere in their sentence that is free.
    """

    entries: tuple[Entry | None, ...]
    answered: int
    unplaced: int

    @property
    def note(self) -> str:
        """How the answers were read."""
        return (
            f"{self.answered:,} answered entities [text:TYPE]: each takes the first place in its sentence that no "
            f"earlier one has, blanks aside; {self.unplaced:,} have none and count neither as right nor as wrong"
        )


def are_answers(entries: Sequence[Entry | None], column: str) -> bool:
    """Whether a column holds answered entities, rather than tags: some of its texts do, and none is a JSON list."""
    texts = [value for entry in entries if entry and isinstance(value := entry.value(column), str)]
    return any(map(_ANSWER.search, texts)) and not any(text.lstrip().startswith(('["', "[]")) for text in texts)


def read_answers(sentences: Sequence[TaggedSentence], entries: Sequence[Entry | None], column: str) -> AnsweredEntities:
    """The entities of each entry as tags of its sentence; text without a bracketed entity says that there is none."""
    read: list[Entry | None] = []
    answered = unplaced = 0
    for sentence, entry in zip(sentences, entries, strict=True):
        value = entry and entry.value(column)
        if entry is None or not isinstance(value, str):
            read.append(entry)
            continue
        found = [(match["text"], match["type"]) for match in _ANSWER.finditer(value)]
        tags, lost = placed(sentence.characters, found)
        read.append(replace(entry, fields={**entry.fields, column: tags}))
        answered, unplaced = answered + len(found), unplaced + lost
    return AnsweredEntities(tuple(read), answered, unplaced)


def placed(characters: Sequence[str], found: Sequence[tuple[str, str]]) -> tuple[list[str], int]:
    """Tags of all characters for entities (text, type) in the order of the answer, and how many found no place.

    >>> placed("경찰은 박 씨를", [("박 씨", "PS"), ("경 찰", "OG"), ("경찰", "OG")])
    (['B-OG', 'I-OG', 'O', 'O', 'B-PS', 'I-PS', 'I-PS', 'O'], 1)
    """
    dense = [place for place, character in enumerate(characters) if not character.isspace()]
    text = "".join(characters[place] for place in dense)
    tags, lost = [OUTSIDE] * len(characters), 0
    for words, kind in found:
        surface = "".join(words.split())
        spans = ((dense[at], dense[at + len(surface) - 1] + 1) for at in _places(surface, text))
        free = next((span for span in spans if set(tags[slice(*span)]) == {OUTSIDE}), None)
        if free is None:
            lost += 1
            continue
        start, end = free
        tags[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    return tags, lost


def _places(surface: str, text: str) -> Iterator[int]:
    at = text.find(surface) if surface else -1
    while at >= 0:
        yield at
        at = text.find(surface, at + 1)
