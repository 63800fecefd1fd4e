"""How near a benchmark's negation is to a corpus', and what to select or to write so that it comes nearer."""

from __future__ import annotations

from jatdae.negation.alignment.aligning import Alignment, Selected, align, select_and_measure
from jatdae.negation.alignment.benchmark_files import BenchmarkFiles, chosen_rows, read_benchmark
from jatdae.negation.alignment.comparison import Comparison, Share, class_counts, compare, compare_all
from jatdae.negation.alignment.conventions import CLASSES, CONVENTIONS, Convention, count_items
from jatdae.negation.alignment.labels import ItemLabels, detected_labels, gold_labels
from jatdae.negation.alignment.quotas import NextItems, largest_remainder, next_items
from jatdae.negation.alignment.reference import REFERENCE, VERDICT, ReferenceStudy, reference_study
from jatdae.negation.alignment.selection import Quota, Selection, select

__all__ = [
    "CLASSES",
    "CONVENTIONS",
    "REFERENCE",
    "VERDICT",
    "Alignment",
    "BenchmarkFiles",
    "Comparison",
    "Convention",
    "ItemLabels",
    "NextItems",
    "Quota",
    "ReferenceStudy",
    "Selected",
    "Selection",
    "Share",
    "align",
    "chosen_rows",
    "class_counts",
    "compare",
    "compare_all",
    "count_items",
    "detected_labels",
    "gold_labels",
    "largest_remainder",
    "next_items",
    "read_benchmark",
    "reference_study",
    "select",
    "select_and_measure",
]
