"""A small Llama from nothing, which reads Korean and repeats what it has read: something to fine-tune within minutes.

Every row is a sentence, a line feed, and the sentence again; half of the second ones lack words. It learns the language
from the first line, and from the second that what follows depends on what stands before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.nn.utils.rnn import pad_sequence
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, get_cosine_schedule_with_warmup

from jatdae.models.hf.loading import silent_transformers

Report = Callable[[int, float], None]
"""Is told the step, from 1 on, and the mean loss in nats a token."""

POOL = 20
"""So many batches are drawn at random before their rows are sorted by length, so that little is padding."""
IGNORED = -100


@dataclass(frozen=True, slots=True)
class Course:
    """The model's sizes and how it is trained. `length` is the most tokens of a row, `lr` the peak of the rate, which
    is reached after a tenth of the `steps`; `kept` is the share of words that a thinned sentence has."""

    vocabulary: int = 3_000
    hidden: int = 128
    layers: int = 3
    heads: int = 4
    length: int = 160
    batch: int = 24
    steps: int = 1_300
    lr: float = 5e-3
    kept: float = 0.7
    seed: int = 7


def pretrain(folder: Path, sentences: Sequence[str], course: Course, report: Report) -> Path:
    """Write tokenizer and trained weights to `folder`; returns `folder`."""
    tokenizer = _tokenizer(sentences, course.vocabulary)
    torch.manual_seed(course.seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=course.hidden,
            intermediate_size=3 * course.hidden,
            num_hidden_layers=course.layers,
            num_attention_heads=course.heads,
            max_position_embeddings=1024,
            initializer_range=course.hidden**-0.5 / 2,
            tie_word_embeddings=True,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    _train(model, _batches(tokenizer, sentences, course), course, report)
    with silent_transformers():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def _tokenizer(sentences: Sequence[str], vocabulary: int) -> Any:
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=["<s>", "</s>", "<pad>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(sentences, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token="<pad>")


def _train(model: Any, batches: Iterator[dict[str, torch.Tensor]], course: Course, report: Report) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=course.lr, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = get_cosine_schedule_with_warmup(optimizer, course.steps // 10, course.steps)
    model.train()
    for step in range(1, course.steps + 1):
        loss = model(**next(batches)).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        report(step, loss.item())


def _batches(tokenizer: Any, sentences: Sequence[str], course: Course) -> Iterator[dict[str, torch.Tensor]]:
    draw = random.Random(course.seed)
    rows = _rows(sentences, draw, course.kept)
    while True:
        texts = [next(rows) for _ in range(POOL * course.batch)]
        pool = sorted((ids[: course.length] for ids in tokenizer(texts)["input_ids"]), key=len)
        runs = [pool[start : start + course.batch] for start in range(0, len(pool), course.batch)]
        yield from (_batch(run, tokenizer.pad_token_id) for run in draw.sample(runs, len(runs)))


def _rows(sentences: Sequence[str], draw: random.Random, kept: float) -> Iterator[str]:
    """All sentences once in random order, and again; each with itself, or with what is left of it."""
    while True:
        for sentence in draw.sample(sentences, len(sentences)):
            words = [word for word in sentence.split() if draw.random() < kept]
            thinned = words and draw.random() < 0.5
            yield f"{sentence}\n{' '.join(words) if thinned else sentence}\n"


def _batch(rows: Sequence[Sequence[int]], padding: int) -> dict[str, torch.Tensor]:
    ids = pad_sequence([torch.tensor(row) for row in rows], True, padding)
    mask = pad_sequence([torch.ones(len(row), dtype=torch.long) for row in rows], True)
    return {"input_ids": ids, "attention_mask": mask, "labels": ids.masked_fill(mask == 0, IGNORED)}
