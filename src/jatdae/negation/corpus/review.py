"""The review sheet: a row for each negation that was found, a person's verdict on it, and what the verdicts change."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from jatdae.benchmarks.sources import read_csv, read_json_lines
from jatdae.errors import DataError, RequestError, did_you_mean
from jatdae.judging.fence import cleaned
from jatdae.judging.validation.blind_sheet import neutralised
from jatdae.korean.negation.kinds import ClauseType, Negation, NegationType
from jatdae.negation.corpus.files import ReviewCounts
from jatdae.negation.corpus.sentences import Finding, is_counted

KEEP, REJECT = "keep", "reject"
FOUND = (
    "id", "cluster", "sentence", "number", "marker", "start", "end", "type", "clause", "predicate", "counted", "remarks"
)  # fmt: skip
DECIDED = ("verdict", "correct_type", "correct_clause", "note")
SHEETS = ("review.csv", "review.jsonl")
_NEEDED = ("id", "number", "sentence", *DECIDED)
Key = tuple[str, int]
Label = NegationType | ClauseType


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of one negation; None where the type or the clause stays as it was found."""

    word: str
    type: NegationType | None = None
    clause: ClauseType | None = None
    note: str = ""


Verdicts = Mapping[Key, Verdict]
"""By the sentence's id and the negation's number in it, from 1."""


def sheet_rows(findings: Sequence[Finding], verdicts: Verdicts) -> Iterator[dict[str, str]]:
    """The rows of the sheet, with the verdicts there are."""
    for finding in findings:
        for number, negation in enumerate(finding.negations, 1):
            verdict = verdicts.get((finding.sentence.id, number), Verdict(""))
            found = (
                finding.sentence.id,
                finding.sentence.cluster,
                finding.sentence.text,
                str(number),
                negation.marker,
                str(negation.start),
                str(negation.end),
                negation.type.value,
                negation.clause.value if negation.clause else "",
                negation.predicate,
                "yes" if is_counted(negation) else "no",
                _remarks(finding, negation),
            )
            decided = (verdict.word, verdict.type or "", verdict.clause or "", verdict.note)
            yield dict(zip((*FOUND, *DECIDED), (*found, *map(str, decided)), strict=True))


def _remarks(finding: Finding, negation: Negation) -> str:
    words = {
        "이중부정": negation.double,
        "확인형": negation.confirmation,
        "인용문 안": negation.in_quote,
        "중복": bool(finding.duplicate_of),
    }
    return ", ".join(word for word, holds in words.items() if holds)


