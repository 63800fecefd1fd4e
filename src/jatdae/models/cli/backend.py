"""The backend behind `claude-cli:` and `codex-cli:`: one run of a client for each attempt."""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.models.base import Capabilities, ModelIdentity, ModelReference, Sent
from jatdae.models.cli.client import Client
from jatdae.models.cli.environment import plan_environment
from jatdae.models.cli.failures import shown_end, without_echo
from jatdae.models.cli.process import OUTPUT_BYTES, Finished, run
from jatdae.models.cli.prompts import Question, question_of
from jatdae.models.options import RemoteOptions
from jatdae.types import Completion, Generate, Request

_GONE = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR)


class CliBackend:
    """Asks a model through a command-line client. `program` is the client's path, `version` what it says it is."""

    capabilities = Capabilities(chat=True)

    def __init__(
        self, client: Client, reference: ModelReference, options: RemoteOptions, program: str, version: str
    ) -> None:
        self.options = options
        self._client, self._reference, self._program = client, reference, program
        facts = {
            "backend": reference.backend,
            "model": reference.name,
            "effort": reference.revision or "",
            "client_version": version,
        }
        self.identity = ModelIdentity(str(reference), facts)
        self.settings: Mapping[str, str] = {"client": client.executable, "client_version": version}
        self.notes: Sequence[str] = (*_notes(client.executable), *client.notes())

    @property
    def concurrency(self) -> int:
        return self.options.cli_concurrency

    async def ask(self, request: Generate) -> Completion:
        """One run of the client in a fresh, empty folder. Raises TransientFailure or RequestFailed."""
        question, started = question_of(request), time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="jatdae-", ignore_cleanup_errors=True) as folder:
                answer = await self._run(question, Path(folder))
        except OSError as error:
            raise self._not_started(error) from None
        text = _before_stop(answer.text, request.sampling.stop)
        return replace(answer, text=text, seconds=time.monotonic() - started)

    async def _run(self, question: Question, folder: Path) -> Completion:
        empty, answer = folder / "empty", folder / "answer.txt"
        empty.mkdir()
        client, typed = self._client, self._client.typed(question)
        finished = await run(
            [self._program, *client.arguments(self._reference, question, answer)],
            stdin=typed.encode(),
            folder=empty,
            environment=plan_environment(os.environ, client.kept, client.added),
            seconds=self.options.timeout_seconds,
        )
        self._check(finished, typed)
        return client.read(finished, answer, typed)

    def _check(self, finished: Finished, typed: str) -> None:
        name = self._client.executable
        if finished.timed_out:
            told = shown_end(without_echo(finished.stderr, typed))
            after = f"{name} gave no answer within {self.options.timeout_seconds:g} seconds"
            raise TransientFailure(after + (f": {told}" if told else ""), kind="timeout")
        if finished.overflowed:
            raise TransientFailure(f"{name} wrote more than {OUTPUT_BYTES} bytes", kind="malformed")

    def _not_started(self, error: OSError) -> RequestFailed:
        client = self._client
        if error.errno == errno.E2BIG:
            return RequestFailed(
                f"the system text is too long for the command line of {client.executable}", kind="overlong"
            )
        if error.errno in _GONE:
            message = f"{client.executable} is not there any more; install it with: {client.install}"
            return RequestFailed(message, kind="client")
        return TransientFailure(f"{client.executable} could not be run: {error.strerror}", kind="client")

    async def close(self) -> None:
        """Nothing is held between two calls."""

    def worst_cost(self, request: Generate) -> float | None:
        """0: a plan has limits and no price for a call, so no call can pass a cap on money."""
        return 0.0

    def preview(self, request: Request) -> list[Sent]:
        """The exact text that goes to the client's standard input. Raises RequestFailed for a Score."""
        if not isinstance(request, Generate):
            raise RequestFailed(f"{self._client.executable} gives no log-likelihoods", kind="unsupported")
        return [Sent(self._client.typed(question_of(request)), ())]

    def random_like(self, seed: int) -> None:
        return None


def _notes(executable: str) -> list[str]:
    return [
        f"temperature, max_tokens and seed cannot be set through {executable}: its own settings applied",
        f"{executable} adds a system text of its own: scores are not comparable with the same model's behind an API",
    ]


def _before_stop(text: str, stop: Sequence[str]) -> str:
    """The text up to the first stop string, which the client cannot be told of."""
    ends = [place for place in (text.find(string) for string in stop if string) if place >= 0]
    return text[: min(ends)] if ends else text
