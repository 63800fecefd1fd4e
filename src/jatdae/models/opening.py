"""From a model reference to a backend. The one file that knows which backends there are."""

from __future__ import annotations

from collections.abc import Callable

from jatdae.errors import ModelError
from jatdae.models.base import AnyBackend, ModelReference
from jatdae.models.options import ModelOptions

APIS = ("openai", "litellm")
CLIENTS = ("claude-cli", "codex-cli")


def open_backend(
    reference: ModelReference, options: ModelOptions, progress: Callable[[str], None] | None = None
) -> AnyBackend:
    """A backend that is ready to be asked. Raises ModelError when the model or a needed package is not there."""
    if reference.backend in APIS:
        from jatdae.models.api import open_api_backend

        return open_api_backend(reference, options.remote)
    if reference.backend in CLIENTS:
        from jatdae.models.cli import open_cli_backend

        return open_cli_backend(reference, options.remote)
    try:
        from jatdae.models.hf import HfBackend
    except ModuleNotFoundError as error:
        message = f"{reference} needs the package {error.name}; install it with: pip install 'jatdae[hf]'"
        raise ModelError(message) from None
    return HfBackend.load(reference, options, progress)


def preflight(reference: ModelReference, options: ModelOptions) -> list[str]:
    """What keeps a remote model from being asked, one line each with how to mend it. Nothing is asked."""
    if reference.backend in APIS:
        from jatdae.models.api import problems as api_problems

        return api_problems(reference, options.remote)
    if reference.backend in CLIENTS:
        from jatdae.models.cli import problems as client_problems

        return client_problems(reference)
    return []
