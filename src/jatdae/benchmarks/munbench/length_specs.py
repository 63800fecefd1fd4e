"""Length specifications of track 2, such as `700~1000자` or `4~6연 (총 16~30행)`, and how a text meets them.

Source: specification, section 6.3. The `compat` profile keeps the published parser, with its slips (a thousands comma
or a full-width tilde makes it read the second number alone); `standard` reads the whole of the specification.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from jatdae.judging.cases import Profile

Unit = Literal["char", "line", "stanza"]

_AROUND_PERCENT = 20
_AROUND_CHARACTERS = 50
_RANGE_PERCENT = 10


@dataclass(frozen=True, slots=True)
class Bound:
    """Inclusive bounds of a count. `high` is None where only a least length is asked."""

    unit: Unit
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class LengthSpec:
    """All bounds must hold. `title_counts`: the title's line is part of the count."""

    bounds: tuple[Bound, ...]
    profile: Profile
    title_counts: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """A text's count against one bound; `ok` when `with_space` lies within `low` and `high`.

    For characters the counts are with and without white space; for lines and stanzas both are the count. `ratio` is 1
    inside the bounds, else the count divided by the bound that it misses (below 1: too short, above 1: too long).
    """

    unit: Unit
    with_space: int
    without_space: int
    low: int
    high: int | None
    ratio: float
    ok: bool


def parse_length(spec: str, profile: Profile = "standard") -> LengthSpec | None:
    """Read a specification. None where it names no length that the profile can read; never raises."""
    if profile == "compat":
        bound = _parse_published(spec)
        return None if bound is None else LengthSpec((bound,), profile)
    plain = _plain(spec)
    bounds = _merge(list(_mentions(plain)))
    title = re.search(r"제목[^,;)]{0,6}포함", plain) is not None
    return LengthSpec(bounds, profile, title) if bounds else None


# The published parser

_NUMBER = r"(\d{1,9})"
_PUBLISHED_RANGES: tuple[tuple[str, Unit], ...] = (
    (rf"총\s*{_NUMBER}\s*[~\-–]\s*{_NUMBER}\s*행", "line"),
    (rf"{_NUMBER}\s*[~\-–]\s*{_NUMBER}\s*자", "char"),
    (rf"{_NUMBER}\s*[~\-–]\s*{_NUMBER}\s*행", "line"),
    (rf"{_NUMBER}\s*[~\-–]\s*{_NUMBER}\s*연", "stanza"),
)


def _parse_published(spec: str) -> Bound | None:
    for pattern, unit in _PUBLISHED_RANGES:
        match = re.search(pattern, spec)
        if match is not None:
            return Bound(unit, int(match[1]), int(match[2]))
    match = re.search(rf"{_NUMBER}\s*자", spec)
    return None if match is None else _around("char", int(match[1]))


def _around(unit: Unit, value: int) -> Bound:
    """A single number with its tolerance: 20 %, for characters at least 50 of them."""
    margin = value * _AROUND_PERCENT // 100
    if unit == "char":
        margin = max(margin, _AROUND_CHARACTERS)
    return Bound(unit, max(0, value - margin), value + margin)


# The standard parser

_ORDER: tuple[Unit, ...] = ("char", "line", "stanza")
_UNITS: dict[str, Unit] = {"글자": "char", "자": "char", "행": "line", "줄": "line", "연": "stanza"}
_MENTION = re.compile(
    r"(?P<each>(?:각|매|한)\s?연(?:마다|은|이|당|의)?\s?|연당\s?|행당\s?)?"
    r"(?P<total>총\s?|전체\s?)?(?P<before>약\s?|대략\s?|최소\s?|최대\s?|적어도\s?)?"
    r"(?<![0-9])(?P<low>[0-9]{1,9})(?:\s?(?:글자|자|행|줄|연)?\s?[~\-]\s?(?P<high>[0-9]{1,9}))?"
    r"\s?(?P<unit>글자|자(?![리녀루세])|행(?![인사동])|줄(?![거기])|연(?![인간속구]))"
    r"\s?(?P<after>내외|안팎|정도|가량|쯤|이상|이하|이내|미만|초과|까지)?"
)
_LEAST = {"최소", "적어도", "이상"}
_MOST = {"최대", "이하", "이내", "까지"}
_ABOUT = {"약", "대략", "내외", "안팎", "정도", "가량", "쯤"}


@dataclass(frozen=True, slots=True)
class _Mention:
    bound: Bound
    total: bool
    open_ended: bool


def _plain(text: str) -> str:
    """Full-width forms made plain, one kind of dash and tilde, no commas inside numbers, single spaces."""
    plain = unicodedata.normalize("NFKC", text)
    plain = re.sub("[‐-―−]", "-", re.sub("[∼〜～˜]", "~", plain))
    plain = re.sub(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))", "", plain)
    return re.sub(r"\s+", " ", plain)


def _mentions(plain: str) -> Iterator[_Mention]:
    """Every length that is named, but for those that hold for each stanza."""
    for match in _MENTION.finditer(plain):
        if match["each"] is None:
            yield _mention(match)


