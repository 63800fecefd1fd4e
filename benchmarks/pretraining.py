"""A small BERT from nothing: it guesses masked words, finds what two texts share, tells whether they belong together.

The second and third teach it to compare texts within minutes on a CPU; masked words alone take far longer to.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoConfig, AutoModelForPreTraining, AutoTokenizer, get_linear_schedule_with_warmup

from jatdae.finetune.tiny import SPECIAL, build_tiny_encoder
from jatdae.models.hf.loading import silent_transformers

Pair = tuple[str, str]
Report = Callable[[int, Sequence[float]], None]
"""Is told the step, from 1 on, and the losses: of masked words, of shared words, of pairs."""

POOL = 20
"""So many batches are drawn at random before their rows are sorted by length, so that little is padding."""
UNASKED = -100


@dataclass(frozen=True, slots=True)
class Course:
    """The encoder's sizes and how it is trained. `masked` is the share of tokens to be guessed, `length` the most
    tokens of a row, `lr` the peak, which is reached after a tenth of the `steps`."""

    vocabulary: int = 6_000
    hidden: int = 128
    layers: int = 3
    positions: int = 256
    length: int = 128
    batch: int = 16
    steps: int = 3_000
    lr: float = 1e-3
    masked: float = 0.2
    seed: int = 7


def pretrain(folder: Path, pairs: Sequence[Pair], course: Course, report: Report) -> Path:
    """Write a tokenizer and a trained encoder to `folder`; returns `folder`.

    Every row holds the two texts of a pair, or one of them beside another pair's.
    """
    build_tiny_encoder(
        folder,
        [text for pair in pairs for text in pair],
        vocabulary=course.vocabulary,
        hidden=course.hidden,
        layers=course.layers,
        positions=course.positions,
    )
    with silent_transformers():
        tokenizer = AutoTokenizer.from_pretrained(folder)
        model = PairModel(AutoConfig.from_pretrained(folder), course.seed)
        _train(model, _batches(tokenizer, pairs, course), course, report)
        model.whole.base_model.save_pretrained(folder)
    return folder


class PairModel(nn.Module):
    """BERT with its own two heads, and a third that says of each token whether the other text has it as well."""

    def __init__(self, config: Any, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        # the usual deviation of 0.02 is meant for a width of 768; at 128 it leaves attention nearly uniform
        config.initializer_range = config.hidden_size**-0.5
        self.whole: Any = AutoModelForPreTraining.from_config(config)
        self.shared = nn.Linear(config.hidden_size, 2)
        self._look_for_equal_words()

    @torch.no_grad()
    def _look_for_equal_words(self) -> None:
        """Queries start as keys, and a token's vector mostly as its word, so attention starts where equal words are."""
        body = self.whole.base_model
        body.embeddings.position_embeddings.weight *= 0.2
        body.embeddings.token_type_embeddings.weight *= 0.2
        for layer in body.encoder.layer:
            layer.attention.self.key.weight.copy_(layer.attention.self.query.weight)

    def forward(self, inputs: dict[str, Tensor], words: Tensor, shared: Tensor, apart: Tensor) -> list[Tensor]:
        """Mean cross-entropies: of masked words, of shared words, of pairs. `UNASKED` places are left out."""
        found = self.whole.base_model(**inputs)
        states, masked = found.last_hidden_state, words != UNASKED
        # scores over the whole vocabulary are what costs most, so only masked places get them
        guesses = self.whole.cls.predictions(states[masked])
        return [
            functional.cross_entropy(guesses, words[masked]),
            functional.cross_entropy(self.shared(states).transpose(1, 2), shared, ignore_index=UNASKED),
            functional.cross_entropy(self.whole.cls.seq_relationship(found.pooler_output), apart),
        ]


def _train(model: PairModel, batches: Iterator[dict[str, Any]], course: Course, report: Report) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=course.lr, weight_decay=0.01)
    schedule = get_linear_schedule_with_warmup(optimizer, course.steps // 10, course.steps)
    model.train()
    for step in range(1, course.steps + 1):
        losses = model(**next(batches))
        optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        report(step, [loss.item() for loss in losses])


Row = tuple[list[int], list[int], bool]
"""Tokens of two texts, and whether they are of different pairs."""


def _batches(tokenizer: Any, pairs: Sequence[Pair], course: Course) -> Iterator[dict[str, Any]]:
    draw = random.Random(course.seed)
    room = (course.length - 3) // 2
    cut = {"add_special_tokens": False, "truncation": True, "max_length": room}
    firsts, seconds = (tokenizer(list(side), **cut)["input_ids"] for side in zip(*pairs, strict=True))
    rows = _rows(firsts, seconds, draw)
    while True:
        pool = [next(rows) for _ in range(POOL * course.batch)]
        pool.sort(key=lambda row: len(row[0]) + len(row[1]))
        runs = [pool[start : start + course.batch] for start in range(0, len(pool), course.batch)]
        yield from (_batch(tokenizer, run, course.masked) for run in draw.sample(runs, len(runs)))


def _rows(firsts: list[list[int]], seconds: list[list[int]], draw: random.Random) -> Iterator[Row]:
    """All pairs once in random order, and again; half of them with a second text from anywhere."""
    while True:
        for place in draw.sample(range(len(firsts)), len(firsts)):
            apart = draw.random() < 0.5
            left, right = draw.sample([firsts[place], draw.choice(seconds) if apart else seconds[place]], 2)
            yield left, right, apart


def _batch(tokenizer: Any, rows: Sequence[Row], share: float) -> dict[str, Any]:
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    ids = pad_sequence([torch.tensor([first, *left, last, *right, last]) for left, right, _ in rows], True)
    segments = pad_sequence(
        [torch.tensor([0, 0, *[0] * len(left), 1, *[1] * len(right)]) for left, right, _ in rows], True
    )
    shared = pad_sequence([torch.tensor(_shared(left, right)) for left, right, _ in rows], True, UNASKED)
    masked = (ids >= len(SPECIAL)) & (torch.rand(ids.shape) < share)
    # a tenth of what is to be guessed can be read, since fine-tuning sees no masks
    hidden = masked & (torch.rand(ids.shape) < 0.9)
    return {
        "inputs": {
            "input_ids": ids.masked_fill(hidden, tokenizer.mask_token_id),
            "token_type_ids": segments,
            "attention_mask": (ids != tokenizer.pad_token_id).long(),
        },
        "words": ids.masked_fill(~masked, UNASKED),
        "shared": shared.masked_fill(hidden, UNASKED),
        "apart": torch.tensor([apart for *_, apart in rows], dtype=torch.long),
    }


def _shared(left: list[int], right: list[int]) -> list[int]:
    """1 for each token that the other text has as well, 0 for the others, `UNASKED` at special ones."""
    of_left, of_right = ([int(token in other) for token in own] for own, other in ((left, right), (right, left)))
    return [UNASKED, *of_left, UNASKED, *of_right, UNASKED]
