"""The eight tasks by name, with a line about each; those that have prompts can be asked of a language model too."""

from __future__ import annotations

from jatdae.benchmarks.base import register
from jatdae.benchmarks.klue.prompted import PromptedKlueTask
from jatdae.benchmarks.klue.prompting import ASKING
from jatdae.benchmarks.klue.task import KlueTask

SUMMARIES = {
    "ynat": "topics of news headlines (macro F1 over 7 topics)",
    "sts": "how alike two sentences are (Pearson's r; F1 of paraphrases)",
    "nli": "entailment, contradiction or neutral (accuracy)",
    "ner": "named entities (macro F1 of entities and of characters)",
    "re": "relations between two entities (micro F1, AUPRC over 30 relations)",
    "dp": "dependency parsing (UAS, LAS)",
    "mrc": "reading comprehension with unanswerable questions (exact match, ROUGE-W)",
    "wos": "dialogue state tracking (joint goal accuracy, slot F1)",
}
for _task, _summary in SUMMARIES.items():
    register(f"klue/{_task}", _summary)(PromptedKlueTask if _task in ASKING else KlueTask)
