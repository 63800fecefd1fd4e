"""What one example of each KLUE task is, after reading: frozen, checked, with labels as names and never as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jatdae.benchmarks.klue.labels import ENTITY_TYPES

_SPLIT = re.compile(r"_(train|dev|test)_")
_SOURCE = re.compile(r"_(?:train|dev|test)_\d+[-_](?P<source>.+)")
"""The identifiers of tagged and parsed sentences end with their source."""


@dataclass(frozen=True, slots=True)
class Record:
    """What the examples of all tasks share. `guid` is the release's identifier, or `hub-<task>-<row>` without one."""

    guid: str

    @property
    def id(self) -> str:
        """The stable identifier."""
        return self.guid

    @property
    def group(self) -> str:
        """What a breakdown groups by: the text's source, or another property of it; "" where none is known."""
        named = _SOURCE.search(self.guid)
        return getattr(self, "source", "") or (named["source"] if named else "")

    @property
    def split(self) -> str | None:
        """The split that the identifier names, if any."""
        found = _SPLIT.search(self.guid)
        return found[1] if found else None

    @property
    def texts(self) -> tuple[str, ...]:
        """All text of the example that a model may read or has to find."""
        return ()


@dataclass(frozen=True, slots=True)
class Topic(Record):
    """A headline and its topic. `scopes` are the annotators' first, second and third choices; empty where absent.

    `publisher` is the publisher's own section: it differs from the label often and is neither target nor feature.
    """

    title: str
    label: str
    publisher: str | None = None
    scopes: tuple[tuple[str, ...], ...] = ()
    url: str | None = None
    date: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.title,)


@dataclass(frozen=True, slots=True)
class SimilarityPair(Record):
    """Two sentences and how alike they are, 0 to 5. `real_label` is the target and what the scores are measured on.

    `label` is the same rounded to a tenth; `binary` is `positive` from 3 on; `ratings` are (annotator, score) pairs.
    """

    source: str
    sentence1: str
    sentence2: str
    real_label: float
    label: float
    binary: str
    ratings: tuple[tuple[str, int], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.sentence1, self.sentence2)


@dataclass(frozen=True, slots=True)
class InferencePair(Record):
    """A premise, a hypothesis and what holds between them. `votes` are the author's label and the validators'."""

    source: str
    premise: str
    hypothesis: str
    label: str
    votes: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.premise, self.hypothesis)


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of characters with a type; `end` is inclusive, counted from 0."""

    type: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TaggedSentence(Record):
    """A sentence as characters, blanks included, with a BIO tag for each.

    `inline` is the release's second notation of the same (`<text:TYPE>`), kept for comparison and never read, since the
    text may hold angle brackets itself. `line` is where the sentence starts in its file; None for rows from the hub.
    """

    characters: tuple[str, ...]
    tags: tuple[str, ...]
    inline: str = ""
    line: int | None = None

    @property
    def text(self) -> str:
        """The plain sentence; character i of it has tag i."""
        return "".join(self.characters)

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities by strict reading (IOB2): a `B-` and the `I-` of its type after it; an orphan `I-` is none."""
        found: list[Entity] = []
        for position, tag in enumerate(self.tags):
            place, _, kind = tag.partition("-")
            if place == "B":
                found.append(Entity(kind, position, position))
            elif place == "I" and found and found[-1].end == position - 1 and found[-1].type == kind:
                found[-1] = Entity(kind, found[-1].start, position)
        return tuple(found)

    @property
    def orphans(self) -> tuple[int, ...]:
        """The positions of `I-` tags that continue no entity of their type."""
        covered = {position for entity in self.entities for position in range(entity.start, entity.end + 1)}
        return tuple(i for i, tag in enumerate(self.tags) if tag != "O" and i not in covered)

    def rendered(self) -> str:
        """The inline notation that the rows themselves give."""
        opening = {entity.start for entity in self.entities}
        closing = {entity.end: f":{entity.type}>" for entity in self.entities}
        return "".join(
            ("<" if i in opening else "") + character + closing.get(i, "")
            for i, character in enumerate(self.characters)
        )


INLINE_END = re.compile(f":(?:{'|'.join(ENTITY_TYPES)})>")
"""How the inline notation closes an entity; within a plain text it is a remnant of that notation."""


@dataclass(frozen=True, slots=True)
class EntitySpan:
    """An entity's place in a sentence, `end` inclusive. `stated` is (start, end) as the file has it."""

    word: str
    start: int
    end: int
    type: str
    stated: tuple[int, int]

    @property
    def drifts(self) -> bool:
        """Whether the stated place was wrong and the word was found elsewhere."""
        return (self.start, self.end) != self.stated


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """A sentence with a subject and an object, and the relation that holds between them."""

    sentence: str
    subject: EntitySpan
    object: EntitySpan
    label: str
    source: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.sentence,)


@dataclass(frozen=True, slots=True)
class ParsedSentence(Record):
    """A sentence's words with lemma, parts of speech, head (1-based word, 0 for the root) and label for each.

    `header` is the sentence as the file's header has it; in a few sentences it differs from the words.
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    pos: tuple[tuple[str, ...], ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    header: str = ""
    line: int | None = None

    @property
    def text(self) -> str:
        """The words joined by one blank: what a model reads."""
        return " ".join(self.words)

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's text and where it starts in the passage. `stated` is the start that the file gives.

    `start` is None where the text is not at the stated place and not at exactly one other.
    """

    text: str
    start: int | None
    stated: int

    @property
    def drifts(self) -> bool:
        """Whether the stated start does not point at the text."""
        return self.start != self.stated


@dataclass(frozen=True, slots=True)
class Question(Record):
    """A question on a passage. An unanswerable one has no answers; its distractors are in `plausible`, never gold.

    `question_type`: 1 paraphrase, 2 several sentences, 3 unanswerable; None where the file does not say.
    """

    title: str
    context: str
    question: str
    answers: tuple[Answer, ...]
    is_impossible: bool
    plausible: tuple[Answer, ...] = ()
    question_type: int | None = None
    news_category: str | None = None
    source: str | None = None
    decoys_in_answers: bool = False
    """Whether the row held the distractors under `answers`, as all of the hub's do."""

    @property
    def gold(self) -> tuple[str, ...]:
        """The texts that count as right; the empty text for an unanswerable question."""
        return tuple(answer.text for answer in self.answers) or ("",)

    @property
    def group(self) -> str:
        return "" if self.question_type is None else f"type {self.question_type}"

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.context, self.question, *(answer.text for answer in (*self.answers, *self.plausible)))


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says. Only the user's turns have a state: all (`domain-slot`, value) pairs that hold by then."""

    role: str
    text: str
    state: tuple[tuple[str, str], ...] = ()

    @property
    def state_items(self) -> tuple[str, ...]:
        """The state in the release's own notation, `domain-slot-value`."""
        return tuple(f"{slot}-{value}" for slot, value in self.state)


@dataclass(frozen=True, slots=True)
class Dialogue(Record):
    """A conversation between a user and a booking system."""

    domains: tuple[str, ...]
    turns: tuple[Turn, ...]

    @property
    def user_turns(self) -> tuple[Turn, ...]:
        """The turns that are scored."""
        return tuple(turn for turn in self.turns if turn.role == "user")

    @property
    def group(self) -> str:
        return "+".join(sorted(self.domains))

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(turn.text for turn in self.turns)
