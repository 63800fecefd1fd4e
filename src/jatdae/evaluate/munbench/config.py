"""`munbench.yaml`: the original keys and defaults, plus ours. An unknown key is an error with a hint."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from jatdae.benchmarks.munbench.units import Unit
from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError, RequestError, did_you_mean
from jatdae.models.base import BACKENDS, ModelReference, parse_reference
from jatdae.models.options import RemoteOptions
from jatdae.runtime import Budget

RULE = "rule"
"""The judge that computes instead of being asked."""
CLIENTS = ("claude-cli", "codex-cli")
FILE = "file:"
"""A contestant whose texts lie in a folder: human writers, or outputs made elsewhere."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelEntry(_Strict):
    """A contestant or a judge. `base_url` is its own server, where that is not the one of the whole file."""

    id: str = Field(min_length=1)
    base_url: str | None = None


def _entry(value: object) -> object:
    return {"id": value} if isinstance(value, str) else value


Entries = list[Annotated[ModelEntry, BeforeValidator(_entry)]]


class PairwiseConfig(_Strict):
    """Comparison of contestants, two texts at a time. `judges` None means those of the rubric."""

    enabled: bool = True
    truncate_chars: int = Field(default=4000, ge=1)
    anchors: list[str] = []
    max_comparisons_per_model: int = Field(default=40, ge=1)
    max_anchor_items: int | None = Field(default=None, ge=1)
    judges: Entries | None = None
    include_variants: bool = False
    scheduler: Literal["stratified", "compat"] | None = None


class RubricConfig(_Strict):
    """Whose scores of whose texts count."""

    self_judging: Literal["include", "exclude_self", "exclude_family"] | None = None


class RatingsConfig(_Strict):
    """How games become ratings. `anchors` are values for the mode `listed`."""

    method: Literal["bt"] = "bt"
    anchor_mode: Literal["mean_pin", "locked", "listed", "affine", "shared_pin"] | None = None
    anchors: dict[str, float] = {}
    frozen_models: dict[str, float] = {}
    prior_games: float = Field(default=1.0, ge=0)
    bootstrap: int = Field(default=1000, ge=100)


class BudgetConfig(_Strict):
    """Hard caps, checked before every call."""

    max_usd: float | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=1)


class PathsConfig(_Strict):
    """Relative paths count from the file's own folder."""

    data_dir: str = "data"
    results_dir: str = "results"


class PublishConfig(_Strict):
    """Below this coverage a leaderboard withholds the model's overall score."""

    min_coverage: float = Field(default=0.98, ge=0, le=1)


class MunConfig(_Strict):
    """All settings of a MunBench run."""

    models: Entries = []
    judges: Entries = [
        ModelEntry(id="openrouter/openai/gpt-5"),
        ModelEntry(id="openrouter/google/gemini-2.5-pro"),
        ModelEntry(id="openrouter/anthropic/claude-sonnet-5"),
    ]
    rubric_iterations: int = Field(default=3, ge=1)
    rubric: RubricConfig = RubricConfig()
    pairwise: PairwiseConfig = PairwiseConfig()
    ratings: RatingsConfig = RatingsConfig()
    temperature: float = Field(default=1.0, ge=0)
    max_tokens: int = Field(default=2048, ge=1)
    judge_temperature: float | None = Field(default=None, ge=0)
    judge_max_tokens: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=8, ge=1)
    cli_concurrency: int = Field(default=2, ge=1)
    max_retries: int = Field(default=3, ge=0)
    retry_backoff_seconds: float = Field(default=2.0, ge=0)
    request_timeout_seconds: float = Field(default=180.0, gt=0)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    base_url: str | None = None
    paths: PathsConfig = PathsConfig()
    profile: Literal["standard", "compat"] = "standard"
    seed: int = Field(default=0, ge=0)
    samples_per_item: int = Field(default=1, ge=1)
    min_judges: int | Literal["all"] = "all"
    parse_retries: int = Field(default=2, ge=0)
    missing_policy: Literal["zero_empty", "exclude"] = "zero_empty"
    identity: dict[str, str] = {}
    families: dict[str, str] = {}
    length_mode: Literal["cap", "equal", "none"] = "cap"
    budget: BudgetConfig = BudgetConfig()
    publish: PublishConfig = PublishConfig()
    folder: Path = Field(default=Path(), exclude=True)

    @property
    def pairwise_judges(self) -> Entries:
        return self.judges if self.pairwise.judges is None else self.pairwise.judges

    @property
    def data_dir(self) -> Path:
        return self.folder / self.paths.data_dir

    @property
    def results_dir(self) -> Path:
        return self.folder / self.paths.results_dir

    def remote_options(self, entry: ModelEntry) -> RemoteOptions:
        """How a model elsewhere is asked. A command-line client is slow to start and gets 300 seconds at least."""
        own_server = entry.base_url or (self.base_url if reference_of(entry).backend == "openai" else None)
        slow = any(entry.id.startswith(f"{client}{sign}") for client in CLIENTS for sign in ":/")
        return RemoteOptions(
            base_url=own_server,
            concurrency=self.concurrency,
            cli_concurrency=self.cli_concurrency,
            max_retries=self.max_retries,
            backoff_seconds=self.retry_backoff_seconds,
            timeout_seconds=max(self.request_timeout_seconds, 300.0 if slow else 0.0),
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )

    def judges_unit(self, unit: Unit) -> bool:
        """Whether a unit is scored at all: a sincere control without an expectation of its own only in `compat`."""
        return unit.scorable or self.profile == "compat"

    def new_budget(self) -> Budget:
        return Budget(max_usd=self.budget.max_usd, max_calls=self.budget.max_calls)


