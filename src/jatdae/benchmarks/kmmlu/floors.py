"""What strategies that never read a question reach, averaged as the headline is: over subjects."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jatdae.benchmarks.multiple_choice import LETTERS, Question
from jatdae.stats import macro, micro, proportion
from jatdae.types import Estimate

Strategy = Callable[[Question], int]


def constant_letters(items: Sequence[Question]) -> dict[str, tuple[Estimate, Estimate]]:
    """For each letter, what answering it always reaches: micro and macro over subjects."""
    return {
        letter: _reached(items, lambda item, index=index: index)
        for index, letter in enumerate(LETTERS[: _widest(items)])
    }


def subject_floors(items: Sequence[Question]) -> dict[str, Estimate]:
    """Uniform guessing, the best constant letter and the longest option (the first among equals), macro over subjects.

    The best letter is given as micro too, where there are several subjects: published tables use both averages.
    """
    if not items:
        return {}
    chance = sum(1 / len(item.options) for item in items) / len(items)
    floors = {"chance": Estimate(chance, None, None, None, len(items), method="mean of 1/options")}
    letters = constant_letters(items)
    letter = max(letters, key=lambda name: letters[name][1].value)
    floors[f"always {letter}"] = letters[letter][1]
    if len({item.group for item in items}) > 1:
        floors[f"always {letter}, micro"] = letters[letter][0]
    floors["longest option"] = _reached(items, _longest)[1]
    return floors


def _widest(items: Sequence[Question]) -> int:
    return max((len(item.options) for item in items), default=0)


def _longest(item: Question) -> int:
    return max(range(len(item.options)), key=lambda index: (len(item.options[index]), -index))


def _reached(items: Sequence[Question], strategy: Strategy) -> tuple[Estimate, Estimate]:
    groups: dict[str, list[float]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(float(strategy(item) == item.answer))
    if len(groups) == 1:
        alone = proportion(next(iter(groups.values())))
        return alone, alone
    return micro(groups), macro(groups)