def _mention(match: re.Match[str]) -> _Mention:
    unit, low = _UNITS[match["unit"]], int(match["low"])
    words = {(match["before"] or "").strip(), match["after"] or ""}
    total = match["total"] is not None
    if match["high"] is not None:
        high = int(match["high"])
        if words & _ABOUT:
            low, high = low - low * _RANGE_PERCENT // 100, high + high * _RANGE_PERCENT // 100
        return _Mention(Bound(unit, low, high), total, False)
    if words & _LEAST or "초과" in words:
        return _Mention(Bound(unit, low + ("초과" in words), None), total, True)
    if words & _MOST or "미만" in words:
        return _Mention(Bound(unit, 0, max(0, low - ("미만" in words))), total, True)
    if words & _ABOUT or unit == "char":
        return _Mention(_around(unit, low), total, False)
    return _Mention(Bound(unit, low, low), total, False)


def _merge(mentions: Sequence[_Mention]) -> tuple[Bound, ...]:
    """One bound a unit, in the order characters, lines, stanzas."""
    merged: list[Bound] = []
    for unit in _ORDER:
        same = [mention for mention in mentions if mention.bound.unit == unit]
        merged += [_merge_unit(unit, same)] if same else []
    return tuple(merged)


def _merge_unit(unit: Unit, mentions: Sequence[_Mention]) -> Bound:
    """What is said of the whole wins, then the first that is not open; open ends (`600자 이상 900자 이하`) join."""
    chosen = [mention for mention in mentions if mention.total] or mentions
    closed = [mention for mention in chosen if not mention.open_ended]
    if closed:
        return closed[0].bound
    highs = [mention.bound.high for mention in chosen if mention.bound.high is not None]
    return Bound(unit, max(mention.bound.low for mention in chosen), min(highs, default=None))


def named_ranges(text: str) -> tuple[Bound, ...]:
    """The ranges with two ends (`600~900자`) that a commission's text names for the whole, in order."""
    mentions = (match for match in _MENTION.finditer(_plain(text)) if match["each"] is None and match["high"])
    return tuple(Bound(_UNITS[match["unit"]], int(match["low"]), int(match["high"])) for match in mentions)


# Measuring

_RULE = re.compile(r"\s*(?:[-*_=~─━—·•]\s?){3,}\s*")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<title>\S.*)")
_OPENING = re.compile(
    r"\s*(?:(?:네|넵|예|물론(?:이죠|입니다)?|알겠습니다|알겠어요|좋습니다|좋아요)\s?[,.!~]"
    r"|(?:그럼|아래는|아래에|다음은|요청하신|말씀하신)\s)"
)
_OFFER = re.compile(
    r"(?:써|작성해|적어|지어|만들어|들려|준비해|창작해|보여)\s?(?:드리|드릴|보았|봤|볼게|보겠)"
    r"|요청하신|말씀하신|작성한|작성했|준비한|준비했|(?:입니다|드립니다)\s?:\s*$"
)
_MAX_PREAMBLE = 120


def measure(text: str, spec: LengthSpec) -> tuple[Measured, ...]:
    """A text against every bound. In the standard profile on NFC text without preamble, rules and Markdown headings."""
    if spec.profile == "standard":
        text = strip_extras(text, keep_title=spec.title_counts)
    return tuple(_measured(text, bound) for bound in spec.bounds)


def strip_extras(text: str, *, keep_title: bool = False) -> str:
    """The text itself: NFC, without an assistant's opening lines, horizontal rules and Markdown headings.

    `keep_title` keeps the words of headings, for a length that counts the title.
    """
    lines = unicodedata.normalize("NFC", text).splitlines()
    kept: list[str] = []
    started = False
    for line in lines:
        if _RULE.fullmatch(line[: 2 * _MAX_PREAMBLE]):
            kept.append("")
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            kept.extend([heading["title"]] if keep_title else [])
            continue
        if not started and _is_preamble(line):
            continue
        started = started or bool(line.strip())
        kept.append(line)
    return "\n".join(kept).strip()


def _is_preamble(line: str) -> bool:
    """An assistant's announcement (`네, 써 드릴게요.`), not the first line of a story; blank lines do not count."""
    short = len(line) <= _MAX_PREAMBLE
    return short and _OPENING.match(line) is not None and _OFFER.search(line) is not None


def _measured(text: str, bound: Bound) -> Measured:
    with_space = _count(text, bound.unit)
    without_space = len("".join(text.split())) if bound.unit == "char" else with_space
    below = with_space < bound.low
    above = bound.high is not None and with_space > bound.high
    missed = bound.low if below else bound.high if above else None
    ratio = 1.0 if missed is None else with_space / missed if missed else math.inf
    return Measured(bound.unit, with_space, without_space, bound.low, bound.high, ratio, not below and not above)


def _count(text: str, unit: Unit) -> int:
    """Characters with white space, lines that are not blank, or blocks of such lines."""
    if unit == "char":
        return len(text)
    filled = [bool(line.strip()) for line in text.splitlines()]
    if unit == "line":
        return sum(filled)
    return sum(here and not before for before, here in zip([False, *filled], filled, strict=False))
