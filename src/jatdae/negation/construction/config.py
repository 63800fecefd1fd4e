"""`project.yaml`: what a project builds from, who works on it, which model drafts, and how it is split."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, RequestError, did_you_mean
from jatdae.models.base import ModelReference, parse_reference
from jatdae.models.options import ModelOptions, RemoteOptions
from jatdae.runtime import Budget

FILE = "project.yaml"
TEMPLATE = """\
# A benchmark of Korean negation under construction. Paths are relative to this file.
name: "{name}"
licence: ""            # of the released items; stated in the datasheet
sources: [texts]       # files or folders: txt (a passage a line), jsonl, parquet
source_note: ""        # where the texts come from and under which terms
authors: []            # at least two: nobody verifies what they have written
model: ""              # drafts merged sentences, contradictions, paraphrases: BACKEND:NAME
base_url: null         # root of the server of an openai: model
"""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class UnitConfig(_Strict):
    """Which pairs of sentences become units, by their length together in code points."""

    min_chars: int = Field(default=30, ge=1)
    max_chars: int = Field(default=180, ge=1)
    field: str = "text"

    @model_validator(mode="after")
    def _in_order(self) -> UnitConfig:
        if self.min_chars > self.max_chars:
            raise ValueError(f"min_chars {self.min_chars} is above max_chars {self.max_chars}")
        return self


class SplitConfig(_Strict):
    """Shares of the items, and how many test items people answer for the human evaluation."""

    train: float = Field(default=0.5, ge=0)
    val: float = Field(default=0.2, ge=0)
    test: float = Field(default=0.3, ge=0)
    human_evaluation: int = Field(default=50, ge=0)
    seed: int = Field(default=42, ge=0, lt=2**32)

    @model_validator(mode="after")
    def _make_a_whole(self) -> SplitConfig:
        if not math.isclose(self.train + self.val + self.test, 1.0, abs_tol=1e-9):
            raise ValueError("train, val and test have to sum to 1")
        return self


class BudgetConfig(_Strict):
    """What the model may cost in one invocation."""

    max_usd: float | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=1)


def _person(name: str) -> str:
    if not re.fullmatch(r"[\w.\-]{1,40}", name):
        raise ValueError(f"{name!r}: letters, digits, dots and hyphens are expected, at most 40")
    return name


class ProjectConfig(_Strict):
    """All of the file."""

    name: str = Field(min_length=1, max_length=80, pattern=r"^[\w.\-]+$")
    licence: str = ""
    sources: list[str] = []
    source_note: str = ""
    authors: list[Annotated[str, AfterValidator(_person)]] = []
    model: str = ""
    base_url: str | None = None
    concurrency: int = Field(default=8, ge=1)
    max_tokens: int = Field(default=512, ge=16)
    units: UnitConfig = UnitConfig()
    split: SplitConfig = SplitConfig()
    budget: BudgetConfig = BudgetConfig()

    def reference(self) -> ModelReference:
        """The model. Raises RequestError where none is named."""
        if not self.model:
            raise RequestError(f"{FILE} names no model; set model: BACKEND:NAME, for example openai:my-model")
        return parse_reference(self.model)

    def model_options(self, *, offline: bool) -> ModelOptions:
        remote = RemoteOptions(base_url=self.base_url, concurrency=self.concurrency)
        return ModelOptions(offline=offline, remote=remote)

    def spending(self) -> Budget:
        return Budget(self.budget.max_usd, self.budget.max_calls)

    def check_person(self, name: str | None) -> str:
        """The person who works, by `--by`. Raises RequestError for nobody and for a name that is not an author's."""
        if not name:
            raise RequestError("say who you are: --by NAME, one of the authors in project.yaml")
        if name not in self.authors:
            raise RequestError(f"--by {name}: not an author in {FILE}; {did_you_mean(name, self.authors)}")
        return name


def read_config(path: Path) -> ProjectConfig:
    """Read the file. Raises RequestError where there is none, DataError that names the key at fault."""
    if not path.is_file():
        raise RequestError(f"no {path}; make one with: jatdae negation build {path.parent} init")
    try:
        raw = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        raise DataError(f"not valid YAML: {getattr(error, 'problem', error)}", path=path, line=line) from None
    if not isinstance(raw, dict):
        raise DataError("keys and values are expected, such as name: my-benchmark", path=path)
    try:
        return ProjectConfig.model_validate(raw)
    except ValidationError as error:
        raise _told(error.errors()[0], path) from None


def _told(fault: Any, path: Path) -> DataError:
    field = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        names = {
            name for model in (ProjectConfig, UnitConfig, SplitConfig, BudgetConfig) for name in model.model_fields
        }
        what = f"this key is not known; {did_you_mean(str(fault['loc'][-1]), names)}"
    else:
        what = fault["msg"].removeprefix("Value error, ")
    return DataError(what, path=path, field=field or None)
