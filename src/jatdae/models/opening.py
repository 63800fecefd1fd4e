"""From a model reference to a backend. The one file that knows which backends there are."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from jatdae.errors import ModelError, RequestError
from jatdae.models.base import REMOTE, SPREAD, AnyBackend, Backend, ModelReference, parse_reference
from jatdae.models.options import ModelOptions

_API = frozenset({"openai", "litellm"})


def open_backend(
    reference: ModelReference, options: ModelOptions, progress: Callable[[str], None] | None = None
) -> AnyBackend:
    """A backend that is ready to be asked.

    Raises ModelError when the model, a key or a needed package is not there, RequestError for a model elsewhere while
    the network may not be touched.
    """
    if options.offline and reference.backend in REMOTE and not _on_loopback(reference, options):
        raise RequestError(f"--offline: {reference} is asked over the network; leave it out, or name a local model")
    if reference.backend in _API:
        from jatdae.models.api import open_api_backend

        return open_api_backend(reference, options.remote)
    if reference.backend in REMOTE:
        from jatdae.models.cli import open_cli_backend

        return open_cli_backend(reference, options.remote)
    if reference.backend == SPREAD:
        from jatdae.models.ray import open_ray_backend

        return open_ray_backend(parse_reference(reference.name), options, open_local, progress)
    return open_local(reference, options, progress)


def preflight(reference: ModelReference, options: ModelOptions) -> list[str]:
    """What keeps a model elsewhere from being asked, one line each, with how to mend it. No model is called.

    A local model has none: it is checked while it is opened.
    """
    if reference.backend in _API:
        from jatdae.models.api import problems

        return problems(reference, options.remote)
    if reference.backend in REMOTE:
        from jatdae.models.cli import problems as client_problems

        return client_problems(reference)
    return []


def _on_loopback(reference: ModelReference, options: ModelOptions) -> bool:
    """Whether a server is this very machine."""
    host = urlsplit(options.remote.base_url or "").hostname or ""
    return reference.backend == "openai" and host in ("127.0.0.1", "::1", "localhost")


def open_local(
    reference: ModelReference, options: ModelOptions, progress: Callable[[str], None] | None = None
) -> Backend:
    """A backend that runs the model here. Raises ModelError as `open_backend` does."""
    if reference.backend == "vllm":
        from jatdae.models.vllm import VllmBackend

        return VllmBackend.load(reference, options, progress)
    try:
        from jatdae.models.hf import HfBackend
    except ModuleNotFoundError as error:
        message = f"{reference} needs the package {error.name}; install it with: pip install 'jatdae[hf]'"
        raise ModelError(message) from None
    return HfBackend.load(reference, options, progress)
