"""A suite file: a matrix of models and tasks, written by people and checked field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _as_text(value: object) -> object:
    """Numbers and switches as they would be typed; whatever else stays, and is refused if it is no text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


class SuiteTask(_Strict):
    """One task of a suite with its protocol choices."""

    task: str
    mode: str | None = None
    shots: list[Annotated[int, Field(ge=0)]] | Annotated[int, Field(ge=0)] | None = None
    seeds: list[Annotated[int, Field(ge=0, lt=2**32)]] | None = Field(default=None, min_length=1)
    demos: Literal["fixed", "per-item"] | None = None
    split: str | None = None
    limit: int | None = Field(default=None, ge=1)
    chat_template: bool | None = None
    shots_as: Literal["turns", "text"] | None = None
    options: dict[str, Annotated[str, BeforeValidator(_as_text)]] | None = None

    def choices(self) -> dict[str, Any]:
        """The choices that were made, in the form of the command line's."""
        made = self.model_dump(exclude={"task"}, exclude_none=True)
        if isinstance(made.get("shots"), int):
            made["shots"] = [made["shots"]]
        if "seeds" in made:
            made["seeds"] = tuple(made["seeds"])
        return made


class Suite(_Strict):
    """Models and tasks; each model is measured on each task."""

    models: list[str] = []
    tasks: list[SuiteTask] = Field(min_length=1)


def read_suite(path: Path) -> Suite:
    """Read a suite file. Raises DataError that names line or field."""
    try:
        return Suite.model_validate(yaml.safe_load(read_text(path)))
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        line = mark.line + 1 if mark else None
        raise DataError(f"not readable as YAML ({' '.join(str(error).split())})", path=path, line=line) from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise DataError(str(first["msg"]), path=path, field=field, mend="see docs/running.md for the form") from None
