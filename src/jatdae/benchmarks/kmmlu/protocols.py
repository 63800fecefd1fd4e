"""How KMMLU is asked: the published protocol of each mode, the settings that may be changed, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.base import refuse_unused_sampling
from jatdae.benchmarks.kmmlu.subjects import EXAMPLES
from jatdae.errors import RequestError, did_you_mean
from jatdae.types import Protocol, Sampling

MODES: Mapping[str, str] = {
    "letter": "options are listed; the most likely letter is the answer",
    "direct": "options are listed; a few tokens are generated and the letter is read out of them",
    "cot": "the model reasons freely; the letter is read out of its final answer",
    "cloze": "options are not listed; the option most likely per character is the answer",
}
CUE = "정답："
"""With the full-width colon, as in lm-evaluation-harness. Another cue is another prompt."""
REASONING_CUE = "정답:"
STRICT = "strict-lm-eval"

_READING = {"match": "extract", "value_reading": "no", "cue_text": "no"}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "letter": {"cue": CUE, "instruction": "auto"},
    "direct": {"cue": CUE, "instruction": "auto", **_READING},
    "cot": {"cue": REASONING_CUE, "instruction": "auto", "layout": "clean", **_READING},
    "cloze": {"cue": CUE, "instruction": "auto"},
}
"""Settings of each mode with their defaults.

`instruction`: `auto` adds a fixed sentence when a chat model is asked without examples, `none` never, any other text is
put before the prompt. `match`: which reading of the text decides, `extract` or `strict-lm-eval`. `value_reading` and
`cue_text`: two optional readings of answers that give an option's value or text. `layout`: `clean`, or `lm-eval` with
the doubled cue sentence of its worked examples.
"""
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "match": ("extract", STRICT),
    "value_reading": ("no", "yes"),
    "cue_text": ("no", "yes"),
    "layout": ("clean", "lm-eval"),
}
_INSTRUCTIONS = {
    "letter": "다음 문제를 읽고 알맞은 보기의 글자(A, B, C, D) 하나만 쓰세요.",
    "direct": "다음 문제를 읽고 알맞은 보기의 글자(A, B, C, D) 하나만 쓰세요.",
    "cot": "다음 문제를 차례로 풀고, 마지막 줄에 '정답: X'라고 쓰세요. X는 A, B, C, D 가운데 하나입니다.",
}


def published(mode: str) -> Protocol:
    """The protocol of the KMMLU paper in one mode: five examples, the dev rows in file order, greedy decoding."""
    return Protocol(mode=mode, shots=EXAMPLES, demos="fixed", sampling=_sampling(mode), options=dict(OPTIONS[mode]))


def _sampling(mode: str) -> Sampling:
    if mode == "direct":
        return Sampling(max_tokens=16, stop=("\n\n",))
    if mode == "cot":
        # After its answer a base model goes on with a next question, which ends in the cue like the examples before it.
        return Sampling(max_tokens=2048, stop=("질문:", f"{REASONING_CUE} 차근 차근 생각해봅시다"))
    return Sampling()


def setting(protocol: Protocol, name: str) -> str:
    """A setting of the protocol, or its default."""
    return protocol.options.get(name, OPTIONS[protocol.mode].get(name, ""))


def check(protocol: Protocol) -> None:
    """Refuse what makes no sense. Raises RequestError that names the setting and its choices."""
    for name, choices in _CHOICES.items():
        value = setting(protocol, name)
        if name in OPTIONS[protocol.mode] and value not in choices:
            raise RequestError(f"{name}={value}: {did_you_mean(value, choices)}; the choices are {', '.join(choices)}")
    cue = setting(protocol, "cue")
    if not cue.strip() or cue != cue.rstrip():
        raise RequestError(
            f"cue={cue!r}: a cue must not be empty or end in white space; the space belongs to the answer"
        )
    if protocol.split not in ("test", "dev", "train"):
        raise RequestError(f"KMMLU has no split {protocol.split!r}; the splits are test, dev, train")
    if protocol.mode in ("letter", "cloze"):
        refuse_unused_sampling(protocol)


def description(protocol: Protocol) -> str:
    """What is said once before the prompt, with the blank line after it; empty for the standard protocol."""
    chosen = setting(protocol, "instruction")
    if chosen in ("", "none"):
        return ""
    if chosen != "auto":
        return f"{chosen}\n\n"
    fixed = _INSTRUCTIONS.get(protocol.mode, "") if protocol.chat_template and protocol.shots == 0 else ""
    return f"{fixed}\n\n" if fixed else ""
