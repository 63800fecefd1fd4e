"""The `claude` client in print mode.

Source: the client's CLI reference, its page on environment variables, and the page on what `--setting-sources` covers.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from jatdae.models.base import ModelReference
from jatdae.models.cli.client import Client
from jatdae.models.cli.failures import failure_of, is_refusal
from jatdae.models.cli.process import Finished
from jatdae.models.cli.prompts import Question
from jatdae.types import Completion

EXECUTABLE = "claude"
LOGIN = "claude auth login"
_FINISHES = {"max_tokens": "length", "refusal": "filter"}
_PROMPT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _arguments(reference: ModelReference, question: Question, _: Path) -> list[str]:
    """No tools, no settings, memory files or hooks of anybody, no MCP servers, no skills, no kept session.

    An empty system text is given as well: without the option the client sends its own prompt for coding. `--bare` is
    not used, because it knows no login but a key.
    """
    words = ["-p", "--output-format", "json", "--model", reference.name, "--tools", ""]
    words += ["--system-prompt", question.system.replace("\0", "\ufffd"), "--setting-sources", ""]
    words += ["--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"]
    return words + (["--effort", reference.revision] if reference.revision else [])


def _typed(question: Question) -> str:
    return question.prompt


def _login_problem(status: Finished) -> str:
    """The command's exit code is 0 for a login; its JSON says the same."""
    try:
        told = json.loads(status.stdout)
    except (ValueError, RecursionError):
        told = None
    logged_out = isinstance(told, dict) and told.get("loggedIn") is False
    return "is not logged in" if status.code != 0 or logged_out else ""


def _read(finished: Finished, _: Path, __: str) -> Completion:
    envelope = _envelope(finished.stdout)
    result = envelope.get("result") if envelope else None
    ended = f"ended with exit code {finished.code}"
    if envelope is None:
        what, kind = ("wrote no JSON envelope", "malformed") if finished.code == 0 else (ended, "client")
        raise failure_of(EXECUTABLE, LOGIN, what, f"{finished.stdout}\n{finished.stderr}", kind=kind)
    if envelope.get("is_error"):
        told = f"{finished.stderr}\n{result if isinstance(result, str) else envelope.get('subtype', '')}"
        raise failure_of(EXECUTABLE, LOGIN, "reported an error", told, kind="client")
    if finished.code != 0:
        raise failure_of(EXECUTABLE, LOGIN, ended, finished.stderr, kind="client")
    if not isinstance(result, str):
        raise failure_of(EXECUTABLE, LOGIN, "wrote an envelope without a result", finished.stderr, kind="malformed")
    return _completion(envelope, result)


def _completion(envelope: dict[str, Any], text: str) -> Completion:
    usage = envelope.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    if counts.get("output_tokens") == 0 and is_refusal(text):
        # No model wrote this: the client put its own message in the place of the answer.
        raise failure_of(EXECUTABLE, LOGIN, "reported an error", text, kind="client")
    return Completion(
        text,
        _FINISHES.get(str(envelope.get("stop_reason")), "stop"),  # pyright: ignore[reportArgumentType]
        prompt_tokens=sum(_count(counts.get(name)) for name in _PROMPT_COUNTS),
        completion_tokens=_count(counts.get("output_tokens")),
        cost_usd=_cost(envelope.get("total_cost_usd")),
        served_by=_served_by(envelope.get("modelUsage")),
    )


def _envelope(output: str) -> dict[str, Any] | None:
    """The object that the client ends with. One that is set to be verbose writes a list, with it in the end."""
    try:
        told = json.loads(output)
    except (ValueError, RecursionError):
        return None
    if isinstance(told, list):
        told = told[-1] if told else None
    return told if isinstance(told, dict) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _cost(value: object) -> float | None:
    """A price in US dollars; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        price = float(value)
    except OverflowError:
        return None
    return price if math.isfinite(price) and price >= 0 else None


def _served_by(usage: object) -> str:
    """The full name of the model that wrote most; the client may ask a small one for side work."""
    if not isinstance(usage, dict) or not usage:
        return ""
    return max(usage, key=lambda name: _count(usage[name].get("outputTokens")) if isinstance(usage[name], dict) else 0)


CLIENT = Client(
    executable=EXECUTABLE,
    install="npm install -g @anthropic-ai/claude-code",
    login=LOGIN,
    status=("auth", "status"),
    efforts=("low", "medium", "high", "xhigh", "max"),
    kept=frozenset({"CLAUDE_CODE_OAUTH_TOKEN"}),
    # A client that updates itself in the middle of a run would be another one than its result names.
    added={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "DISABLE_AUTOUPDATER": "1"},
    arguments=_arguments,
    typed=_typed,
    login_problem=_login_problem,
    read=_read,
    notes=list,
)
