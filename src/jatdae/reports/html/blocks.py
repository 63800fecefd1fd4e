"""What sections of a report are made of; the same for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Lang = Literal["en", "ko"]
LANGS: tuple[Lang, ...] = ("en", "ko")
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture by its Vega-Lite specification with inline data, and the same figures as a table.

    `alt` says in words what is seen. The table serves screen readers, print, and whoever wants the numbers.
    """

    name: str
    spec: Mapping[str, Any]
    alt: str
    header: tuple[str, ...]
    rows: Rows


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A plain table of text cells. With `numbers` its columns can be sorted by value, where cells begin with one."""

    header: tuple[str, ...]
    rows: Rows
    caption: str = ""
    sortable: bool = False


Block = Chart | Paragraph | Grid


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report with a heading; `anchor` is its address on the page."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
