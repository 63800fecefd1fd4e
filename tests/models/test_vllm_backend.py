"""Answers by way of vLLM are those of the `hf` backend: against vLLM's contract here, against vLLM where it is."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("torch")

import vllm_contract
from tiny_model import build_tiny_model

from jatdae.errors import ModelError, RequestError, RequestFailed
from jatdae.models.base import parse_reference
from jatdae.models.opening import open_backend
from jatdae.models.options import ModelOptions
from jatdae.models.vllm import backend as backend_module
from jatdae.models.vllm.engine import read_engine_options
from jatdae.types import Generate, Sampling, Score

CPU = ModelOptions(device="cpu")


def answers(backend, requests):
    return {index: answer for part in backend.answer(requests) for index, answer in part}


@pytest.fixture
def contract(monkeypatch):
    """Stands in for the package vllm."""
    names = ("EngineDeadError", "EngineGenerateError")
    errors = SimpleNamespace(**{name: type(name, (Exception,), {}) for name in names})
    module = ModuleType("vllm")
    module.LLM, module.SamplingParams = vllm_contract.LLM, vllm_contract.SamplingParams  # pyright: ignore
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setitem(sys.modules, "vllm.v1.engine.exceptions", errors)
    monkeypatch.setattr(backend_module, "need_vllm", lambda reference: None)
    monkeypatch.setattr(backend_module, "_version", lambda: "0.32.0")
    return vllm_contract.LLM


@pytest.fixture
def both(contract, tiny_model):
    """One model behind vLLM's contract and in the `hf` backend."""
    return [open_backend(parse_reference(f"{kind}:{tiny_model}"), CPU) for kind in ("vllm", "hf")]


def assert_same_scores(found, expected):
    assert (found.prompt_tokens, found.merged, found.cut_tokens) == (
        expected.prompt_tokens,
        expected.merged,
        expected.cut_tokens,
    )
    for one, other in zip(found.options, expected.options, strict=True):
        assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-5)
        assert (one.tokens, one.greedy) == (other.tokens, other.greedy)


@pytest.mark.parametrize(
    "request_",
    [
        Score("정답:", (" A", " B", " C", " D")),
        Score("민수는 시장에서", (" 빵을 샀다.", " 빵을 사지 않았다.", " 책을 읽었다.")),
        Score("문장:", (" 가", " 가나", " 가나다")),
        Score("", ("봄", "여름")),
    ],
    ids=["letters", "sentences", "one within another", "no context"],
)
def test_scores_are_those_of_the_other_backend(both, request_):
    (found,), (expected,) = ([*answers(backend, [request_]).values()] for backend in both)

    assert_same_scores(found, expected)


def test_letters_are_read_after_the_prompt_so_that_the_cache_serves(both, contract):
    answers(both[0], [Score("정답:", ("A", "B"))])

    assert [params.prompt_logprobs for params in contract.asked] == [None]
    assert len(contract.asked[0].logprob_token_ids) == 2


def test_more_letters_than_vllm_takes_at_once_are_asked_in_two(contract, tmp_path):
    folder = build_tiny_model(tmp_path / "model", bos=True, chat_template=None)
    backend, other = (open_backend(parse_reference(f"{kind}:{folder}"), CPU) for kind in ("vllm", "hf"))
    many = Score("정답:", tuple(chr(code) for code in range(0x30, 0x7B)) + tuple(f" {n}" for n in range(90)))

    found, expected = answers(backend, [many])[0], answers(other, [many])[0]

    assert_same_scores(found, expected)


def test_texts_are_those_of_the_other_backend(both):
    asked = [Generate(f"질문 {n}: 봄은", Sampling(max_tokens=8, stop=("다", "\n"))) for n in range(4)]

    found, expected = (answers(backend, asked) for backend in both)

    assert found == expected


def test_a_prompt_that_is_too_long_fails_alone(both):
    found = answers(both[0], [Score("가" * 3000, (" 나",)), Score("가", (" 나",))])

    assert isinstance(found[0], RequestFailed)
    assert found[1].options


def test_an_engine_that_dies_is_one_line(both, contract, monkeypatch):
    def dies(*_, **__):
        raise sys.modules["vllm.v1.engine.exceptions"].EngineDeadError("engine core\ndied")

    monkeypatch.setattr(contract, "generate", dies)

    with pytest.raises(ModelError, match="vLLM broke off: engine core died"):
        answers(both[0], [Score("가", (" 나",))])


def test_its_answers_are_not_taken_for_the_other_backends(both):
    ours, other = both

    assert ours.identity.key != other.identity.key
    assert ours.identity.facts["weights"] == other.identity.facts["weights"]
    assert ours.settings["engine"] == "vllm 0.32.0"


def test_options_reach_the_engine(contract, tiny_model):
    chosen = (("tensor_parallel", "2"), ("memory", "0.5"), ("window", "512"))
    options = ModelOptions(device="cpu", backend_options=chosen)

    answers(open_backend(parse_reference(f"vllm:{tiny_model}"), options), [Score("가", (" 나",))])

    opened = contract.opened
    assert (opened["tensor_parallel_size"], opened["gpu_memory_utilization"], opened["max_model_len"]) == (2, 0.5, 512)
    assert opened["dtype"] == "float32"
    assert opened["enable_prefix_caching"]


@pytest.mark.parametrize("option", [("tensor", "2"), ("memory", "viel"), ("memory", "1.5"), ("window", "0")])
def test_an_option_that_cannot_be_is_refused(option):
    with pytest.raises(RequestError):
        read_engine_options([option])


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vllm is installed")
def test_without_the_package_one_line_says_how_to_install_it(tiny_model):
    with pytest.raises(ModelError, match=r"pip install 'jatdae\[vllm\]'"):
        open_backend(parse_reference(f"vllm:{tiny_model}"), CPU)
