"""Attention over a tree of tokens, in pieces: only pairs that see each other are computed, or nearly so.

A 4D mask makes the attention kernel compute every pair of a pack and throw most away: the branches of a tree do not
see each other. Here the nodes are cut into bundles of neighbours, each with the list of keys that any of its nodes
sees; a mask covers only the columns that not all of them see. Products are matrix products over the query heads that
share a key head, so they run in whichever library is fastest (`kernels`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from jatdae.models.hf.kernels import Multiply
from jatdae.models.hf.planning import Tree

NAME = "jatdae_tree"
"""The attention function's name among those of transformers."""
LONGEST = 192
"""Nodes of one bundle: more make the scores leave the cache, and a chain computes more pairs that do not count."""
PAIRS = 160_000
SHORTEST = 32
SMALL = 48
"""Branches are put together while they are no more nodes than this: a call costs as much as the wasted pairs."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Nodes `start` to `end` and the places of their keys, as runs. `hidden` is added to the last columns' scores."""

    start: int
    end: int
    runs: tuple[tuple[int, int], ...]
    hidden: torch.Tensor | None


def bundles(tree: Tree, cached: int, window: int | None = None) -> list[Bundle]:
    """The bundles of a tree over a cached prefix; `window` counts positions of the sequence."""
    return [_bundle(tree, cached, window, start, end) for start, end in _stretches(tree)]


def _stretches(tree: Tree) -> list[tuple[int, int]]:
    """Neighbouring nodes: a long branch in even pieces, short ones together."""
    edges = [0]
    for start, end in tree.branches:
        longest = max(SHORTEST, min(LONGEST, PAIRS // (int(tree.positions[end - 1]) + 1)))
        pieces = -(-(end - start) // longest)
        if start > edges[-1] and end - edges[-1] > SMALL:
            edges.append(start)
        if pieces > 1:
            edges.extend(np.linspace(start, end, pieces + 1).astype(int).tolist()[1:-1])
    size = len(tree.tokens)
    return [(a, b) for a, b in itertools.pairwise([*edges, size]) if b > a]


def _bundle(tree: Tree, cached: int, window: int | None, start: int, end: int) -> Bundle:
    seen, first = tree.allowed[start:end, :end], cached
    positions = tree.positions[start:end]
    if window is not None and int(positions.max()) >= window:
        places = np.concatenate((np.arange(cached), tree.positions[:end]))
        seen = np.concatenate((np.ones((end - start, cached), np.bool_), seen), axis=1)
        seen, first = seen & (positions[:, None] - places < window), 0
    keys = np.flatnonzero(seen.any(0))
    part = seen[:, keys]
    partly = np.flatnonzero(~part.all(0))
    hidden = _additive(part[:, partly[0] :]) if len(partly) else None
    return Bundle(start, end, _runs(np.concatenate((np.arange(first), keys + first))), hidden)


def _additive(seen: npt.NDArray[np.bool_]) -> torch.Tensor:
    return torch.zeros(seen.shape).masked_fill_(torch.from_numpy(~seen), float("-inf"))


def _runs(places: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    breaks = np.flatnonzero(np.diff(places) != 1) + 1
    edges = [0, *breaks.tolist(), len(places)]
    return tuple((int(places[a]), int(places[b - 1]) + 1) for a, b in itertools.pairwise(edges))


@dataclass(frozen=True, slots=True)
class _Active:
    """What `attend` needs to know of the pass that is going on: bundles by kind of layer, and the product."""

    kinds: Sequence[Sequence[Bundle]]
    multiply: Multiply


_ACTIVE: ContextVar[_Active] = ContextVar("tree attention")


@contextmanager
def tree_attention(config: Any, kinds: Sequence[Sequence[Bundle]], multiply: Multiply) -> Iterator[None]:
    """Let a model's layers attend by bundles inside the block; the mask of a layer is the number of its kind."""
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, attend)
    before, token = config._attn_implementation, _ACTIVE.set(_Active(kinds, multiply))
    config._attn_implementation = NAME
    try:
        yield
    finally:
        config._attn_implementation = before
        _ACTIVE.reset(token)


def kind_mask(number: int) -> torch.Tensor:
    """Stands where a mask would: shaped like one, so that it is passed on to the layers as it is."""
    return torch.full((1, 1, 1, 1), float(number))


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float | None = None,
    softcap: float | None = None,
    **more: Any,
) -> tuple[torch.Tensor, None]:
    """Attention of one layer: query (1, heads, nodes, width), keys and values (1, key heads, places, width).

    Returns (1, nodes, heads, width). Raises NotImplementedError for settings that are not known here.
    """
    _refuse(more)
    heads, nodes, width = query.shape[1:]
    groups = key.shape[1]
    together = heads // groups
    scale = width**-0.5 if scaling is None else scaling
    queries = (query[0] * scale).view(groups, together, nodes, width).transpose(1, 2).contiguous()
    out = query.new_empty(1, nodes, groups, together, value.shape[-1])
    active = _ACTIVE.get()
    for bundle in active.kinds[int(attention_mask)]:
        for group in range(groups):
            rows = queries[group, bundle.start : bundle.end].flatten(0, 1)
            scores = active.multiply(rows, _gather(key[0, group], bundle.runs), None)
            if softcap is not None:
                scores = scores.div_(softcap).tanh_().mul_(softcap)
            if bundle.hidden is not None:
                columns = bundle.hidden.shape[1]
                scores.view(-1, together, scores.shape[1])[:, :, -columns:].add_(bundle.hidden[:, None])
            weights = scores.softmax(-1)
            read = active.multiply(weights, _gather(value[0, group], bundle.runs).t(), None)
            out[0, bundle.start : bundle.end, group] = read.view(-1, together, read.shape[1])
    return out.view(1, nodes, heads, -1), None


def _gather(places: torch.Tensor, runs: Sequence[tuple[int, int]]) -> torch.Tensor:
    """The rows of some runs, densely: where rows have gaps between them oneDNN is a thousand times slower."""
    if len(runs) == 1:
        return places[runs[0][0] : runs[0][1]].contiguous()
    return torch.cat([places[start:end] for start, end in runs])


KNOWN = {"dropout", "sliding_window", "position_ids", "is_causal", "use_cache", "cache_position", "output_attentions"}
"""Arguments of layers that change nothing here: the window is in the bundles, positions are in the queries and keys."""


def _refuse(more: Mapping[str, Any]) -> None:
    unknown = sorted(name for name, value in more.items() if value is not None and name not in KNOWN)
    if unknown:
        raise NotImplementedError(f"attention with {', '.join(unknown)}")
