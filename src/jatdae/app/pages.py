"""From a template and values to a page. Everything is escaped; text of models and data is made inert first."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from jatdae.app.words import words
from jatdae.reports.inert import inert
from jatdae.reports.tables import figure, short_name

HERE = Path(__file__).parent
SHOWN_CHARACTERS, MOST_CHARACTERS = 1500, 100_000
"""Of a text so much is seen at once, and so much is in the page at all."""


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page. `ui` are the words of the app; lone surrogates, which HTML cannot hold, become question marks."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "lang"]
    known = {"ui": words(request.state.lang), "lang": request.state.lang, "path": request.url.path}
    page = environment().get_template(template).render(query=urlencode(kept), **known, **values)
    return HTMLResponse(page.encode("utf-8", "replace"), status)


@cache
def environment() -> Environment:
    """The templates of this package. All is escaped; a value that a template misses is an error and not a blank."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"inert": inert, "figure": figure, "short_name": short_name, "folded": folded}
    return made


def folded(text: object) -> dict[str, Any]:
    """A text in two parts, the first of which is shown at once; `cut` counts what is left out even of the second."""
    whole = inert(str(text))
    return {
        "start": whole[:SHOWN_CHARACTERS],
        "rest": whole[SHOWN_CHARACTERS:MOST_CHARACTERS],
        "cut": max(0, len(whole) - MOST_CHARACTERS),
        "length": len(whole),
    }
