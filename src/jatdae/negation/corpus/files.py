"""The study's files: `study.json` with the figures, `sentences.jsonl` with every sampled sentence and its negations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jatdae.errors import DataError, RequestError
from jatdae.negation.corpus.counting import Figures
from jatdae.negation.corpus.sentences import Finding, Sentence, negation_from, negation_row
from jatdae.negation.distribution import ClusterCounts, Distribution

STUDY, SENTENCES = "study.json", "sentences.jsonl"
FORMAT = "jatdae negation study 1"
CONVENTION = (
    "occurrences of the five syntactic types; coordinate main clauses count as 주절; confirmation forms (확인형), "
    "아니다 and lexical negation are left out; a double negation counts twice"
)
_KINDS = ("types", "clauses")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the findings come from: settings and versions that decide, and the sizes of corpus and sample.

    `sample_sha256` is over the ids and texts of the sampled sentences.
    """

    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    corpus: Mapping[str, int]
    drawn: int
    overlong: int
    sample_sha256: str


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """What a person decided about the negations on the review sheet; `rows` are all that stand on it."""

    rows: int
    kept: int
    rejected: int
    corrected_types: int
    corrected_clauses: int


def study_document(provenance: Provenance, figures: Figures, review: ReviewCounts | None) -> str:
    """The text of study.json: keys sorted, no clock, nothing of the machine, so that equal studies are equal bytes."""
    content = {
        "format": FORMAT,
        "convention": CONVENTION,
        **asdict(provenance),
        "review": None if review is None else asdict(review),
        "figures": {**asdict(figures), "clusters": None},
        "clusters": [asdict(cluster) for cluster in figures.clusters],
    }
    del content["figures"]["clusters"]
    return json.dumps(content, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False) + "\n"


def read_study(path: Path) -> Distribution:
    """A study's counts by cluster, from its folder or its study.json.

    Raises RequestError where there is none, DataError where the file is no study.
    """
    file, content = _load(path)
    try:
        clusters = tuple(_cluster(row) for row in content["clusters"])
        return Distribution(file.resolve().parent.name, str(content["convention"]), clusters)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"no counts by cluster ({error})", path=file, field="clusters") from None


def read_provenance(folder: Path) -> Provenance:
    """Where a study's findings come from. Raises as `read_study` does."""
    file, content = _load(folder)
    try:
        return Provenance(**{name: content[name] for name in Provenance.__slots__})
    except KeyError as error:
        raise DataError("this key is missing", path=file, field=str(error.args[0])) from None


def _load(path: Path) -> tuple[Path, dict[str, Any]]:
    file = path / STUDY if path.is_dir() else path
    if not file.is_file():
        raise RequestError(f"{path}: no study is there; make one with: jatdae negation study PATH... --out {path}")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"not readable as JSON ({error})", path=file) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"not a study of this version; {FORMAT!r} is expected", path=file, field="format")
    return file, content


def _cluster(row: Mapping[str, Any]) -> ClusterCounts:
    types, clauses = ({str(label): _count(number) for label, number in row[kind].items()} for kind in _KINDS)
    return ClusterCounts(str(row["name"]), _count(row["sentences"]), _count(row["negative"]), types, clauses)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value


def findings_document(findings: Sequence[Finding]) -> str:
    """The text of sentences.jsonl: the findings as the detector made them, before any review."""
    rows = (
        {
            "id": finding.sentence.id,
            "cluster": finding.sentence.cluster,
            "sentence": finding.sentence.text,
            "duplicate_of": finding.duplicate_of,
            "negations": [negation_row(negation) for negation in finding.negations],
        }
        for finding in findings
    )
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)


def read_findings(folder: Path) -> list[Finding]:
    """The findings of a study in its folder. Raises RequestError where there are none, DataError with the line."""
    file = folder / SENTENCES
    if not file.is_file():
        raise RequestError(f"{folder}: no study is there; make one with: jatdae negation study PATH... --out {folder}")
    with file.open(encoding="utf-8", newline="\n") as lines:
        return [_finding(line, file, number) for number, line in enumerate(lines, 1)]


def _finding(line: str, file: Path, number: int) -> Finding:
    try:
        row = json.loads(line)
        sentence = Sentence(row["id"], row["cluster"], row["sentence"])
        return Finding(sentence, tuple(map(negation_from, row["negations"])), row["duplicate_of"])
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"not a sentence of a study ({error})", path=file, line=number) from None
