"""`jatdae negation detect` and `jatdae negation study`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jatdae.errors import DataError, RequestError
from jatdae.reports.documents import document
from jatdae.reports.munbench.escaping import one_line
from jatdae.runtime import Progress

if TYPE_CHECKING:
    from jatdae.korean.negation.kinds import Negation
    from jatdae.negation.corpus.counting import Figures
    from jatdae.types import Estimate


def detect_command(texts: Sequence[str], *, method: str, workers: int | None, as_json: bool) -> int:
    """Print the negations of each sentence: of those given, of a file's lines, or of standard input's (`-`)."""
    from jatdae.negation.corpus.detection import detect_many
    from jatdae.negation.corpus.engines import open_engine
    from jatdae.negation.corpus.settings import check_method

    check_method(method)
    with open_engine("local", workers) as engine:
        found = detect_many(method, _sentences(texts), engine)
        first = next(found, None)
        if first is None:
            raise RequestError("no sentence is given; for example: jatdae negation detect '나는 가지 않았다.'")
        everything = chain([first], found)
        if as_json:
            _print_json(method, everything)
        else:
            for sentence, negations in everything:
                print("\n".join((one_line(sentence), *(f"  {_told(negation)}" for negation in negations))))
    return 0


def _sentences(texts: Sequence[str]) -> Iterator[str]:
    """Sentences as they are read; a word that names a file stands for its lines."""
    from jatdae.korean.negation.analysis import readable
    from jatdae.negation.corpus.passages import ENDINGS, find_places, read_passages

    for text in texts:
        if text == "-":
            yield from _standard_input()
        elif _is_file(text) or text.endswith(ENDINGS):
            places = find_places([text], offline=True)
            yield from (readable(passage.text.strip()) for passage in read_passages(places, "text"))
        elif text.strip():
            yield readable(text.strip())


def _standard_input() -> Iterator[str]:
    from jatdae.korean.negation.analysis import readable

    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = line.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            raise DataError("not UTF-8", path="standard input", line=number, mend="save it as UTF-8") from None
        if text:
            yield readable(text)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _print_json(method: str, found: Iterator[tuple[str, tuple[Negation, ...]]]) -> None:
    """One document, written while sentences come, so that a long file needs no memory."""
    print(f'{{"method": {json.dumps(method)}, "sentences": [', end="")
    mark = "\n"
    for sentence, negations in found:
        row = {"sentence": sentence, "negations": [asdict(negation) for negation in negations]}
        print(mark + json.dumps(row, ensure_ascii=False), end="")
        mark = ",\n"
    print("\n]}")


def _told(negation: Negation) -> str:
    remarks = {"이중부정": negation.double, "확인형": negation.confirmation, "인용문 안": negation.in_quote}
    parts = (
        f"{negation.start}-{negation.end} {one_line(negation.marker)}",
        negation.type.value,
        negation.predicate,
        negation.clause.value if negation.clause else "",
        *(word for word, holds in remarks.items() if holds),
    )
    return ", ".join(filter(None, parts))


def study_command(
    paths: Sequence[str],
    *,
    out: Path,
    sample: int,
    clusters: int | None,
    seed: int,
    max_chars: int,
    splitter: str,
    method: str,
    field: str,
    review: Path | None,
    engine: str,
    workers: int | None,
    offline: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Study a corpus, or apply a review sheet to the study in `out`; the files go to `out`."""
    from jatdae.negation.corpus.engines import open_engine
    from jatdae.negation.corpus.settings import StudySettings
    from jatdae.negation.corpus.study import review_study, run_study

    if review is not None:
        if paths:
            raise RequestError("--review goes with a study that is there: leave the paths away, or --review")
        figures = review_study(out, review)
    else:
        settings = StudySettings(
            tuple(paths), sample, seed, max_chars, clusters, splitter, method, field=field, offline=offline
        )
        settings.check()
        with open_engine(engine, workers) as running:
            figures = run_study(settings, out, running, Progress(quiet=quiet))
    if as_json:
        print(document({"out": str(out), "figures": _summary(figures)}))
    else:
        _show(figures, out)
    return 0


def _summary(figures: Figures) -> dict[str, Any]:
    return {name: value for name, value in asdict(figures).items() if name != "clusters"}


def _show(figures: Figures, out: Path) -> None:
    print(f"{figures.negative:,} of {figures.sentences:,} sentences are negative: {_rate(figures.rate_by_cluster)}")
    for share in (*figures.types, *figures.clauses):
        print(f"  {share.label}: {share.occurrences:,}, {_rate(share.share)}".rstrip(", "))
    for share in figures.apart:
        print(f"  apart, {share.label}: {share.occurrences:,}")
    print(f"report: {out / 'report.md'}; sheet for a review: {out / 'review.csv'}", file=sys.stderr)


def _rate(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    interval = "" if estimate.low is None or estimate.high is None else f" ({estimate.low:.1%} to {estimate.high:.1%})"
    return f"{estimate.value:.1%}{interval}"
