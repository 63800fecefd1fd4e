"""The report as one HTML file that needs nothing else, and the same content as Markdown and JSON."""

from jatdae.reports.html.content import Content, Wanted, gather
from jatdae.reports.html.document import html_report
from jatdae.reports.html.plain import content_json, markdown_report

__all__ = ["Content", "Wanted", "content_json", "gather", "html_report", "markdown_report"]
