"""The `codex` client's non-interactive mode, `codex exec`.

Source: the client's command-line reference, and its pages on non-interactive mode, configuration and AGENTS.md.
"""

from __future__ import annotations

import os
from pathlib import Path

from jatdae.models.base import EFFORTS, ModelReference
from jatdae.models.cli.client import Client
from jatdae.models.cli.failures import failure_of, without_echo
from jatdae.models.cli.process import OUTPUT_BYTES, Finished
from jatdae.models.cli.prompts import Question
from jatdae.types import Completion

EXECUTABLE = "codex"
LOGIN = "codex login"


def _arguments(reference: ModelReference, _: Question, answer: Path) -> list[str]:
    """No settings or rules of the user, no kept session, and neither a shell nor the web.

    A read-only sandbox keeps commands from writing, not from reading; without the shell tool there are no commands.
    """
    words = ["exec", "--model", reference.name, "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"]
    words += ["--ignore-user-config", "--ignore-rules", "-c", "features.shell_tool=false", "-c", "web_search=disabled"]
    if reference.revision:
        words += ["-c", f"model_reasoning_effort={reference.revision}"]
    return [*words, "--output-last-message", str(answer), "-"]


def _typed(question: Question) -> str:
    """`exec` has no place for a system text, so that it comes first."""
    return f"{question.system}\n\n{question.prompt}" if question.system else question.prompt


def _login_problem(status: Finished) -> str:
    if status.code != 0 or "not logged in" in status.stdout.lower():
        return "is not logged in"
    if "using an api key" in status.stdout.lower():
        return "is logged in with an API key, which is billed by use, not with a plan"
    return ""


def _read(finished: Finished, answer: Path, typed: str) -> Completion:
    told = without_echo(finished.stderr, typed)
    if finished.code != 0:
        raise failure_of(EXECUTABLE, LOGIN, f"ended with exit code {finished.code}", told, kind="client")
    data = _head(answer)
    if len(data) > OUTPUT_BYTES:
        raise failure_of(EXECUTABLE, LOGIN, f"wrote more than {OUTPUT_BYTES} bytes", "", kind="malformed")
    text = data.decode("utf-8", "replace")
    if not text.strip():
        raise failure_of(EXECUTABLE, LOGIN, "ended without an answer", told, kind="malformed")
    return Completion(text, "stop")


def _head(path: Path) -> bytes:
    """What the file holds, up to one byte more than is allowed; nothing when there is no file."""
    try:
        with path.open("rb") as file:
            return file.read(OUTPUT_BYTES + 1)
    except FileNotFoundError:
        return b""


def _notes() -> list[str]:
    """The global instructions file is read whatever the options say, so that a reader must know of one."""
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    for name in ("AGENTS.override.md", "AGENTS.md"):
        file = home / name
        if file.is_file() and file.stat().st_size:
            return [f"codex added the instructions in its own {name} to every prompt; move that file away to avoid it"]
    return []


CLIENT = Client(
    executable=EXECUTABLE,
    install="npm install -g @openai/codex",
    login=LOGIN,
    status=("login", "status"),
    efforts=EFFORTS,
    kept=frozenset({"CODEX_ACCESS_TOKEN"}),
    added={},
    arguments=_arguments,
    typed=_typed,
    login_problem=_login_problem,
    read=_read,
    notes=_notes,
)
