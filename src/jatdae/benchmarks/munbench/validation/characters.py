"""Characters and words that do not belong into a text: V09, V10, V26, V27."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from jatdae.benchmarks.munbench.reading.documents import texts_in
from jatdae.benchmarks.munbench.reading.layout import FIELDS, ID_PATTERN, ITEM_FILES, SLOP_FILE
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem

_UNWANTED = {"Cc": "control", "Cs": "surrogate", "Co": "private-use", "Zl": "line-separating", "Zp": "line-separating"}
_FILLERS = "\u115f\u1160\u3164\uffa0"
"""Letters by category that show nothing."""
_JOINER = "\u200d"
_FIELD_NAMES = sorted({field.name for fields in FIELDS.values() for field in fields if "_" in field.name})
_FIELD_NAME = re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(_FIELD_NAMES)}|[a-z]{{1,30}}_ko)(?![A-Za-z_])")
_ANSWER_KEY = re.compile(
    "훌륭한 응답|흔한 실패|모범 ?답안|루브릭|채점 ?기준|(?:고득점|만점) ?(?:응답|답안)"
    "|(?:시|면|경우) ?감점|감점 ?(?:대상|요인|사유|됩니다|합니다|한다)"
)
_MARKUP = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,200})?/?>|`{3}|~{3}|[{}]")
_LATIN = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ][A-Za-zＡ-Ｚａ-ｚ0-9]+")


def check(folder: Folder) -> Iterator[Finding]:
    """V09 over all files but the slop list, whose patterns are V19's; V10, V26 and V27 over the items."""
    yield from _unclean_files(folder)
    for item in folder.items:
        yield from _leaks(item)
        yield from _markup(item)
        yield from _latin(item)


def _unclean_files(folder: Folder) -> Iterator[Finding]:
    for file, value in folder.values.items():
        if file == SLOP_FILE:
            continue
        rows = value if file in ITEM_FILES.values() and isinstance(value, list) else None
        if rows is None:
            yield from _unclean(file, None, value)
            continue
        for number, row in enumerate(rows, 1):
            item = RawItem(1, file, number, row).id if isinstance(row, dict) else f"item {number}"
            yield from _unclean(file, item, row)


def _unclean(file: str, item: str | None, value: object) -> Iterator[Finding]:
    for place, text in texts_in(value):
        for problem in problems_of(text):
            yield error("V09", file, problem, item=item, field=place or None)


def problems_of(text: str) -> Iterator[str]:
    """What V09 has against a string: decomposed, not trimmed, or characters that nobody sees.

    Line feeds are allowed, and so is a joiner between emoji.
    """
    if not unicodedata.is_normalized("NFC", text):
        yield "is not in the composed form of Unicode (NFC)"
    if text.strip() and text != text.strip():
        yield "starts or ends with white space"
    seen = set()
    for place, char in enumerate(text):
        kind = _unwanted(char, text, place)
        if kind is not None and char not in seen:
            seen.add(char)
            yield f"holds the {kind} character U+{ord(char):04X}"


def _unwanted(char: str, text: str, place: int) -> str | None:
    if char == "\n":
        return None
    if char in _FILLERS:
        return "invisible"
    category = unicodedata.category(char)
    if category == "Cf":
        between_emoji = 0 < place < len(text) - 1 and all(
            unicodedata.category(text[at]) in ("So", "Sk", "Mn") for at in (place - 1, place + 1)
        )
        return None if char == _JOINER and between_emoji else "invisible"
    return _UNWANTED.get(category)


def _leaks(item: RawItem) -> Iterator[Finding]:
    for field, text in item.seen_by("contestant", "judge"):
        for name in sorted(set(_FIELD_NAME.findall(text))):
            yield error("V10", item.file, f"names the data field {name}", item=item.id, field=field)
        for name in sorted(set(re.findall(ID_PATTERN, text)) - {item.id}):
            yield error("V10", item.file, f"cites another item, {name}", item=item.id, field=field)
    for field, text in item.seen_by("contestant"):
        for words in sorted(set(_ANSWER_KEY.findall(text))):
            message = f"words of an answer key reach the contestant: {words!r}"
            yield error("V10", item.file, message, item=item.id, field=field)


def _markup(item: RawItem) -> Iterator[Finding]:
    for field, text in item.seen_by("contestant", "judge"):
        marks = sorted(set(_MARKUP.findall(text)))
        if marks:
            message = f"holds markup: {', '.join(mark[:20] for mark in marks[:5])}"
            yield warning("V26", item.file, message, item=item.id, field=field)


def _latin(item: RawItem) -> Iterator[Finding]:
    shown = (_FIELD_NAME.sub(" ", text) for _, text in item.seen_by("contestant"))
    tokens = sorted({token for text in shown for token in _LATIN.findall(text)})
    if tokens:
        message = f"Latin words that an answer may therefore use: {', '.join(tokens)}"
        yield warning("V27", item.file, message, item=item.id)
