"""Automatic checks of items. An error keeps an item from going on; a warning is for its author to consider."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from jatdae.errors import did_you_mean
from jatdae.korean.clauses import clause_of_change
from jatdae.korean.negation import negations_of
from jatdae.korean.negation.analysis import Analysis, analyse_all, readable
from jatdae.korean.negation.kinds import ClauseType, Negation
from jatdae.negation.construction.content import changed_words, names, numbers
from jatdae.negation.construction.item import (
    CONTRADICTION,
    LABELS,
    LOCAL,
    LOCAL_CLAUSE,
    LOCAL_ELEMENT,
    LOCAL_TYPES,
    NOTE,
    ORIGINAL,
    PARAPHRASE,
    STANDARD,
    STANDARD_TYPES,
    TYPE_LABELS,
    Item,
)
from jatdae.negation.construction.repetition import repeated, squeezed
from jatdae.negation.corpus.splitting import split

Analyses = Mapping[str, Analysis]
_REQUIRED = (ORIGINAL, STANDARD, CONTRADICTION, PARAPHRASE)
_BLANKS = re.compile(r"[^\S ]|  |[\u200b-\u200d\u2060\ufeff]")
_FORMULA = tuple("=+-@＝＋－＠")
_FORMULA_FAULT = "begins with a sign that a spreadsheet takes for a formula"
_FINAL_MARK = re.compile(r"[.!?][\"'”’」』》)]*$")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, or may be, with a field of an item. `is_error` says that the item cannot go on like this."""

    item: str
    field: str
    text: str
    is_error: bool

    def __str__(self) -> str:
        return f"{'error' if self.is_error else 'warning'}: item {self.item}, {self.field}: {self.text}"


def check_items(items: Sequence[Item], others: Sequence[Item] = ()) -> list[Problem]:
    """The problems of whole items, in their order. `others` are looked at for repetitions alone."""
    texts = list(dict.fromkeys(text for item in items for text in item.sentences.values()))
    analyses = dict(zip(texts, analyse_all(texts), strict=True))
    sentences = dict(zip(texts, split("kiwi", texts), strict=True))
    own = {item.idx for item in items}
    same = repeated([*items, *(other for other in others if other.idx not in own)])
    return [problem for item in items for problem in _check(item, analyses, sentences, same)]


def _check(
    item: Item,
    analyses: Analyses,
    sentences: Mapping[str, Sequence[str]],
    same: Mapping[tuple[str, str], str],
) -> Iterator[Problem]:
    for name, text in item.sentences.items():
        yield from _spelling(item, name, text)
        if len(sentences[text]) > 1:
            yield Problem(item.idx, name, f"looks like {len(sentences[text])} sentences", False)
        if (item.idx, name) in same:
            yield Problem(item.idx, name, f"the same text is in item {same[item.idx, name]}", True)
    yield from _completeness(item)
    if all(item[name] for name in _REQUIRED):
        for rule in _WHOLE:
            yield from rule(item, analyses)


def check_spelling(item: Item) -> list[Problem]:
    """The problems of the fields that are filled in, without analysing them."""
    return [problem for name, text in item.sentences.items() for problem in _spelling(item, name, text)]


def _spelling(item: Item, name: str, text: str) -> Iterator[Problem]:
    faults = {
        "not in NFC": text != unicodedata.normalize("NFC", text),
        "a blank at an edge": text != text.strip(),
        "a line break, a double or an unusual blank inside": bool(_BLANKS.search(text.strip())),
        "a character that cannot be read": "\ufffd" in text or text != readable(unicodedata.normalize("NFC", text)),
        _FORMULA_FAULT: text.lstrip().startswith(_FORMULA),
    }
    yield from (Problem(item.idx, name, fault, True) for fault, holds in faults.items() if holds)
    if not _FINAL_MARK.search(text):
        yield Problem(item.idx, name, "no final punctuation", False)


