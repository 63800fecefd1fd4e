"""Predictions of a row: a tag for each character of a sentence, a head and a label for each of its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jatdae.benchmarks.klue.metrics.entity_spreading import OUTSIDE, cut_gold
from jatdae.benchmarks.klue.records import ParsedSentence, TaggedSentence
from jatdae.benchmarks.klue.scoring.entries import Entry, shown
from jatdae.benchmarks.klue.scoring.readings import LabelNames

BLANK = " "

WHOLE = "all characters"
DENSE = "all characters but blanks"
OUTER = "all characters but blanks, and the two positions around them"
"""What a file may have tags for. The tags of blanks are not scored."""

OFFICIAL_TAGS = "official_tags"
"""The field for tags as the official reader spreads them over the characters, beside those that are right.

They have the `OUTER` layout, and may end early: where an unknown token is in a word, the reader loses characters.
"""

HEADS, DEPRELS = ("heads", "head"), ("deprels", "deprel", "labels", "label")

Tags = list[str]


@dataclass(frozen=True, slots=True)
class TagRows:
    """Tags as they are scored: of the characters that are no blank, between one tag before and one after the sentence.

    The official reader takes the model's own output for the two outer positions; where a file doesn't have it, and in
    `clean`, it is `O`. `layout` is for which positions the file has tags. `official_gold` is gold cut to the official
    rows, which can be shorter only where the file has them in a field of their own; `left_out` counts the characters
    that are cut off, and is None for a file without that field.
    """

    gold: list[Tags]
    official_gold: list[Tags]
    official: list[Tags | None]
    clean: list[Tags | None]
    layout: str
    left_out: int | None = None

    @property
    def agree(self) -> bool:
        """Whether official and clean are scored on the same tags."""
        return self.layout != OUTER and self.left_out is None


def read_tag_rows(
    sentences: Sequence[TaggedSentence], entries: Sequence[Entry | None], column: str, names: LabelNames
) -> TagRows:
    """The tags of all sentences; one layout for the whole file.

    Where an entry has `official_tags` as well, those are scored officially. Raises DataError for a row that doesn't fit
    its sentence, in number or in its characters.
    """
    given = [entry and _tags(entry, column, names) for entry in entries]
    triples = list(zip(sentences, entries, given, strict=True))
    layout = _layout([(sentence, tags) for sentence, _, tags in triples if tags])
    whole = [entry and tags and _scored(sentence, entry, tags, layout) for sentence, entry, tags in triples]
    clean = [row and _wrapped(row[1:-1]) for row in whole]
    gold = [_dense(sentence.characters, sentence.tags) for sentence in sentences]
    wrapped = [_wrapped(row) for row in gold]
    if not any(entry and OFFICIAL_TAGS in entry.fields for entry in entries):
        return TagRows(wrapped, wrapped, whole, clean, layout)
    spread = [_official(entry, row, tags, names) for entry, row, tags in zip(entries, gold, whole, strict=True)]
    cut = [row if tags is None else cut_gold(row[1:-1], tags) for row, tags in zip(wrapped, spread, strict=True)]
    return TagRows(wrapped, cut, spread, clean, layout, sum(map(len, wrapped)) - sum(map(len, cut)))


def _official(entry: Entry | None, gold: Tags, tags: Tags | None, names: LabelNames) -> Tags | None:
    """An entry's official tags; where it has none, those that it has."""
    given = entry and tags and _tags(entry, OFFICIAL_TAGS, names)
    if not entry or not given:
        return tags
    if not 2 <= len(given) <= len(gold) + 2:
        what = f"{len(given)} tags for {len(gold)} characters without blanks and the two positions around them"
        raise entry.fault(what, OFFICIAL_TAGS, "at least 2 and at most one for each")
    return given


def _tags(entry: Entry, column: str, names: LabelNames) -> Tags | None:
    value = entry.value(column)
    is_line = isinstance(value, str) and not value.lstrip().startswith("[")
    items = value.split() if is_line else entry.items(column)
    if items is None:
        return None
    read = [names.read(item, entry, column, below=number) for number, item in enumerate(items, 1)]
    return [tag or "" for tag in read] or None


def _sizes(sentence: TaggedSentence) -> Mapping[str, int]:
    dense = sum(character != BLANK for character in sentence.characters)
    return {WHOLE: len(sentence.characters), DENSE: dense, OUTER: dense + 2}


