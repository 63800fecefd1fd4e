"""The results folder: which file holds what, and records to lines and back.

Field names are the original's where it has the field (`item_id`, `transcript`, `outputs`, `human_score` ...), so that
files of its own runs are read as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from jatdae.benchmarks.munbench.generating import is_blank
from jatdae.benchmarks.munbench.generations import Generation, Status
from jatdae.errors import DataError
from jatdae.evaluate.munbench.lines import read_lines, write_lines
from jatdae.judging.cases import Profile, RubricScore, Verdict

R = TypeVar("R", Generation, RubricScore, Verdict)
GENERATIONS, SCORES, VERDICTS = TypeAdapter(Generation), TypeAdapter(RubricScore), TypeAdapter(Verdict)


def slug(model: str) -> str:
    """A file name for a model: readable, safe on every system, and different for different ids."""
    return f"{quote(model, safe='')[:120]}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


class ResultsFolder:
    """Reads and writes the records of a run. `warnings` collects what was found broken on the way.

    Judgements of the profile `compat` have a folder of their own, since its prompts are others.
    """

    def __init__(self, path: Path, profile: Profile = "standard") -> None:
        self.path = path
        self._judgements = path / ("judgments" if profile == "standard" else f"judgments-{profile}")
        self.warnings: list[str] = []

    def generations(self, model: str) -> list[Generation]:
        """A contestant's samples, one for each key: of two the last complete one counts (a retry is logged later)."""
        return self._read(self._generations_file(model), GENERATIONS, _upgrade, generation_key, _is_complete)

    def scores(self, model: str) -> list[RubricScore]:
        return self._read(self._scores_file(model), SCORES, lambda raw: raw, score_key, lambda one: one.status == "ok")

    def verdicts(self) -> list[Verdict]:
        file = self._judgements / "pairwise.jsonl"
        return self._read(file, VERDICTS, lambda raw: raw, verdict_key, lambda one: one.status == "ok")

    def save_generations(self, model: str, fresh: Sequence[Generation]) -> None:
        """Write samples over those of the same key; all others stay, and so does what people scored."""
        old = {generation_key(one): one for one in self.generations(model)}
        fresh = [_with_human_score(one, old.get(generation_key(one))) for one in fresh]
        self._save(self._generations_file(model), {**old, **{generation_key(one): one for one in fresh}})

    def save_scores(self, model: str, fresh: Sequence[RubricScore]) -> None:
        old = {score_key(one): one for one in self.scores(model)}
        self._save(self._scores_file(model), {**old, **{score_key(one): one for one in fresh}})

    def save_verdicts(self, fresh: Sequence[Verdict]) -> None:
        old = {verdict_key(one): one for one in self.verdicts()}
        self._save(self._judgements / "pairwise.jsonl", {**old, **{verdict_key(one): one for one in fresh}})

    def _generations_file(self, model: str) -> Path:
        return self.path / "generations" / f"{slug(model)}.jsonl"

    def _scores_file(self, model: str) -> Path:
        return self._judgements / f"rubric-{slug(model)}.jsonl"

    def _read(
        self,
        file: Path,
        adapter: TypeAdapter[R],
        upgrade: Callable[[dict[str, Any]], dict[str, Any]],
        key: Callable[[R], Hashable],
        complete: Callable[[R], bool],
    ) -> list[R]:
        lines, warnings = read_lines(file)
        kept: dict[Hashable, R] = {}
        for number, raw in enumerate(lines, 1):
            record = _validated(adapter, upgrade(_inward(raw)), file, number)
            if key(record) not in kept or complete(record) or not complete(kept[key(record)]):
                kept[key(record)] = record
        if len(kept) < len(lines):
            warnings.append(f"{file}: {len(lines) - len(kept)} repeated records; of each the last complete one counts")
        self.warnings += [warning for warning in warnings if warning not in self.warnings]
        return list(kept.values())

    def _save(self, file: Path, records: Mapping[Hashable, R]) -> None:
        write_lines(file, [_outward(records[key]) for key in sorted(records, key=str)])


def read_outputs(folder: Path) -> tuple[list[Generation], list[str]]:
    """Texts made elsewhere: every line of a folder's JSON-lines files that has `item_id` and `outputs`; and warnings.

    Raises DataError for a line that lacks them.
    """
    found: list[Generation] = []
    warnings: list[str] = []
    for file in sorted(folder.glob("*.jsonl")) if folder.is_dir() else []:
        lines, told = read_lines(file)
        warnings += told
        for number, raw in enumerate(lines, 1):
            least = {"track": 0, "model": "", "variant": None, **raw}
            found.append(_validated(GENERATIONS, _upgrade(_inward(least)), file, number, "mend or delete the line"))
    return found, warnings


def generation_key(one: Generation) -> tuple[str, str, int]:
    return one.item, one.variant, one.index


def score_key(one: RubricScore) -> tuple[str, str, int, str, int]:
    return one.item, one.variant, one.index, one.judge, one.iteration


def verdict_key(one: Verdict) -> tuple[str, str, str, str, str]:
    return one.item, one.variant, one.first, one.second, one.judge


def _is_complete(one: Generation) -> bool:
    return one.status not in (Status.ERROR, Status.PARTIAL)


def _with_human_score(fresh: Generation, old: Generation | None) -> Generation:
    """What people scored belongs to the text that they saw."""
    if fresh.human_score is not None or old is None or old.outputs != fresh.outputs:
        return fresh
    return replace(fresh, human_score=old.human_score)


def _outward(record: Generation | RubricScore | Verdict) -> dict[str, Any]:
    raw = {"item_id" if name == "item" else name: value for name, value in asdict(record).items()}
    return {name: None if name in ("variant", "error") and value == "" else value for name, value in raw.items()}


def _inward(raw: dict[str, Any]) -> dict[str, Any]:
    renamed = {"item" if name == "item_id" else name: value for name, value in raw.items()}
    return {name: "" if name in ("variant", "error") and value is None else value for name, value in renamed.items()}


def _upgrade(raw: dict[str, Any]) -> dict[str, Any]:
    """A record of the original harness has no status: an error is one, a blank text is empty."""
    if "status" in raw:
        return raw
    outputs = raw.get("outputs") or []
    blank = all(isinstance(output, str) and is_blank(output) for output in outputs)
    status = Status.ERROR if raw.get("error") else Status.EMPTY if blank else Status.OK
    told = {"outputs": outputs} if "outputs" in raw or status is Status.ERROR else {}
    return {**raw, **told, "status": status, "transcript": raw.get("transcript") or []}


_MADE_AGAIN = "delete the line; the same command makes it again from the store"


def _validated(adapter: TypeAdapter[R], raw: dict[str, Any], file: Path, line: int, mend: str = _MADE_AGAIN) -> R:
    try:
        return adapter.validate_python(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise DataError(first["msg"], path=file, line=line, field=field, mend=mend) from None