def _completeness(item: Item) -> Iterator[Problem]:
    for name in _REQUIRED:
        if not item[name]:
            yield Problem(item.idx, name, "is empty", True)
    for name, known in LABELS.items():
        if item[name] and item[name] not in known:
            hint = did_you_mean(item[name], known)
            yield Problem(item.idx, name, f"{item[name]!r} is no label; {hint}", True)
    for name in (LOCAL_CLAUSE, *LOCAL_TYPES, LOCAL_ELEMENT):
        if item[name] and not item[LOCAL]:
            yield Problem(item.idx, name, "there is no local negation", True)
    if item[LOCAL] and not item[LOCAL_CLAUSE]:
        yield Problem(item.idx, LOCAL_CLAUSE, "the local negation's clause is not named", True)
    for name in (LOCAL_ELEMENT, NOTE):
        if item[name].lstrip().startswith(_FORMULA):
            yield Problem(item.idx, name, _FORMULA_FAULT, True)
    for later, before in (("sn_절3", "sn_절2"), ("ln_절2", "ln_절1")):
        if item[later] and not item[before]:
            yield Problem(item.idx, before, f"is empty though {later} is not", False)
    for first, second in combinations(item.sentences, 2):
        if squeezed(item[first]) == squeezed(item[second]):
            yield Problem(item.idx, second, f"is the same text as {first}", True)


def _intended_changes(item: Item, analyses: Analyses) -> Iterator[Problem]:
    for name in (STANDARD, LOCAL):
        if item[name] and (changed := changed_words(analyses[item[ORIGINAL]], analyses[item[name]])):
            yield Problem(item.idx, name, f"more than the predicate's polarity changed: {', '.join(changed)}", False)


def _labels(item: Item, analyses: Analyses) -> Iterator[Problem]:
    """Labels against what the detector finds in the negated sentence beyond the original."""
    for name, fields in ((STANDARD, STANDARD_TYPES), (LOCAL, LOCAL_TYPES)):
        if not item[name]:
            continue
        labelled = Counter(item[field] for field in fields if item[field])
        found = suggested_types(analyses[item[ORIGINAL]], analyses[item[name]])
        if labelled != found:
            told = ", ".join(found.elements()) or "no added negation"
            yield Problem(item.idx, fields[0], f"the detector finds {told}", False)
    clause = clause_of_change(analyses[item[ORIGINAL]], analyses[item[LOCAL]]) if item[LOCAL] else None
    label = ClauseType.COORDINATE if clause is ClauseType.MAIN else clause
    if label is not None and label.value != item[LOCAL_CLAUSE]:
        yield Problem(item.idx, LOCAL_CLAUSE, f"the detector finds {label.value}", False)
    if item[LOCAL_ELEMENT] and item[LOCAL_ELEMENT] not in item[ORIGINAL]:
        yield Problem(item.idx, LOCAL_ELEMENT, "is not a piece of the original", False)


def suggested_types(original: Analysis, negated: Analysis) -> Counter[str]:
    """How often each type is added to the original, by label."""
    before, after = (Counter(map(_kind, _denials(analysis))) for analysis in (original, negated))
    added = after - before
    return Counter({kind: added[kind] for kind in TYPE_LABELS if added[kind]})


def _kind(negation: Negation) -> str:
    return negation.type.value


def _denials(analysis: Analysis) -> list[Negation]:
    return [found for found in negations_of(analysis) if not found.confirmation]


def _paraphrase(item: Item, analyses: Analyses) -> Iterator[Problem]:
    """Numbers and names have to stay."""
    text = item[PARAPHRASE]
    lost = Counter(numbers(item[ORIGINAL])) - Counter(numbers(text))
    if lost:
        yield Problem(item.idx, PARAPHRASE, f"numbers are lost: {', '.join(lost)}", False)
    bare = text.replace(" ", "")
    gone = [name for name in names(analyses[item[ORIGINAL]]) if name.replace(" ", "") not in bare]
    if gone:
        yield Problem(item.idx, PARAPHRASE, f"names are lost: {', '.join(gone)}", False)


def _contradiction(item: Item, analyses: Analyses) -> Iterator[Problem]:
    """It has to say something else, not the same with a marker more or less."""
    original, text = analyses[item[ORIGINAL]], analyses[item[CONTRADICTION]]
    if len(_denials(original)) != len(_denials(text)) and not changed_words(original, text):
        yield Problem(item.idx, CONTRADICTION, "merely adds or takes away a negation", False)


_WHOLE: Sequence[Callable[[Item, Analyses], Iterator[Problem]]] = (
    _intended_changes,
    _labels,
    _paraphrase,
    _contradiction,
)
