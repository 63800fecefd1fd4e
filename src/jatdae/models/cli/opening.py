"""Opening a command-line client: what is checked before a call is spent."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from jatdae.errors import ModelError
from jatdae.models.base import ModelReference, RemoteBackend
from jatdae.models.cli import claude, codex
from jatdae.models.cli.backend import CliBackend
from jatdae.models.cli.client import Client
from jatdae.models.cli.environment import plan_environment
from jatdae.models.cli.process import Finished, run_briefly
from jatdae.models.options import RemoteOptions

CLIENTS = {"claude-cli": claude.CLIENT, "codex-cli": codex.CLIENT}
STATUS_SECONDS = 15.0

_VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6}){1,3}[\w.+-]{0,32}")


def open_cli_backend(reference: ModelReference, options: RemoteOptions) -> RemoteBackend:
    """A backend that is ready to be asked. Raises ModelError with all that stands in the way."""
    found = problems(reference)
    if found:
        raise ModelError("; ".join(found))
    client = CLIENTS[reference.backend]
    program = _program(client)
    return CliBackend(client, reference, options, program, _version(client, program))


def problems(reference: ModelReference) -> list[str]:
    """What keeps a client from being asked, each with the command that mends it. No model is called."""
    client = CLIENTS[reference.backend]
    found = _effort_problems(client, reference)
    if shutil.which(client.executable) is None:
        missing = (
            f"no {client.executable!r} on PATH; install it with: {client.install}, then log in with: {client.login}"
        )
        return [f"{reference}: {missing}", *found]
    return [*(f"{reference}: {problem}" for problem in _login_problems(client)), *found]


def _effort_problems(client: Client, reference: ModelReference) -> list[str]:
    if reference.revision is None or reference.revision in client.efforts:
        return []
    known = ", ".join(client.efforts)
    return [f"{reference}: {client.executable} knows no effort {reference.revision!r}; write one of: {known}"]


def _login_problems(client: Client) -> list[str]:
    command = " ".join([client.executable, *client.status])
    try:
        status = _asked(client, _program(client), client.status)
    except OSError as error:
        return [f"{client.executable} cannot be started ({error.strerror}); install it with: {client.install}"]
    if status.timed_out:
        return [f"`{command}` gave no answer within {STATUS_SECONDS:g} seconds; update with: {client.install}"]
    problem = client.login_problem(status)
    return [f"{client.executable} {problem}; log in with: {client.login}"] if problem else []


def _version(client: Client, program: str) -> str:
    """The client's version. Raises ModelError for a client that tells none."""
    try:
        told = _asked(client, program, ("--version",))
    except OSError:
        told = Finished(None, "", "")
    found = _VERSION.search(told.stdout)
    if told.code != 0 or found is None:
        raise ModelError(f"`{client.executable} --version` tells no version; install it with: {client.install}")
    return found[0]


def _asked(client: Client, program: str, words: Sequence[str]) -> Finished:
    return run_briefly([program, *words], plan_environment(os.environ, client.kept, client.added), STATUS_SECONDS)


def _program(client: Client) -> str:
    """The client's absolute path: it is run in another folder than this one."""
    return str(Path(shutil.which(client.executable) or client.executable).absolute())
