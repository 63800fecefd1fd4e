"""Regular expressions from data files, held to a form that cannot take long.

A backtracking engine tries, from each place of a text, every way to share the characters among the repeats and
choices of a pattern. That number is bounded here before a pattern is used: an open repeat (`*`, `+`, `{2,}`) is given
an end, a group that is repeated may hold no further repeat or choice, and the product of all that is left is small. A
search is then linear in the text, so that texts need no limit of their own.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jatdae.errors import RequestError

LONGEST_PATTERN = 200
"""Characters of a pattern."""
MOST_WAYS = 2_000
"""Ways to match that may be tried from one place of the text; two open repeats are within it, three are not."""
OPEN_REPEAT = 40
"""How many more than its least number of characters an open repeat takes."""
WIDEST_MATCH = 400
"""Characters that a match may have."""

_COUNT = re.compile(r"\{(?!\})([0-9]*)(?:(,)([0-9]*))?\}")
_SIMPLE: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")


@lru_cache(maxsize=1024)
def compile_bounded(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, or raise RequestError that says why it may take too long or is none.

    A match may be empty where a pattern consists of look-around alone; such matches say nothing and should be skipped.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise _refused(pattern, f"has {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        raise _refused(pattern, f"does not compile: {fault}") from None
    compiled = re.compile(_Reader(pattern).closed())
    if compiled.match(""):
        raise _refused(pattern, "matches the empty text; it needs at least one character that must be there")
    return compiled


def _refused(pattern: str, why: str) -> RequestError:
    return RequestError(f"regular expression {pattern[:80]!r} {why}")


class _Reader:
    """Walks a pattern that compiles, and adds up its (ways, width)."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.place = pattern, 0
        self.open_repeats: list[tuple[int, int, str]] = []

    def closed(self) -> str:
        """The pattern with an end to each open repeat; raises RequestError where it is still too wide."""
        ways, width = self.choices()
        if ways > MOST_WAYS:
            raise self.refused(f"can match in {ways} ways from one place; narrow its repeats to at most {MOST_WAYS}")
        if width > WIDEST_MATCH:
            raise self.refused(f"can match {width} characters; narrow its repeats to at most {WIDEST_MATCH}")
        closed = self.pattern
        for start, end, repeat in reversed(self.open_repeats):
            closed = closed[:start] + repeat + closed[end:]
        return closed

    def refused(self, why: str) -> RequestError:
        return _refused(self.pattern, why)

    def choices(self) -> tuple[int, int]:
        """Alternatives up to the closing bracket or the end: ways add up, the widest counts."""
        ways, width = self.sequence()
        while self.pattern[self.place : self.place + 1] == "|":
            self.place += 1
            more, wide = self.sequence()
            ways, width = ways + more, max(width, wide)
        return ways, width

    def sequence(self) -> tuple[int, int]:
        ways, width = 1, 0
        while self.place < len(self.pattern) and self.pattern[self.place] not in "|)":
            more, wide = self.repeated(*self.piece())
            ways, width = ways * more, width + wide
        return ways, width

    def piece(self) -> tuple[int, int]:
        character = self.pattern[self.place]
        if character == "(":
            return self.group()
        if character == "[":
            self.place = self.class_end()
        elif character == "\\":
            self.escape()
        else:
            self.place += 1
        return 1, 1

    def group(self) -> tuple[int, int]:
        opening = next((kind for kind in _GROUPS if self.pattern.startswith(kind, self.place)), "(")
        self.place += len(opening)
        if self.pattern[self.place : self.place + 1] == "?":
            raise self.refused("uses a special group; only (...), (?:...) and look-around are allowed")
        inside = self.choices()
        self.place += 1
        return inside

    def class_end(self) -> int:
        place = self.place + 1
        if self.pattern[place] == "^":
            place += 1
        place += 1  # a bracket in the first position stands for itself
        if self.pattern[place - 1] == "\\":
            place += 1
        while self.pattern[place] != "]":
            place += 2 if self.pattern[place] == "\\" else 1
        return place + 1

    def escape(self) -> None:
        if self.pattern[self.place + 1].isdigit():
            raise self.refused("refers back to a group; write the text out")
        self.place += 2

    def repeated(self, ways: int, width: int) -> tuple[int, int]:
        bounds = self.bounds()
        if bounds is None:
            return ways, width
        low, high = bounds
        if high > 1 and ways > 1:
            raise self.refused("repeats a group that holds a repeat or a choice; write the repetition out")
        return (ways + 1 if high <= 1 else high - low + 1), width * high

    def bounds(self) -> tuple[int, int] | None:
        """The limits of the repeat at this place, past which it moves; None where there is none."""
        start = self.place
        limits = self.limits()
        if limits is None:
            return None
        low, high = limits
        if high is None:
            high = low + OPEN_REPEAT
            self.open_repeats.append((start, self.place, f"{{{low},{high}}}"))
        if self.pattern.startswith(("?", "+"), self.place):
            self.place += 1  # lazy or possessive
        return low, high

    def limits(self) -> tuple[int, int | None] | None:
        """The repeat's limits as written, None above for an open one."""
        count = _COUNT.match(self.pattern, self.place)
        if count:
            self.place = count.end()
            low = int(count[1] or 0)
            if count[2] is None:
                return low, low
            return low, int(count[3]) if count[3] else None
        simple = _SIMPLE.get(self.pattern[self.place : self.place + 1])
        self.place += simple is not None
        return simple
