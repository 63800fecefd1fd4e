"""The same content for programs (JSON) and as Markdown."""

from __future__ import annotations

from jatdae.reports.documents import document
from jatdae.reports.html.blocks import Block, Chart, Lang, Paragraph, Rows
from jatdae.reports.html.content import Content
from jatdae.reports.html.sections import sections
from jatdae.reports.html.words import words
from jatdae.reports.munbench.escaping import markdown_text


def markdown_report(content: Content, lang: Lang) -> str:
    """All sections; charts are the tables of their figures."""
    parts = [f"# {words(lang)['title']}"]
    for section in sections(content, lang):
        parts.append(f"## {markdown_text(section.title)}")
        parts += [_markdown(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _markdown(block: Block) -> str:
    if isinstance(block, Paragraph):
        return markdown_text(block.text)
    told = block.alt if isinstance(block, Chart) else block.caption
    table = _table(block.header, block.rows)
    return f"{markdown_text(told)}\n\n{table}" if told else table


def _table(header: tuple[str, ...], rows: Rows) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(markdown_text, line))} |" for line in lines)


def content_json(content: Content) -> str:
    """Results, comparisons and drawn samples as one document."""
    return document(
        {
            "results": content.results,
            "runs": {str(number): run for number, run in content.runs.items()},
            "comparisons": content.compared,
            "samples": content.samples,
        }
    )
