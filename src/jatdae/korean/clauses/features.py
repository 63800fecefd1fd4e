"""What is known of a clause when its type is decided: its ending and what surrounds it, as names of features.

Only closed classes are named (endings, particles, dependent nouns, tags), never a word of the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from jatdae.korean.clauses.closing import Closure, Morphemes
from jatdae.korean.clauses.outline import Outline, Predication

_TOPICS = frozenset({"은", "는", "ᆫ"})
_NOMINAL_TAGS = frozenset({"NNG", "NNP", "NNB", "NP", "NR", "SN", "SL", "SH", "XSN", "SSC", "ETN"})
_PASSIVE = frozenset({"되", "당하", "받"})
_DIRECTIVE = frozenset(
    {"자", "ᆸ시다", "읍시다", "십시오", "ᆸ시오", "으십시오", "세요", "으세요", "어라", "라", "으라", "소서"}
)


def features(outline: Outline, number: int) -> list[str]:
    """The features of predication `number`, whose ending is not None, each at most once."""
    morphemes, clauses = outline.morphemes, outline.predications
    clause = clauses[number]
    ending = -1 if clause.ending is None else clause.ending
    name = ending_name(morphemes, clause)
    near = clauses[number - 1].ending or 0 if number else 0
    start = _clause_start(clauses, number)
    following, main_next = _following(outline, number)
    own, wide = _subject(morphemes, near, clause.predicate), _subject(morphemes, start, clause.predicate)
    after = _subject(morphemes, ending + 1, following)
    next_word = morphemes[min(following, len(morphemes) - 1)].word
    then = clauses[number + 1].closure.name if number + 1 < len(clauses) else "nothing"
    before = ending_name(morphemes, clauses[number - 1]) if number else "nothing"
    return [
        name,
        *(f"{name} {feature}" for feature in _beside(morphemes, ending)),
        f"subject {own}, then {after}",
        f"{name} subject {own}, then {after}",
        f"{name} subject somewhere {wide}",
        f"{name} stem {_stem_class(morphemes, clause.predicate)}",
        f"{name} topic before {_has_topic(morphemes, 0, start)}, {'first' if start == 0 else 'later'}",
        f"{name} closes then {then}",
        f"{name} main next {main_next}",
        f"{name} after {before}",
        f"{name} words {min(4, (morphemes[ending].word - morphemes[start].word) // 2)}",
        f"{name} words to next {min(8, next_word - morphemes[ending].word) // 2}",
        f"{name} directive {_is_directive(outline)}",
    ]


def ending_name(morphemes: Morphemes, clause: Predication) -> str:
    """A connective ending without the vowel that only joins it (으며 is 며); else how the clause closes."""
    if clause.closure is Closure.CONNECTIVE and clause.ending is not None:
        return morphemes[clause.ending].form.removeprefix("으")
    return clause.closure.name


def _beside(morphemes: Morphemes, ending: int) -> Iterator[str]:
    if morphemes[ending - 1].tag == "EP":
        yield "past"
    for following in morphemes[ending + 1 : ending + 2]:
        if following.tag == "SP":
            yield "comma"
        elif following.tag.startswith("J") or following.tag == "NNB":
            yield f"before {following}"


def _clause_start(clauses: tuple[Predication, ...], number: int) -> int:
    """Where the words after the last clause that is connective or final begin."""
    for earlier in reversed(clauses[:number]):
        if earlier.closure in (Closure.CONNECTIVE, Closure.FINAL) and earlier.ending is not None:
            return earlier.ending + 1
    return 0


def _following(outline: Outline, number: int) -> tuple[int, bool]:
    """The predicate of the next clause that is not adnominal (the end where none is), and whether it ends it all."""
    for later in outline.predications[number + 1 :]:
        if later.closure is not Closure.ADNOMINAL:
            return later.predicate, later.closure is Closure.FINAL
    return len(outline.morphemes), False


def _subject(morphemes: Morphemes, start: int, end: int) -> str:
    """What marks a subject there: a nominative, else a topic that follows a noun, else nothing."""
    found = "no"
    for index in range(max(start, 1), end):
        if morphemes[index].tag == "JKS":
            return "이"
        if found == "no" and is_topic(morphemes, index) and morphemes[index - 1].tag in _NOMINAL_TAGS:
            found = "은"
    return found


def _has_topic(morphemes: Morphemes, start: int, end: int) -> bool:
    return any(is_topic(morphemes, index) for index in range(start, end))


def is_topic(morphemes: Morphemes, index: int) -> bool:
    """Whether the morpheme is the particle 은/는."""
    return morphemes[index].tag == "JX" and morphemes[index].form in _TOPICS


def _stem_class(morphemes: Morphemes, predicate: int) -> str:
    stem = morphemes[predicate]
    if stem.form in _PASSIVE and stem.tag in ("XSV", "VV"):
        return "passive"
    if stem.tag == "VV" and any(morpheme.form == "지" for morpheme in morphemes[predicate + 2 : predicate + 3]):
        return "passive"
    return stem.tag


def _is_directive(outline: Outline) -> bool:
    """Whether the sentence ends as an order or a proposal."""
    last = outline.predications[-1].ending
    return last is not None and outline.morphemes[last].form in _DIRECTIVE
