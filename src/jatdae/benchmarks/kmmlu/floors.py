"""What strategies that never read a question reach, averaged as the headline is: over subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jatdae.benchmarks.multiple_choice import LETTERS, Question, chance, longest_option
from jatdae.stats import macro, micro, proportion
from jatdae.types import Estimate

Strategy = Callable[[Question], int]


def constant_letters(items: Sequence[Question]) -> dict[str, tuple[Estimate, Estimate]]:
    """For each letter, what answering it always reaches: micro and macro over subjects."""
    widest = max((len(item.options) for item in items), default=0)
    return {letter: _reached(items, lambda item, index=index: index) for index, letter in enumerate(LETTERS[:widest])}


def subject_floors(items: Sequence[Question]) -> dict[str, Estimate]:
    """Uniform guessing, the best constant letter and the longest option (the first among equals), macro over subjects.

    Where there are several subjects the last two are given over all items too, under names that end in `, micro`:
    published tables use both averages. The best letter is found for each average by itself.
    """
    if not items:
        return {}
    letters, longest = constant_letters(items), _reached(items, longest_option)
    several = len({item.group for item in items}) > 1
    floors = {"chance": chance(items), **_best(letters, 1), "longest option": longest[1]}
    overall = {**_best(letters, 0), "longest option": longest[0]} if several else {}
    return floors | {f"{name}, micro": floor for name, floor in overall.items()}


def _best(letters: Mapping[str, tuple[Estimate, Estimate]], average: int) -> dict[str, Estimate]:
    letter = max(letters, key=lambda name: letters[name][average].value)
    return {f"always {letter}": letters[letter][average]}


def _reached(items: Sequence[Question], strategy: Strategy) -> tuple[Estimate, Estimate]:
    groups: dict[str, list[float]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(float(strategy(item) == item.answer))
    if len(groups) == 1:
        alone = proportion(next(iter(groups.values())))
        return alone, alone
    return micro(groups), macro(groups)
