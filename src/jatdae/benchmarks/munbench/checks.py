"""Declarative checks of an output: mandatory and banned words, counts, lengths. They change no other score.

Texts are compared in NFC with every run of whitespace as one space (specification, section 6.6).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jatdae.benchmarks.munbench.records import Check
from jatdae.korean.bounded_regex import compile_bounded
from jatdae.korean.conjugation import Form, conjugated
from jatdae.korean.form_search import FormSearch, plain_phrase, plain_text


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Whether a text passes a check. `found` are the stretches of text that its values matched, in the order of values.

    `count` is what the check counts: characters, lines, occurrences, or how many of the values were found.
    """

    check: Check
    ok: bool
    found: tuple[str, ...]
    count: int


def run_checks(text: str, checks: Sequence[Check]) -> list[CheckResult]:
    """Run an item's checks on an output, one result each, in order.

    `must_include` asks for every value, `must_not_include` for none, `min_of` for at least `low` different values (1 if
    open), `count_range` for a total number of occurrences, `first_or_last_line` for any value in the first or the last
    line with text. `line_range` counts lines with text, `char_range` code points with blanks. Bounds are inclusive.
    Raises RequestError for a regular expression or a stem that cannot be used.
    """
    return [_run(unicodedata.normalize("NFC", text), check) for check in checks]


def _run(text: str, check: Check) -> CheckResult:
    if check.type == "char_range":
        return _measured(check, len(text))
    if check.type == "line_range":
        return _measured(check, len(_lines(text)))
    if check.type == "first_or_last_line":
        lines = _lines(text)
        ends = lines[:1] + lines[1:][-1:]
        return _searched(
            check, [[hit for line in ends for hit in _matches(line, check, value)] for value in check.values]
        )
    return _searched(check, [list(_matches(text, check, value)) for value in check.values])


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _measured(check: Check, count: int) -> CheckResult:
    return CheckResult(check, _within(check, count), (), count)


def _searched(check: Check, hits: list[list[str]]) -> CheckResult:
    values = sum(map(bool, hits))
    occurrences = sum(map(len, hits))
    ok = {
        "must_include": values == len(hits),
        "must_not_include": values == 0,
        "min_of": values >= (1 if check.low is None else check.low),
        "count_range": _within(check, occurrences),
        "first_or_last_line": values > 0,
    }[check.type]
    count = occurrences if check.type == "count_range" else values
    return CheckResult(check, ok, tuple(hit for found in hits for hit in found), count)


def _within(check: Check, count: int) -> bool:
    return (check.low is None or check.low <= count) and (check.high is None or count <= check.high)


def _matches(text: str, check: Check, value: str) -> Iterator[str]:
    """The stretches of text that a value matches, none overlapping another, as they stand in the text."""
    plain = plain_text(text)
    for start, end in _spans(plain.spaced, check.match, value):
        start, end = plain.span(start, end)
        yield plain.nfc[start:end]


def _spans(text: str, match: str, value: str) -> Iterator[tuple[int, int]]:
    if match == "regex":
        yield from (found.span() for found in compile_bounded(value).finditer(text) if found.group())
        return
    phrase = plain_phrase(value)
    forms = conjugated(phrase) if match == "stem" else (Form(phrase),)
    yield from FormSearch((form, 0) for form in forms).leftmost(text)
