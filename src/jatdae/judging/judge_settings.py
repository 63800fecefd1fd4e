"""How a model is asked to judge."""

from __future__ import annotations

from dataclasses import dataclass

from jatdae.errors import RequestError
from jatdae.judging.cases import Profile
from jatdae.judging.shortening import LengthMode
from jatdae.types import Sampling

_COMPAT_PAIRWISE_TOKENS = 1600
_TEMPERATURE_OF_REPEATS = 0.3


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What a user may vary. `temperature` None is 0, but 0.3 in the standard profile when iterations are to differ.

    `max_tokens` bounds a reply; `pairwise_max_tokens` None is the same bound, 1600 in `compat`. `parse_retries` is how
    often an unusable reply is asked for again; `compat` never asks again. `truncate_chars` and `length_mode` shorten
    texts for comparison only. `seed` is sent with the request's repeat added, so that repeats differ.
    """

    profile: Profile = "standard"
    iterations: int = 3
    temperature: float | None = None
    max_tokens: int = 2048
    pairwise_max_tokens: int | None = None
    parse_retries: int = 2
    truncate_chars: int = 4000
    length_mode: LengthMode = "cap"
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, known in (("profile", ("standard", "compat")), ("length_mode", ("cap", "equal", "none"))):
            if getattr(self, name) not in known:
                raise RequestError(f"{name} {getattr(self, name)!r}: one of {', '.join(known)} is needed")
        for name, least in (("iterations", 1), ("parse_retries", 0), ("truncate_chars", 1)):
            if getattr(self, name) < least:
                raise RequestError(f"{name} {getattr(self, name)}: a whole number from {least} on is needed")

    @property
    def rubric_sampling(self) -> Sampling:
        """How scores are sampled."""
        temperature = self.temperature
        if temperature is None:
            differs = self.profile == "standard" and self.iterations > 1
            temperature = _TEMPERATURE_OF_REPEATS if differs else 0.0
        return Sampling(max_tokens=self.max_tokens, temperature=temperature, seed=self.seed)

    @property
    def pairwise_sampling(self) -> Sampling:
        """How verdicts are sampled: at temperature 0, since both orders are asked anyway."""
        given = self.pairwise_max_tokens
        if given is None:
            given = _COMPAT_PAIRWISE_TOKENS if self.profile == "compat" else self.max_tokens
        return Sampling(max_tokens=given, seed=self.seed)

    @property
    def asks_again(self) -> bool:
        """Whether an unusable reply is asked for again at all."""
        return self.profile == "standard"
