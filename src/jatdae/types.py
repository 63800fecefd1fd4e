"""The records that travel between the layers. All are frozen; none has logic beyond checks.

Vocabulary: a *request* is asked of a model and gets an *answer*; an item's answers become a *sample*;
samples become *estimates*; a *result* holds both for one model under one *protocol*.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal
from typing import Protocol as TypingProtocol

from jatdae.errors import RequestError

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


Prompt = str | tuple[Message, ...]
"""Plain text is sent as it stands; messages go through the model's chat template."""


@dataclass(frozen=True, slots=True)
class Score:
    """Ask for the log-likelihood of each option after the context.

    An option is the exact text that follows the context, its leading space included.
    """

    context: Prompt
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.options or not all(self.options):
            raise ValueError(f"a Score needs options that are not empty, got {self.options!r}")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How text is generated. Temperature 0 is greedy. `stop` strings end the text and are not part of it."""

    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise RequestError(f"max_tokens {self.max_tokens}: at least 1 is needed")
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise RequestError(f"temperature {self.temperature}: a number from 0 on is needed")
        if not 0 < self.top_p <= 1:
            raise RequestError(f"top_p {self.top_p}: a number above 0 and up to 1 is needed")


@dataclass(frozen=True, slots=True)
class Generate:
    """Ask for text. `repeat` tells apart several samples of one prompt.

    `schema` is the canonical text of a JSON schema that the answer must meet. A backend that cannot bind its output
    sends the prompt alone, so the prompt has to state the form as well.
    """

    prompt: Prompt
    sampling: Sampling = field(default_factory=Sampling)
    repeat: int = 0
    schema: str | None = None


Request = Score | Generate


@dataclass(frozen=True, slots=True)
class OptionScore:
    """An option's log-likelihood (natural log, summed over its tokens), its tokens, whether all were the likeliest."""

    log_likelihood: float
    tokens: int
    greedy: bool

    def __post_init__(self) -> None:
        if not math.isfinite(self.log_likelihood) or self.tokens < 1:
            raise ValueError(f"not a usable score: {self.log_likelihood} over {self.tokens} tokens")


@dataclass(frozen=True, slots=True)
class Scores:
    """The answer to `Score`: one entry an option, in order.

    `cut_tokens` counts tokens cut from the prompt's left; `merged` says that a token covered the end of the prompt and
    the start of an option, so that all options were scored from an earlier boundary.
    """

    options: tuple[OptionScore, ...]
    prompt_tokens: int = 0
    cut_tokens: int = 0
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer to `Generate`. `finish` is `length` when the token limit ended the text, `filter` when a provider did.

    `reasoning` is what a provider hands over as thinking, apart from the visible `text`; `reasoning_tokens` are part of
    `completion_tokens`. `cost_usd` is None where nobody states a price. `served_by` is the model's name in the answer.
    """

    text: str
    finish: Literal["stop", "length", "filter"]
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_tokens: int = 0
    reasoning: str = ""
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    served_by: str = ""
    seconds: float = 0.0


Answer = Scores | Completion


class Model(TypingProtocol):
    """What a task sees: something to ask. Batching, memory and retries are behind it."""

    async def score(self, request: Score) -> Scores: ...

    async def generate(self, request: Generate) -> Completion: ...


class Outcome(StrEnum):
    """What became of an item. Only `right` earns credit; the others are counted apart."""

    RIGHT = "right"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Sample:
    """One item, asked and scored.

    `scores` maps a metric to this item's value in [0, 1]; it is empty when the item failed. `group` is the stratum
    (a KMMLU subject), `cluster` the unit that items of one origin share. `requests` are the store keys of all that
    was asked. `detail` holds what a reader wants to see: option texts, log-likelihoods, flags.
    """

    item: str
    outcome: Outcome
    prediction: str | None
    target: str
    scores: Mapping[str, float] = field(default_factory=dict)
    group: str = ""
    cluster: str = ""
    seed: int | None = None
    requests: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty: value, standard error, 95 % interval, items, clusters, and the method's name.

    `stderr`, `low` and `high` are None where no interval can be given (one item, for example); never 0 in their place.
    """

    value: float
    stderr: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class Protocol:
    """All that the user may vary about how a task asks. It is part of the fingerprint; the model is not.

    `demos` is `fixed` (the same examples for every item) or `per-item`. `seeds` are the few-shot seeds, each a pass
    over the items. `limit` takes a seeded random subset. `options` are a task's own settings, such as the cue.
    """

    mode: str
    shots: int = 0
    seeds: tuple[int, ...] = (1234,)
    demos: Literal["fixed", "per-item"] = "fixed"
    split: str = "test"
    limit: int | None = None
    chat_template: bool = False
    shots_as: Literal["turns", "text"] = "turns"
    sampling: Sampling = field(default_factory=Sampling)
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.shots < 0:
            raise RequestError(f"shots {self.shots}: a number from 0 on is needed")
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise RequestError(f"seeds {self.seeds}: one or more different numbers are needed")
        if self.limit is not None and self.limit < 1:
            raise RequestError(f"limit {self.limit}: at least 1 item is needed")
        for name, known in (("demos", ("fixed", "per-item")), ("shots_as", ("turns", "text"))):
            if getattr(self, name) not in known:
                raise RequestError(f"{name} {getattr(self, name)!r}: one of {', '.join(known)} is needed")


@dataclass(frozen=True, slots=True)
class Result:
    """A task's estimates for one model under one protocol.

    `headline` names the estimate that stands for the whole; `title` is what a table may call it, with any lack of
    coverage said in it. `complete` is false when a request failed. `floors` are what trivial strategies reach on the
    same items. `notes` are facts that a reader must know. `settings` say how the model was run: dtype, device, batch.
    `model_key` is the digest of the model's identity, whose facts the store keeps.
    """

    task: str
    model: str
    protocol: Protocol
    fingerprint: str
    title: str
    headline: str
    estimates: Mapping[str, Estimate]
    rates: Mapping[str, Estimate]
    floors: Mapping[str, Estimate]
    breakdown: Mapping[str, Mapping[str, Estimate]]
    items: int
    complete: bool
    notes: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    model_key: str = ""
    data_hash: str = ""
    task_version: str = ""


def canonical(value: object) -> str:
    """JSON with sorted keys and no spare blanks: the one spelling that is hashed."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(*parts: str) -> str:
    """SHA-256 over the parts, each with its length before it, so that no two lists of parts collide."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sha.update(f"{len(data)}:".encode())
        sha.update(data)
    return sha.hexdigest()


def request_json(request: Request) -> str:
    """The canonical text of a request; together with the model's identity it is the store key.

    A request without a schema is spelled without one, so that its key is that of a request that cannot have any.
    """
    told = {name: value for name, value in asdict(request).items() if name != "schema" or value is not None}
    return canonical({"kind": type(request).__name__, **told})
