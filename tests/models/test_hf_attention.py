"""Attention in pieces and the head in pieces, against the same computed whole in float64."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from jatdae.models.hf import attention, head
from jatdae.models.hf.attention import attend, bundles, kind_mask, tree_attention
from jatdae.models.hf.head import Head
from jatdae.models.hf.kernels import multiply_onednn
from jatdae.models.hf.planning import Tree, grow_tree, token_ids

PRODUCTS = [torch.nn.functional.linear]
if torch.backends.mkldnn.is_available():
    PRODUCTS.append(multiply_onednn)


def random_tree(seed: int, cached: int) -> Tree:
    """Sequences that share beginnings of all lengths, some of them long chains."""
    draw = random.Random(seed)
    grown: list[tuple[int, ...]] = [(0,) * cached]
    for _ in range(draw.randint(1, 12)):
        base = draw.choice(grown)
        cut = draw.randint(cached, len(base))
        grown.append(base[:cut] + tuple(draw.randint(1, 3) for _ in range(draw.choice([1, 3, 20, 90]))))
    kept = sorted({sequence for sequence in grown if len(sequence) > cached})
    return grow_tree([token_ids(sequence) for sequence in kept], cached)


def visible(tree: Tree, cached: int, window: int | None) -> Any:
    """Which of all keys each node sees, said in the plainest way."""
    seen = np.concatenate((np.ones((len(tree.tokens), cached), np.bool_), tree.allowed), axis=1)
    places = np.concatenate((np.arange(cached), tree.positions))
    return seen if window is None else seen & (tree.positions[:, None] - places[None] < window)


@pytest.mark.parametrize("multiply", PRODUCTS, ids=["torch", "onednn"][: len(PRODUCTS)])
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 37]), st.sampled_from([None, 5, 40]), st.sampled_from([1, 3]))
def test_attention_by_bundles_is_attention_with_a_mask(
    multiply: Any, seed: int, cached: int, window: int | None, together: int
) -> None:
    tree = random_tree(seed, cached)
    nodes, places, groups, width = len(tree.tokens), cached + len(tree.tokens), 2, 16
    noise = torch.Generator().manual_seed(seed)
    query = torch.randn(1, groups * together, nodes, width, generator=noise)
    key, value = (torch.randn(1, places, groups, width, generator=noise).transpose(1, 2) for _ in range(2))
    config = SimpleNamespace(_attn_implementation="sdpa")
    pieces = bundles(tree, cached, window)
    with torch.inference_mode(), tree_attention(config, [[], pieces], multiply):
        assert config._attn_implementation == attention.NAME
        found, _ = attend(torch.nn.Module(), query, key, value, kind_mask(1), scaling=0.3, dropout=0.0)
    assert config._attn_implementation == "sdpa"
    whole = torch.nn.functional.scaled_dot_product_attention(
        query.double(),
        key.double().repeat_interleave(together, 1),
        value.double().repeat_interleave(together, 1),
        attn_mask=torch.from_numpy(visible(tree, cached, window)),
        scale=0.3,
    )
    assert torch.allclose(found.double().transpose(1, 2), whole, atol=1e-5)


@given(st.integers(0, 10**6), st.sampled_from([0, 37, 2000]))
def test_bundles_hold_every_node_once_and_few_pairs_in_vain(seed: int, cached: int) -> None:
    tree = random_tree(seed, cached)
    pieces = bundles(tree, cached)
    assert [node for piece in pieces for node in range(piece.start, piece.end)] == list(range(len(tree.tokens)))
    computed = sum((piece.end - piece.start) * sum(b - a for a, b in piece.runs) for piece in pieces)
    small = len(tree.tokens) * (attention.SMALL + attention.LONGEST)
    assert computed <= visible(tree, cached, None).sum() + small


def test_an_argument_that_is_not_known_is_refused() -> None:
    """A layer with attention sinks, say, must not be computed without them."""
    query = torch.zeros(1, 2, 3, 4)
    with pytest.raises(NotImplementedError, match="s_aux"):
        attend(torch.nn.Module(), query, query, query, kind_mask(0), s_aux=torch.zeros(2), dropout=0.0)


@pytest.mark.parametrize("multiply", PRODUCTS, ids=["torch", "onednn"][: len(PRODUCTS)])
@pytest.mark.parametrize(("vocabulary", "bias"), [(7, True), (1024, False), (2500, True)])
def test_the_head_in_pieces_is_the_whole_head(multiply: Any, vocabulary: int, bias: bool) -> None:
    noise = torch.Generator().manual_seed(vocabulary)
    layer = torch.nn.Linear(16, vocabulary, bias=bias).requires_grad_(False)
    layer.weight.copy_(torch.randn(vocabulary, 16, generator=noise))
    states = 3 * torch.randn(9, 16, generator=noise)
    whole = torch.log_softmax(
        torch.nn.functional.linear(states.double(), layer.weight.double(), None if not bias else layer.bias.double()),
        -1,
    )
    rows = np.array([0, 8, 3, 3, 5, 0, 8])
    likely = whole.argmax(-1)
    targets = np.array([0, vocabulary - 1, int(likely[3]), 1, int(likely[5]), int(likely[0]), 2])
    with torch.inference_mode():
        found, greedy = Head(layer, multiply).measure(states, rows, targets)
    assert found == pytest.approx(whole[rows, targets].numpy(), abs=2e-5, rel=1e-6)
    assert greedy.tolist() == (likely[rows].numpy() == targets).tolist()


def test_of_equal_logits_the_first_counts_as_most_likely_even_across_pieces() -> None:
    layer = torch.nn.Linear(4, 3 * head.PIECE, bias=False).requires_grad_(False)
    layer.weight.fill_(0.5)
    states = torch.ones(1, 4)
    _, greedy = Head(layer, torch.nn.functional.linear).measure(
        states, np.zeros(3, np.int64), np.array([0, 1, head.PIECE])
    )
    assert greedy.tolist() == [True, False, False]


def test_logits_that_are_no_numbers_stay_so() -> None:
    layer = torch.nn.Linear(4, 10, bias=False).requires_grad_(False)
    layer.weight.fill_(float("nan"))
    found, _ = Head(layer, torch.nn.functional.linear).measure(torch.ones(1, 4), np.zeros(1, np.int64), np.array([3]))
    assert np.isnan(found).all()
