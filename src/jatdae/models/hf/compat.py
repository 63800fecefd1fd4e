"""All that depends on the version of transformers (written against 5.24): caches, masks, windows, chat templates."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch

from jatdae.errors import ModelError
from jatdae.types import Message, canonical

UNSET_LENGTH = 1_000_000
"""Tokenizers without a limit say 10**30; anything above this is no statement about the model."""
DEFAULT_WINDOW = 2048
TEMPLATE_DATE = {
    **{"%-d": "26", "%-m": "7", "%-I": "12", "%-H": "0", "%-M": "0", "%-S": "0"},
    **{"%d": "26", "%e": "26", "%m": "07", "%y": "24", "%Y": "2024", "%b": "Jul", "%h": "Jul", "%B": "July"},
    **{"%a": "Fri", "%A": "Friday", "%u": "5", "%w": "5", "%j": "208", "%F": "2024-07-26", "%D": "07/26/24"},
    **{"%H": "00", "%I": "12", "%M": "00", "%S": "00", "%f": "000000", "%p": "AM", "%T": "00:00:00", "%R": "00:00"},
    **{"%x": "07/26/24", "%X": "00:00:00", "%c": "Fri Jul 26 00:00:00 2024", "%z": "", "%Z": "", "%%": "%"},
}
"""What `strftime_now` gives for each code: midnight of the day that Llama 3's templates name where no clock is."""
MASKED_LAYERS = {"full_attention", "sliding_attention"}


def render_chat(tokenizer: Any, messages: Sequence[Message]) -> str:
    """The text of a conversation in the tokenizer's chat template, open for the assistant's turn.

    A last message of the assistant is left open, to be continued. Raises ModelError where there is no template or
    the template refuses the messages.
    """
    from jinja2 import TemplateError

    if not tokenizer.chat_template:
        raise ModelError("this model's tokenizer has no chat template; ask with plain text (--no-chat-template)")
    turns = [{"role": message.role, "content": message.content} for message in messages]
    opened = bool(turns) and turns[-1]["role"] == "assistant"
    try:
        # With tokenize=False the answer is text; version 5 returns a mapping otherwise.
        text = tokenizer.apply_chat_template(
            turns,
            chat_template=_timeless_template(tokenizer),
            tokenize=False,
            add_generation_prompt=not opened,
            continue_final_message=opened,
        )
    except (TemplateError, ValueError) as error:
        roles = ", ".join(turn["role"] for turn in turns)
        raise ModelError(f"the chat template refuses these messages (roles: {roles}): {error}") from error
    return cast(str, text)


def chat_template_date(tokenizer: Any) -> str | None:
    """The date that a chat template is given when it asks for today's; None for one that does not ask."""
    return TEMPLATE_DATE["%F"] if "strftime_now" in canonical(tokenizer.chat_template or "") else None


def _timeless_template(tokenizer: Any) -> str | None:
    """The chat template with a clock that stands still, where it uses one; None for the template as it is.

    Callables among a template's variables are not passed on by transformers, so a macro of that name hides the clock.
    The line break after it is dropped by the template engine; without it, white space at the start would be kept.
    """
    template = tokenizer.get_chat_template()
    if "strftime_now" not in template:
        return None
    chain = "".join(f".replace({code!r}, {text!r})" for code, text in TEMPLATE_DATE.items())
    return f"{{% macro strftime_now(format) %}}{{{{ format{chain} }}}}{{% endmacro %}}\n{template}"


def window_of(config: Any, tokenizer: Any) -> int:
    """The longest sequence that the model was made for, in tokens; looked up in the order of lm-evaluation-harness."""
    text = getattr(config, "text_config", None) or config
    for name in ("n_positions", "max_position_embeddings", "n_ctx"):
        if (value := getattr(text, name, None)) is not None:
            return int(value)
    limit = getattr(tokenizer, "model_max_length", None)
    return int(limit) if limit is not None and limit < UNSET_LENGTH else DEFAULT_WINDOW


@dataclass(frozen=True, slots=True)
class MaskPlan:
    """Which 4D masks a model takes: one for all layers, or one per kind of layer; and the width of its window."""

    kinds: tuple[str, ...]
    window: int | None


def mask_plan(config: Any) -> MaskPlan | None:
    """How to mask this model's layers, or None where a layer is of a kind that takes no mask (recurrent, chunked)."""
    text = getattr(config, "text_config", None) or config
    kinds = tuple(sorted(set(getattr(text, "layer_types", None) or ())))
    window = getattr(text, "sliding_window", None)
    if not kinds:
        return MaskPlan((), window)
    if not set(kinds) <= MASKED_LAYERS:
        return None
    sliding = "sliding_attention" in kinds
    return MaskPlan(kinds if sliding else (), window if sliding else None)


