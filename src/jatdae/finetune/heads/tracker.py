"""A tracker of dialogue states in the manner of TRADE (arXiv 1905.08743), as the KLUE baseline puts it on an encoder.

For every slot a gate says whether it has a value, and a decoder spells the value, each token from the vocabulary or
copied from the dialogue. All slots of all turns of a batch are decoded side by side, as rows of one flat batch.

Memory. The vocabulary's probabilities for all slots and steps at once would be turns x slots x steps x vocabulary
numbers: 16 x 45 x 12 x 32,000 x 4 bytes, 1.03 GiB for each of the copies that a gradient needs. Here they are held for
one step, for slots whose value has not ended, and computed again for the gradient: 16 x 45 x 32,000 x 4 bytes, 88 MiB a
copy, however long the values. Such a batch at hidden size 768 was measured to take 0.7 GiB beside weights, gradients
and the encoder. At evaluation only slots with the gate `ptr` are spelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from jatdae.finetune.dialogue_turns import GATES, LONGEST, POINTER
from jatdae.finetune.heads.body import Headed

TEACHING = 0.5
"""The share of training batches in which the decoder is fed the gold tokens instead of its own."""
LEAST = torch.finfo(torch.float32).tiny
"""Stands for no chance at all that a token is copied, so that its logarithm is finite."""
HIDDEN = -1e9
"""The attention score of padding."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What a batch's decoder looks at: states (turns, tokens, hidden), token numbers, and which are no padding.

    A row's place in the flat batch is `turn * slots + slot`.
    """

    states: Tensor
    tokens: Tensor
    there: Tensor
    slots: int

    def attend(self, hidden: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
        """For each row (hidden states (rows, hidden)) its weights over the tokens of its turn, and its context."""
        turns, _, size = self.states.shape
        # rows are laid out by turn, so that no turn's states have to be repeated for each of its slots
        queries = hidden.new_zeros(turns * self.slots, size).index_copy(0, places, hidden)
        scores = (queries.view(turns, self.slots, size) @ self.states.transpose(1, 2)).float()
        weights = scores.masked_fill(~self.there[:, None], HIDDEN).softmax(-1)
        contexts = weights.to(self.states.dtype) @ self.states
        return weights.flatten(0, 1)[places], contexts.flatten(0, 1)[places]

    def read(self, places: Tensor) -> Tensor:
        """The tokens that each row may copy: those of its turn (rows, tokens)."""
        return self.tokens[places // self.slots]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the decoder for some rows: their places in the batch, their states, and what they look at.

    `weights` are over the turn's tokens. The sigmoid of `leaning` (rows,) is the share of the vocabulary in the next
    token's probability, that of -`leaning` the share of copies.
    """

    places: Tensor
    hidden: Tensor
    weights: Tensor
    context: Tensor
    leaning: Tensor

    def only(self, rows: Tensor | slice) -> Step:
        """The same for a part of the rows."""
        return Step(self.places[rows], self.hidden[rows], self.weights[rows], self.context[rows], self.leaning[rows])


