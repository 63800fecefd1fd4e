"""What is odd about examples that can be used all the same: found by rule, told with identifiers, never mended."""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from jatdae.benchmarks.inspection import Finding
from jatdae.benchmarks.klue.labels import PARTS_OF_SPEECH, SIMILARITY, SUBJECT_TYPES, known_task
from jatdae.benchmarks.klue.reading.questions import UNANSWERABLE
from jatdae.benchmarks.klue.reading.trees import has_cycle, is_projective
from jatdae.benchmarks.klue.records import (
    INLINE_END,
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

DECOMPOSED = re.compile("[\u1100-\u1112][\u1161-\u1175]")
"""A syllable in separate letters. Some NER sentences have it by the release's own normalisation."""
_JAMO = re.compile("[\u1100-\u11ff]")
_ENTITY = re.compile(r"&(?:#\d+|#[xX][\da-fA-F]+|[a-zA-Z]+\d*);")
_THRESHOLD = 3.0


@dataclass(frozen=True, slots=True)
class Rule:
    """An oddity: its name, what it means, and what is told of each place in an example that shows it."""

    name: str
    meaning: str
    told: Callable[[Any], Iterator[str]]


def findings(task: str, records: Sequence[Record]) -> tuple[Finding, ...]:
    """The oddities of a task's examples. Names begin with the task; those that do not occur have a count of 0."""
    task = known_task(task)
    found = []
    for rule in (*_RULES[task], *_ANY):
        ids = tuple(line for record in records for line in rule.told(record))
        found.append(Finding(f"{task}: {rule.name}", len(ids), ids, rule.meaning))
    return tuple(found)


def values_outside(dialogues: Sequence[Dialogue], ontology: Mapping[str, Sequence[str]]) -> Finding:
    """The distinct values of each dialogue's states that the ontology does not list among the slot's candidates."""
    ids = []
    for dialogue in dialogues:
        pairs = dict.fromkeys(pair for turn in dialogue.turns for pair in turn.state)
        ids += [f"{dialogue.guid}: {slot}-{value}" for slot, value in pairs if value not in ontology.get(slot, ())]
    meaning = "the ontology does not list the value; states are compared as text, and nothing is held to the ontology"
    return Finding("wos: value-outside-ontology", len(ids), tuple(ids), meaning)


def _when(holds: Callable[[Any], bool]) -> Callable[[Any], Iterator[str]]:
    return lambda record: iter((placed(record),) if holds(record) else ())


def placed(record: Record) -> str:
    """The identifier, with the line where the file has sentences of many lines."""
    line = getattr(record, "line", None)
    return record.guid if line is None else f"{record.guid} (line {line})"


def _has_entity(record: Record) -> bool:
    return any(html.unescape(found) != found for text in record.texts for found in _ENTITY.findall(text))


def _other_first_choice(topic: Topic) -> bool:
    return bool(topic.scopes) and not _is_most_frequent(topic.label, topic.scopes[0])


def _not_majority(pair: InferencePair) -> bool:
    return bool(pair.votes) and not _is_most_frequent(pair.label, pair.votes)


def _is_most_frequent(label: str, votes: Sequence[str]) -> bool:
    counts = Counter(votes)
    return bool(counts) and counts[label] == max(counts.values())


def _not_rounded(pair: SimilarityPair) -> bool:
    return abs(pair.label - pair.real_label) > 0.05 + 1e-9


def _not_mean(pair: SimilarityPair) -> bool:
    return bool(pair.ratings) and abs(fmean(score for _, score in pair.ratings) - pair.real_label) > 1e-6


def _other_side(pair: SimilarityPair) -> bool:
    return pair.binary != SIMILARITY[pair.real_label >= _THRESHOLD]


def _orphans(sentence: TaggedSentence) -> Iterator[str]:
    for position in sentence.orphans:
        yield f"{placed(sentence)}: {sentence.tags[position]} at character {position}"


def _inline_differs(sentence: TaggedSentence) -> bool:
    return bool(sentence.inline) and sentence.rendered() != sentence.inline


def _starts_on_blank(sentence: TaggedSentence) -> Iterator[str]:
    for entity in sentence.entities:
        if sentence.characters[entity.start].isspace():
            yield f"{placed(sentence)}: {entity.type} at character {entity.start}"


def _span_drifts(relation: Relation) -> Iterator[str]:
    for role, span in (("subject", relation.subject), ("object", relation.object)):
        if span.drifts:
            yield f"{relation.guid}: {role} stated at {span.stated[0]} to {span.stated[1]}, found at {span.start}"


def _spans_overlap(relation: Relation) -> bool:
    first, second = relation.subject, relation.object
    return first.start <= second.end and second.start <= first.end


def _unknown_pos(sentence: ParsedSentence) -> Iterator[str]:
    for tag in dict.fromkeys(itertools.chain.from_iterable(sentence.pos)):
        if tag not in PARTS_OF_SPEECH:
            yield f"{placed(sentence)}: {tag}"


def _answer_drifts(question: Question) -> Iterator[str]:
    for kind, answers in (("answer", question.answers), ("plausible answer", question.plausible)):
        for answer in answers:
            if answer.drifts:
                times = question.context.count(answer.text)
                found = (
                    f"found at {answer.start}" if answer.start is not None else f"not placed, it stands {times} times"
                )
                yield f"{question.guid}: {kind} stated at {answer.stated}, {found}"


def _other_type(question: Question) -> bool:
    kind = question.question_type
    return kind is not None and (kind == UNANSWERABLE) != question.is_impossible


def _slots_twice(dialogue: Dialogue) -> Iterator[str]:
    for number, turn in enumerate(dialogue.turns):
        counts = Counter(slot for slot, _ in turn.state)
        yield from (f"{dialogue.guid}, turn {number}: {slot}" for slot, times in counts.items() if times > 1)


def _out_of_turn(dialogue: Dialogue) -> bool:
    return any(turn.role != ("user", "sys")[number % 2] for number, turn in enumerate(dialogue.turns))


_ANY = (
    Rule("html-entity", "the text holds an HTML entity such as &amp;, which is compared as it is", _when(_has_entity)),
    Rule(
        "separate-letters",
        "the text holds Hangul as separate letters, which most vocabularies do not know",
        _when(lambda record: any(map(_JAMO.search, record.texts))),
    ),
)
_RULES: Mapping[str, tuple[Rule, ...]] = {
    "ynat": (
        Rule(
            "label-not-first-choice", "another topic has more first choices than the label", _when(_other_first_choice)
        ),
    ),
    "sts": (
        Rule("label-not-rounded", "`label` is not `real-label` rounded to a tenth", _when(_not_rounded)),
        Rule("real-label-not-mean", "`real-label` is not the mean of the ratings", _when(_not_mean)),
        Rule("binary-other-side", "`binary-label` is not on its side of 3.0", _when(_other_side)),
    ),
    "nli": (Rule("label-not-majority", "another label has more votes than the gold label", _when(_not_majority)),),
    "ner": (
        Rule("orphan-inside", "an I- tag continues no entity of its type; strict scoring sees none there", _orphans),
        Rule("inline-differs", "the inline notation and the rows disagree; the rows count", _when(_inline_differs)),
        Rule(
            "tag-in-text",
            "a remnant of the inline notation stands in the text itself; its tags may be wrong",
            _when(lambda sentence: bool(INLINE_END.search(sentence.text))),
        ),
        Rule("starts-on-blank", "an entity starts on a blank; without blanks it loses its B- tag", _starts_on_blank),
    ),
    "re": (
        Rule("span-drift", "the stated place does not hold the word, which stands elsewhere once", _span_drifts),
        Rule("spans-overlap", "subject and object share characters; markers cannot be set", _when(_spans_overlap)),
        Rule(
            "subject-type",
            "the subject is neither a person nor an organisation",
            _when(lambda relation: relation.subject.type not in SUBJECT_TYPES),
        ),
    ),
    "dp": (
        Rule(
            "header-differs",
            "the header's sentence has other words than the rows; the rows count",
            _when(lambda sentence: bool(sentence.header) and sentence.header.split() != list(sentence.words)),
        ),
        Rule("unknown-pos", "a part of speech is not among the 45", _unknown_pos),
        Rule("not-one-root", "the sentence has no root or several", _when(lambda s: s.heads.count(0) != 1)),
        Rule("cycle", "following the heads never comes to a root", _when(lambda s: has_cycle(s.heads))),
        Rule("crossing-arcs", "the tree is not projective", _when(lambda s: not is_projective(s.heads))),
        Rule(
            "head-to-the-left",
            "a word's head is the word itself or stands before it",
            _when(lambda s: any(0 < head <= word for word, head in enumerate(s.heads, 1))),
        ),
    ),
    "mrc": (
        Rule("answer-drift", "the stated start does not point at the text; scores compare texts", _answer_drifts),
        Rule(
            "decoys-in-answers",
            "distractors of an unanswerable question stood under `answers`; they are not gold",
            _when(lambda question: question.decoys_in_answers),
        ),
        Rule("type-differs", "question_type 3 and is_impossible do not go together", _when(_other_type)),
    ),
    "wos": (
        Rule("slot-twice", "a state gives a slot two values", _slots_twice),
        Rule("out-of-turn", "user and system do not alternate, the user first", _when(_out_of_turn)),
    ),
}
