"""A stored command can be run again, but shows no secret."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.store import redact

SECRET = "Zq81-kept-from-view"


@pytest.mark.parametrize(
    "command",
    [
        ["--api-key", SECRET],
        [f"--api-key={SECRET}"],
        ["--API_KEY", SECRET],
        ["--hf-token", SECRET],
        ["--client-secret", SECRET],
        ["--password", SECRET],
        ["--password", f"--{SECRET}"],
        ["--set", f"judge.api_key={SECRET}"],
        [f"OPENAI_API_KEY={SECRET}"],
        ["--base-url", f"https://user:{SECRET}@localhost/v1"],
        ["--base-url", f"https://localhost/v1?token={SECRET}"],
        ["--set", f"header=Bearer sk-{SECRET}-0123456789"],
    ],
)
def test_a_secret_is_not_shown(command: list[str]) -> None:
    shown = redact(["jatdae", "run", *command, "kmmlu"])

    assert SECRET not in shown
    assert "***" in shown
    assert shown.startswith("jatdae run ") and shown.endswith(" kmmlu")


@pytest.mark.parametrize(
    "command",
    [
        ["jatdae", "run", "kmmlu/accounting", "--model", "hf:./내 모델", "--seeds", "1234,308"],
        ["jatdae", "run", "--set", "cue=정답은 'A'", "--max-tokens", "256", "--set", "max_tokens=64"],
        ["jatdae", "run", "--model", "litellm:openrouter/openai/gpt-5", "--base-url", "http://127.0.0.1:8000/v1"],
        [],
    ],
)
def test_all_else_reads_back_as_it_was_typed(command: list[str]) -> None:
    assert shlex.split(redact(command)) == command


@given(st.text(min_size=8), st.sampled_from(["--api-key", "--Token", "-secret", "--db-password"]))
def test_whatever_the_value_is_it_becomes_stars(value: str, option: str) -> None:
    assert redact(["jatdae", option, value]) == f"jatdae {option} ***"
    assert redact(["jatdae", f"{option}={value}"]) == f"jatdae {option}=***"
