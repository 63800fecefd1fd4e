"""The one door to litellm: imported quietly and without the network, and asked about providers, keys and prices."""

from __future__ import annotations

import asyncio
import logging
import os
import weakref
from collections.abc import Mapping
from typing import Any

from jatdae.errors import ModelError
from jatdae.models.api.replies import price
from jatdae.types import Generate

_OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
"""Prices come from the package, not from the network; no `.env` file of the working folder is read."""
_TOKENS_PER_MESSAGE = 8
"""What a chat template adds to a message, with room to spare."""
_INPUT, _OUTPUT = "input_cost_per_token", "output_cost_per_token"


def load_litellm() -> Any:
    """The package, with its log, its advice and its own retries off. Raises ModelError where it is not installed."""
    os.environ.update(_OFFLINE)
    try:
        import litellm
    except ModuleNotFoundError as error:
        raise ModelError(f"the package {error.name} is needed; install it with: pip install 'jatdae[api]'") from None
    litellm.suppress_debug_info = True
    litellm.num_retries = 0
    # Refused parameters are to be complained of, so that each that is left out can be told in the notes.
    litellm.drop_params = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


def provider_of(model: str, base_url: str | None) -> tuple[str, str | None]:
    """The provider's name, and the address that litellm asks it at, where it is not the vendor's own.

    Raises ModelError for an id whose provider is not known.
    """
    litellm = load_litellm()
    try:
        _, provider, _, address = litellm.get_llm_provider(model, api_base=base_url)
    except litellm.exceptions.BadRequestError:
        raise ModelError(
            f"litellm knows no provider for {model!r}; write PROVIDER/MODEL, for example openrouter/VENDOR/MODEL"
        ) from None
    names = (f"{str(provider).upper()}_BASE_URL", f"{str(provider).upper()}_API_BASE")
    from_environment = next((os.environ[name] for name in names if os.environ.get(name)), None)
    return str(provider), base_url or from_environment or address


def missing_variables(model: str, base_url: str | None) -> list[str]:
    """Environment variables without which the model cannot be asked; none for a server of one's own.

    Raises ModelError for an id whose provider is not known.
    """
    litellm = load_litellm()
    _, address = provider_of(model, base_url)
    if base_url is not None:
        return []
    found = litellm.validate_environment(model)
    if found["keys_in_environment"]:
        return []
    return [name for name in found["missing_keys"] if address is None or not name.endswith("_API_BASE")]


def worst_cost_of(model: str, request: Generate) -> float | None:
    """The most that an answer costs in US dollars by litellm's table; None for a model that it has no price for.

    A prompt is taken for one token a character, and the answer for all of `max_tokens`; where a long prompt costs more
    a token, all prompts do.
    """
    prices = _prices(model)
    if prices is None:
        return None
    prompt = request.prompt
    contents = [prompt] if isinstance(prompt, str) else [message.content for message in prompt]
    tokens = sum(len(content) + _TOKENS_PER_MESSAGE for content in contents) + len(request.schema or "")
    return tokens * prices[0] + request.sampling.max_tokens * prices[1]


def is_free(model: str) -> bool:
    """Whether the price table says that a model costs nothing; litellm also says 0 where it does not know."""
    return _prices(model) == (0.0, 0.0)


def _prices(model: str) -> tuple[float, float] | None:
    """The highest price of an input and of an output token. OpenRouter asks what the vendors ask, where it is unknown.

    Source: litellm's model_cost table; names with `above` are prices of long prompts.
    """
    table: Mapping[str, Mapping[str, object]] = load_litellm().model_cost
    names = (model, model.partition("/")[2], model.removeprefix("openrouter/").partition("/")[2])
    entry = next((table[name] for name in names if _INPUT in table.get(name, {})), None)
    if entry is None:
        return None
    inputs = _highest(entry, _INPUT)
    outputs = [_highest(entry, _OUTPUT), price(entry.get("output_cost_per_reasoning_token"))]
    return None if inputs is None else (inputs, max((found for found in outputs if found is not None), default=0.0))


def _highest(entry: Mapping[str, object], kind: str) -> float | None:
    """The highest of a model's prices of a kind, those of long prompts included; None for none."""
    names = [name for name in entry if name == kind or (name.startswith(f"{kind}_above") and "tokens_" not in name)]
    found = [known for name in names if (known := price(entry[name])) is not None]
    return max(found, default=None)


_USERS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, set[int]] = weakref.WeakKeyDictionary()
"""Who asks in a loop. litellm shares its connections among all models of a loop, so the last one closes them."""


def use_clients(user: object) -> None:
    """Say that connections of the running loop are in use."""
    _USERS.setdefault(asyncio.get_running_loop(), set()).add(id(user))


async def release_clients(user: object) -> None:
    """Say that they are not any more, and close them if nobody else uses them."""
    users = _USERS.get(asyncio.get_running_loop())
    if users is None:
        return
    users.discard(id(user))
    if not users:
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()
        load_litellm().in_memory_llm_clients_cache.flush_cache()
