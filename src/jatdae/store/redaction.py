"""A command line that can be kept: quoted as a shell would need it, and without its secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

HIDDEN = "***"

_SECRET_NAME = re.compile(r"key|token|secret|password", re.IGNORECASE)
_TOKEN_COUNT = re.compile(r"tokens$", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")
_KNOWN_FORM = re.compile(r"\b(?:sk-|hf_|ghp_|github_pat_)(?=[\w-]*\d)[\w-]{16,}")


def redact(command: Sequence[str]) -> str:
    """One line for the store: `***` in the place of every value whose option or name speaks of a secret.

    A name does when it contains key, token, secret or password: `--api-key X`, `--api-key=X`, `API_KEY=X`. A whole
    number after a name that ends in `tokens` is a count and stays. Passwords in URLs and well-known forms of keys are
    hidden anywhere.
    """
    words: list[str] = []
    option = ""
    for word in command:
        words.append(HIDDEN if _is_secret(option, word) else _one_word(word))
        option = word if word.startswith("-") and "=" not in word else ""
    return " ".join(words)


def _is_secret(name: str, value: str) -> bool:
    if not _SECRET_NAME.search(name):
        return False
    return not (_TOKEN_COUNT.search(name) and value.isdigit())


def _one_word(word: str) -> str:
    name, equals, value = word.partition("=")
    if equals and _is_secret(name, value):
        return shlex.quote(name) + "=" + HIDDEN
    return shlex.quote(_KNOWN_FORM.sub(HIDDEN, _URL_PASSWORD.sub(rf"\1{HIDDEN}@", word)))
