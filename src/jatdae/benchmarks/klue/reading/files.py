"""Where a split of a task lies: in the upstream repository's folders, or flat in one folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from jatdae.benchmarks.klue.labels import known_task
from jatdae.benchmarks.sources import MINI, Source
from jatdae.errors import RequestError, did_you_mean

BENCHMARK = "klue"
SPLITS = {"train": "train", "dev": "dev", "val": "dev", "validation": "dev", "test": "test"}
"""What a split may be called, and its name in the release. The hub calls dev `validation`."""
VERSIONS = ("v1.1", "v1")
"""The releases, the one to be preferred first."""

_UPSTREAM = "klue_benchmark"
_UNPREFIXED = ("ynat", "wos")
_TSV = ("ner", "dp")


def short_split(split: str) -> str:
    """`train`, `dev` or `test`. Raises RequestError for another name."""
    if split not in SPLITS:
        raise RequestError(f"{BENCHMARK} has no split {split!r}; {did_you_mean(split, SPLITS)}")
    return SPLITS[split]


def file_names(task: str, split: str) -> list[tuple[str, str]]:
    """Folder and file name of each release, then of files that hold a part of it (`.sample`)."""
    stem = task if task in _UNPREFIXED else f"klue-{task}"
    ending = "tsv" if task in _TSV else "json"
    return [
        (f"{stem}-{version}", f"{stem}-{version}_{split}{part}.{ending}")
        for part in ("", ".sample")
        for version in VERSIONS
    ]


def locate(source: Source, task: str, split: str) -> Path:
    """The file of a task's split, whole files before samples. No split ever stands in for another.

    Raises RequestError that says what was looked for; for `test`, that its labels are not public.
    """
    task, split = known_task(task), short_split(split)
    for folder, name in file_names(task, split):
        for place in _places(source, folder):
            if (place / name).is_file():
                return place / name
    name = file_names(task, split)[0][1]
    where = "the bundled items" if source.folder is None else str(source.folder)
    if split == "test":
        raise RequestError(f"no {name} in {where}: KLUE's test labels are not public; evaluate --split dev instead")
    raise RequestError(
        f"no {name} in {where}; fetch it with `jatdae data pull {BENCHMARK}`, name its folder with --data, "
        f"or try --data {MINI}"
    )


def beside(path: Path, name: str) -> Path | None:
    """A side file of the release (`ontology.json`, `relation_list.json`) in the folder of a split's file, if there."""
    side = path.parent / name
    return side if side.is_file() else None


def version_of(path: Path) -> str | None:
    """`v1.1` or `v1`, as the file's name says; None where it does not."""
    found = re.search(r"-(v1(?:\.1)?)(?=[_/.-]|$)", path.name)
    return found[1] if found else None


def split_of(path: Path) -> str | None:
    """The split that a file's name says; None where it does not."""
    found = re.search(r"_(train|dev|test)(?=\.)", path.name)
    return found[1] if found else None


def is_sample(path: Path) -> bool:
    """Whether a file holds only a part of its split, as its name says."""
    return ".sample." in path.name


def _places(source: Source, folder: str) -> Iterator[Path]:
    if source.folder is None:
        roots = [Path(__file__).parent.parent / MINI]
    else:
        roots = [source.folder, source.folder / BENCHMARK]
    for root in roots:
        yield from (root, root / folder, root / _UPSTREAM / folder)