class Tracker(Headed):
    """An encoder with a gate and a decoder for the slots.

    `body` is the encoder without a head; its pooler, where it has one, moves into the tracker. `slots` are the tokens
    of each slot's name, `padding` and `special` numbers of the tokenizer: a value ends with any special token. The
    decoder's embeddings of input and output are the encoder's own. Where they are narrower than the hidden states, one
    new matrix stands between the two in both directions.
    """

    slots: Tensor
    special: Tensor

    def __init__(self, body: Any, slots: Sequence[Sequence[int]], padding: int, special: Sequence[int]) -> None:
        pooler = _taken_pooler(body)
        super().__init__(body)
        size, width = body.config.hidden_size, body.get_input_embeddings().embedding_dim
        self.padding = padding
        self.pooler = pooler
        self.widening = nn.Linear(width, size, bias=False) if width != size else None
        self.dropout = nn.Dropout(float(getattr(body.config, "hidden_dropout_prob", 0.1)))
        self.cell = nn.GRUCell(size, size)
        self.generator = nn.Linear(3 * size, 1)
        self.gate = nn.Linear(size, len(GATES))
        self.register_buffer("slots", torch.tensor(slots), persistent=False)
        self.register_buffer("special", torch.tensor(sorted(special)), persistent=False)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
        gates: Tensor | None = None,
        values: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """With targets, `gates` (turns, slots) and `values` (turns, slots, tokens), the `loss`.

        Without them the arg-max `gates` and `values`, of which those slots with the gate `ptr` are spelled and all
        others are padding.
        """
        segments = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask, **segments).last_hidden_state
        memory = Memory(states, input_ids, attention_mask.bool(), len(self.slots))
        if gates is None or values is None:
            return self._answer(memory)
        return {"loss": self._loss(memory, gates, values)}

    def first_step(self, memory: Memory, places: Tensor) -> Step:
        """The step that starts from the pooled turn and the slot's name, for the rows at these places."""
        pooled = torch.tanh(self.pooler(memory.states[:, 0]))
        # padding of a slot's name counts in the sum, as in the baseline
        names = self._embedded(self.slots).sum(1)
        return self.step(memory, places, names[places % memory.slots], pooled[places // memory.slots])

    def step(self, memory: Memory, places: Tensor, inputs: Tensor, hidden: Tensor) -> Step:
        """One step for the rows at these places, from embedded inputs and states of (rows, hidden)."""
        inputs = self.dropout(inputs).float()
        hidden = self.cell(inputs, hidden.float()).float()
        weights, context = memory.attend(hidden, places)
        leaning = self.generator(torch.cat([inputs, hidden, context.float()], -1)).float()
        return Step(places, hidden, weights, context, leaning.squeeze(-1))

    def next_step(self, memory: Memory, step: Step, tokens: Tensor) -> Step:
        """The step after one, fed with a token for each row."""
        return self.step(memory, step.places, self._embedded(tokens), step.hidden)

    def log_likelihood(self, memory: Memory, step: Step, tokens: Tensor) -> Tensor:
        """The logarithm of the probability of one token for each row, (rows,); finite, however improbable it is."""
        # the vocabulary's numbers are dropped and computed again for the gradient: see the module's word on memory
        spoken = checkpoint(self._log_spoken, step.hidden, tokens, use_reentrant=False, preserve_rng_state=False)
        copied = (step.weights * (memory.read(step.places) == tokens[:, None])).sum(-1)
        # mixed as logarithms: a probability with a floor has no gradient below it, and the token is never learned
        return torch.logaddexp(
            functional.logsigmoid(step.leaning) + spoken,  # type: ignore[operator]
            functional.logsigmoid(-step.leaning) + copied.clamp_min(LEAST).log(),
        )

    @torch.no_grad()
    def likeliest(self, memory: Memory, step: Step) -> Tensor:
        """The most probable token of each row, (rows,)."""
        leaning = step.leaning[:, None]
        mixed = self._scores(step.hidden).softmax(-1).mul_(leaning.sigmoid())
        copied = step.weights * (-leaning).sigmoid()
        return mixed.scatter_add_(1, memory.read(step.places), copied).argmax(-1)

    def spell(self, memory: Memory, step: Step) -> Tensor:
        """The tokens of the rows of a first step, (turns * slots, `LONGEST`); other rows, and what follows an end, are
        padding.
        """
        turns = len(memory.tokens)
        spelled = self.slots.new_full((turns * memory.slots, LONGEST), self.padding)
        for place in range(LONGEST):
            tokens = self.likeliest(memory, step)
            spelled[step.places, place] = tokens
            going_on = ~torch.isin(tokens, self.special)
            if place + 1 == LONGEST or not going_on.any():
                break
            step = self.next_step(memory, step.only(going_on), tokens[going_on])
        return spelled

    def _answer(self, memory: Memory) -> dict[str, Tensor]:
        turns = len(memory.tokens)
        step = self.first_step(memory, torch.arange(turns * memory.slots, device=self.slots.device))
        gates = self.gate(step.context).argmax(-1)
        spelled = self.spell(memory, step.only(gates == GATES.index(POINTER)))
        return {"gates": gates.view(turns, -1), "values": spelled.view(turns, memory.slots, -1)}

    def _loss(self, memory: Memory, gates: Tensor, values: Tensor) -> Tensor:
        """Mean over all gold tokens of -log P, and mean over all slots of the gate's cross-entropy, added up."""
        lengths = (values != self.padding).sum(-1).flatten()
        # rows with long values first, so that those that go on are always the first ones
        places = lengths.argsort(descending=True, stable=True)
        counts = (lengths[:, None] > torch.arange(values.size(-1), device=lengths.device)).sum(0).tolist()
        golds = values.flatten(0, 1)[places]
        step = self.first_step(memory, places)
        gate_loss = functional.cross_entropy(self.gate(step.context).float(), gates.flatten()[places])
        likelihoods = self._likelihoods(memory, step, golds, counts)
        return gate_loss - torch.stack(likelihoods).sum() / sum(counts)

    def _likelihoods(self, memory: Memory, step: Step, golds: Tensor, counts: Sequence[int]) -> list[Tensor]:
        """The sum of log P(gold) at each step, over its first `counts[step]` rows: those with a gold token there."""
        is_taught = self.training and float(torch.rand(())) < TEACHING
        found = [self.log_likelihood(memory, step, golds[:, 0]).sum()]
        for place, count in enumerate(counts[1:]):
            step = step.only(slice(count))
            fed = golds[:count, place] if is_taught else self.likeliest(memory, step)
            step = self.next_step(memory, step, fed)
            found.append(self.log_likelihood(memory, step, golds[:count, place + 1]).sum())
        return found

    def _embedded(self, tokens: Tensor) -> Tensor:
        embedded = self.encoder.get_input_embeddings()(tokens)
        return embedded if self.widening is None else self.widening(embedded)

    def _scores(self, hidden: Tensor) -> Tensor:
        """A number for each token of the vocabulary, by the embedding that the input has too, (rows, vocabulary)."""
        if self.widening is not None:
            hidden = hidden @ self.widening.weight
        return functional.linear(hidden, self.encoder.get_input_embeddings().weight).float()

    def _log_spoken(self, hidden: Tensor, tokens: Tensor) -> Tensor:
        return -functional.cross_entropy(self._scores(hidden), tokens, reduction="none")


def _taken_pooler(body: Any) -> nn.Linear:
    """The body's pooler, removed from it, if it is a square matrix; else a new one that starts as BERT's does."""
    size = body.config.hidden_size
    own = getattr(body, "pooler", None)
    if own is not None:
        body.pooler = None
    own = getattr(own, "dense", own)
    if isinstance(own, nn.Linear) and own.weight.shape == (size, size):
        return own
    new = nn.Linear(size, size)
    nn.init.normal_(new.weight, std=getattr(body.config, "initializer_range", 0.02))
    nn.init.zeros_(new.bias)
    return new
