"""The study of models on negation, from stored results: the tables of the published study and what they leave out."""

from jatdae.reports.negation.charts import charts
from jatdae.reports.negation.models_file import ModelFacts, read_models
from jatdae.reports.negation.report import NegationReport, negation_report
from jatdae.reports.negation.words import LANGUAGES, Language
from jatdae.reports.negation.writing import json_text, markdown

__all__ = [
    "LANGUAGES",
    "Language",
    "ModelFacts",
    "NegationReport",
    "charts",
    "json_text",
    "markdown",
    "negation_report",
    "read_models",
]
