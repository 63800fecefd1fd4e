"""From a generated text to a scored sample: which letter is read, and what kind of answer it was."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jatdae.benchmarks.kmmlu.extraction import (
    EXTRACTION_VERSION,
    cot_reproduction_filter,
    cut_direct,
    extract_with_options,
    strict_letter,
)
from jatdae.benchmarks.kmmlu.protocols import STRICT, setting
from jatdae.benchmarks.multiple_choice import LETTERS, Question
from jatdae.korean.reasoning import visible_text
from jatdae.korean.refusal import is_refusal
from jatdae.types import Completion, Outcome, Protocol, Sample

_HARNESS_STOPS = re.compile(r"Q:|\n\n|</s>|\.")
"""Where lm-evaluation-harness ends a direct answer."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The letter by our extraction and by the harness's rule, and how the former was found."""

    letter: str | None
    strict: str | None
    stage: str = ""
    flagged: bool = False


def needs_asking_again(completion: Completion) -> bool:
    """Whether a blank line ended the text before an answer began: at its start or inside a reasoning block."""
    return completion.finish == "stop" and not (visible_text(completion.text) or "").strip()


def read(text: str, item: Question, protocol: Protocol) -> Reading:
    """Read a direct answer or a chain of thought by both rules."""
    direct = protocol.mode == "direct"
    letters = LETTERS[: len(item.options)]
    found = extract_with_options(
        cut_direct(text) if direct else text,
        item.options,
        letters,
        value_reading=setting(protocol, "value_reading") == "yes",
        cue_text=setting(protocol, "cue_text") == "yes",
    )
    harness_text = _HARNESS_STOPS.split(text, maxsplit=1)[0]
    strict = strict_letter(harness_text, letters) if direct else cot_reproduction_filter(text)
    return Reading(found.letter, strict if strict in list(letters) else None, found.stage, found.flagged)


def outcome_of(letter: str | None, item: Question, completion: Completion) -> Outcome:
    """What became of an item. Without a letter it is cut off, refused or not readable; all earn no credit."""
    if letter is not None:
        return Outcome.RIGHT if letter == item.letter else Outcome.WRONG
    if completion.finish == "length" or visible_text(completion.text) is None:
        return Outcome.TRUNCATED
    return Outcome.REFUSED if is_refusal(completion.text) else Outcome.UNPARSED


def generated_sample(item: Question, completion: Completion, protocol: Protocol, seed: int) -> Sample:
    """The sample of a question answered in words. `acc` is by extraction, `acc_strict` by the harness's rule."""
    reading = read(completion.text, item, protocol)
    decides = reading.strict if setting(protocol, "match") == STRICT else reading.letter
    return Sample(
        item=item.id,
        outcome=outcome_of(decides, item, completion),
        prediction=decides,
        target=item.letter,
        scores={"acc": float(reading.letter == item.letter), "acc_strict": float(reading.strict == item.letter)},
        group=item.group,
        cluster=item.cluster,
        seed=seed,
        detail={
            "options": list(item.options),
            "response": completion.text,
            "finish": completion.finish,
            "letter": reading.letter,
            "strict_letter": reading.strict,
            "stage": reading.stage,
            "flagged": reading.flagged,
            "extraction": EXTRACTION_VERSION,
            "flags": list(item.flags),
        },
    )
