"""The output head, where a vocabulary of 262,144 makes it half of the work: log-probabilities without whole logits.

Hidden states go through the head in pieces of the vocabulary that stay in the processor's cache; of each piece the
largest logit and the sum of exponentials are kept, and the logits that were asked for. A row of whole logits is never
stored. The normaliser of a piece comes from softmax: the largest probability is one over the sum, and torch's softmax
is several times faster than its exponential or log-sum-exp.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from jatdae.models.hf.kernels import Multiply

PIECE = 1024
"""Vocabulary entries of one piece: with 512 rows 2 MiB of logits."""

Measured = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Head:
    """A linear output head that is called apart from its model, with the product to use."""

    layer: nn.Linear
    multiply: Multiply

    def measure(self, states: torch.Tensor, rows: npt.NDArray[np.int64], targets: npt.NDArray[np.int64]) -> Measured:
        """Log-probability of each target after its row of `states` (rows, width), and whether none is likelier."""
        wanted, row = torch.from_numpy(targets), torch.from_numpy(rows)
        order = torch.argsort(wanted)
        row, wanted = row[order], wanted[order]
        edges = torch.searchsorted(wanted, torch.arange(0, self.layer.out_features + PIECE, PIECE)).tolist()
        found = torch.empty(len(wanted), dtype=states.dtype)
        peaks, places, sums = [], [], []
        for number, start in enumerate(range(0, self.layer.out_features, PIECE)):
            logits = self._piece(states, start)
            inside = slice(edges[number], edges[number + 1])
            found[inside] = logits[row[inside], wanted[inside] - start]
            place = logits.argmax(-1)
            peaks.append(logits.gather(1, place[:, None])[:, 0])
            places.append(place + start)
            sums.append(logits.softmax(-1).gather(1, place[:, None])[:, 0])
        norms, best = _together(torch.stack(peaks), torch.stack(places), torch.stack(sums))
        log_probabilities = torch.empty(len(wanted), dtype=torch.float64)
        log_probabilities[order] = found.double() - norms[row]
        greedy = torch.empty(len(wanted), dtype=torch.bool)
        greedy[order] = best[row] == wanted
        return log_probabilities.numpy(), greedy.numpy()

    def _piece(self, states: torch.Tensor, start: int) -> torch.Tensor:
        bias = self.layer.bias
        return self.multiply(
            states, self.layer.weight[start : start + PIECE], None if bias is None else bias[start : start + PIECE]
        )


def _together(peaks: torch.Tensor, places: torch.Tensor, shares: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-sum-exp (float64) and the first place of the maximum over all pieces, from arrays (pieces, rows).

    `shares` is each piece's largest probability within the piece, so peak minus its logarithm is the piece's own
    log-sum-exp.
    """
    own = peaks.double() - shares.double().log()
    return torch.logsumexp(own, dim=0), places.gather(0, peaks.argmax(0)[None])[0]
