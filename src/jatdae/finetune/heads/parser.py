"""The dependency parser on an encoder: a biaffine attention over words, as in KLUE's baseline.

A sentence of n words has n + 1 candidates for a head: word 0 is the root. Shapes: B sentences, W words of the longest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from jatdae.benchmarks.klue.labels import DEPENDENCIES, PARTS_OF_SPEECH
from jatdae.finetune.heads.body import Headed

NO_POS = len(PARTS_OF_SPEECH)
"""The part of speech of the root, of padding and of words whose tag is in no list."""
NO_TARGET = -100
"""Head and label of what is not learned from: padding, and words whose head was cut off."""


@dataclass(frozen=True, slots=True)
class ParserSizes:
    """Widths of the parser's layers, and the share that is dropped in training; the defaults are the published ones."""

    hidden: int = 768
    arc: int = 512
    label: int = 256
    pos: int = 256
    dropout: float = 0.33


class ParsingModel(Headed):
    """Encoder and parser. A word is what the encoder says to its first and to its last piece."""

    def __init__(self, encoder: Any, sizes: ParserSizes) -> None:
        super().__init__(encoder)
        self.parser = BiaffineParser(2 * encoder.config.hidden_size, sizes)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        first: Tensor,
        last: Tensor,
        pos: Tensor,
        words: Tensor,
        heads: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Scores of heads (B, W, W + 1) and, at one head a word, of labels (B, W, 38); `loss` where targets are given.

        `first`, `last` (places of pieces) and `pos` are (B, W + 1), the root's in front; `words` (B) are the sentences'
        lengths. `heads` and `labels` are (B, W) with `NO_TARGET` where nothing is learned. Labels are scored at the
        given heads, else at the best ones.
        """
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        # recurrences and scores are a small part of the work, and half precision would cost them digits
        with torch.autocast(states.device.type, enabled=False):
            vectors = torch.cat((_rows_at(states, first), _rows_at(states, last)), dim=-1)
            arcs, kinds = self.parser(vectors, pos, words, heads)
            scores = {"arc_scores": arcs, "label_scores": kinds}
            if heads is not None and labels is not None:
                scores["loss"] = _mean_loss(arcs, heads) + _mean_loss(kinds, labels)
        return scores


class BiaffineParser(nn.Module):
    """From vectors of words to scores of heads and labels.

    The POS dropout drops whole words; the dropouts after the recurrent layers drop features, each over all words.
    """

    def __init__(self, width: int, sizes: ParserSizes) -> None:
        super().__init__()
        hidden = sizes.hidden
        self.pos = nn.Embedding(NO_POS + 1, sizes.pos)
        self.encoder = nn.LSTM(width + sizes.pos, hidden, batch_first=True, bidirectional=True)
        self.start = nn.Linear(2 * hidden, hidden)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.arc_head, self.arc_dependent = nn.Linear(2 * hidden, sizes.arc), nn.Linear(hidden, sizes.arc)
        self.label_head, self.label_dependent = nn.Linear(2 * hidden, sizes.label), nn.Linear(hidden, sizes.label)
        self.arcs = ArcScores(sizes.arc)
        self.labels = LabelScores(sizes.label, len(DEPENDENCIES))
        self.dropout = nn.Dropout1d(sizes.dropout)

    def forward(
        self, vectors: Tensor, pos: Tensor, words: Tensor, heads: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Scores of heads (B, W, W + 1), -inf where there is no word, and of labels (B, W, 38) at one head a word.

        `vectors` (B, W + 1, width) and `pos` (B, W + 1) begin with the root.
        """
        candidates, start = self._read(torch.cat((vectors, self.dropout(self.pos(pos))), dim=-1), words)
        dependents = self._decode(candidates[:, 1:], start)
        elu = functional.elu
        arcs = self.arcs(elu(self.arc_dependent(dependents)), elu(self.arc_head(candidates)))
        beyond = torch.arange(pos.shape[1], device=pos.device) > words[:, None]
        arcs = arcs.masked_fill(beyond[:, None], -math.inf)
        chosen = arcs.argmax(-1) if heads is None else heads.clamp(min=0)
        chosen_heads = _rows_at(elu(self.label_head(candidates)), chosen)
        return arcs, self.labels(elu(self.label_dependent(dependents)), chosen_heads)

    def _read(self, inputs: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Root and words in their context (B, W + 1, 2 hidden), and the last cells of both directions, side by side."""
        packed = pack_padded_sequence(inputs, (words + 1).cpu(), batch_first=True, enforce_sorted=False)
        states, (_, cells) = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=inputs.shape[1])
        return self._drop_features(states), cells.transpose(0, 1).flatten(1)

    def _decode(self, states: Tensor, start: Tensor) -> Tensor:
        """Words as dependents (B, W, hidden). It reads from left to right, so padding at the right changes nothing."""
        cells = self.start(start)[None]
        dependents, _ = self.decoder(functional.elu(self.bridge(states)), (cells.tanh(), cells))
        return self._drop_features(dependents)

    def _drop_features(self, states: Tensor) -> Tensor:
        return self.dropout(states.transpose(1, 2)).transpose(1, 2)


class ArcScores(nn.Module):
    """How well each candidate heads each word: d'Uh + w_d.d + w_h.h + b, of vectors d and h of one width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.both = nn.Parameter(nn.init.xavier_uniform_(torch.empty(width, width)))
        self.dependent = _unbiased(width, 1)
        self.head = _unbiased(width, 1)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores (B, dependents, heads)."""
        together = dependents @ self.both @ heads.transpose(1, 2)
        return together + self.dependent(dependents) + self.head(heads).transpose(1, 2) + self.bias


class LabelScores(nn.Module):
    """How well each label fits a pair of word and head: d'U_l h + w_ld.d + w_lh.h + b_l."""

    def __init__(self, width: int, labels: int) -> None:
        super().__init__()
        self.both = nn.Parameter(nn.init.xavier_uniform_(torch.empty(labels, width, width)))
        self.dependent = _unbiased(width, labels)
        self.head = _unbiased(width, labels)
        self.bias = nn.Parameter(torch.zeros(labels))

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores (B, W, labels) of words (B, W, width) with one head each."""
        # written as one contraction: functional.bilinear takes 30 times as long on the way back
        together = torch.einsum("bwi,lij,bwj->bwl", dependents, self.both, heads)
        return together + self.dependent(dependents) + self.head(heads) + self.bias


def _unbiased(width: int, outputs: int) -> nn.Linear:
    linear = nn.Linear(width, outputs, bias=False)
    nn.init.xavier_uniform_(linear.weight)
    return linear


def _rows_at(states: Tensor, places: Tensor) -> Tensor:
    """The vectors (B, n, width) of `states` (B, length, width) at places (B, n)."""
    return states.gather(1, places[..., None].expand(-1, -1, states.shape[-1]))


def _mean_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Negative log-likelihood of the targets, a mean over the words of the batch that have one."""
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=NO_TARGET)
