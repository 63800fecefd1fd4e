"""The door to vLLM: opening an engine, and asking it in token ids."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from jatdae.errors import ModelError, RequestError, did_you_mean
from jatdae.models.hf.checkpoint import read_json
from jatdae.models.hf.loading import Source, choose_device
from jatdae.models.options import ModelOptions

MOST_TARGETS = 128
"""So many tokens vLLM gives the log-probabilities of after one prompt."""
RANK = 64
"""Rank of an adapter whose config does not say it."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What `--backend-option` says: GPUs that share the model, the share of their memory to take, the longest text."""

    tensor_parallel: int = 1
    memory: float = 0.9
    window: int | None = None


def read_engine_options(options: Sequence[tuple[str, str]]) -> EngineOptions:
    """Raises RequestError for an unknown name or a number out of range."""
    known = {entry.name for entry in fields(EngineOptions)}
    values: dict[str, float] = {}
    for name, text in options:
        if name not in known:
            raise RequestError(f"--backend-option {name}: vllm has no such option; {did_you_mean(name, known)}")
        try:
            values[name] = float(text)
        except ValueError:
            raise RequestError(f"--backend-option {name}={text}: a number is needed") from None
    if values.get("tensor_parallel", 1) < 1 or values.get("window", 1) < 1 or not 0 < values.get("memory", 0.9) <= 1:
        raise RequestError("--backend-option: tensor_parallel and window from 1 on, memory above 0 and up to 1")
    window = values.get("window")
    return EngineOptions(
        int(values.get("tensor_parallel", 1)), values.get("memory", 0.9), None if window is None else int(window)
    )


def need_vllm(reference: object) -> None:
    """Raises ModelError, with how to install it, where vLLM is not there."""
    if find_spec("vllm") is None:
        raise ModelError(f"{reference} needs the package vllm; install it with: pip install 'jatdae[vllm]'")


class Engine:
    """A model inside vLLM. Raises ModelError, one line, where it does not load."""

    def __init__(self, source: Source, options: ModelOptions, own: EngineOptions, window: int) -> None:
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        try:
            self._llm = _vllm().LLM(
                model=source.name,
                tokenizer=source.name,
                revision=source.revision,
                dtype=_dtype(options),
                seed=0,
                max_model_len=min(own.window or window, window),
                tensor_parallel_size=own.tensor_parallel,
                gpu_memory_utilization=own.memory,
                max_num_batched_tokens=options.batch_tokens,
                trust_remote_code=options.trust_remote_code,
                enable_prefix_caching=True,
                generation_config="vllm",
                disable_log_stats=True,
                **_adapter_settings(source),
            )
        except (OSError, ValueError, RuntimeError, ImportError, NotImplementedError) as error:
            raise ModelError(f"vLLM does not load {source.shown}: {_line(error)}") from error
        self._adapter = _adapter_request(source)

    def ask(self, prompts: Sequence[Sequence[int]], settings: Sequence[Any]) -> list[Any]:
        """vLLM's answers, one a prompt, in order. Raises ModelError where the engine breaks."""
        asked = [{"prompt_token_ids": list(ids)} for ids in prompts]
        try:
            return self._llm.generate(asked, list(settings), use_tqdm=False, lora_request=self._adapter)
        except (RuntimeError, ValueError, *_engine_errors()) as error:
            raise ModelError(f"vLLM broke off: {_line(error)}") from error


def _vllm() -> Any:
    return import_module("vllm")


def _engine_errors() -> tuple[type[Exception], ...]:
    """What vLLM raises when its engine's own process has died."""
    errors = import_module("vllm.v1.engine.exceptions")
    return errors.EngineDeadError, errors.EngineGenerateError


def next_token(targets: Sequence[int]) -> Any:
    """Ask for the log-probabilities of some tokens after the prompt; the prompt itself may come from the cache."""
    return _vllm().SamplingParams(max_tokens=1, temperature=0.0, logprob_token_ids=list(targets), detokenize=False)


def whole_prompt() -> Any:
    """Ask for the log-probability of every token of the prompt. vLLM reads nothing from its cache for it."""
    return _vllm().SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0, detokenize=False)


def continuation(sampling: Any, ends: frozenset[int], seed: int) -> Any:
    """Ask for text."""
    return _vllm().SamplingParams(
        max_tokens=sampling.max_tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        stop=list(sampling.stop) or None,
        stop_token_ids=sorted(ends),
        include_stop_str_in_output=True,
        seed=seed if sampling.temperature > 0 else None,
    )


def _dtype(options: ModelOptions) -> str:
    if options.dtype is not None:
        return options.dtype
    return "float32" if choose_device(options.device) == "cpu" else "auto"


def _adapter_settings(source: Source) -> dict[str, Any]:
    if source.adapter is None:
        return {}
    return {"enable_lora": True, "max_lora_rank": _rank(source)}


def _rank(source: Source) -> int:
    assert source.adapter is not None  # noqa: S101 - asked for adapters only
    rank = read_json(source.adapter.folder / "adapter_config.json").get("r")
    return rank if isinstance(rank, int) else RANK


def _adapter_request(source: Source) -> Any:
    if source.adapter is None:
        return None
    return import_module("vllm.lora.request").LoRARequest("adapter", 1, str(source.adapter.folder))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:240] or type(error).__name__
