"""Which matrix product a model's linear layers use on a CPU: torch's own, or oneDNN's, whichever is measured faster.

torch hands a float32 product to the library that it was built with, usually MKL; on processors that MKL does not know
well that is several times slower than the same product in oneDNN, which torch carries too. oneDNN can also be given
weights in its own order (packed), which is a second copy of them. The model itself is never changed: `applied` lends
its layers another forward for the time of a pass. See docs/decisions/cpu-kernels.md.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import nn

from jatdae.errors import RequestError

Kernel = Literal["torch", "onednn", "onednn-packed"]
KERNELS: tuple[Kernel, ...] = ("torch", "onednn", "onednn-packed")
PACKED_MIB = 2048
"""Most memory that a packed copy of the weights may take, unless told otherwise."""
KEPT_PRODUCTS = "64"
"""Shapes whose prepared products are kept: about those of one pack. Each takes half a megabyte or more, and packs have
ever new shapes; making one anew costs little."""
CACHES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")
"""The caches of oneDNN and of torch's layer over it, 1024 shapes each; both read their size at first use only."""
MEASURED_ROWS = 256
MEASURED_RUNS = 3
OTHER_LIBRARY, COPY = 1.2, 1.05
"""How many times as fast as torch's own product another must be, and a packed copy as the same without: sums in
another order have other last digits, and a copy takes memory, so that chance must not decide."""
LEAST_WEIGHTS = 2**20
"""A model with fewer weights in its linear layers is done before a measurement pays."""

Multiply = Callable[[torch.Tensor, torch.Tensor, torch.Tensor | None], torch.Tensor]
"""(rows, inner) times (columns, inner) transposed, plus a bias of (columns,)."""


