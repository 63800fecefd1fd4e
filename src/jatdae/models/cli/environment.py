"""The environment that a client runs in: without keys, and without what would lead it away from the plan.

Source: both vendors document that a key in the environment takes precedence over the subscription's login.
"""

from __future__ import annotations

from collections.abc import Mapping

_SECRET_WORDS = frozenset({"KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD"})
_STEERING_PREFIXES = ("ANTHROPIC_", "OPENAI_", "CLAUDE_CODE_USE_")
"""Other servers, other accounts, other models: base URLs, organisations, cloud platforms, model names."""
_STEERING_NAMES = frozenset({"CLAUDECODE", "CLAUDE_CODE_EFFORT_LEVEL", "MAX_THINKING_TOKENS"})
"""The mark of a client that runs inside another one, and settings that outrank the effort asked for."""


def plan_environment(environment: Mapping[str, str], kept: frozenset[str], added: Mapping[str, str]) -> dict[str, str]:
    """The environment without secrets and without steering variables; `kept` names stay, `added` ones are set.

    A name speaks of a secret when one of its words is key, token, secret or password: `OPENAI_API_KEY`, `HF_TOKEN`.
    """
    clean = {name: value for name, value in environment.items() if name in kept or not _is_removed(name.upper())}
    return {**clean, **added}


def _is_removed(name: str) -> bool:
    if name in _STEERING_NAMES or name.startswith(_STEERING_PREFIXES):
        return True
    return not _SECRET_WORDS.isdisjoint(name.split("_"))