def csv_sheet(rows: Sequence[Mapping[str, str]]) -> str:
    """The sheet as CSV with a byte-order mark, which Korean Excel needs, and no cell that a spreadsheet would run."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow((*FOUND, *DECIDED))
    writer.writerows([_cell(row[name]) for name in (*FOUND, *DECIDED)] for row in rows)
    return "\ufeff" + text.getvalue()


def json_sheet(rows: Sequence[Mapping[str, str]]) -> str:
    """The sheet as JSON lines with the same fields."""
    return "".join(json.dumps({name: row[name] for name in row}, ensure_ascii=False) + "\n" for row in rows)


def _cell(text: str) -> str:
    return neutralised(cleaned(text))


def read_verdicts(path: Path, findings: Sequence[Finding]) -> dict[Key, Verdict]:
    """The verdicts of a sheet, CSV or JSON lines; rows without one are left out, and rows may lack.

    Raises RequestError where there is no such file, DataError with line and column for a row that is not on the
    study's sheet, stands twice, has another sentence, or a word that is not known.
    """
    if not path.is_file():
        raise RequestError(f"--review {path}: no such file")
    known = {spelling: finding for finding in findings for spelling in _spellings(finding.sentence.id)}
    seen: dict[Key, int] = {}
    verdicts: dict[Key, Verdict] = {}
    for line, row in _sheet(path):
        key = _key(row, known, path, line)
        if key in seen:
            raise DataError(f"stands in line {seen[key]} already", path=path, line=line, field="number")
        seen[key] = line
        verdict = _verdict(row, path, line)
        if verdict.word or verdict.note:
            verdicts[key] = verdict
    return verdicts


def holds_verdicts(path: Path) -> bool:
    """Whether someone has worked on the sheet; one that cannot be read any more counts as worked on."""
    try:
        return any(row[name].strip() for _, row in _sheet(path) for name in DECIDED)
    except DataError:
        return True


def _sheet(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    if path.suffix == ".csv":
        yield from read_csv(path, _NEEDED)
        return
    for line, row in read_json_lines(path):
        for name in _NEEDED:
            if not isinstance(row.get(name), str):
                raise DataError("a text is expected", path=path, line=line, field=name)
        yield line, row


def _key(row: Mapping[str, str], known: Mapping[str, Finding], path: Path, line: int) -> Key:
    identifier, number = row["id"], row["number"].strip()
    finding = known.get(identifier)
    position = int(number) if re.fullmatch("[0-9]{1,4}", number) else 0
    if finding is None or not 1 <= position <= len(finding.negations):
        what = f"no negation {number[:20]!r} of sentence {identifier[:80]!r} in this study"
        raise DataError(what, path=path, line=line, field="id", mend="use the sheet that this study wrote")
    if "".join(row["sentence"].split()) not in {"".join(text.split()) for text in _spellings(finding.sentence.text)}:
        raise DataError("not the sentence of this id", path=path, line=line, field="sentence", mend="leave it as it is")
    return finding.sentence.id, position


def _spellings(text: str) -> tuple[str, str]:
    """A text as it is, and as the CSV sheet shows it."""
    return text, _cell(text)


def _verdict(row: Mapping[str, str], path: Path, line: int) -> Verdict:
    word = row["verdict"].strip().lower()
    if word not in ("", KEEP, REJECT):
        raise DataError(f"{word!r}; {KEEP!r}, {REJECT!r} or nothing is expected", path=path, line=line, field="verdict")
    kind = _label(row, "correct_type", NegationType, path, line)
    clause = _label(row, "correct_clause", ClauseType, path, line)
    if word == REJECT and (kind or clause):
        field = "correct_type" if kind else "correct_clause"
        raise DataError("a correction of a rejected negation", path=path, line=line, field=field, mend="choose one")
    if kind or clause:
        word = KEEP
    return Verdict(word, NegationType(kind) if kind else None, ClauseType(clause) if clause else None, row["note"])


def _label(row: Mapping[str, str], field: str, labels: type[StrEnum], path: Path, line: int) -> str:
    text = row[field].strip()
    known = [label.value for label in labels]
    if text and text not in known:
        raise DataError(f"{text!r} is not known", path=path, line=line, field=field, mend=did_you_mean(text, known))
    return text


def apply_verdicts(findings: Sequence[Finding], verdicts: Verdicts) -> list[Finding]:
    """The findings without what was rejected, and with what was corrected."""
    return [replace(finding, negations=tuple(_kept(finding, verdicts))) for finding in findings]


def _kept(finding: Finding, verdicts: Verdicts) -> Iterator[Negation]:
    for number, negation in enumerate(finding.negations, 1):
        verdict = verdicts.get((finding.sentence.id, number), Verdict(""))
        if verdict.word != REJECT:
            clause = verdict.clause or negation.clause
            confirmation = clause is ClauseType.CONFIRMATION if verdict.clause else negation.confirmation
            yield replace(negation, type=verdict.type or negation.type, clause=clause, confirmation=confirmation)


def count_verdicts(findings: Sequence[Finding], verdicts: Verdicts) -> ReviewCounts:
    """How many negations were kept, rejected and corrected."""
    words = [verdict.word for verdict in verdicts.values()]
    return ReviewCounts(
        rows=sum(len(finding.negations) for finding in findings),
        kept=words.count(KEEP),
        rejected=words.count(REJECT),
        corrected_types=sum(verdict.type is not None for verdict in verdicts.values()),
        corrected_clauses=sum(verdict.clause is not None for verdict in verdicts.values()),
    )
