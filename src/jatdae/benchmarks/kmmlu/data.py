"""Reading KMMLU: CSV files, one a subject and split, columns by name, every value as text.

The publisher's file names are not regular (`Korean-History-dev.csv` is `korean-history-dev.csv`), and KMMLU-HARD writes
its subjects in lower case with underscores; so files are matched by the spelling of the subject, not by a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from jatdae.benchmarks.kmmlu.findings import flags_of
from jatdae.benchmarks.kmmlu.pinned import Provenance, compare
from jatdae.benchmarks.kmmlu.release import REVISION, published_hash
from jatdae.benchmarks.kmmlu.subjects import HARD, KMMLU, SUBJECTS, TITLES, Scope, Subject, find_subject
from jatdae.benchmarks.multiple_choice import Question
from jatdae.benchmarks.sources import Source, read_csv
from jatdae.errors import DataError, RequestError

SPLITS = ("test", "dev", "train")
HUMAN = "Human Accuracy"
COLUMNS = ("question", "answer", "A", "B", "C", "D")
LAYOUTS = {KMMLU: ("data", "KMMLU", "KMMLU/data"), HARD: ("data", "KMMLU-HARD", "KMMLU-HARD/data")}
_FILE = re.compile(r"(?P<subject>.+?)(?:-hard)?[-_](?P<split>train|dev|test)\.csv", re.IGNORECASE)


def folder_of(source: Source, release: str) -> Path:
    """The folder that holds a release's CSV files. Raises RequestError that says how to get them."""
    if source.folder is None and release == HARD:
        raise RequestError(
            "KMMLU-HARD has no bundled items; name its folder with --data, or run kmmlu with --data mini"
        )
    mend = "fetch HAERAE-HUB/KMMLU-HARD from the hub and name its folder with --data" if release == HARD else ""
    return source.find(release, list(_file_names()), LAYOUTS[release], mend)


def _file_names() -> Iterator[str]:
    for subject in SUBJECTS:
        for name in dict.fromkeys((subject.config, subject.slug, subject.snake)):
            for split in SPLITS:
                yield f"{name}-{split}.csv"
                yield f"{name}-hard-{split}.csv"


def files_in(folder: Path) -> dict[tuple[Subject, str], Path]:
    """The file of each subject and split in a folder. Raises RequestError where two files claim the same place."""
    found: dict[tuple[Subject, str], Path] = {}
    for path in sorted(folder.glob("*.[cC][sS][vV]")):
        match = _FILE.fullmatch(path.name)
        subject = find_subject(match["subject"]) if match else None
        if match is None or subject is None:
            continue
        key = (subject, match["split"].lower())
        if key in found:
            raise RequestError(
                f"{folder}: {found[key].name} and {path.name} are the same subject and split; keep one of them"
            )
        found[key] = path
    return found


def read_scope(folder: Path, scope: Scope, split: str) -> dict[Subject, list[Question]]:
    """The questions of all subjects of a scope that the folder has. Raises RequestError when it has none of them."""
    files = files_in(folder)
    present = [subject for subject in scope.subjects if (subject, split) in files]
    if not present:
        wanted = scope.subjects[0].config
        raise RequestError(f"{scope.label}: no {split} file in {folder} (looked for {wanted}-{split}.csv and the like)")
    return {s: read_questions(files[s, split], s, split, scope.release) for s in present}


def pin_of(subject: Subject, split: str, release: str) -> str | None:
    """The published SHA-256 of a file, whatever its name is spelled like; None where no content pin is known."""
    return published_hash(f"{subject.config}-{split}.csv") if release == KMMLU else None


def provenance(folder: Path, release: str, read: Iterable[tuple[Subject, str]]) -> Provenance:
    """Whether the files of these subjects and splits are the published ones; each is hashed once."""
    files = files_in(folder)
    revision = REVISION if release == KMMLU else ""
    return compare(((files[key], pin_of(*key, release)) for key in read), revision)


def read_examples(folder: Path, subject: Subject, release: str) -> list[Question]:
    """A subject's solved examples: its dev rows in file order. Raises RequestError when the file is missing."""
    path = files_in(folder).get((subject, "dev"))
    if path is None:
        raise RequestError(
            f"{folder}: {subject.config} has no dev file for the examples in its prompts; add it, or ask with --shots 0"
        )
    return read_questions(path, subject, "dev", release)


def read_questions(path: Path, subject: Subject, split: str, release: str) -> list[Question]:
    """A file's questions in file order; ids are `<configuration>/<split>/<row from 0>`.

    Raises DataError that names file, line and field, and for a file of the other release.
    """
    name = subject.name_in(release)
    rows = enumerate(read_csv(path, COLUMNS))
    questions = [_question(record, f"{name}/{split}/{row}", name, path, line) for row, (line, record) in rows]
    if not questions:
        raise DataError("the file has a header but no questions", path=path)
    other = KMMLU if release == HARD else HARD
    if split == "test" and len(questions) == subject.size(other) != subject.size(release):
        raise DataError(
            f"{len(questions)} rows are {subject.config} of {TITLES[other]}, not of {TITLES[release]}",
            path=path,
            mend=f"run the task {other}, or name another folder with --data",
        )
    return questions


def _question(record: Mapping[str, str], item: str, group: str, path: Path, line: int) -> Question:
    for column in COLUMNS:
        if not record[column].strip():
            raise DataError("the value is empty", path=path, line=line, field=column)
    answer = _answer(record["answer"], path, line)
    human_accuracy(record, path, line)
    options = tuple(record[letter] for letter in "ABCD")
    return Question(
        item, record["question"], options, answer, group=group, flags=flags_of(record["question"], options, answer)
    )


def human_accuracy(record: Mapping[str, str], path: Path, line: int) -> float | None:
    """The share of exam takers who were right; 0 means that it is not known, None that there is no such column.

    Raises DataError for a value that is no share.
    """
    text = record.get(HUMAN)
    if text is None:
        return None
    try:
        value = float(text.strip() or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise DataError(f"{text!r} is not a share between 0 and 1", path=path, line=line, field=HUMAN)
    return value


def _answer(text: str, path: Path, line: int) -> int:
    if text.strip() not in ("1", "2", "3", "4"):
        what = (
            f"answer {text} is outside 1..4"
            if re.fullmatch(r"-?\d+", text.strip())
            else f"answer {text!r} is not a number 1..4"
        )
        raise DataError(what, path=path, line=line, field="answer")
    return int(text) - 1


def same_text(question: Question) -> tuple[str, ...]:
    """What two rows share when they are the same question: all texts without white space."""
    return tuple("".join(text.split()) for text in (question.question, *question.options))


def in_both(questions: Sequence[Question], others: Sequence[Question]) -> list[Question]:
    """The questions that also stand among the others, by text."""
    known = {same_text(other) for other in others}
    return [question for question in questions if same_text(question) in known]
