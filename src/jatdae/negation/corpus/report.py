"""The study as a report in Markdown, with examples of each type and clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jatdae.judging.fence import cleaned
from jatdae.korean.negation.kinds import ClauseType, Negation
from jatdae.negation.corpus.counting import APART, CLAUSES, TYPES, Figures, Share, label_of
from jatdae.negation.corpus.files import Provenance, ReviewCounts
from jatdae.negation.corpus.sampling import priority
from jatdae.negation.corpus.sentences import Finding, is_counted
from jatdae.negation.corpus.settings import BLOCK
from jatdae.negation.corpus.wording import Words
from jatdae.types import Estimate

EXAMPLES = 3
"""Examples of each class."""
FEW_CLUSTERS = 20
"""Below this many a bootstrap of clusters is known to be too narrow; the report says so."""
_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]{}#~|$!"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@dataclass(frozen=True, slots=True)
class Content:
    """What a report tells: the figures and findings after review, and where they come from."""

    provenance: Provenance
    figures: Figures
    findings: Sequence[Finding]
    review: ReviewCounts | None


def report(content: Content, words: Words) -> str:
    """The report in the language of `words`."""
    figures = content.figures
    sections = (
        f"# {words.title}",
        f"## {words.about}",
        *_about(content, words),
        f"## {words.rate}",
        _table(words.rate_header, _rates(figures, words)),
        words.convention,
        *_few_clusters(figures, words),
        f"## {words.types}",
        _share_table(figures.types, words),
        f"![{words.types}](types.svg)",
        f"## {words.clauses}",
        *_clauses(figures, words),
        f"## {words.apart}",
        _apart_table(figures.apart, words),
        words.doubled.format(doubled=figures.doubled, quoted=figures.quoted),
        f"## {words.review}",
        _review(content.review, words),
        words.missed,
        f"## {words.examples}",
        *_examples(content, words),
    )
    return "\n\n".join(sections) + "\n"


def _about(content: Content, words: Words) -> Iterator[str]:
    provenance, settings, figures = content.provenance, content.provenance.settings, content.figures
    sample = words.cluster_sample if settings["clusters"] else words.sample
    yield "\n".join(
        f"- {line}"
        for line in (
            words.corpus.format(**provenance.corpus, block=BLOCK),
            sample.format(drawn=provenance.drawn, seed=settings["seed"], clusters=len(figures.clusters)),
            words.overlong.format(limit=settings["max_chars"], count=provenance.overlong, studied=figures.sentences),
            words.duplicates.format(f"{figures.duplicates:,}"),
            words.method.format(dict(words.methods)[settings["method"]]),
            words.splitter.format(settings["splitter"]),
            words.versions.format(", ".join(f"{name} {value}" for name, value in sorted(provenance.versions.items()))),
        )
    )


def _rates(figures: Figures, words: Words) -> list[tuple[str, ...]]:
    counts = f"{figures.negative:,} / {figures.sentences:,}"
    rates = zip(words.rate_rows, (figures.rate, figures.rate_by_cluster), strict=True)
    return [(name, counts, f"{_percent(rate)} ({_interval(rate, words)})") for name, rate in rates]


def _few_clusters(figures: Figures, words: Words) -> tuple[str, ...]:
    count = len(figures.clusters)
    return (words.few_clusters.format(count),) if count < FEW_CLUSTERS else ()


def _clauses(figures: Figures, words: Words) -> tuple[str, ...]:
    if not figures.clauses:
        return (words.no_clauses,)
    return _share_table(figures.clauses, words), f"![{words.clauses}](clauses.svg)"


def _share_table(shares: Sequence[Share], words: Words) -> str:
    rows = [
        (
            share.label,
            f"{share.occurrences:,}",
            f"{share.sentences:,}",
            _percent(share.share),
            _interval(share.share, words),
        )
        for share in shares
    ]
    return _table(words.share_header, rows)


def _apart_table(shares: Sequence[Share], words: Words) -> str:
    rows = [(share.label, f"{share.occurrences:,}", f"{share.sentences:,}") for share in shares]
    return _table(words.apart_header, rows)


def _review(review: ReviewCounts | None, words: Words) -> str:
    if review is None:
        return words.not_reviewed
    return words.reviewed.format(
        decided=review.kept + review.rejected,
        rows=review.rows,
        kept=review.kept,
        rejected=review.rejected,
        types=review.corrected_types,
        clauses=review.corrected_clauses,
    )


def _examples(content: Content, words: Words) -> Iterator[str]:
    """Up to `EXAMPLES` sentences of each class, drawn at random by the study's seed, the negation in bold."""
    seed = content.provenance.settings["seed"]
    order = sorted(content.findings, key=lambda finding: priority(seed, f"example {finding.sentence.id}"))
    chosen: list[tuple[str, Callable[[Negation], bool]]] = [
        (label, lambda one, label=label: is_counted(one) and label_of(one, "types") == label) for label in TYPES
    ]
    if content.figures.clauses:
        chosen += [
            (label, lambda one, label=label: is_counted(one) and label_of(one, "clauses") == label) for label in CLAUSES
        ]
    chosen += [(label, lambda one, label=label: not is_counted(one) and _apart(one, label)) for label in APART]
    for label, belongs in chosen:
        yield f"### {label}"
        yield "\n".join(_shown(order, belongs)) or words.none


def _apart(negation: Negation, label: str) -> bool:
    return (ClauseType.CONFIRMATION if negation.confirmation else negation.type) == label


def _shown(findings: Sequence[Finding], belongs: Callable[[Negation], bool]) -> Iterator[str]:
    left = EXAMPLES
    for finding in findings:
        found = next((one for one in finding.negations if belongs(one)), None)
        if found is not None and not finding.duplicate_of:
            yield f"- {_marked(finding.sentence.text, found)}"
            left -= 1
            if not left:
                return


def _marked(text: str, negation: Negation) -> str:
    before, marker, after = text[: negation.start], text[negation.start : negation.end], text[negation.end :]
    return f"{_plain(before)}<b>{_plain(marker)}</b>{_plain(after)}"


def _plain(text: str) -> str:
    """Text from outside on one line, without markup, links, HTML or unseen characters."""
    escaped = cleaned(text).replace("\n", " ").translate(_ESCAPED)
    return escaped.replace("://", "&#58;//").replace("www.", "www&#46;").replace("@", "&#64;")


def _percent(estimate: Estimate | None) -> str:
    return "–" if estimate is None else f"{100 * estimate.value:.1f} %"


def _interval(estimate: Estimate | None, words: Words) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return words.none
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f} %"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
