"""Names and words that come from outside, made harmless for where they are shown: Markdown, a terminal, a spreadsheet.

Model ids, judges' reasons and data are untrusted: they may hold markup, orders to a terminal, characters that take no
room or turn the reading round, or a formula.
"""

from __future__ import annotations

import re

from jatdae.judging.fence import cleaned

LONGEST = 2000
"""Characters of a cell that are shown."""
_ORDERS = re.compile(
    r"\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]{0,40}[ -/]{0,10}[@-~]?|\x1b[ -/]{0,10}[0-~]?"
)
_MARKUP = re.compile(r"([\\`*_\[\]{}#~|$!])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_FORMULA = re.compile(r"[\s'\ufeff]{0,50}[=+\-@＝＋－＠]")


def one_line(text: str) -> str:
    """The text on one line of at most 2,000 characters, without orders to a terminal and unseen characters."""
    seen = " ".join(cleaned(_ORDERS.sub("", text[: 4 * LONGEST])).replace("\ufffd", " ").split())
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 1] + "…"


def markdown_text(text: str) -> str:
    """The text as a Markdown table's cell shows it: no markup, no HTML, no link of its own."""
    escaped = "".join(_ENTITIES.get(sign, sign) for sign in one_line(text))
    escaped = _MARKUP.sub(r"\\\1", escaped)
    return escaped.replace("://", "&#58;//").replace("www.", "www&#46;").replace("@", "&#64;")


def spreadsheet_text(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    line = one_line(text)
    return f"'{line}" if _FORMULA.match(line) or _FORMULA.match(text) else line
