"""Does a model know in which order a benchmark stands? Requests, and what follows from their answers.

* Options: is the published order of an item's options the likeliest of all its orders? An honest model says so for one
  in k! items, if the options could stand in any order.
* File: are the rows of a file likelier in their published order than shuffled? (Oren et al. 2023, arXiv 2310.17623)
* Shifts: does accuracy drop when the options are moved round? That is robustness, and no proof of anything.

Source: judging specification, section 4.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom
from scipy.stats import t as student

from jatdae.benchmarks.multiple_choice import LETTERS, Question
from jatdae.errors import RequestFailed
from jatdae.types import Answer, Score, Scores, digest

MOST_OPTIONS = 4
SHARD, SHUFFLES = 50, 5
_POINTING = re.compile(
    "위의?( 것| 내용)?(은| 는)? ?(모두|전부)|모두 (옳|맞|틀리|해당)|정답 ?없|해당 ?(사항)? ?없|이상 (모두|전부)|"
    "all of the above|none of the above",
    re.IGNORECASE,
)
_COMBINATION = re.compile("^[ㄱ-ㅎ가-하①-⑨ⓐ-ⓩA-Ea-e0-9]( ?[,·/、]| 와 | 과 | 및 |-|→)")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class OrderTest:
    """Items whose published order came first, of how many, the chance of one, the one-sided p; what was left out."""

    first: int
    items: int
    chance: float
    p: float
    left_out: dict[str, int]
    failed: int = 0


@dataclass(frozen=True, slots=True)
class FileTest:
    """Mean gain in log-likelihood of a shard's published order over its shuffles, t, one-sided p, and shards."""

    gain: float
    t: float
    p: float
    shards: int
    failed: int = 0


def unexchangeable(question: Question) -> str | None:
    """Why the options could not stand in any order: a reason, or None where they could."""
    options = question.options
    if len(options) > MOST_OPTIONS:
        return "more than four options"
    if len(set(options)) < len(options):
        return "two options are alike"
    if any(_POINTING.search(option) for option in options):
        return "an option points at the others"
    if sum(bool(_COMBINATION.match(option)) for option in options) > 1:
        return "options combine marks"
    numbers = [_NUMBER.search(option) for option in options]
    if all(numbers):
        values = [float(found[0].replace(",", "")) for found in numbers if found]
        if values in (sorted(values), sorted(values, reverse=True)):
            return "options are sorted by number"
    return None


def order_request(question: Question) -> Score:
    """All orders of the options as continuations of the question, the published one first."""
    orders = itertools.permutations(question.options)
    return Score(f"{question.question}\n", tuple(_listed(order) for order in orders))


def _listed(options: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))


def order_test(
    questions: Sequence[Question], answers: Sequence[Answer | RequestFailed], left_out: Counter[str]
) -> OrderTest:
    """The binomial test of the answers to `order_request`. Items of fewer options have their own, larger chance.

    With chances that differ the sum is Poisson-binomial; its exact distribution is computed. A tie for the first place
    counts as half, rounded down over all items.
    """
    places = [
        (_rank_share(answer), 1 / math.factorial(len(question.options)))
        for question, answer in zip(questions, answers, strict=True)
        if isinstance(answer, Scores)
    ]
    first = math.floor(sum(share for share, _ in places))
    chances = [chance for _, chance in places]
    p = upper_tail(first, chances) if places else 1.0
    mean = float(np.mean(chances)) if chances else 0.0
    return OrderTest(first, len(places), mean, p, dict(left_out), len(answers) - len(places))


def _rank_share(answer: Scores) -> float:
    values = [option.log_likelihood for option in answer.options]
    best = max(values)
    return 0.0 if values[0] < best else 1 / values.count(best)


def upper_tail(hits: int, chances: Sequence[float]) -> float:
    """P(at least so many hits) of independent items with these chances."""
    if len(set(chances)) == 1:
        return float(binom.sf(hits - 1, len(chances), chances[0]))
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return float(law[hits:].sum())


def file_requests(texts: Sequence[str]) -> list[list[Score]]:
    """For each shard of rows, its published order and some shuffles, each a text to be scored whole."""
    shards = [texts[start : start + SHARD] for start in range(0, len(texts), SHARD)]
    return [_shard(number, shard) for number, shard in enumerate(shards) if len(shard) == SHARD]


def _shard(number: int, rows: Sequence[str]) -> list[Score]:
    orders = [list(rows)]
    for shuffle in range(SHUFFLES):
        own = list(rows)
        random.Random(digest("file order", str(number), str(shuffle), rows[0])).shuffle(own)  # noqa: S311 - no secret
        orders.append(own)
    return [Score("", ("\n\n".join(order),)) for order in orders]


def file_test(answers: Sequence[Sequence[Answer | RequestFailed]]) -> FileTest | None:
    """The t test over shards of published minus mean of shuffled; None under two usable shards."""
    gains, failed = [], 0
    for own in answers:
        values = [one.options[0].log_likelihood for one in own if isinstance(one, Scores)]
        if len(values) < len(own):
            failed += 1
            continue
        gains.append(values[0] - float(np.mean(values[1:])))
    if len(gains) < 2:
        return None
    found = np.array(gains)
    stderr = float(found.std(ddof=1)) / math.sqrt(len(gains))
    t = float(found.mean()) / stderr if stderr else 0.0
    return FileTest(float(found.mean()), t, float(student.sf(t, len(gains) - 1)), len(gains), failed)


def shift_requests(question: Question) -> list[Score]:
    """The question with its options as published, then moved on by one, two, three places; asked for the letter."""
    count = len(question.options)
    letters = tuple(f" {letter}" for letter in LETTERS[:count])
    return [
        Score(f"{question.question}\n{_listed(question.options[at:] + question.options[:at])}\n정답:", letters)
        for at in range(count)
    ]


def shift_scores(question: Question, answers: Sequence[Answer | RequestFailed]) -> tuple[float, float] | None:
    """Right as published, and the share of the shifted ones that are right; None where an answer is missing."""
    rights = []
    for at, answer in enumerate(answers):
        if not isinstance(answer, Scores):
            return None
        values = [option.log_likelihood for option in answer.options]
        rights.append(float((values.index(max(values)) + at) % len(values) == question.answer))
    return rights[0], float(np.mean(rights[1:]))
