"""Which model a name stands for, whatever route it is asked by, and which family it belongs to.

`claude-cli/x-4-6` and `openrouter/vendor/x-4.6@high` are one model; a judge must be known for its own texts' author.
Source: MunBench specification, section 8 and requirement B4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jatdae.models.base import BACKENDS, EFFORTS

_LOCAL = re.compile(r"[./~\\]")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
# Names of one maker's models that do not begin alike.
_KIN = {"o": "gpt", "chatgpt": "gpt", "codex": "gpt", "opus": "claude", "sonnet": "claude", "haiku": "claude"}


def model_identity(name: str) -> str:
    """The bare model's name: no backend, route or vendor before it, no effort or price tier behind, dashes for dots.

    A path on this machine is its own identity, since two folders may well have one last part.
    """
    backend, colon, rest = name.strip().partition(":")
    bare = rest if colon and backend in BACKENDS else name.strip()
    if _LOCAL.match(bare):
        return bare
    front, at, back = bare.rpartition("@")
    if at and back.lower() in EFFORTS:
        bare = front
    last = bare.rstrip("/").rpartition("/")[2].partition(":")[0]
    return re.sub(r"[._\s]+", "-", last.casefold())


@dataclass(frozen=True, slots=True)
class Identities:
    """Names as one user means them. `aliases` map a name to the name of the same model, `families` to a family."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The identity behind a name, aliases followed once."""
        bare = model_identity(name)
        for alias, meant in self.aliases.items():
            if alias == name or model_identity(alias) == bare:
                return model_identity(meant)
        return bare

    def family(self, name: str) -> str:
        """The family as given, else the first word of the model's name: `claude`, `gpt`, `solar`."""
        identity = self.of(name)
        for member, family in self.families.items():
            if member == name or self.of(member) == identity:
                return family.casefold()
        found = _FIRST_WORD.search(identity)
        word = found[0] if found else identity
        return _KIN.get(word, word)

    def same(self, one: str, other: str) -> bool:
        """True if both names stand for one model."""
        return self.of(one) == self.of(other)

    def kin(self, one: str, other: str) -> bool:
        """True if both are of one family, so also if they are one model."""
        return self.same(one, other) or self.family(one) == self.family(other)

    def excluded(self, model: str, judges: Sequence[str], policy: str) -> tuple[str, ...]:
        """The judges that may not count for a model under `include`, `exclude_self` or `exclude_family`."""
        if policy == "include":
            return ()
        related = self.same if policy == "exclude_self" else self.kin
        return tuple(judge for judge in judges if related(judge, model))
