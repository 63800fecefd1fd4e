"""Opening a model behind an API: what is checked before anything is asked."""

from __future__ import annotations

import os
from importlib.util import find_spec

from jatdae.errors import ModelError, RequestError
from jatdae.models.api.server import Server, server_at, shown_address
from jatdae.models.base import ModelReference, RemoteBackend
from jatdae.models.options import RemoteOptions

KEY_VARIABLE = "OPENAI_API_KEY"


def open_api_backend(reference: ModelReference, options: RemoteOptions) -> RemoteBackend:
    """A backend that is ready to be asked. Raises ModelError with all that stands in the way; nothing is asked."""
    if found := problems(reference, options):
        raise ModelError("; ".join(found))
    if reference.backend == "openai":
        from jatdae.models.api.openai import OpenAiBackend

        return OpenAiBackend(reference, options, server_at(options.base_url), _key())
    from jatdae.models.api.litellm import LiteLlmBackend

    return LiteLlmBackend(reference, options)


def problems(reference: ModelReference, options: RemoteOptions | None = None) -> list[str]:
    """What keeps a model from being asked, one line each, with how to mend it. Nothing is asked."""
    options = options or RemoteOptions()
    if reference.backend == "openai":
        return _openai_problems(reference, options)
    if find_spec("litellm") is None:
        return [f"{reference} needs the package litellm; install it with: pip install 'jatdae[api]'"]
    return _address_problems(reference, options) or _litellm_problems(reference, options)


def missing_keys(reference: ModelReference, options: RemoteOptions | None = None) -> list[str]:
    """Names of the environment variables that hold no key yet and must. Raises RequestError for a wrong base_url.

    Of several that would each do, all are named. Raises ModelError for a model whose provider litellm does not know.
    """
    options = options or RemoteOptions()
    if reference.backend == "openai":
        return [KEY_VARIABLE] if server_at(options.base_url).is_official and not _key() else []
    from jatdae.models.api.litellm_door import missing_variables

    return missing_variables(reference.name, options.base_url)


def _openai_problems(reference: ModelReference, options: RemoteOptions) -> list[str]:
    try:
        server = server_at(options.base_url)
    except RequestError as error:
        return [f"{reference}: {error}"]
    key = _key()
    if not (key.isascii() and (key.isprintable() or not key)):
        return [f"{reference}: {KEY_VARIABLE} holds signs that no key has; copy it again"]
    return [_lacks_key(reference, missing_keys(reference, options), server)] if server.is_official and not key else []


def _litellm_problems(reference: ModelReference, options: RemoteOptions) -> list[str]:
    try:
        missing = missing_keys(reference, options)
    except ModelError as error:
        return [f"{reference}: {error}"]
    return [_lacks_key(reference, missing)] if missing else []


def _address_problems(reference: ModelReference, options: RemoteOptions) -> list[str]:
    if options.base_url is None:
        return []
    try:
        shown_address(options.base_url)
    except RequestError as error:
        return [f"{reference}: {error}"]
    return []


def _lacks_key(reference: ModelReference, names: list[str], server: Server | None = None) -> str:
    hint = ", or name another server with base_url" if server else ""
    return f"{reference}: no key in {', '.join(names)}; set it with: export {names[0]}=...{hint}"


def _key() -> str:
    return os.environ.get(KEY_VARIABLE, "").strip()
