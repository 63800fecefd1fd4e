"""Where a text tells who wrote it: names of language models, and sentences in which the writer says it is one.

Judge copies have these places masked, so that a judge cannot favour its own family.
"""

from __future__ import annotations

import re
import unicodedata

MASK = "[가림]"

# A person may be called Claude: 클로드 모네 is left alone. Solar and Llama are everyday words unless a version follows.
_VERSION = (
    r"(?:[ -]?\d{1,2}(?:\.\d{1,2})?)?(?: (?:Flash|Pro|Ultra|Nano|Mini|Turbo|Plus|Opus|Sonnet|Haiku)(?![A-Za-z]))?"
)
_NAMES = (
    r"(?<![A-Za-z])(?:Claude(?:[ -](?:Opus|Sonnet|Haiku|Fable))?|ChatGPT|GPT[ -]?(?:\d(?:\.\d)?[a-z]{0,2}|OSS)"
    r"|Gemini|Gemma"
    r"|Anthropic|OpenAI|DeepMind|Grok|DeepSeek|Qwen|Kimi|ChatGLM|GLM-?\d|MiniMax|Mistral|Mixtral|Copilot|Perplexity"
    r"|HyperCLOVA(?: ?X)?|EXAONE|Kanana|Solar[ -](?:Pro|Mini)|Upstage|Llama[ -]?\d)"
    rf"{_VERSION}(?![A-Za-z])"
    r"|클로드(?! ?(?:모네|드뷔시|샤브롤|를루슈|레비|장|[가-힣]{1,4}의 (?:그림|작품|음악)))"
    r"|챗 ?지피티|챗GPT|제미나이|앤트로픽|앤스로픽"
    r"|오픈 ?에이아이|오픈AI|딥시크|하이퍼클로바(?: ?X)?|엑사원|코파일럿|업스테이지|솔라 ?(?:프로|미니)"
)
_BEING = (
    r"(?:언어 ?모델|인공 ?지능|(?<![A-Za-z])AI(?![A-Za-z])|에이아이|챗봇"
    r"|(?:AI|인공지능) ?(?:비서|어시스턴트|조수|도우미))"
)
_COPULA = (
    r"(?: ?(?:모델|비서|어시스턴트|챗봇|프로그램|도우미|시스템))?"
    r"(?:입니다|이에요|예요|이야|야(?![가-힣])|이다|라서|이라서|이기|이므로|이라|이지만|로서|으로서|일 뿐|에 불과)"
)
_SELF = (
    rf"(?:저는|난|나는|제가|내가|저 역시|본 모델은)[^.!?\n]{{0,60}}?{_BEING}{_COPULA}"
    rf"|(?:대규모 |거대 |AI |인공지능 )?(?:언어 ?모델|(?<![A-Za-z])AI|인공 ?지능|챗봇)"
    r"(?: (?:비서|어시스턴트|모델))?(?:으?로서)"
    r"|\bas an? (?:AI|artificial intelligence)(?: (?:language )?(?:model|assistant))?\b"
    r"|\bas a (?:large )?language model\b"
    r"|\bI(?: am|'m|’m) an? (?:AI|artificial intelligence|large language model|language model|chatbot)\b"
    r"(?: (?:language )?(?:model|assistant))?"
)
_PLACE = re.compile(f"(?P<self>{_SELF})|(?P<name>{_NAMES})", re.IGNORECASE)


def mask_self_identification(text: str) -> tuple[str, int]:
    """The text, composed (NFC), with each place that tells its writer replaced by a mark; and the number of places."""
    return _PLACE.subn(MASK, unicodedata.normalize("NFC", text))


def self_identifications(text: str, *, names: bool = True) -> list[str]:
    """The places that `mask_self_identification` would mask; without `names` only sentences about oneself."""
    found = _PLACE.finditer(unicodedata.normalize("NFC", text))
    return [match[0] for match in found if names or match["self"]]
