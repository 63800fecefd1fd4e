"""Which product a model's layers use: chosen by measurement, lent for a pass, never changing a number by much."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from jatdae.errors import RequestError
from jatdae.models.hf import kernels
from jatdae.models.hf.kernels import KERNELS, EngineOptions, choose_kernels, multiply_onednn, read_engine_options

onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN")


def network(bias: bool = True, width: int = 64) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        layers = [torch.nn.Linear(width, 3 * width, bias=bias), torch.nn.GELU(), torch.nn.Linear(3 * width, width)]
        return torch.nn.Sequential(*layers).requires_grad_(False)


def rows(count: int, width: int = 64) -> Any:
    return torch.randn(count, width, generator=torch.Generator().manual_seed(2))


@onednn
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("count", [1, 7, 300])
def test_every_product_gives_the_same_numbers_and_leaves_the_model_as_it_was(name: str, bias: bool, count: int) -> None:
    model = network(bias)
    exact = network(bias).double()(rows(count).double())
    before = model(rows(count))
    chosen = choose_kernels(model, name)
    assert chosen.name == name and (chosen.packed_mib > 0 or name != "onednn-packed" or bool(chosen.packed))
    with torch.inference_mode(), chosen.applied():
        assert torch.allclose(model(rows(count)).double(), exact, rtol=1e-5, atol=1e-6)
        assert ("forward" in model[0].__dict__) is (name != "torch")
    assert "forward" not in model[0].__dict__
    assert torch.equal(model(rows(count)), before)


@onednn
def test_a_pass_that_fails_gives_the_layers_back() -> None:
    model = network()
    chosen = choose_kernels(model, "onednn")
    with pytest.raises(RuntimeError), torch.inference_mode(), chosen.applied():
        model(rows(3, width=5))
    assert "forward" not in model[0].__dict__


@onednn
def test_the_fastest_by_measurement_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given measured rates, a later product is taken only where it is faster by its margin."""
    monkeypatch.setattr(kernels, "LEAST_WEIGHTS", 0)
    for rates, name in [
        ({"torch": 100.0, "onednn": 110.0, "onednn-packed": 112.0}, "torch"),
        ({"torch": 100.0, "onednn": 300.0, "onednn-packed": 305.0}, "onednn"),
        ({"torch": 100.0, "onednn": 300.0, "onednn-packed": 400.0}, "onednn-packed"),
    ]:
        monkeypatch.setattr(kernels, "_rates", lambda layers, candidates, rates=rates: rates)
        chosen = choose_kernels(network())
        assert (chosen.name, bool(chosen.note)) == (name, name != "torch")


@onednn
def test_a_copy_larger_than_its_limit_is_not_made() -> None:
    with pytest.raises(RequestError, match="packed_mib"):
        choose_kernels(network(), "onednn-packed", packed_mib=0)
    large = network(width=640)
    chosen = choose_kernels(large, packed_mib=2)
    assert "onednn-packed" not in chosen.rates and chosen.rates.keys() == {"torch", "onednn"} and not chosen.packed


def test_a_small_model_or_another_type_is_left_to_torch() -> None:
    assert choose_kernels(network()).name == "torch"
    assert choose_kernels(network(width=640).to(torch.bfloat16)).name == "torch"
    with pytest.raises(RequestError, match="float32 on a CPU"):
        choose_kernels(network().to(torch.bfloat16), "onednn")


def test_a_layer_that_someone_else_has_hooked_is_not_touched() -> None:
    model = network(width=640)
    mine = model[0].forward
    model[0].forward = mine
    chosen = choose_kernels(model)
    with chosen.applied():
        assert model[0].__dict__["forward"] is mine
    assert model[0].__dict__["forward"] is mine


@onednn
def test_a_transposed_weight_is_as_good_as_a_dense_one() -> None:
    x, weight = rows(5), rows(40)
    with torch.inference_mode():
        transposed = multiply_onednn(multiply_onednn(x, weight, None), weight.t(), None)
        assert torch.allclose(transposed, x @ weight.t() @ weight, rtol=1e-4, atol=1e-3)


def test_options_are_read_and_wrong_ones_refused() -> None:
    assert read_engine_options(()) == EngineOptions()
    assert read_engine_options((("kernel", "onednn"), ("packed_mib", "0"))) == EngineOptions("onednn", 0)
    for given, told in [
        (("kernel", "mkl"), "use auto, torch"),
        (("packed_mib", "-3"), "whole number"),
        (("actors", "2"), "unknown to the backend hf"),
    ]:
        with pytest.raises(RequestError, match=told):
            read_engine_options((given,))
