"""What a study keeps while it works, so that one that was stopped or killed goes on where it was.

All lies in one folder inside the study's own, under hashes of what decides it, and goes when the study is written.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jatdae.negation.corpus.detection import CHUNK, Found, chunks_of, detect_chunk
from jatdae.negation.corpus.engines import Engine
from jatdae.negation.corpus.passages import Place
from jatdae.negation.corpus.sampling import Sample
from jatdae.negation.corpus.sentences import Sentence, negation_from, negation_row
from jatdae.negation.corpus.settings import StudySettings
from jatdae.types import canonical, digest

FOLDER = ".work"


@dataclass(frozen=True, slots=True)
class KeptWork:
    """The folder, and the settings and versions under which its contents hold."""

    folder: Path
    settings: StudySettings
    versions: Mapping[str, str]

    def read_sample(self, places: Sequence[Place]) -> tuple[Sample, dict[str, int]] | None:
        """The sample that an interrupted study drew from the same files, with the corpus' sizes; None without one."""
        content = _read(self._sample_file(places))
        try:
            sentences = [Sentence(*row) for row in content["sentences"]]
            return Sample(sentences, content["drawn"], content["overlong"]), content["corpus"]
        except (TypeError, KeyError):
            return None

    def keep_sample(self, places: Sequence[Place], sample: Sample, corpus: Mapping[str, int]) -> None:
        """Keep a sample, unless it comes from a hub, where the same name may stand for other texts tomorrow."""
        if all(place.path is not None for place in places):
            rows = [(sentence.id, sentence.cluster, sentence.text) for sentence in sample.sentences]
            content = {"sentences": rows, "drawn": sample.drawn, "overlong": sample.overlong, "corpus": dict(corpus)}
            self._write(self._sample_file(places), content)

    def _sample_file(self, places: Sequence[Place]) -> Path:
        """Named by settings, versions, and the files' names, sizes and times of change."""
        stats = [(place.name, place.path.stat()) for place in places if place.path is not None]
        files = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
        settings = {**asdict(self.settings), "paths": None, "offline": None, "method": None}
        key = digest(canonical(settings), canonical(dict(self.versions)), canonical(files))
        return self.folder / f"sample-{key}.json"

    def detect(self, sentences: Sequence[str], engine: Engine) -> Iterator[tuple[Found, bool]]:
        """The chunks' answers in order, each with whether it was there already. New ones are kept as they come."""
        chunks = list(chunks_of(sentences, CHUNK))
        files = [self._chunk_file(chunk) for chunk in chunks]
        kept = [_read_chunk(file, len(chunk)) for file, chunk in zip(files, chunks, strict=True)]
        missing = (chunk for chunk, found in zip(chunks, kept, strict=True) if found is None)
        answers = engine.map(partial(detect_chunk, self.settings.method), missing)
        for file, found in zip(files, kept, strict=True):
            if found is None:
                _, new = next(answers)
                self._write(file, [list(map(negation_row, row)) for row in new])
                yield new, False
            else:
                yield found, True

    def _chunk_file(self, chunk: Sequence[str]) -> Path:
        return self.folder / f"{digest(self.settings.method, canonical(dict(self.versions)), *chunk)}.json"

    def _write(self, file: Path, content: object) -> None:
        """Whole or not at all, so that a kill leaves no half of an answer."""
        self.folder.mkdir(parents=True, exist_ok=True)
        passing = file.with_suffix(".part")
        passing.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        passing.replace(file)

    def discard(self) -> None:
        """Delete all; the study is written."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _read(file: Path) -> Any:
    """The content of a file; None where there is none, or where a fault left it unreadable."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _read_chunk(file: Path, size: int) -> Found | None:
    rows = _read(file)
    try:
        found = [tuple(map(negation_from, row)) for row in rows]
    except (TypeError, KeyError, ValueError):
        return None
    return found if len(found) == size else None
