"""Models behind the vendors' official command-line clients, which answer on a subscription: `claude` and `codex`.

Each call is one run of the client in its non-interactive mode. Nothing here repeats a call or counts money; the
runtime does.
"""

from __future__ import annotations

from jatdae.models.cli.backend import CliBackend
from jatdae.models.cli.opening import open_cli_backend, problems

__all__ = ["CliBackend", "open_cli_backend", "problems"]
