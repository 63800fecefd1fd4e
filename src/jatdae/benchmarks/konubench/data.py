"""The benchmark's files: where they lie, and the typed records that they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.benchmarks.kmmlu.pinned import Provenance
from jatdae.benchmarks.sources import MINI, Source, read_json_array
from jatdae.errors import DataError, RequestError, did_you_mean

BENCHMARK = "konubench"
SPLITS = {"train": "train", "val": "val", "validation": "val", "dev": "val", "test": "test"}
"""What a split may be called, and its short name."""
SIZES = {"train": 2500, "val": 1000, "test": 1284}
"""Items of the published release."""

_FLAT = {"train": ("train.json",), "val": ("val.json", "validation.json"), "test": ("test.json",)}
_REPOSITORY_NAMES = ("ko_nubench", "Thunder_KoNUBench")
_UPSTREAM = {"train": "train", "val": "validation", "test": "test"}
_TEXTS = ("original_sentence", "standard_negation", "contradiction", "paraphrase")
STANDARD_TYPES = ("sn_절1", "sn_절2", "sn_절3")
LOCAL_TYPES = ("ln_절1", "ln_절2")
_OPTIONAL = (*STANDARD_TYPES, "local_negation_type", "local_negation", "local_부정요소", *LOCAL_TYPES, "note")
FIELDS = ("idx", "raw_id", *_TEXTS, *_OPTIONAL)


@dataclass(frozen=True, slots=True)
class Record:
    """One item as the file has it, with the fields under their own names: `texts` has all that are text or null.

    `raw_id` is the source passage; None for the items that the authors constructed (ids that begin with G).
    """

    idx: str
    raw_id: str | None
    texts: Mapping[str, str | None]

    def __getitem__(self, field: str) -> str | None:
        return self.texts[field]

    def text(self, field: str) -> str:
        """A field that may be null; "" for null."""
        return self.texts[field] or ""

    @property
    def number(self) -> int:
        """The id's number, without the G of constructed items."""
        return int(self.idx.removeprefix("G"))

    @property
    def constructed(self) -> bool:
        """Whether the authors wrote the item's sentence themselves."""
        return self.idx.startswith("G")

    @property
    def cluster(self) -> str:
        """What items of one origin share: the source passage, or the item itself."""
        return self.raw_id or self.idx


def short_split(split: str) -> str:
    """`train`, `val` or `test`. Raises RequestError for another name."""
    if split not in SPLITS:
        raise RequestError(f"{BENCHMARK} has no split {split!r}; {did_you_mean(split, SPLITS)}")
    return SPLITS[split]


def split_path(source: Source, split: str) -> Path:
    """The file of a split, in a flat folder or in the upstream repository's layout. Raises RequestError."""
    short = short_split(split)
    return locate(source, _FLAT[short], [f"dataset/{name}/{_UPSTREAM[short]}" for name in _REPOSITORY_NAMES])


def locate(source: Source, names: Sequence[str], layouts: Sequence[str], mend: str = "") -> Path:
    """The file under one of its flat names, else the only JSON file in one of the upstream repository's folders.

    Raises RequestError that says what is missing and `mend`, or which files compete.
    """
    bundled = Path(__file__).parent / MINI
    roots = [bundled] if source.folder is None else [source.folder, source.folder / BENCHMARK]
    for root in roots:
        for name in names:
            if (root / name).is_file():
                return root / name
        found = [path for layout in layouts for path in sorted((root / layout).glob("*.json*"))]
        if len(found) > 1:
            raise RequestError(f"{found[0]} and {found[1]}: one file is expected there; keep the right one")
        if found:
            return found[0]
    where = "the bundled items" if source.folder is None else str(source.folder)
    hint = mend or f"fetch it with `jatdae data pull {BENCHMARK}`, or name its folder with --data"
    raise RequestError(f"no {names[0]} in {where} (nor {layouts[0]}/*.json); {hint}")


def read_records(path: Path) -> list[Record]:
    """All items of a split file, in file order. Raises DataError with file, item and field."""
    records: list[Record] = []
    seen: dict[str, int] = {}
    for number, row in enumerate(read_json_array(path), 1):
        record = _record(path, number, row)
        if record.idx in seen:
            raise DataError(
                f"item {number}: id {record.idx!r} is that of item {seen[record.idx]}", path=path, field="idx"
            )
        seen[record.idx] = number
        records.append(record)
    if not records:
        raise DataError("there are no items in it", path=path)
    return records


def _record(path: Path, number: int, row: Mapping[str, Any]) -> Record:
    idx = row.get("idx")
    if not isinstance(idx, str) or not re.fullmatch(r"G?[0-9]+", idx):
        raise DataError(
            f"item {number}: an id is a number in quotes, with or without G before it; found {idx!r}",
            path=path,
            field="idx",
        )
    where = f"item {number} (idx {idx})"
    texts: dict[str, str | None] = {name: require_text(path, where, row, name) for name in _TEXTS}
    texts |= {name: optional_text(path, where, row, name) for name in _OPTIONAL}
    return Record(idx, _passage(path, where, row.get("raw_id")), texts)


def require_text(path: Path, where: str, row: Mapping[str, Any], field: str) -> str:
    """A field that must hold text. Raises DataError."""
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        found = "nothing" if value is None or value == "" else repr(value)
        raise DataError(f"{where}: text is expected, found {found}", path=path, field=field)
    return value


def optional_text(path: Path, where: str, row: Mapping[str, Any], field: str) -> str | None:
    """A field that holds text or null; blank text counts as null. Raises DataError."""
    value = row.get(field)
    if value is not None and not isinstance(value, str):
        raise DataError(f"{where}: text or null is expected, found {value!r}", path=path, field=field)
    return value if value and value.strip() else None


def require_index(path: Path, where: str, row: Mapping[str, Any], field: str) -> int:
    """A field that must hold 0 or 1. Raises DataError."""
    value = row.get(field)
    if isinstance(value, bool) or value not in (0, 1) or not isinstance(value, int):
        raise DataError(f"{where}: 0 or 1 is expected, found {value!r}", path=path, field=field)
    return value


def _passage(path: Path, where: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise DataError(f"{where}: a whole number or null is expected, found {value!r}", path=path, field="raw_id")
    return str(int(value))


def deviations(data: Provenance, count: int, published: int) -> list[str]:
    """What a title says besides the name: altered data, items that are missing, items beyond the published ones."""
    found = [data.mark] if data.mark else []
    if count < published:
        found.append(f"{count:,} of {published:,} items")
    elif count > published:
        found.append(f"{count - published:,} surplus items")
    return found


def present_splits(source: Source) -> Iterator[tuple[str, Path]]:
    """The splits that the source holds, with their files."""
    for split in SIZES:
        try:
            yield split, split_path(source, split)
        except RequestError:
            continue
