"""What the pages of annotation and negation take from a request."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request


async def sent_object(request: Request) -> dict[str, Any]:
    """The JSON object of a request. Raises HTTPException for anything else."""
    try:
        sent = await request.json()
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise HTTPException(400, "a JSON object is needed")
    return sent


async def sent_form(request: Request) -> dict[str, str]:
    """The fields of a plain form, each once. Raises HTTPException for too many."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return {name: values[0] for name, values in parse_qs(body, max_num_fields=20).items()}
    except ValueError:
        raise HTTPException(400, "too many fields") from None


def language(request: Request) -> str:
    """The language of the page that is asked for."""
    return request.state.lang
