"""The letter that a reply states as its answer, or None.

A reply is cleaned, its option labels become marks, labels that are only named are set aside, and the highest tier of
statements with a match decides; within it the last one. There is no search for any letter: a reply that states
nothing has no answer, since a guess would credit it for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from jatdae.benchmarks.kmmlu import extraction_tiers as tiers
from jatdae.benchmarks.kmmlu.extraction_cleaning import clean
from jatdae.benchmarks.kmmlu.extraction_labels import mark_labels, place_of
from jatdae.benchmarks.kmmlu.extraction_reproduction import cot_reproduction_filter, strict_letter, strict_match
from jatdae.benchmarks.kmmlu.extraction_set_aside import set_aside
from jatdae.korean.reasoning import visible_text

__all__ = [
    "EXTRACTION_VERSION",
    "Extraction",
    "cot_reproduction_filter",
    "cut_direct",
    "extract_answer",
    "extract_with_options",
    "strict_letter",
    "strict_match",
]

EXTRACTION_VERSION = "1"
"""Part of a result's signature. Raise it with every change that can alter an extracted letter."""

Stage = Literal["label", "option", "value", "cue-text", "none"]

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_CUE_TEXT = re.compile(
    r"(?:(?<!오)(?:정답|답)(?!률)[\])】]?(?:은|는)?|\banswer(?: is)?)[ ]?[:=]?\s([^\n]+)"
    r"|(?:(?<!오)(?:정답|답)|\banswer):([^\n]+)",
    re.IGNORECASE,
)
_POLITE_END = re.compile(r" ?(?:입니다|이다|이에요|예요)?[.。]?$")
_VALUE = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_LONE_LETTER = re.compile(r"(?<![A-Za-z])[A-J](?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Extraction:
    """A reply's letter (None: no answer), the stage that found it, and whether a label and a value reading disagree."""

    letter: str | None
    stage: Stage
    flagged: bool = False


def extract_answer(text: str, letters: str = "ABCD") -> str | None:
    """The letter that `text` states as its answer, or None.

    `letters` are the labels of the options in order, "A" onwards, at most ten; numbers and circled numbers follow
    their count. None stands for no statement, a refusal, several labels at once, a label outside `letters`, and a
    reply cut off inside its reasoning.
    """
    visible = visible_text(text)
    if visible is None:
        return None
    marked = set_aside(mark_labels(clean(visible)))
    marked = marked[: _end_of_reply(marked)].rstrip()
    if tiers.CUT_OFF_CUE.search(marked):
        return None
    label = _deciding_label(marked, len(letters))
    place = place_of(label) if label else len(letters)
    return letters[place] if place < min(len(letters), 10) else None


def extract_with_options(
    text: str,
    options: Sequence[str],
    letters: str = "ABCD",
    value_reading: bool = False,
    cue_text: bool = False,
) -> Extraction:
    """The answer of `text` when the option texts are known: the stated label, else an option's own text.

    A reply equal to exactly one option text counts always. `value_reading` reads a bare number that equals exactly
    one option as that option instead of as a label, if the reply holds no letter. `cue_text` accepts an option text
    after "정답은". `flagged` is true when label and value reading disagree, in either setting.
    """
    label = extract_answer(text, letters)
    visible = visible_text(text)
    if visible is None:
        return Extraction(None, "none")
    reply = clean(visible)
    texts = [_option_form(option) for option in options[: len(letters)]]
    after_cue = _after_last_cue(reply)
    value = _equal_option(_value_of(reply, after_cue), [_number_form(option) for option in texts], letters)
    flagged = bool(label and value and label != value)
    if value_reading and value and value != label:
        return Extraction(value, "value", flagged)
    if label:
        return Extraction(label, "label", flagged)
    if whole := _equal_option(_option_form(visible), texts, letters):
        return Extraction(whole, "option")
    if cue_text and (named := _equal_option(after_cue, texts, letters)):
        return Extraction(named, "cue-text")
    return Extraction(None, "none")


def cut_direct(text: str) -> str:
    """The part of a direct output before its first blank line, as a stop string would have cut it.

    Reasoning and blank lines that come before anything else are skipped. An output that ends inside its reasoning
    is returned whole, so that it still reads as cut off.
    """
    visible = visible_text(text)
    if visible is None:
        return text
    visible = visible.replace("\r\n", "\n").lstrip()
    end = _BLANK_LINE.search(visible)
    return visible[: end.start()] if end else visible.rstrip()


def _deciding_label(marked: str, options: int) -> str | None:
    for rules in tiers.TIERS:
        found = [(match.end(), tiers.stated(match)) for rule in rules for match in rule.pattern.finditer(marked)]
        if rules is tiers.DELIMITED:
            found = [(end, label) for end, label in found if not tiers.is_value(label, options)]
        if found:
            return max(found, key=lambda one: one[0])[1]
    return _label_line(marked.split("\n"))


def _label_line(lines: list[str]) -> str | None:
    """The label of the last line, else of the first, that is a label alone or a label with its option's text."""
    for line, alone in ((lines[-1], len(lines) == 1), (lines[0], False)):
        if label := _line_label(line, alone):
            return None if _is_list(lines, line, label) else label
    return None


def _line_label(line: str, alone: bool) -> str | None:
    if found := tiers.LABEL_ALONE.fullmatch(line):
        return tiers.stated(found)
    found = tiers.LABEL_AND_TEXT.fullmatch(line)
    if not found:
        return None
    # In a longer reply "3. ..." is a step of the solution.
    return None if found["label_counted"] and not alone else tiers.stated(found)


def _is_list(lines: list[str], line: str, label: str) -> bool:
    """True if other labels of this notation open lines, or parts of the deciding line: the options were repeated."""
    found = [tiers.LISTED_LINE.match(other) for other in lines] + list(tiers.LISTED_INLINE.finditer(line))
    listed = [tiers.stated(match) for match in found if match]
    return any(
        place_of(mark) != place_of(label) and tiers.is_numeral(mark) == tiers.is_numeral(label) for mark in listed
    )


def _end_of_reply(marked: str) -> int:
    """Where a new question opens after an answer was given; else the end."""
    openings = [found.start() for found in tiers.QUESTION_LINE.finditer(marked) if found.start() > 0]
    if not openings:
        return len(marked)
    statements = (rule.pattern.search(marked) for rules in tiers.TIERS for rule in rules)
    first_end = min((found.end() for found in statements if found), default=len(marked) + 1)
    first_line, _, _ = marked.partition("\n")
    if _line_label(first_line, alone=True):
        first_end = min(first_end, len(first_line))
    for opening in openings:
        line_before = marked[marked.rfind("\n", 0, opening - 1) + 1 : opening - 1]
        if first_end <= opening or tiers.LABEL_ALONE.fullmatch(line_before):
            return opening
    return len(marked)


def _after_last_cue(reply: str) -> str | None:
    found = list(_CUE_TEXT.finditer(reply))
    return _option_form(found[-1][1] or found[-1][2]) if found else None


def _value_of(reply: str, after_cue: str | None) -> str | None:
    """The bare number that a reply gives as its whole or after its last cue, unless the reply holds a letter."""
    stated = _number_form(after_cue if after_cue is not None else _option_form(reply))
    return stated if _VALUE.fullmatch(stated) and not _LONE_LETTER.search(reply) else None


def _option_form(text: str) -> str:
    return _POLITE_END.sub("", clean(text).replace("\n", " ")).casefold()


def _number_form(text: str) -> str:
    return text.replace(",", "")


def _equal_option(stated: str | None, texts: Sequence[str], letters: str) -> str | None:
    """The letter of the one option that equals `stated`; None if there is none or more than one."""
    equal = [place for place, option in enumerate(texts) if stated and option == stated]
    return letters[equal[0]] if len(equal) == 1 else None
