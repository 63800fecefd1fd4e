"""What is known of the models beside their scores: name, family, size, tuning, whether made for Korean.

Facts come from a small file (CSV or YAML) and never from a model's name; a model that no line fits is unknown. The
file `models.csv` beside this module holds the facts of the models in the published study.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, cast, get_args

import yaml

from jatdae.benchmarks.sources import read_text
from jatdae.errors import DataError

Tuning = Literal["base", "instruct"]
TUNINGS: tuple[Tuning, ...] = get_args(Tuning)

SHIPPED = Path(__file__).with_name("models.csv")
FIELDS = ("reference", "name", "family", "parameters", "tuning", "korean")
BANDS = ((0.0, 2.0), (2.0, 5.0), (5.0, 8.0), (8.0, 12.5), (12.5, 20.0), (20.0, math.inf))
"""Size bands of the published study in billions of parameters, the lower end included."""
LONGEST_PATTERN = 300


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One line of a models file. `pattern` fits a reference, or a reference's name without the backend, as a glob.

    `parameters` are in billions; None where nobody states them, and the model is in no size band then.
    """

    pattern: str
    name: str
    family: str
    parameters: float | None
    tuning: Tuning
    korean: bool

    def fits(self, reference: str) -> bool:
        """Whether the line is about this model; a revision (`@...`) need not be in the pattern."""
        name = reference.partition(":")[2] or reference
        spellings = {reference, name, reference.partition("@")[0], name.partition("@")[0]}
        return any(fnmatchcase(spelling, self.pattern) for spelling in spellings)


def band(parameters: float | None) -> str | None:
    """The size band of a model, such as `8-12.5B`; None where the size is not known."""
    for low, high in BANDS:
        if parameters is not None and low <= parameters < high:
            return f"<{high:g}B" if low == 0 else f">={low:g}B" if high == math.inf else f"{low:g}-{high:g}B"
    return None


def facts_of(reference: str, known: Sequence[ModelFacts]) -> ModelFacts | None:
    """The first line that fits, or None."""
    return next((facts for facts in known if facts.fits(reference)), None)


def read_models(path: Path | None) -> tuple[ModelFacts, ...]:
    """The lines of a models file and, after them, those of the published study. Raises DataError with line and field.

    A CSV has the header `reference,name,family,parameters,tuning,korean`; a YAML is a list of mappings with these keys.
    """
    own = () if path is None else tuple(_read(path))
    return (*own, *_read(SHIPPED))


def _read(path: Path) -> Iterator[ModelFacts]:
    rows = _yaml_rows(path) if path.suffix in (".yaml", ".yml") else _comma_rows(path)
    for line, entry, row in rows:
        yield _facts(path, line, entry, row)


def _comma_rows(path: Path) -> Iterator[tuple[int | None, str, Mapping[str, Any]]]:
    """Each row with its line."""
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
    try:
        missing = [name for name in FIELDS if name not in (reader.fieldnames or ())]
        if missing:
            mend = f"write {','.join(FIELDS)}"
            raise DataError(f"the header lacks {', '.join(missing)}", path=path, line=1, mend=mend)
        for row in reader:
            yield reader.line_num, "", row
    except csv.Error as error:
        raise DataError(f"this is no CSV ({error})", path=path, line=reader.line_num) from None


def _yaml_rows(path: Path) -> Iterator[tuple[int | None, str, Mapping[str, Any]]]:
    """Each row with its number in the list; an entry's line is lost once YAML has been read."""
    try:
        entries = yaml.safe_load(read_text(path))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        raise DataError("this is no YAML", path=path, line=mark.line + 1 if mark else None) from None
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise DataError(f"a list of mappings is expected, each with {', '.join(FIELDS)}", path=path)
    for number, entry in enumerate(entries, 1):
        yield None, f"entry {number}: ", entry


def _facts(path: Path, line: int | None, entry: str, row: Mapping[str, Any]) -> ModelFacts:
    def text(field: str) -> str:
        value = row.get(field)
        found = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
        return found.strip()

    def refuse(field: str, expected: str) -> DataError:
        return DataError(f"{entry}{expected} is expected, found {text(field)!r}", path=path, line=line, field=field)

    for field in ("reference", "name", "family"):
        if not text(field) or len(text(field)) > LONGEST_PATTERN:
            raise refuse(field, f"text of 1 to {LONGEST_PATTERN} characters")
    if text("tuning") not in TUNINGS:
        raise refuse("tuning", " or ".join(TUNINGS))
    if text("korean") not in ("true", "false"):
        raise refuse("korean", "true or false")
    size = _size(text("parameters"))
    if size is not None and not (math.isfinite(size) and size > 0):
        raise refuse("parameters", "billions of parameters as a number above 0, or nothing,")
    names = (text("reference"), text("name"), text("family"))
    return ModelFacts(*names, size, cast(Tuning, text("tuning")), text("korean") == "true")


def _size(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return math.nan
