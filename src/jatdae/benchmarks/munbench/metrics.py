"""What can be said of a text without a judge. Measured on NFC text; the published figures stand beside ours.

Source: MunBench specification, section 6. `compat_` fields are the published arithmetic, reproduced for comparison.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from jatdae.benchmarks.munbench.checks import run_checks
from jatdae.benchmarks.munbench.length_specs import measure, parse_length
from jatdae.benchmarks.munbench.prompts import opening
from jatdae.benchmarks.munbench.records import Dataset, LiteraryItem
from jatdae.benchmarks.munbench.units import Unit
from jatdae.korean.register import speech_levels
from jatdae.korean.repetition import distinct_trigram_ratio, repetition
from jatdae.korean.script_mix import code_switch, code_switch_compat
from jatdae.korean.slop import SlopCount, SlopMatcher, slop_compat
from jatdae.korean.tripwires import injection_marks, tripwires

VERSION = "1"
"""Of the measuring; measures that another version made are made again."""
SHOWN_WORDS = 20
"""Foreign words that a record lists for review."""


@dataclass(frozen=True, slots=True)
class TextMetrics:
    """One sample's measures. None where a measure has no meaning: no length was asked for, the text is too short.

    `slop` counts expressions of the list; rates are per 1,000 characters. `distinct_trigrams` lies in [0, 1], its
    windowed form does not depend on length. `leaks_per_1000` are foreign words per 1,000 Hangul syllables.
    `speech_level` and its mixtures are of the role play's lines in track 1 and of the whole text elsewhere.
    `disclosures` are sentences in which the writer says that it is a language model. `injection` names the kinds of
    attempts to steer a judge. Both are told, and neither is scored.
    """

    characters: int
    slop: SlopCount
    compat_slop_per_1000: float
    distinct_trigrams: float | None
    windowed_trigrams: float | None
    longest_repeat: int
    repeats: bool
    repeated_lines: float | None
    leaks_per_1000: float | None
    leaked: tuple[str, ...]
    code_switch: bool
    compat_code_switch: bool
    length_ok: bool | None
    length_ratio: float | None
    compat_length_ok: bool | None
    speech_level: str | None
    speech_mixture: float | None
    politeness_mixture: float | None
    checks_passed: int
    checks: int
    disclosures: int
    assistant_phrases: int
    directions_overused: bool
    injection: tuple[str, ...]


class Measurer:
    """Measures samples of one data set; made once, since the slop list is expanded into all its forms."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._matcher = SlopMatcher(dataset.slop.entries, cut_at_stems=dataset.slop.version == "1")
        self._phrases = [entry.pattern for entry in dataset.slop.entries if entry.kind == "literal"]

    def measure(self, unit: Unit, outputs: Sequence[str]) -> TextMetrics:
        """The measures of what was written to a unit: one text, or a role play's lines and the analysis after them."""
        raw = "\n\n".join(outputs)
        text = unicodedata.normalize("NFC", raw)
        repeated = repetition(text)
        prompt = "\n".join(message.content for message in opening(unit))
        leaks = code_switch(text, prompt)
        spoken = speech_levels("\n".join(outputs[:3]) if unit.track == 1 else text)
        length_ok, length_ratio, compat_length_ok = _lengths(unit, raw)
        wires = tripwires(text)
        checks = run_checks(text, self._dataset.checks.get(unit.item.id, ()))
        return TextMetrics(
            characters=len(text),
            slop=self._matcher.count(text),
            compat_slop_per_1000=slop_compat(raw, self._phrases)[1],
            distinct_trigrams=distinct_trigram_ratio(raw),
            windowed_trigrams=repeated.windowed_trigrams,
            longest_repeat=repeated.longest_repeat,
            repeats=repeated.flagged,
            repeated_lines=repeated.repeated_lines,
            leaks_per_1000=leaks.per_1000,
            leaked=tuple(word.text for word in leaks.leaked[:SHOWN_WORDS]),
            code_switch=leaks.flagged,
            compat_code_switch=code_switch_compat(raw).flagged,
            speech_level=spoken.dominant.value if spoken.dominant else None,
            speech_mixture=spoken.mixture,
            politeness_mixture=spoken.politeness_mixture,
            checks_passed=sum(result.ok for result in checks),
            checks=len(checks),
            length_ok=length_ok,
            length_ratio=length_ratio,
            compat_length_ok=compat_length_ok,
            disclosures=len(wires.disclosures),
            assistant_phrases=len(wires.assistant_phrases),
            directions_overused=wires.directions_overused,
            injection=tuple(dict.fromkeys(mark.kind for mark in injection_marks(raw))),
        )


def _lengths(unit: Unit, text: str) -> tuple[bool | None, float | None, bool | None]:
    """Whether a commission's length was kept, by how much it was missed, and whether it was kept as published."""
    if not isinstance(unit.item, LiteraryItem):
        return None, None, None
    spec, published = parse_length(unit.item.length_spec), parse_length(unit.item.length_spec, "compat")
    measured = measure(text, spec) if spec else ()
    worst = max(measured, key=lambda one: abs(one.ratio - 1), default=None)
    return (
        all(one.ok for one in measured) if spec else None,
        worst.ratio if worst else None,
        all(one.ok for one in measure(text, published)) if published else None,
    )
