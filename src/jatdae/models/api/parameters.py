"""What a request says beside its prompt, and which of it a model turns out to refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from jatdae.models.api.complaints import Complaint
from jatdae.types import Generate, Message, Prompt

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_OPTIONAL = ("max_tokens", "max_completion_tokens", "temperature", "top_p", "stop", "seed", "response_format")
_EFFORT = ("reasoning_effort", "reasoning", "extra_body")
_REFUSING_STATUSES = (400, 422)
_REFUSING = re.compile(
    r"un(?:supported|known|recogni[sz]ed|expected|available)"
    r"|(?:not|n't|never|no longer) (?:be )?(?:support|permit|allow)"
    r"|deprecated|extra inputs|cannot both|only the default|may only be set|or unset|invalid schema",
    re.IGNORECASE,
)
_VALUE_ONLY = re.compile(r"unsupported[_ ]value|supported values|invalid value|must be one of", re.IGNORECASE)
_RENAMED = {"max_tokens": "max_completion_tokens"}
_AS_NOTED = {
    "stop": "the text is cut at stop strings after the answer has come",
    "response_format": "the answer is not bound to the schema, which the prompt describes",
    "max_tokens": "answers are as long as the model likes",
    "reasoning_effort": "the model reasons as hard as it does by default",
}


def messages_of(prompt: Prompt) -> list[dict[str, str]]:
    """The messages to send; plain text is one user message. Lone surrogates, which are no text, become U+FFFD."""
    messages = (Message("user", prompt),) if isinstance(prompt, str) else prompt
    return [{"role": message.role, "content": _LONE_SURROGATE.sub("\ufffd", message.content)} for message in messages]


def body_of(model: str, request: Generate) -> dict[str, Any]:
    """A chat completion's body: model, messages, all that `request.sampling` says, and the schema of the answer."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": model,
        "messages": messages_of(request.prompt),
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
    }
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if request.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": json.loads(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


class Adaptation:
    """The parameters that one model refuses, learned from its complaints and remembered as long as it is asked.

    `max_tokens` is first sent as `max_completion_tokens`, the name that reasoning models want; anything else that is
    refused is left out, with a note. An effort whose value alone is refused is never left out: it was asked for.
    """

    def __init__(self) -> None:
        self._replaced: dict[str, str | None] = {}
        self.notes: list[str] = []

    def applied(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body as this model takes it."""
        taken: dict[str, Any] = {}
        for name, value in body.items():
            known: str | None = name
            while known is not None and known in self._replaced:
                known = self._replaced[known]
            if known is not None:
                taken[known] = value
        return taken

    def learn(self, complaint: Complaint, sent: Mapping[str, Any]) -> bool:
        """Whether a complaint about `sent` was about a parameter, so that asking again without it makes sense."""
        name = _refused(complaint, sent)
        if name is None:
            return False
        if name not in self._replaced:  # another call in flight may have learned it first
            self._replaced[name] = _RENAMED.get(name)
            self.notes.append(_note(name, self._replaced[name]))
        return True


def _refused(complaint: Complaint, sent: Iterable[str]) -> str | None:
    """The parameter that a complaint refuses, out of those that were sent."""
    told = f"{complaint.code} {complaint.words}"
    if complaint.status not in _REFUSING_STATUSES or not _REFUSING.search(told):
        return None
    names = [name for name in (*_OPTIONAL, *_EFFORT) if name in sent]
    found = complaint.parameter if complaint.parameter in names else _first_named(complaint.words, names)
    if found in _EFFORT and _VALUE_ONLY.search(told):
        return None
    return found


def _first_named(words: str, names: list[str]) -> str | None:
    """The name that stands first; of two that exclude each other the nucleus, since the temperature matters more."""
    if "top_p" in names and re.search(r"cannot both|both [^.]{0,60}top_p", words):
        return "top_p" if _place(words, "top_p") >= 0 else None
    places = {name: place for name in names if (place := _place(words, name)) >= 0}
    # "Reasoning models do not take a temperature": an effort is meant only where nothing else is named.
    others = [name for name in places if name not in _EFFORT]
    return min(others or places, key=lambda name: places[name], default=None)


def _place(words: str, name: str) -> int:
    spelled = "reasoning" if name == "extra_body" else name
    found = re.search(rf"(?<!\w){re.escape(spelled)}(?!\w)", words)
    return found.start() if found else -1


def _note(name: str, replacement: str | None) -> str:
    if replacement is not None:
        return f"the model refuses {name}; {replacement} is sent in its place"
    known = {"max_completion_tokens": "max_tokens", "reasoning": "reasoning_effort", "extra_body": "reasoning_effort"}
    effect = _AS_NOTED.get(known.get(name, name), "its own default applied")
    shown = "reasoning" if name == "extra_body" else name
    return f"the model refuses {shown}, which is left out: {effect}"
