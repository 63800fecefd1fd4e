"""What is odd about the published items: found by rule, reported with ids, mended only where the user says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from jatdae.benchmarks.inspection import Finding
from jatdae.benchmarks.konubench.data import LOCAL_TYPES, STANDARD_TYPES, Record
from jatdae.benchmarks.konubench.options import SWAPPED_BLOCKS, is_swapped
from jatdae.korean.negation.surface import surface_types

Rule = Callable[[Record], bool]

SENTENCES = ("original_sentence", "standard_negation", "local_negation", "contradiction", "paraphrase")
_MARKERS = {
    "안 단형": "안",
    "안 장형": "않|아니",
    "못 단형": "못",
    "못 장형": "못",
    "말다": "[말마맙]",
    "아니다": "아[니닌닐님닙]",
}
"""The least that a sentence with a negation of this type contains; 어휘적 has no marker of its own."""
_BLANKS_BUT_SPACE = re.compile(r"[^\S ]|[\u200b-\u200d\u2060\ufeff]")


def _equal(first: str, second: str) -> Rule:
    return lambda record: record[first] is not None and record[first] == record[second]


def _label_without_marker(record: Record) -> bool:
    sentence = record.text("standard_negation")
    labels = [record[field] for field in STANDARD_TYPES]
    return any(label in _MARKERS and not re.search(_MARKERS[label], sentence) for label in labels if label)


def _element_elsewhere(record: Record) -> bool:
    return record.text("local_부정요소") not in record.text("original_sentence")


_RULES: tuple[tuple[str, str, Rule], ...] = (
    (
        "local negation = original",
        "the distractor changes nothing",
        _equal("local_negation", "original_sentence"),
    ),
    ("paraphrase = original", "the distractor changes nothing", _equal("paraphrase", "original_sentence")),
    (
        "standard = local negation",
        "two options have the right text; the first of them counts as right",
        _equal("standard_negation", "local_negation"),
    ),
    ("local negation = contradiction", "two distractors are one", _equal("local_negation", "contradiction")),
    (
        "no type for main clause 1",
        "the main clause was negative and has been made positive",
        lambda record: record["sn_절1"] is None,
    ),
    (
        "local negation without a type",
        "a marker was removed from a negative dependent clause",
        lambda record: record["local_negation"] is not None and record["ln_절1"] is None,
    ),
    (
        "local type without local negation",
        "a label for an option that is not there",
        lambda record: record["local_negation"] is None and any(record[field] for field in LOCAL_TYPES),
    ),
    (
        "clause label without local negation, or the reverse",
        "the two fields go together",
        lambda record: (record["local_negation"] is None) != (record["local_negation_type"] is None),
    ),
    (
        "local negation without its element",
        "the negated part of the original is not named",
        lambda record: record["local_negation"] is not None and record["local_부정요소"] is None,
    ),
    ("element not in the original", "the named part is not a literal piece of the sentence", _element_elsewhere),
    ("label without its marker", "the label is wrong, or the sentence", _label_without_marker),
    (
        "marker in the original",
        "the surface rules find a negation before anything was negated",
        lambda record: bool(surface_types(record.text("original_sentence"))),
    ),
    (
        "contradiction and paraphrase exchanged",
        f"each is in the other's field (ids {' and '.join(f'{low} to {high}' for low, high in SWAPPED_BLOCKS)}); "
        "accuracy is the same, counts of chosen distractors are not",
        lambda record: is_swapped(record.idx),
    ),
)

_TEXT_RULES: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("blank at an edge", "counts in the length of an option", lambda text: text != text.strip()),
    ("double space", "", lambda text: "  " in text),
    ("no final punctuation", "", lambda text: not re.search("[.!?][\"'”’」』》)]*$", text.strip())),
    ("two full stops", "", lambda text: ".." in text),
    ("perhaps two sentences", "a stop, then a Korean word", lambda text: bool(re.search(r"[.!?] +[가-힣]", text))),
    ("blank other than a space", "", lambda text: bool(_BLANKS_BUT_SPACE.search(text))),
)


def irregularities(records: Sequence[Record]) -> Iterator[Finding]:
    """Every known irregularity over all given items, also those that do not occur, so that their absence is said."""
    for name, meaning, rule in _RULES:
        yield _finding(name, meaning, [record.idx for record in records if rule(record)])
    for name, meaning, fits in _TEXT_RULES:
        for field in SENTENCES:
            ids = [record.idx for record in records if (text := record[field]) and fits(text)]
            yield _finding(f"{name}: {field}", meaning, ids)


def duplicates(records: Sequence[Record]) -> Iterator[Finding]:
    """Ids, passages and texts that occur in more than one item, within or across splits."""
    yield _repeated("id twice", [(record.idx, record.idx) for record in records])
    yield _repeated("passage twice", [(record.raw_id, record.idx) for record in records if record.raw_id])
    for field in SENTENCES:
        texts = [(re.sub(r"[\W_]", "", record.text(field)), record.idx) for record in records if record[field]]
        yield _repeated(f"text twice: {field}", texts)


def nearer_paraphrases(records: Sequence[Record]) -> float:
    """Share of items whose paraphrase field is nearer to the original, by characters, than the contradiction field.

    High where the two fields are exchanged: a contradiction changes a few words, a paraphrase most of them.
    """
    return sum(map(_paraphrase_is_nearer, records)) / len(records)


def _paraphrase_is_nearer(record: Record) -> bool:
    original = record.text("original_sentence")
    contradiction, paraphrase = (
        SequenceMatcher(None, record.text(field), original).ratio() for field in ("contradiction", "paraphrase")
    )
    return paraphrase > contradiction


def _repeated(name: str, keyed: Sequence[tuple[str, str]]) -> Finding:
    seen: set[str] = set()
    ids = [idx for key, idx in keyed if key in seen or seen.add(key)]
    return _finding(name, "the same in an earlier item, punctuation and blanks aside", ids)


def _finding(name: str, meaning: str, ids: Sequence[str]) -> Finding:
    return Finding(name, len(ids), tuple(ids), meaning)
