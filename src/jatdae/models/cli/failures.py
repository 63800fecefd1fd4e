"""From what a client said when it failed to the right kind of failure.

The clients have no codes for these, so their words are read, and only those of a failed run: a model's answer may
speak of limits and logins.
"""

from __future__ import annotations

import re
import time

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.store.redaction import HIDDEN, redact

READ_CHARACTERS = 2000
"""How much of the end of the words is read; errors come last."""
SHOWN_CHARACTERS = 300

_LOGIN = re.compile(
    r"not logged in|run /login|(?:session|login|token) (?:has )?expired|invalid api key|authentication_error"
    r"|sign in again|log in again|logged out|401 unauthorized|\(401\)"
    r"|(?:http|http/[\d.]{1,4}|status|error|code)[\W_]{0,3}(?:code)?\W{0,3}401\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:rate|usage|session|weekly|hourly|request)[ _-]limit|hit your (?:\w+ )?limit|(?<!context )limit reached"
    r"|too many requests|quota exceeded|exceeded your (?:current )?quota"
    r"|(?:http|http/[\d.]{1,4}|status|error|code)[\W_]{0,3}(?:code)?\W{0,3}429\b",
    re.IGNORECASE,
)
_RESET_AT = re.compile(r"\|(\d{10})\b")
_WAIT = re.compile(
    r"(?:retry[ _-]after|(?:try|retry) again in|resets? in|resets_in_seconds)\W{0,4}"
    r"((?:\d{1,9}(?:\.\d{1,6})?\s?(?:[a-z]{1,7})?[\s,]{0,2}(?:and )?){1,4})",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s?(ms|d|h|m|s)?", re.IGNORECASE)
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}
_BEARER = re.compile(
    r"\beyJ[\w-]{10,}(?:\.[\w-]{1,4096}){0,2}|(?<=bearer )\S{8,}"
    r"|(?<=token\":\")[^\"]{8,}|(?<=token\": \")[^\"]{8,}|(?<=key: )\S{8,}",
    re.IGNORECASE,
)


def failure_of(executable: str, login: str, what: str, told: str, *, kind: str) -> RequestFailed:
    """The failure that a client's words speak of; one of `kind` that may pass, when they speak of none that is known.

    `what` says what happened, `told` is what the client wrote; its end goes into the message, without secrets.
    """
    words = told[-READ_CHARACTERS:]
    shown = f": {shown_end(words)}" if words.strip() else ""
    if _LOGIN.search(words):
        return RequestFailed(f"{executable} is not logged in any more; log in with: {login}{shown}", kind="login")
    if _LIMIT.search(words):
        message = f"{executable} has reached a limit of the plan{shown}"
        return TransientFailure(message, kind="rate limit", retry_after=stated_wait(words))
    return TransientFailure(f"{executable} {what}{shown}", kind=kind)


def is_refusal(text: str) -> bool:
    """Whether a text is a client's own message about a login or a limit."""
    return bool(_LOGIN.search(text) or _LIMIT.search(text))


def stated_wait(words: str) -> float | None:
    """Seconds until a client may be asked again, where its words say so: `try again in 1 hour 5 minutes`."""
    if at := _RESET_AT.search(words):
        return max(0.0, int(at[1]) - time.time())
    stated = _WAIT.search(words)
    if stated is None:
        return None
    return sum(float(number) * _UNIT_SECONDS[unit.lower()] for number, unit in _PART.findall(stated[1]))


def without_echo(told: str, typed: str) -> str:
    """A client's words without the prompt, which some repeat: it must neither decide what failed nor be logged."""
    return f"\n{told}\n".replace(f"\n{typed.strip()}\n", "\n").strip()


def shown_end(text: str) -> str:
    """The end of a client's words on one line, without what looks like a secret."""
    words = [_hidden(word) for word in _BEARER.sub(HIDDEN, text).split()]
    line = " ".join(words)
    return line if len(line) <= SHOWN_CHARACTERS else "..." + line[-SHOWN_CHARACTERS:]


def _hidden(word: str) -> str:
    """The word itself, or as the store would keep it where it holds a secret."""
    kept = redact([word])
    return kept if HIDDEN in kept else word
