"""The chat mode: a letter is read out of generated text, once as published and once with care."""

from __future__ import annotations

import re

from jatdae.benchmarks.kmmlu.extraction import extract_answer
from jatdae.benchmarks.konubench.options import NegationQuestion
from jatdae.benchmarks.multiple_choice import LETTERS
from jatdae.korean.refusal import is_refusal
from jatdae.types import Completion, Outcome, Sample


def first_letter(text: str) -> str | None:
    """The published reading: the first of the letters A to D anywhere in the text, even inside a word."""
    found = re.search("[A-D]", text)
    return found[0] if found else None


def chat_sample(item: NegationQuestion, completion: Completion, seed: int | None) -> Sample:
    """The sample of a question asked for a letter.

    `acc` takes the published reading, `acc_clean` the careful one, which knows only the item's own letters. The outcome
    follows `acc`: a text without a letter is truncated, refused or unparsed.
    """
    letters = LETTERS[: len(item.options)]
    read = {"acc": first_letter(completion.text), "acc_clean": extract_answer(completion.text, letters=letters)}
    refused = is_refusal(completion.text)
    return Sample(
        item=item.id,
        outcome=_outcome(read["acc"], item, completion, refused),
        prediction=read["acc"],
        target=item.letter,
        scores={name: float(letter == item.letter) for name, letter in read.items()},
        group=item.group,
        cluster=item.cluster,
        seed=seed,
        detail={
            "text": completion.text,
            "finish": completion.finish,
            "refusal": refused,
            "read": read,
            "choices": {
                name: letters.index(letter) if letter and letter in letters else None for name, letter in read.items()
            },
            "flags": list(item.flags),
        },
    )


def _outcome(letter: str | None, item: NegationQuestion, completion: Completion, refused: bool) -> Outcome:
    if letter is not None:
        return Outcome.RIGHT if letter == item.letter else Outcome.WRONG
    if refused:
        return Outcome.REFUSED
    return Outcome.TRUNCATED if completion.finish == "length" else Outcome.UNPARSED
