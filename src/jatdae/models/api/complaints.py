"""What servers say when they refuse, and which failure it amounts to.

Sources: RFC 9110 sections 10.2.3 and 15.5; the error objects `{"error": {"message", "type", "param", "code"}}` of the
chat completion APIs, whose code is a word at some providers and an HTTP status at others.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.store.redaction import HIDDEN

READ_CHARACTERS = 4000
SHOWN_CHARACTERS = 300
LONGEST_RETRY_AFTER = 86_400.0

_QUOTA = re.compile(r"insufficient[_ ](?:quota|credits?|balance|funds)|billing_hard_limit", re.IGNORECASE)
_OVERLONG = re.compile(
    r"context[_ ](?:length|window|size)|maximum (?:context|input|prompt)|(?:prompt|input) is too long"
    r"|string_above_max_length|too many (?:input )?tokens",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content[_ ](?:filter|policy|management policy)|responsible ?ai ?policy|moderation|flagged_input", re.IGNORECASE
)
_STATUS_WORDS = (
    (429, re.compile(r"rate[_ ]?limit|too[_ ]many[_ ]requests", re.IGNORECASE)),
    (401, re.compile(r"invalid[_ ]api[_ ]key|authentication|unauthorized", re.IGNORECASE)),
    (403, re.compile(r"permission|forbidden", re.IGNORECASE)),
    (404, re.compile(r"not[_ ]found", re.IGNORECASE)),
    (500, re.compile(r"server|overloaded|unavailable|internal|timeout", re.IGNORECASE)),
    (400, re.compile(r"invalid[_ ]request|bad[_ ]request|unsupported|context_length|content_", re.IGNORECASE)),
)
"""What an error's code and type say where no status stands: the first that fits."""
_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|key|nvapi|AIza)[-_]?[\w*.-]{12,}|(?<=bearer )[^\s\"']{6,}|\beyJ[\w.-]{16,}",
    re.IGNORECASE,
)
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 8
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server says is wrong. `status` is 0 where it gives none, `parameter` is the one it names."""

    status: int
    words: str
    code: str = ""
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whose words are passed on, and which texts never are."""

    name: str
    secrets: tuple[str, ...] = ()

    def message(self, what: str, words: str = "") -> str:
        """One line: the speaker, what happened, and a bounded excerpt of its words, without anything like a key."""
        said = self.excerpt(words)
        return f"{self.name} {what}" + (f": {said}" if said else "")

    def excerpt(self, words: str) -> str:
        """The beginning of what was said, on one line; control characters and lone surrogates become blanks."""
        text = words[: 4 * READ_CHARACTERS]
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        line = " ".join(_UNPRINTABLE.sub(" ", _LIKE_A_KEY.sub(HIDDEN, text)).split())
        return line if len(line) <= SHOWN_CHARACTERS else line[:SHOWN_CHARACTERS] + "..."


def environment_secrets(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Values of all variables whose names speak of a secret; the longest first, since one may hold another."""
    values = {value.strip() for name, value in environment.items() if _SECRET_NAME.search(name)}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True))


def complaint_in(data: bytes, status: int) -> Complaint:
    """What the body of an answer with an error status says: a JSON error, or its text as it stands."""
    try:
        document: Any = json.loads(data)
    except (ValueError, RecursionError):
        document = data[: 4 * READ_CHARACTERS].decode("utf-8", "replace")
    return complaint_of(document, status)


def complaint_of(document: object, status: int = 0) -> Complaint:
    """What a JSON error says. Without a status of the answer, the error's own code tells it, or 0."""
    error = document.get("error", document) if isinstance(document, Mapping) else document
    if not isinstance(error, Mapping):
        return Complaint(status, (error if isinstance(error, str) else _spelled(error))[:READ_CHARACTERS])
    words = next((error[name] for name in ("message", "detail", "msg") if error.get(name)), error)
    raw = error.get("metadata")
    more = f" {_spelled(raw)}" if isinstance(raw, Mapping) else ""
    words = words if isinstance(words, str) else _spelled(words)
    named = [error.get(name) for name in ("code", "type", "status")]
    code = " ".join(str(value) for value in named if isinstance(value, str | int) and value)
    return Complaint(
        status or _stated_status(error.get("code"), code),
        (words + more)[:READ_CHARACTERS],
        code[:READ_CHARACTERS],
        parameter if isinstance(parameter := error.get("param"), str) else "",
    )


def _spelled(value: object) -> str:
    """A value as JSON; nothing for one that is nested too deep to be meant for a reader."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return ""


def _stated_status(code: object, words: str) -> int:
    """The HTTP status that an error's code is or means; 0 for none."""
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    if isinstance(number, int) and 400 <= number <= 599:
        return number
    return next((status for status, pattern in _STATUS_WORDS if pattern.search(words)), 0)


def is_filtered(complaint: Complaint) -> bool:
    """Whether a provider's content policy refused the prompt, which is an outcome and no failure."""
    told = f"{complaint.code} {complaint.words}"
    return complaint.status in (400, 403, 422) and bool(_FILTERED.search(told)) and not _OVERLONG.search(told)


def failure_of(complaint: Complaint, speaker: Speaker, retry_after: float | None = None) -> RequestFailed:
    """The failure for a complaint; a TransientFailure where asking again may help.

    Kinds that pass: `rate limit`, `timeout`, `server`. Kinds that stay: `login`, `not found`, `overlong`, `quota` and
    `refused request`. An error without any status is taken for the server's.
    """
    status, told = complaint.status, f"{complaint.code} {complaint.words}"
    if status == 402 or _QUOTA.search(told):
        return RequestFailed(speaker.message("says that the account has no credit left", complaint.words), kind="quota")
    message = speaker.message(f"answered with status {status}" if status else "answered with an error", complaint.words)
    if kind := _passing_kind(status):
        return TransientFailure(message, kind=kind, retry_after=retry_after)
    if _OVERLONG.search(told):
        return RequestFailed(message, kind="overlong")
    named = {401: "login", 403: "login", 404: "not found"}
    return RequestFailed(message + _mend(status), kind=named.get(status, "refused request"))


def _passing_kind(status: int) -> str | None:
    if status == 429:
        return "rate limit"
    if status == 408:
        return "timeout"
    return "server" if status in (0, 409, 425) or status >= 500 else None


def _mend(status: int) -> str:
    if status in (401, 403):
        return "; check the key in the environment"
    if 300 <= status < 400:
        return "; base_url must be the server's own root, since redirects are not followed"
    return "; check the model's name, and that base_url is the root, often with /v1" if status == 404 else ""


def retry_after_seconds(header: str | None, now: datetime | None = None) -> float | None:
    """The wait that a Retry-After header asks for, in seconds or as a date; None for none that can be read."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = parsedate_to_datetime(header)
            aware = when if when.tzinfo else when.replace(tzinfo=UTC)
            seconds = aware.timestamp() - (now or datetime.now(UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_RETRY_AFTER)