def read_config(path: Path) -> MunConfig:
    """Read a file. Raises DataError that names line or field, RequestError for choices that do not fit together."""
    try:
        raw = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        raise DataError(f"is no YAML ({getattr(error, 'problem', error)})", path=path, line=line) from None
    if not isinstance(raw, dict):
        raise DataError("holds no settings; 'models: [...]' is the least", path=path)
    return build_config({**raw, "folder": path.resolve().parent}, path)


def build_config(raw: dict[str, Any], path: Path | str = "munbench settings") -> MunConfig:
    """Check settings that were read or typed. Raises as `read_config` does."""
    try:
        config = MunConfig.model_validate(raw)
    except ValidationError as error:
        raise _fault(error, path) from None
    _check(config, path)
    return config


def _fault(error: ValidationError, path: Path | str) -> DataError:
    """The first fault, with the nearest known key for one that is unknown."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    what = first["msg"]
    if first["type"] == "extra_forbidden":
        what = f"is no setting; {did_you_mean(str(first['loc'][-1]), _keys(first['loc'][:-1]))}"
    return DataError(what, path=path, field=field)


def _keys(place: Iterable[str | int]) -> list[str]:
    model: Any = MunConfig
    for part in place:
        annotation = model.model_fields[part].annotation if isinstance(part, str) else ModelEntry
        model = annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else ModelEntry
    return [name for name in model.model_fields if name != "folder"]


def _check(config: MunConfig, path: Path | str) -> None:
    ids = [entry.id for entry in config.models]
    for field, names in (
        ("models", ids),
        ("judges", [entry.id for entry in config.judges]),
        ("pairwise.judges", [entry.id for entry in config.pairwise.judges or []]),
    ):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise DataError(f"{twice[0]!r} is there twice", path=path, field=field)
    if not config.judges:
        raise DataError("at least one judge is needed; the rule judge is called 'rule'", path=path, field="judges")
    for anchor in config.pairwise.anchors:
        if anchor not in ids:
            mend = f"add it; {did_you_mean(anchor, ids)}" if ids else "add it to models"
            raise DataError(
                f"the anchor {anchor!r} is not among the models", path=path, field="pairwise.anchors", mend=mend
            )
    for entry in (*config.models, *config.judges, *config.pairwise_judges):
        if not is_rule(entry) and not is_file(entry):
            _reference(entry, path)
    if any(map(is_rule, config.models)):
        raise DataError("'rule' is a judge and writes nothing", path=path, field="models")


def _reference(entry: ModelEntry, path: Path | str) -> ModelReference:
    try:
        return reference_of(entry)
    except RequestError as error:
        raise DataError(str(error), path=path, field="models or judges") from None


def reference_of(entry: ModelEntry) -> ModelReference:
    """A model's reference from its id, in Jatdae's spelling (`openai:name`) or the original's (`claude-cli/name`,
    `openrouter/vendor/name`). Raises RequestError.

    `openai/name` with a `base_url` is a compatible server; every other `provider/name` goes through litellm.
    """
    backend, colon, _ = entry.id.partition(":")
    if colon and backend in BACKENDS:
        return parse_reference(entry.id)
    route, slash, name = entry.id.partition("/")
    if slash and route in CLIENTS:
        return parse_reference(f"{route}:{name}")
    if slash and route == "openai" and entry.base_url:
        return parse_reference(f"openai:{name}")
    if slash:
        return parse_reference(f"litellm:{entry.id}")
    raise RequestError(
        f"{entry.id!r} names no model; write provider/model, openai:NAME, hf:NAME, or 'rule' for a judge"
    )


def is_rule(entry: ModelEntry) -> bool:
    return entry.id == RULE


def is_file(entry: ModelEntry) -> bool:
    return entry.id.startswith(FILE)
