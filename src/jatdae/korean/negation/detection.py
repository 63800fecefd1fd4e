"""Find the negations of sentences by their morphemes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import tee

from jatdae.korean.clauses import clause_of
from jatdae.korean.negation.analysis import Analysis, analyse_all, readable
from jatdae.korean.negation.chains import chain_numbers
from jatdae.korean.negation.kinds import ClauseType, Negation
from jatdae.korean.negation.markers import markers, may_negate
from jatdae.korean.negation.offsets import original_offsets
from jatdae.korean.negation.predicates import Denied, denied_by, span_of
from jatdae.korean.negation.quotes import quoted_spans


def detect(sentence: str) -> list[Negation]:
    """The negations of one sentence in order, spans in code points of the text as given; for many use `detect_all`."""
    return next(detect_all([sentence]))


def detect_all(sentences: Iterable[str]) -> Iterator[list[Negation]]:
    """The negations of each sentence, in order and as they are asked for, on one core.

    A sentence without any syllable of a marker is not analysed.
    """
    given, analysed = tee(sentences)
    analyses = analyse_all(sentence for sentence in analysed if may_negate(readable(sentence)))
    for sentence in given:
        if not may_negate(readable(sentence)):
            yield []
            continue
        analysis = next(analyses)
        found = negations_of(analysis)
        yield found if sentence == analysis.text or not found else _placed_in(sentence, found)


def negations_of(analysis: Analysis) -> list[Negation]:
    """The negations of an analysed sentence, spans in code points of the analysis' text."""
    morphemes = analysis.morphemes
    found = markers(morphemes)
    if not found:
        return []
    denied = [denied_by(analysis.text, morphemes, at, kind) for at, kind in found]
    chains = chain_numbers(morphemes, [(at, _last(at, one)) for (at, _), one in zip(found, denied, strict=True)])
    sizes, quotes = Counter(chains), quoted_spans(analysis.text)
    negations = []
    for (at, kind), one, chain in zip(found, denied, chains, strict=True):
        start, end = span_of(morphemes[at])
        clause = ClauseType.CONFIRMATION if _is_fused(analysis, at) else clause_of(analysis, at)
        negations.append(
            Negation(
                type=kind,
                start=start,
                end=end,
                marker=analysis.text[start:end],
                predicate=one.form if one else "",
                predicate_start=one.start if one else start,
                predicate_end=one.end if one else start,
                clause=clause,
                chain=chain,
                double=sizes[chain] > 1,
                in_quote=any(first <= start < last for first, last in quotes),
                confirmation=clause is ClauseType.CONFIRMATION,
            )
        )
    return negations


def _is_fused(analysis: Analysis, at: int) -> bool:
    """Whether -지 않- is contracted to -잖-, which asks for agreement unless it describes a noun (그렇잖은 것)."""
    following = analysis.morphemes[at + 1 : at + 2]
    return analysis.text.startswith("잖", analysis.morphemes[at].start) and not any(m.tag == "ETM" for m in following)


def _last(at: int, denied: Denied | None) -> int:
    """The last morpheme of marker and predicate together."""
    return at if denied is None else max(at, denied.last)


def _placed_in(sentence: str, negations: Sequence[Negation]) -> list[Negation]:
    """The negations with their spans in the sentence as it was given."""
    offsets = original_offsets(sentence)
    return [
        replace(
            negation,
            start=offsets[negation.start],
            end=offsets[negation.end],
            marker=sentence[offsets[negation.start] : offsets[negation.end]],
            predicate_start=offsets[negation.predicate_start],
            predicate_end=offsets[negation.predicate_end],
        )
        for negation in negations
    ]
