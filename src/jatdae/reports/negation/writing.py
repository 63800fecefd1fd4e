"""The report as Markdown in two languages and as JSON; no date in it, so that the same results give the same text."""

from __future__ import annotations

from dataclasses import asdict

from jatdae.reports.documents import document
from jatdae.reports.negation import answer_sections, score_sections
from jatdae.reports.negation.report import NegationReport
from jatdae.reports.negation.section import Section
from jatdae.reports.negation.words import Language, Words


def sections(report: NegationReport, words: Words) -> list[Section]:
    """All tables that have a row, in the order in which they are shown."""
    made = [
        score_sections.models(report, words),
        *score_sections.scores(report, words),
        answer_sections.baselines(report, words),
        *score_sections.means(report, words),
        score_sections.pairs(report, words),
        score_sections.sizes(report, words),
        answer_sections.wrong_options(report, words),
        answer_sections.pooled_wrong_options(report, words),
        *answer_sections.breakdowns(report, words),
        score_sections.polarity(report, words),
        score_sections.polarity_gains(report, words),
        score_sections.tuned(report, words),
        score_sections.tuned_means(report, words),
        score_sections.left_out(report, words),
    ]
    return [one for one in made if one.rows or one.lines]


def markdown(report: NegationReport, language: Language) -> str:
    """The whole report as Markdown."""
    words = Words(language)
    return "\n\n".join([f"# {words.heading}", *(one.markdown for one in sections(report, words))]) + "\n"


def json_text(report: NegationReport) -> str:
    """The whole report as JSON, with every figure that a table rounds or leaves out."""
    return document(asdict(report))