def _additive(allowed: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    mask = torch.zeros(allowed.shape, dtype=dtype, device=allowed.device)
    return mask.masked_fill_(~allowed, torch.finfo(dtype).min)[None, None]


def tree_mask(plan: MaskPlan, allowed: torch.Tensor, positions: torch.Tensor, cached: int, dtype: torch.dtype) -> Any:
    """Additive masks of shape (1, 1, nodes, cached + nodes): the whole prefix, then what `allowed` says.

    A sliding window is measured in positions of the sequence, not in places of the pack.
    """
    keys = torch.cat((torch.arange(cached, device=positions.device), positions))
    seen = torch.cat((allowed.new_ones(len(positions), cached), allowed), dim=1)
    if plan.window is None:
        return _additive(seen, dtype)
    near = seen & (positions[:, None] - keys[None, :] < plan.window)
    if not plan.kinds:
        return _additive(near, dtype)
    return {kind: _additive(near if kind == "sliding_attention" else seen, dtype) for kind in plan.kinds}


def new_cache() -> Any:
    """An empty cache that keeps every key: one built from a config drops those outside a sliding window."""
    from transformers import DynamicCache

    return DynamicCache()


def crop(cache: Any, remove: int) -> None:
    """Take the last `remove` tokens off the cache (a negative argument means just that since 5.24)."""
    if remove:
        cache.crop(-remove)


def repeat(cache: Any, times: int) -> None:
    """Give a cache of batch size 1 `times` equal rows."""
    cache.batch_repeat_interleave(times)


def keep_rows(cache: Any, rows: torch.Tensor) -> None:
    """Leave only these rows of the batch in the cache."""
    cache.batch_select_indices(rows)


class Forward:
    """Calls a causal language model under the argument names that its version has."""

    def __init__(self, model: Any) -> None:
        self.model = model
        names = inspect.signature(model.forward).parameters
        self._cache = "cache" if "cache" in names else "past_key_values"
        self._takes_cache = self._cache in names
        self._keeps_logits = "logits_to_keep" in names
        self._takes_positions = "position_ids" in names

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def dtype(self) -> torch.dtype:
        return self.model.dtype

    def logits(self, ids: torch.Tensor, rows: torch.Tensor, **more: Any) -> torch.Tensor:
        """Logits of shape (batch, rows, vocabulary) at the places `rows` of ids (batch, length), without a cache."""
        return self._call(ids, rows, use_cache=False, **more).logits

    def tree(
        self, ids: torch.Tensor, positions: torch.Tensor, mask: Any, cache: Any, rows: torch.Tensor
    ) -> torch.Tensor:
        """Logits (rows, vocabulary) of one row of tree nodes over a cached prefix; the cache grows by the nodes."""
        more: dict[str, Any] = {"attention_mask": mask, "position_ids": positions[None], "use_cache": cache is not None}
        if cache is not None:
            more[self._cache] = cache
        return self._call(ids[None], rows, **more).logits[0]

    @property
    def head(self) -> torch.nn.Linear | None:
        """The output head, if it is a plain linear layer after which nothing bends the logits."""
        head = self.model.get_output_embeddings()
        text = getattr(self.model.config, "text_config", None) or self.model.config
        bent = getattr(text, "final_logit_softcapping", None) is not None
        return head if type(head) is torch.nn.Linear and "forward" not in head.__dict__ and not bent else None

    def states(
        self, ids: torch.Tensor, positions: torch.Tensor, mask: Any, cache: Any, rows: torch.Tensor
    ) -> torch.Tensor:
        """What the model gives its output head: (rows, width), of one row of tree nodes as in `tree`.

        The model is called as always, with a head that hands its input on: a factor on the logits stays in place.
        """
        head = self.model.get_output_embeddings()
        head.forward = lambda states: states
        try:
            return self.tree(ids, positions, mask, cache, rows)
        finally:
            del head.forward

    def step(
        self, ids: torch.Tensor, cache: Any, mask: torch.Tensor | None, positions: torch.Tensor | None
    ) -> tuple[torch.Tensor, Any]:
        """Logits (batch, vocabulary) after the last id of each row, and the cache to go on from, if there is one."""
        more: dict[str, Any] = {"use_cache": True}
        if mask is not None:
            more["attention_mask"] = mask
        if positions is not None and self._takes_positions:
            more["position_ids"] = positions
        if cache is not None:
            more[self._cache] = cache
        output = self._call(ids, torch.tensor([ids.shape[1] - 1], device=ids.device), **more)
        grown = getattr(output, self._cache, None) if self._takes_cache else None
        return output.logits[:, -1], grown

    def _call(self, ids: torch.Tensor, rows: torch.Tensor, **more: Any) -> Any:
        # The model's own forward applies soft-capping and scaling of logits; its head runs for `rows` alone.
        if self._keeps_logits:
            return self.model(input_ids=ids, logits_to_keep=rows, **more)
        output = self.model(input_ids=ids, **more)
        output.logits = output.logits[:, rows]
        return output