def multiply_onednn(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """The product in oneDNN, in float32 throughout. The weight is packed, or dense, or a dense one transposed."""
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


@dataclass(slots=True)
class Kernels:
    """The product chosen for a model's layers. `packed` holds weights in oneDNN's order, by layer; it may be empty."""

    name: Kernel
    rates: dict[Kernel, float] = field(default_factory=dict)
    layers: Sequence[nn.Linear] = ()
    packed: dict[int, torch.Tensor] = field(default_factory=dict)

    @property
    def multiply(self) -> Multiply:
        """The product of two tensors that are not the model's weights."""
        return nn.functional.linear if self.name == "torch" else multiply_onednn

    @property
    def packed_mib(self) -> int:
        """Memory of the second copy of the weights."""
        return sum(layer.weight.nbytes for layer in self.layers) // 2**20 if self.packed else 0

    @property
    def note(self) -> str:
        """What a reader should know of the choice; empty where torch is used as it is."""
        if self.name == "torch":
            return ""
        copy = f", with a packed copy of the weights of {self.packed_mib} MiB" if self.packed else ""
        return f"matrix products are computed by oneDNN{copy}: measured to be faster here than torch's own way"

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let the model's layers use this product inside the block."""
        if self.name == "torch":
            yield
            return
        try:
            for layer in self.layers:
                layer.__dict__["forward"] = _forward(self.packed.get(id(layer), layer.weight), layer.bias)
            yield
        finally:
            for layer in self.layers:
                layer.__dict__.pop("forward", None)


def _forward(weight: torch.Tensor, bias: torch.Tensor | None) -> Callable[[torch.Tensor], torch.Tensor]:
    def forward(input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - the name that torch gives it
        return multiply_onednn(input, weight, bias)

    return forward


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The backend's own options: a product by name, and the most memory for a packed copy of the weights, in MiB."""

    kernel: str = "auto"
    packed_mib: int = PACKED_MIB


def read_engine_options(given: Sequence[tuple[str, str]]) -> EngineOptions:
    """Options as they were typed. Raises RequestError for one that is unknown or no whole number."""
    known = dict(given)
    kernel, packed = known.pop("kernel", "auto"), known.pop("packed_mib", str(PACKED_MIB))
    if known:
        raise RequestError(
            f"--backend-option {next(iter(known))}: unknown to the backend hf; it has kernel, packed_mib"
        )
    if kernel != "auto" and kernel not in KERNELS:
        raise RequestError(f"--backend-option kernel={kernel}: unknown; use auto, {', '.join(KERNELS)}")
    if not packed.isdecimal():
        raise RequestError(f"--backend-option packed_mib={packed}: a whole number is needed, 0 for no copy")
    return EngineOptions(kernel, int(packed))


def choose_kernels(model: nn.Module, wanted: str = "auto", packed_mib: int = PACKED_MIB) -> Kernels:
    """Measure the products on this model's own shapes and take the fastest; `wanted` names one instead.

    Only float32 on a CPU has a choice. A packed copy larger than `packed_mib` is not made. Raises RequestError for a
    name that is not possible here.
    """
    named: list[Kernel] = [name for name in KERNELS if wanted in ("auto", name)]
    layers = [] if wanted == "torch" else _layers(model)
    if not layers and named[0] != "torch":
        raise RequestError(f"kernel {wanted}: needs float32 on a CPU and a torch built with oneDNN; use auto")
    weights = sum(layer.weight.numel() for layer in layers)
    if not layers or (wanted == "auto" and weights < LEAST_WEIGHTS):
        return Kernels("torch")
    fits = 4 * weights <= packed_mib * 2**20
    candidates: list[Kernel] = [name for name in named if fits or name != "onednn-packed"]
    if not candidates:
        raise RequestError(f"kernel {wanted}: the copy takes more than {packed_mib} MiB; raise packed_mib")
    for cache in CACHES:
        os.environ.setdefault(cache, KEPT_PRODUCTS)
    with torch.inference_mode():
        rates = _rates(layers, candidates)
        chosen = _fastest(rates)
        packed = {id(layer): _pack(layer.weight) for layer in layers} if chosen == "onednn-packed" else {}
    return Kernels(chosen, rates, layers, packed)


def _fastest(rates: Mapping[Kernel, float]) -> Kernel:
    """The fastest, where a later one must be faster by a margin than the one that is left for it."""
    chosen, *others = rates
    for name in others:
        margin = OTHER_LIBRARY if chosen == "torch" else COPY
        chosen = name if rates[name] >= margin * rates[chosen] else chosen
    return chosen


def _layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers that can be lent another product: of torch's own class, with no hook of anyone else.

    The output head is left out: it is large, often shared with the embeddings, and computed in pieces (`head`).
    """
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return []
    output: Any = getattr(model, "get_output_embeddings", lambda: None)()
    return [
        layer
        for layer in model.modules()
        if type(layer) is nn.Linear and layer is not output and "forward" not in layer.__dict__ and _is_plain(layer)
    ]


def _is_plain(layer: nn.Linear) -> bool:
    weight = layer.weight
    return type(weight.data) is torch.Tensor and weight.device.type == "cpu" and weight.dtype == torch.float32


def _pack(weight: torch.Tensor) -> torch.Tensor:
    return torch.ops.mkldnn._reorder_linear_weight(weight.detach(), MEASURED_ROWS)


def _rates(layers: Sequence[nn.Linear], candidates: Sequence[Kernel]) -> dict[Kernel, float]:
    """GFLOP/s of each product over the model's shapes, each weighted by how often it occurs."""
    shapes: dict[torch.Size, list[nn.Linear]] = {}
    for layer in layers:
        shapes.setdefault(layer.weight.shape, []).append(layer)
    seconds: dict[Kernel, float] = dict.fromkeys(candidates, 0.0)
    work = 0.0
    for shape, alike in shapes.items():
        rows = torch.ones(MEASURED_ROWS, shape[1])
        weight = alike[0].weight
        work += 2.0 * MEASURED_ROWS * shape.numel() * len(alike)
        for name in candidates:
            other = _pack(weight) if name == "onednn-packed" else weight
            multiply = nn.functional.linear if name == "torch" else multiply_onednn
            seconds[name] += len(alike) * _seconds(lambda m=multiply, w=other, x=rows: m(x, w, None))
    return {name: work / took / 1e9 for name, took in seconds.items()}


def _seconds(call: Callable[[], object]) -> float:
    """Seconds of the fastest of a few calls, after one that warms up."""
    call()
    taken = []
    for _ in range(MEASURED_RUNS):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)