def _layout(rows: Sequence[tuple[TaggedSentence, Tags]]) -> str:
    """The layout that fits the most rows, of equals the first."""
    fitting = [layout for sentence, tags in rows for layout, size in _sizes(sentence).items() if size == len(tags)]
    return max((WHOLE, DENSE, OUTER), key=fitting.count)


def _scored(sentence: TaggedSentence, entry: Entry, tags: Tags, layout: str) -> Tags:
    sizes = _sizes(sentence)
    if len(tags) != sizes[layout]:
        what = f"{len(tags)} tags for {sizes[WHOLE]} characters ({sizes[DENSE]} without blanks)"
        raise entry.fault(what, mend=f"the file has tags for {layout}; it needs one for each")
    _check_characters(sentence, entry, layout)
    if layout == OUTER:
        return tags
    return _wrapped(_dense(sentence.characters, tags) if layout == WHOLE else tags)


def _check_characters(sentence: TaggedSentence, entry: Entry, layout: str) -> None:
    """That characters in the file are those of gold: NER's texts differ between the releases."""
    given = entry.fields.get("characters")
    if given is None or layout == OUTER:
        return
    wanted = [character for character in sentence.characters if layout == WHOLE or character != BLANK]
    for below, (character, expected) in enumerate(zip(given, wanted, strict=True), start=1):
        if character != expected:
            what = f"character {character!r} where gold has {expected!r}"
            raise entry.fault(what, "characters", "are both of one release, v1 or v1.1?", below=below)


def _dense(characters: Sequence[str], tags: Sequence[str]) -> Tags:
    return [tag for character, tag in zip(characters, tags, strict=True) if character != BLANK]


def _wrapped(tags: Sequence[str]) -> Tags:
    return [OUTSIDE, *tags, OUTSIDE]


@dataclass(frozen=True, slots=True)
class Tree:
    """A head and a label for each word, None where there is none."""

    heads: list[int | None]
    labels: list[str | None]


def read_tree(sentence: ParsedSentence, entry: Entry, column: str | None, names: LabelNames) -> Tree | None:
    """The prediction of a sentence: columns of heads and labels, or a list of (head, label) pairs.

    Raises DataError for a row that does not fit its sentence, in number or in its words.
    """
    heads, labels, fields = _columns(entry, column)
    if heads is None and labels is None:
        return None
    for name, values in zip(fields, (heads, labels), strict=True):
        if values is not None and len(values) != len(sentence.words):
            raise entry.fault(f"{len(values)} of them for {len(sentence.words)} words", name)
    blank = [None] * len(sentence.words)
    _check_words(sentence, entry)
    return Tree(
        [_head(value, entry, fields[0], number) for number, value in enumerate(heads or blank, 1)],
        [names.read(value, entry, fields[1], below=number) for number, value in enumerate(labels or blank, 1)],
    )


def _columns(entry: Entry, column: str | None) -> tuple[Sequence[Any] | None, Sequence[Any] | None, tuple[str, str]]:
    """Heads, labels and the names of their fields."""
    if column is None:
        head, label = (next((name for name in names if name in entry.fields), names[0]) for names in (HEADS, DEPRELS))
        return entry.items(head), entry.items(label), (head, label)
    pairs = entry.items(column)
    if pairs is None:
        return None, None, (column, column)
    both = [_pair(pair, entry, column) for pair in pairs]
    return [head for head, _ in both], [label for _, label in both], (column, column)


def _pair(value: object, entry: Entry, column: str) -> tuple[Any, Any]:
    if value is None:
        return None, None
    if isinstance(value, Mapping) and "head" in value:
        return value["head"], value.get("deprel", value.get("label"))
    if isinstance(value, list) and len(value) == 2:
        return value[0], value[1]
    raise entry.fault(f"a pair of head and label is expected, found {shown(value)}", column)


def _head(value: object, entry: Entry, field: str, below: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise entry.fault(f"a word's number is expected as head, 0 for the root, found {shown(value)}", field, below=below)


def _check_words(sentence: ParsedSentence, entry: Entry) -> None:
    given = entry.fields.get("words")
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        return
    if len(given) != len(sentence.words):
        raise entry.fault(f"{len(given)} words where gold has {len(sentence.words)}", "words")
    for below, (word, expected) in enumerate(zip(given, sentence.words, strict=True), start=1):
        if word != expected:
            raise entry.fault(f"word {word!r} where gold has {expected!r}", "words", below=below)
