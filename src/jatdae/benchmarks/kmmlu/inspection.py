"""A look at KMMLU's files: sizes against the published tables, irregular items by id, duplicates, order, hashes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jatdae.benchmarks.inspection import Fact, FileFact, Finding, Inspection
from jatdae.benchmarks.kmmlu.data import SPLITS, files_in, folder_of, human_accuracy, pin_of, read_questions, same_text
from jatdae.benchmarks.kmmlu.findings import ITEM_FINDINGS, TEXT_FINDINGS
from jatdae.benchmarks.kmmlu.pinned import problem
from jatdae.benchmarks.kmmlu.release import REVISION
from jatdae.benchmarks.kmmlu.subjects import CATEGORIES, EXAMPLES, KMMLU, Scope, Subject, scope_of
from jatdae.benchmarks.multiple_choice import Question
from jatdae.benchmarks.sources import Source, read_csv
from jatdae.errors import DataError

MEANINGS: Mapping[str, str] = {
    "editor-note": "the question carries an editor's note about a faulty or restored item",
    "states-answer": "the note gives the number of the right option away",
    "identical-options": "all options are the same text; it cannot be answered",
    "gold-tie": "the right option's text is also another option's; scoring option texts ties",
    "figure": "the question refers to a figure that is not there",
    "not-nfc": "the text is not in Unicode's composed form; it is passed on as it is",
    "changed-by-nfkc": "compatibility normalisation would change the text; prompts are never normalised",
    "private-use": "the text has private-use code points",
    "double-space": "the question has two spaces in a row",
    "outer-white-space": "an option begins or ends with white space, which is kept",
    "digit-option": "an option is a digit 1 to 4, which an answer could also mean as a label",
    "letter-option": "an option is a letter A to D, which an answer could also mean as a label",
    "duplicate": "question and options equal an earlier row's, white space aside",
    "duplicate-other-answer": "equal rows have different right options",
    "duplicate-across-subjects": "equal rows stand in different subjects",
    "dev-in-test": "an example of the prompts is also a test question",
    "train-in-test": "a train row is also a test question; train is not for tuning or retrieval",
    "sorted-by-human-accuracy": "the file goes from hard to easy, so its head is no sample",
    "changed-file": "the file's bytes are not the published ones",
}

Split = dict[Subject, list[Question]]


def inspect(source: Source, name: str = KMMLU) -> Inspection:
    """Read every file of what `name` stands for and report what is there: a release, a category or a subject.

    A faulty file is a problem, as is one with other bytes than the published; the others are still read. Raises
    RequestError when there is no data at all.
    """
    scope = scope_of(name)
    kind = scope.release
    folder = folder_of(source, kind)
    paths = {key: path for key, path in files_in(folder).items() if key[0] in scope.subjects}
    problems: list[str] = []
    files: list[FileFact] = []
    splits: dict[str, Split] = {split: {} for split in SPLITS}
    for (subject, split), path in paths.items():
        try:
            splits[split][subject] = read_questions(path, subject, split, kind)
        except DataError as error:
            problems.append(str(error))
            continue
        files.append(FileFact.of(path, len(splits[split][subject])))
    changed = [] if source.folder is None else _changed(paths, files, kind)
    if source.folder is not None:
        problems += _against_published(splits, scope)
        problems += [problem(file, REVISION) for file in changed]
    tests = {subject: paths[subject, "test"] for subject in splits["test"]}
    findings = (*_item_findings(splits["test"]), *_across(splits), *_file_findings(tests, changed))
    return Inspection(kind, tuple(files), _facts(splits, tests), findings, tuple(problems))


def _changed(paths: Mapping[tuple[Subject, str], Path], files: Sequence[FileFact], kind: str) -> list[str]:
    """Names of the files that could be read and are not the published ones, as far as the published hash is known."""
    pins = {str(path): pin_of(*key, kind) for key, path in paths.items()}
    return [file.name for file in files if pins[file.path] not in (None, file.sha256)]


def _against_published(splits: Mapping[str, Split], scope: Scope) -> Iterator[str]:
    subjects = scope.subjects
    for split, size in (("test", lambda s: s.size(scope.release)), ("dev", lambda _: EXAMPLES)):
        there = splits[split]
        absent = [subject.config for subject in subjects if subject not in there]
        if absent:
            yield f"{split}: {len(there)} of {len(subjects)} subjects; missing or faulty: {', '.join(absent)}"
        for subject, questions in there.items():
            if len(questions) != size(subject):
                yield f"{split}: {subject.config} has {len(questions):,} rows, published are {size(subject):,}"


def _facts(splits: Mapping[str, Split], tests: Mapping[Subject, Path]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for split, subjects in splits.items():
        facts[f"{split} subjects"] = len(subjects)
        facts[f"{split} items"] = sum(map(len, subjects.values()))
    for slug, title in CATEGORIES.items():
        facts[f"test items, {title}"] = sum(len(rows) for s, rows in splits["test"].items() if s.category == slug)
    golds = Counter(item.letter for rows in splits["test"].values() for item in rows)
    facts |= {f"test answers {letter}": golds[letter] for letter in "ABCD"}
    known = [value for path in tests.values() for value in _shares(path) if value]
    if known:
        facts["human accuracy, mean of the test items that have one"] = round(sum(known) / len(known), 4)
        facts["test items with a human accuracy"] = len(known)
    return facts


def _item_findings(test: Split) -> Iterator[Finding]:
    rows = [item for questions in test.values() for item in questions]
    for name, holds in {**ITEM_FINDINGS, **TEXT_FINDINGS}.items():
        yield _finding(name, [item.id for item in rows if holds((item.question, item.options, item.answer))])


def _across(splits: Mapping[str, Split]) -> Iterator[Finding]:
    groups: dict[tuple[str, ...], list[Question]] = {}
    for questions in splits["test"].values():
        for item in questions:
            groups.setdefault(same_text(item), []).append(item)
    doubled = [group for group in groups.values() if len(group) > 1]
    yield _finding("duplicate", [item.id for group in doubled for item in group[1:]])
    for name, differ in (
        ("duplicate-other-answer", lambda item: item.answer),
        ("duplicate-across-subjects", lambda item: item.group),
    ):
        chosen = [group for group in doubled if len({differ(item) for item in group}) > 1]
        yield _finding(name, [" = ".join(item.id for item in group) for group in chosen])
    for split in ("dev", "train"):
        both = [
            f"{item.id} = {groups[same_text(item)][0].id}"
            for questions in splits[split].values()
            for item in questions
            if same_text(item) in groups
        ]
        yield _finding(f"{split}-in-test", both)


def _file_findings(tests: Mapping[Subject, Path], changed: Sequence[str]) -> Iterator[Finding]:
    rising = [subject.config for subject, path in tests.items() if _is_rising(_shares(path))]
    yield _finding("sorted-by-human-accuracy", rising)
    yield _finding("changed-file", changed)


def _finding(name: str, ids: Sequence[str]) -> Finding:
    return Finding(name, len(ids), tuple(ids), MEANINGS[name])


def _shares(path: Path) -> list[float]:
    """The human accuracy row by row; empty without the column."""
    values = [human_accuracy(record, path, line) for line, record in read_csv(path, ())]
    return [value for value in values if value is not None]


def _is_rising(values: Sequence[float]) -> bool:
    """Whether the values never fall; a subject where none is known counts as well, as in the published description."""
    return bool(values) and all(a <= b for a, b in itertools.pairwise(values))
