"""The study from beginning to end: read, split, sample, detect, count, write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from jatdae.benchmarks.transfer import replaced_whole
from jatdae.errors import RequestError
from jatdae.negation.corpus.charts import bar_chart, check_charts
from jatdae.negation.corpus.counting import Figures, figures_of
from jatdae.negation.corpus.engines import Engine, LocalEngine
from jatdae.negation.corpus.files import (
    SENTENCES,
    STUDY,
    Provenance,
    findings_document,
    read_findings,
    read_provenance,
    study_document,
)
from jatdae.negation.corpus.interrupted import FOLDER, KeptWork
from jatdae.negation.corpus.passages import Passage, Place, find_places, read_passages
from jatdae.negation.corpus.report import Content, report
from jatdae.negation.corpus.review import (
    SHEETS,
    Verdicts,
    apply_verdicts,
    count_verdicts,
    csv_sheet,
    holds_verdicts,
    json_sheet,
    read_verdicts,
    sheet_rows,
)
from jatdae.negation.corpus.sampling import Sample, cluster_name, sampler_for
from jatdae.negation.corpus.sentences import Finding
from jatdae.negation.corpus.settings import BLOCK, StudySettings
from jatdae.negation.corpus.splitting import SLOW, split
from jatdae.negation.corpus.versions import deciding_versions
from jatdae.negation.corpus.wording import ENGLISH, KOREAN
from jatdae.runtime import Progress
from jatdae.types import digest

TOGETHER = 20_000
"""Characters of passages that a worker splits at once: about a tenth of a second of work."""
TELL_EVERY = 100_000
"""Sentences after which progress in splitting is told; how many there will be is not known."""


def run_study(settings: StudySettings, out: Path, engine: Engine, progress: Progress) -> Figures:
    """Study a corpus and write all files to the folder `out`; the same corpus and settings give the same bytes.

    A study that was stopped goes on where it was. Raises RequestError or DataError for settings, a corpus or a folder
    that cannot be used, and where `out` holds a person's verdicts, which would be lost.
    """
    settings.check()
    check_charts()
    places = find_places(settings.paths, offline=settings.offline)
    _prepare(out)
    kept = KeptWork(out / FOLDER, settings, deciding_versions(settings))
    drawn = kept.read_sample(places)
    if drawn is None:
        drawn = draw_sample(places, settings, engine, progress)
        kept.keep_sample(places, *drawn)
    sample, corpus = drawn
    findings = _detect(sample, kept, engine, progress)
    provenance = _provenance(settings, kept.versions, sample, corpus)
    figures = _write(out, provenance, findings, None)
    kept.discard()
    return figures


def review_study(out: Path, sheet: Path) -> Figures:
    """Apply a review sheet to the study in the folder `out` and write its files anew, the verdicts on the new sheet.

    Raises RequestError where there is no study or no sheet, DataError with line and column for a bad sheet.
    """
    findings, provenance = read_findings(out), read_provenance(out)
    return _write(out, provenance, findings, read_verdicts(sheet, findings))


def _prepare(out: Path) -> None:
    for name in SHEETS:
        if (out / name).is_file() and holds_verdicts(out / name):
            raise RequestError(f"{out / name} holds a person's verdicts, which a new study would replace; choose --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"--out {out}: no folder can be made there ({error.strerror})") from None


def draw_sample(
    places: Sequence[Place], settings: StudySettings, engine: Engine, progress: Progress
) -> tuple[Sample, dict[str, int]]:
    """The sample, and how many files, passages, sentences and clusters the corpus has."""
    sampler = sampler_for(settings)
    passages = sentences = clusters = index = number = 0
    last: Passage | None = None
    for passage, found in split_passages(read_passages(places, settings.field), settings.splitter, engine):
        if last is None or last.file != passage.file:
            clusters, index = clusters + -(-index // BLOCK), 0
        if last is None or (last.file, last.number) != (passage.file, passage.number):
            passages, number = passages + 1, 0
        for text in found:
            number += 1
            sampler.offer(cluster_name(passage.file, index), f"{passage.file}:{passage.number}:{number}", text)
            index += 1
        if (sentences + len(found)) // TELL_EVERY > sentences // TELL_EVERY:
            progress.stage(f"splitting: {sentences + len(found):,} sentences of {passage.file}")
        sentences, last = sentences + len(found), passage
    if not sentences:
        raise RequestError("the corpus has no sentence; are its files empty?")
    clusters += -(-index // BLOCK)
    sizes = {"files": len(places), "passages": passages, "sentences": sentences, "clusters": clusters}
    return sampler.sample(), sizes


def split_passages(passages: Iterable[Passage], splitter: str, engine: Engine) -> Iterator[tuple[Passage, list[str]]]:
    """Each passage with its sentences, in order; splitters that need no analysis run in this process."""
    spread = engine if splitter in SLOW else LocalEngine(1)
    for chunk, found in spread.map(partial(_split_chunk, splitter), _batches(passages)):
        yield from zip(chunk, found, strict=True)


def _split_chunk(splitter: str, chunk: Sequence[Passage]) -> list[list[str]]:
    return split(splitter, [passage.text for passage in chunk])


def _batches(passages: Iterable[Passage]) -> Iterator[tuple[Passage, ...]]:
    batch: list[Passage] = []
    size = 0
    for passage in passages:
        batch.append(passage)
        size += len(passage.text) + 1
        if size >= TOGETHER:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def _detect(sample: Sample, kept: KeptWork, engine: Engine, progress: Progress) -> list[Finding]:
    first: dict[str, str] = {}
    findings: list[Finding] = []
    free = 0
    progress.start("detecting", len(sample.sentences))
    for found, was_there in kept.detect([sentence.text for sentence in sample.sentences], engine):
        for sentence, negations in zip(sample.sentences[len(findings) :], found, strict=False):
            earlier = first.setdefault(sentence.text, sentence.id)
            findings.append(Finding(sentence, negations, "" if earlier == sentence.id else earlier))
        free += len(found) if was_there else 0
        progress.advance(len(findings), free)
    progress.finish()
    return findings


def _provenance(
    settings: StudySettings, versions: Mapping[str, str], sample: Sample, corpus: Mapping[str, int]
) -> Provenance:
    deciding = {
        "sample": None if settings.clusters else settings.sample,
        "clusters": settings.clusters,
        "seed": settings.seed,
        "max_chars": settings.max_chars,
        "splitter": settings.splitter,
        "method": settings.method,
        "field": settings.field,
    }
    texts = digest(*(part for sentence in sample.sentences for part in (sentence.id, sentence.text)))
    return Provenance(deciding, versions, corpus, sample.drawn, sample.overlong, texts)


def _write(out: Path, provenance: Provenance, findings: Sequence[Finding], verdicts: Verdicts | None) -> Figures:
    reviewed = findings if verdicts is None else apply_verdicts(findings, verdicts)
    counts = None if verdicts is None else count_verdicts(findings, verdicts)
    settings = provenance.settings
    figures = figures_of(reviewed, settings["seed"], with_clauses=settings["method"] == "morphemes")
    rows = list(sheet_rows(findings, verdicts or {}))
    content = Content(provenance, figures, reviewed, counts)
    files = {
        SENTENCES: findings_document(findings),
        SHEETS[0]: csv_sheet(rows),
        SHEETS[1]: json_sheet(rows),
        "report.md": report(content, ENGLISH),
        "report.ko.md": report(content, KOREAN),
        "types.svg": bar_chart(figures.types, title="부정 유형 (negation types)", axis="%"),
        STUDY: study_document(provenance, figures, counts),
    }
    if figures.clauses:
        files["clauses.svg"] = bar_chart(figures.clauses, title="절 유형 (clauses)", axis="%")
    else:
        (out / "clauses.svg").unlink(missing_ok=True)
    for name, text in files.items():
        _put(out / name, text)
    return figures


def _put(file: Path, text: str) -> None:
    try:
        with replaced_whole(file) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise RequestError(f"--out {file} cannot be written ({error.strerror})") from None
