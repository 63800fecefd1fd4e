"""`jatdae negation testbed`: how accurate detector, clause classifier and negator are, against KoNUBench's labels."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from jatdae.benchmarks.konubench.data import read_records, split_path
from jatdae.benchmarks.sources import Source
from jatdae.evaluate.munbench.lines import write_text
from jatdae.reports.documents import document
from jatdae.reports.testbed import accuracy_markdown, accuracy_record, disagreement_rows, measure_accuracy


def testbed_command(split: str, *, data: str | None, out: Path | None, as_json: bool) -> None:
    """Print the figures; with `out` write them and every disagreement, one JSON object a line, into that folder."""
    accuracy = measure_accuracy(split, read_records(split_path(Source.of(data), split)))
    if as_json:
        print(document(accuracy_record(accuracy)))
    else:
        print(accuracy_markdown(accuracy), end="")
    if out is not None:
        rows = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in disagreement_rows(accuracy))
        write_text(out / f"{split}.md", accuracy_markdown(accuracy))
        write_text(out / f"{split}-disagreements.jsonl", "".join(f"{row}\n" for row in rows))
        print(f"figures and disagreements are in {out}", file=sys.stderr)
