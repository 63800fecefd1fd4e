"""Reading what people type: lists of numbers, choices, key=value settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jatdae.errors import RequestError, did_you_mean

_SAMPLING = {"max_tokens": int, "temperature": float, "top_p": float, "sampling_seed": int}


def ints(option: str, text: str | None) -> tuple[int, ...] | None:
    """`0,5` as numbers. Raises RequestError for what is not a number, is negative or occurs twice."""
    if text is None:
        return None
    try:
        values = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise RequestError(f"{option} {text!r}: whole numbers with commas are expected, such as 0,5") from None
    if min(values) < 0 or max(values) >= 2**32 or len(set(values)) != len(values):
        raise RequestError(f"{option} {text!r}: numbers from 0 to {2**32 - 1} are expected, each once")
    return values


def one_of(option: str, text: str | None, known: Sequence[str]) -> Any:
    """The text if it is one of the known words. Raises RequestError with the nearest one."""
    if text is not None and text not in known:
        raise RequestError(f"{option} {text!r} is not known; {did_you_mean(text, known)}")
    return text


def key_values(option: str, pairs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`key=value` words, each key once. Raises RequestError for another form."""
    split = [pair.partition("=") for pair in pairs]
    for (key, equals, _), pair in zip(split, pairs, strict=True):
        if not equals or not key:
            raise RequestError(f"{option} {pair!r}: key=value is expected")
    found = {key: value for key, _, value in split}
    if len(found) < len(split):
        raise RequestError(f"{option}: a key is given twice")
    return tuple(found.items())


def read_settings(pairs: Sequence[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Split `key=value` settings into sampling (typed) and the task's own (text).

    Sampling at a temperature leaves the published protocols, all greedy: it needs `--set sampling=forced` beside it.
    """
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise RequestError(f"--set {pair!r}: key=value is expected")
        given[key] = value
    forced = given.pop("sampling", None)
    if forced not in (None, "forced"):
        raise RequestError(f"--set sampling={forced}: the only value is 'forced'")
    sampling: dict[str, Any] = {}
    for key, kind in _SAMPLING.items():
        if key in given:
            try:
                sampling[key.removeprefix("sampling_")] = kind(given.pop(key))
            except ValueError:
                raise RequestError(f"--set {key}: a number is expected") from None
    if sampling.get("temperature", 0) > 0 and not forced:
        raise RequestError("the published protocols are greedy; to sample all the same add --set sampling=forced")
    return sampling, given
