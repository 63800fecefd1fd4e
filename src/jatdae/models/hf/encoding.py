"""From a request to token ids. Nothing below this file sees text.

The rules are those of lm-evaluation-harness 0.4.13 for causal models, so that numbers compare, with two mends: where a
token covers the end of the prompt and the start of an option, all options of the request are split before that token;
and special tokens that a tokenizer would put after every text are left out.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.hf.compat import render_chat
from jatdae.models.hf.planning import Ids, token_ids
from jatdae.models.hf.tokenizing import Text, TextEncoder, head_of
from jatdae.types import Generate, Prompt, Request

BATCH = 512
"""Requests that are encoded together: enough to keep a fast tokenizer's threads busy, few enough to be forgotten."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedScore:
    """Ids of the context, which all options share, and of each option, which are scored.

    `cut` tokens were removed from the left. `merged` says that a token covers the boundary in one option at least.
    """

    context: Ids
    options: tuple[tuple[int, ...], ...]
    cut: int = 0
    merged: bool = False

    def sequences(self) -> list[list[int]]:
        """The whole ids, one list an option."""
        return [[*self.context.tolist(), *option] for option in self.options]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPrompt:
    """Ids of a prompt to be continued; `cut` tokens were removed from its left."""

    ids: Ids
    cut: int = 0

    def sequences(self) -> list[list[int]]:
        """The ids, as the one list that they are."""
        return [self.ids.tolist()]


Encoded = EncodedScore | EncodedPrompt


class Encoder:
    """Turns requests into ids with one tokenizer. `window` is the number of tokens that the model can attend to."""

    def __init__(self, tokenizer: Any, window: int, truncate: Literal["refuse", "left"] = "refuse") -> None:
        self.tokenizer, self.window, self.truncate = tokenizer, window, truncate
        self.text_encoder = TextEncoder(tokenizer)
        bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
        self.prefix_token: int | None = bos if bos is not None else eos
        self.prefix_text = "" if self.prefix_token is None else tokenizer.decode([self.prefix_token])

    def encode(self, requests: Sequence[Request]) -> list[Encoded | RequestFailed]:
        """Encode all requests; one that is too long becomes RequestFailed. ModelError: no chat template."""
        return [
            encoded
            for start in range(0, len(requests), BATCH)
            for encoded in self._batch(requests[start : start + BATCH])
        ]

    def _batch(self, requests: Sequence[Request]) -> list[Encoded | RequestFailed]:
        texts = [self._texts(request) for request in requests]
        ids = self._encode_contexts(dict.fromkeys(group[0] for group in texts if group))
        ids |= self.text_encoder.extend(ids, {whole: group[0] for group in texts for whole in group[1:]})
        return [self._assemble(request, group, ids) for request, group in zip(requests, texts, strict=True)]

    def _encode_contexts(self, contexts: Iterable[Text]) -> dict[Text, list[int]]:
        """Few-shot examples that several contexts begin with are encoded once."""
        heads = {context: (head_of(context[0]), context[1]) for context in contexts}
        uses = Counter(heads.values())
        shared = {context: head for context, head in heads.items() if head[0] and uses[head] > 1}
        ids = self.text_encoder.encode([*shared.values(), *(context for context in heads if context not in shared)])
        return ids | self.text_encoder.extend(ids, shared)

    def render(self, prompt: Prompt) -> str:
        """The exact text of a prompt: itself, or messages in the model's chat template."""
        return prompt if isinstance(prompt, str) else render_chat(self.tokenizer, prompt)

    def texts(self, request: Request) -> list[str]:
        """The exact texts of a request before encoding: context and option of each option, or the prompt."""
        if isinstance(request, Generate):
            return [self.render(request.prompt)]
        context = self.render(request.context)
        return [context + option for option in request.options]

    def _texts(self, request: Request) -> list[Text]:
        """The texts to encode, context first, each with whether the tokenizer may add its special tokens."""
        if isinstance(request, Generate):
            text = self.render(request.prompt)
            return [(text, self._adds_special(text))] if text else []
        context, spaces = _without_trailing_space(self.render(request.context))
        special = bool(context) and self._adds_special(context)
        return [(context, special), *((context + spaces + option, special) for option in request.options)]

    def _adds_special(self, text: str) -> bool:
        """A template that has written the start token must not get a second one."""
        return not (self.prefix_text and text.startswith(self.prefix_text))

    def _assemble(
        self, request: Request, texts: Sequence[Text], ids: Mapping[Text, list[int]]
    ) -> Encoded | RequestFailed:
        if isinstance(request, Generate):
            prompt = ids[texts[0]] if texts else []
            return self._fit_prompt(token_ids(prompt or self._prefix()), request.sampling.max_tokens)
        context, *wholes = (ids[text] for text in texts)
        if not texts[0][0]:
            context = self._prefix()
            wholes = [whole if whole[:1] == context else context + whole for whole in wholes]
        start, merged = split(context, wholes)
        if start == 0:
            wholes, start = [self._prefix() + whole for whole in wholes], 1
        options = tuple(tuple(whole[start:]) for whole in wholes)
        return self._fit_score(EncodedScore(token_ids(wholes[0][:start]), options, merged=merged))

    def _prefix(self) -> list[int]:
        if self.prefix_token is None:
            raise ModelError("the prompt is empty and the tokenizer has neither a BOS nor an EOS token to start from")
        return [self.prefix_token]

    def _fit_score(self, encoded: EncodedScore) -> EncodedScore | RequestFailed:
        """All options keep the same context: the cut is what the longest needs. The last token is never fed."""
        start, longest = len(encoded.context), max(map(len, encoded.options))
        cut = start + longest - 1 - self.window
        if cut <= 0:
            return encoded
        if self.truncate == "refuse" or cut >= start:
            return _overlong(f"prompt {start} + option {longest} tokens", self.window)
        return EncodedScore(encoded.context[cut:], encoded.options, cut, encoded.merged)

    def _fit_prompt(self, ids: Ids, max_tokens: int) -> EncodedPrompt | RequestFailed:
        cut = len(ids) + max_tokens - self.window
        if cut <= 0:
            return EncodedPrompt(ids)
        if self.truncate == "refuse" or cut >= len(ids):
            return _overlong(f"prompt {len(ids)} + up to {max_tokens} new tokens", self.window)
        return EncodedPrompt(ids[cut:], cut)


def split(context: list[int], wholes: Sequence[list[int]]) -> tuple[int, bool]:
    """Where options begin in ids of context plus option, encoded together: after the context's own tokens.

    Where those are not the beginning of every whole, a token spans the boundary: then all are split at the longest
    beginning that context and wholes share, and each option keeps at least one token. The flag says so.
    """
    start, merged = len(context), False
    for whole in wholes:
        shared = _shared_start(context, whole)
        if shared < len(context) or len(whole) == len(context):
            start, merged = min(start, shared, len(whole) - 1), True
    return max(start, 0), merged


def _shared_start(a: list[int], b: list[int]) -> int:
    if b[: len(a)] == a:
        return len(a)
    return next(i for i, (x, y) in enumerate(itertools.zip_longest(a, b)) if x != y)


def _without_trailing_space(context: str) -> tuple[str, str]:
    """White space at the end belongs to the option's first token in most vocabularies, so it goes there."""
    kept = context.rstrip()
    return kept, context[len(kept) :]


def _overlong(what: str, window: int) -> RequestFailed:
    return RequestFailed(
        f"{what} do not fit the model's window of {window}; use fewer shots or --truncate left", kind="overlong"
    )
