"""What this package relies on of vLLM, with a real small model behind it: parameters in, outputs in vLLM's shapes.

Names and shapes were compared with vLLM 0.32 (`SamplingParams`, `LLM.generate`, `RequestOutput`).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch

LONGEST = 128


@dataclass
class SamplingParams:
    max_tokens: int = 16
    temperature: float = 1.0
    top_p: float = 1.0
    prompt_logprobs: int | None = None
    logprob_token_ids: list[int] | None = None
    detokenize: bool = True
    stop: list[str] | None = None
    stop_token_ids: list[int] | None = None
    include_stop_str_in_output: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        assert not (self.stop and not self.detokenize)
        assert len(self.logprob_token_ids or ()) <= LONGEST


@dataclass
class Logprob:
    logprob: float
    rank: int


class LLM:
    """Keeps what it was opened with and asked."""

    opened: Any = None
    asked: Any = None

    def __init__(self, model: str, **settings: Any) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        type(self).opened, type(self).asked = {"model": model, **settings}, []
        self.network = AutoModelForCausalLM.from_pretrained(model).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(model)

    def generate(self, prompts: list[Any], params: list[SamplingParams], *, use_tqdm: bool, lora_request: Any) -> list:
        type(self).asked += params
        pairs = zip(prompts, params, strict=True)
        return [self._answer(prompt["prompt_token_ids"], one) for prompt, one in pairs]

    @torch.inference_mode()
    def _answer(self, ids: list[int], params: SamplingParams) -> Any:
        logs = self._logs(ids)
        told = None
        if params.prompt_logprobs is not None:
            told = [None, *({ids[at + 1]: _entry(logs[at], ids[at + 1])} for at in range(len(ids) - 1))]
        written, text = self._continue(ids, params)
        wanted = {token: _entry(logs[-1], token) for token in [*(params.logprob_token_ids or ()), written[0]]}
        ended = written[-1] in (params.stop_token_ids or ()) or any(stop in text for stop in params.stop or ())
        output = SimpleNamespace(
            token_ids=written, text=text, logprobs=[wanted], finish_reason="stop" if ended else "length"
        )
        return SimpleNamespace(prompt_logprobs=told, outputs=[output])

    def _continue(self, ids: list[int], params: SamplingParams) -> tuple[list[int], str]:
        written: list[int] = []
        text = ""
        while len(written) < params.max_tokens:
            written.append(int(self._logs([*ids, *written])[-1].argmax()))
            text = self.tokenizer.decode(written, skip_special_tokens=True)
            if written[-1] in (params.stop_token_ids or ()) or any(stop in text for stop in params.stop or ()):
                break
        return written, text

    def _logs(self, ids: list[int]) -> torch.Tensor:
        return self.network(torch.tensor([ids])).logits[0].log_softmax(-1)


def _entry(row: torch.Tensor, token: int) -> Logprob:
    return Logprob(float(row[token]), int((row > row[token]).sum()) + 1)
