"""A tiny random Llama with its own Korean tokenizer, written to a folder as a real checkpoint.

Nothing is downloaded: the tokenizer is trained on the sentences below, the weights come from a seed.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

PEOPLE = ("할머니는", "민수는", "옆집 아저씨는", "우리 반 친구들은", "지은이는", "늙은 어부는", "동생은", "선생님은")
PLACES = ("시장에서", "바닷가에서", "도서관에", "산 중턱에서", "부엌에서", "운동장에서", "기차 안에서")
DEEDS = (
    "갓 구운 빵을 샀다.",
    "오래된 책을 읽지 않았다.",
    "비가 그칠 때까지 기다렸다.",
    "친구에게 편지를 못 썼다.",
    "밤하늘의 별을 세어 보았다.",
    "아무 말도 하지 않고 웃었다.",
    "김치찌개를 끓여 나누어 먹었다.",
)
FRAMES = (
    "질문: 다음 가운데 알맞은 것을 고르시오.\nA. 첫째\nB. 둘째\nC. 셋째\nD. 넷째\n정답： A",
    "문장: 이 문장을 부정하는 문장으로 바꾸시오.\n부정문: 그렇지 않다.",
    "1. 봄 2. 여름 3. 가을 4. 겨울\n답: 2",
)
SENTENCES = tuple(f"{who} {where} {what}" for who, where, what in itertools.product(PEOPLE, PLACES, DEEDS))
CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
CHAT_TEMPLATE_WITH_BOS = "{{ bos_token }}" + CHAT_TEMPLATE


def build_tokenizer(*, bos: bool, chat_template: str | None = None, vocabulary: int = 700) -> Any:
    """A byte-level BPE tokenizer; with `bos` it puts `<s>` before every text, as Llama's and Gemma's do."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>", "<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator([*SENTENCES, *FRAMES], trainer)
    if bos:
        core.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token="</s>")
    tokenizer.chat_template = chat_template
    return tokenizer


def build_tiny_model(
    folder: Path, *, bos: bool, chat_template: str | None = None, window: int = 2048, seed: int = 7
) -> Path:
    """Write config, tokenizer and safetensors weights of a 2-layer Llama to `folder`; returns `folder`."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = build_tokenizer(bos=bos, chat_template=chat_template)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=window,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.2,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    model.eval()
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
