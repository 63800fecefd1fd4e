"""Fetching a benchmark's upstream release: pinned by content, resumable, and never half-written.

A file counts as there when its SHA-256 fits, so a pull that was cut short goes on where it stopped. What comes in is
written beside its target, checked, and renamed only then; two processes may pull at once. A file without a published
hash is recorded in `pulled.json` when it first arrives and held to that record from then on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jatdae.benchmarks.sources import cache_folder
from jatdae.benchmarks.transfer import Patience, download, members, opened, replaced_whole, scratch, sweep, unpack
from jatdae.errors import JatdaeError, RequestError

if TYPE_CHECKING:
    import httpx2

__all__ = ["LOCK", "Patience", "PullReport", "Release", "RemoteFile", "pull"]

LOCK = "pulled.json"


def _check_inside(path: str, what: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or ":" in path:
        raise RequestError(f"{what} {path!r} is not a plain relative path; it must stay inside the data folder")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a release: where it is fetched, and where it lies below the benchmark's folder.

    `sha256` (hexadecimal) and `size` (bytes) are of the file itself, also when it is the `member` of a zip or tar.gz at
    `url`. Raises RequestError for a path that would leave the folder and for an address that is not HTTP.
    """

    url: str
    path: str
    sha256: str | None = None
    size: int | None = None
    member: str | None = None

    def __post_init__(self) -> None:
        _check_inside(self.path, "the path")
        if self.member is not None:
            _check_inside(self.member, "the archive member")
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise RequestError(f"{self.url!r} is no http or https address")


@dataclass(frozen=True, slots=True)
class Release:
    """What one benchmark's data are, at one revision. Raises RequestError when two files share a path."""

    benchmark: str
    title: str
    licence: str
    revision: str
    files: tuple[RemoteFile, ...]

    def __post_init__(self) -> None:
        _check_inside(self.benchmark, "the benchmark's name")
        if len({file.path.casefold() for file in self.files}) != len(self.files):
            raise RequestError(f"the release of {self.benchmark} names a path twice")

    def mirrored(self, base: str) -> Release:
        """The same release from another host, such as a mirror inside a firm: `base` replaces scheme and host."""

        def moved(url: str) -> str:
            parts = urlsplit(url)
            return base.rstrip("/") + parts.path + (f"?{parts.query}" if parts.query else "")

        return replace(self, files=tuple(replace(file, url=moved(file.url)) for file in self.files))


@dataclass(frozen=True, slots=True)
class PullReport:
    """What a pull did, by paths below `folder`. `recorded` files had no hash to be held to until now."""

    folder: Path
    downloaded: tuple[str, ...]
    already_there: tuple[str, ...]
    recorded: tuple[str, ...]

    @property
    def verified(self) -> tuple[str, ...]:
        """The files whose content fits a hash that was known before."""
        return tuple(path for path in self.already_there + self.downloaded if path not in self.recorded)


@dataclass(frozen=True, slots=True)
class _Errand:
    """What every fetch of one pull shares."""

    place: Path
    client: httpx2.Client | None
    patience: Patience
    say: Callable[[str], None]
    total: int


def pull(
    release: Release,
    folder: Path | None = None,
    *,
    client: httpx2.Client | None = None,
    progress: Callable[[str], None] = lambda message: None,
    force: bool = False,
    offline: bool = False,
    patience: Patience | None = None,
) -> PullReport:
    """Bring a release's files into `folder`/<benchmark>, by default in the cache, and check each.

    Files whose hash fits are left alone unless `force`. Raises RequestError when `offline`; JatdaeError when a server
    does not give a file or gives another one: then what came before stays, and the same call goes on from there.
    """
    if offline:
        raise RequestError(
            f"--offline: the {release.benchmark} data cannot be fetched; run this again without --offline"
        )
    place = (folder if folder is not None else cache_folder() / "data") / release.benchmark
    try:
        place.mkdir(parents=True, exist_ok=True)
        sweep(place)
        known = {} if force else _recorded(place)
        wanted = [file if file.sha256 else replace(file, sha256=known.get(file.path)) for file in release.files]
        missing = [file for file in wanted if force or not _is_there(place / file.path, file.sha256)]
        if missing:
            _fetch_all(missing, _Errand(place, client, patience or Patience(), progress, len(wanted)))
    except OSError as error:
        raise JatdaeError(f"{error.filename or place}: cannot be read or written ({error.strerror or error})") from None
    return PullReport(
        place,
        downloaded=tuple(file.path for file in missing),
        already_there=tuple(file.path for file in wanted if file not in missing),
        recorded=tuple(file.path for file in missing if file.sha256 is None),
    )


def _is_there(path: Path, sha256: str | None) -> bool:
    if sha256 is None or not path.is_file():
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == sha256


def _fetch_all(missing: Sequence[RemoteFile], errand: _Errand) -> None:
    done = errand.total - len(missing)
    with opened(errand.client) as client:
        for url, files in _grouped(missing).items():
            fetch = _fetch_file if files[0].member is None else _fetch_archive
            try:
                for file in fetch(client, url, files, errand):
                    done += 1
                    errand.say(f"{done}/{errand.total} {file.path}")
            except JatdaeError as error:
                kept = f"{done} of {errand.total} files are in place and will not be fetched again"
                raise JatdaeError(f"{error} ({kept})") from None


def _grouped(files: Sequence[RemoteFile]) -> Mapping[str, list[RemoteFile]]:
    """Files by address, since one archive serves several."""
    groups: dict[str, list[RemoteFile]] = {}
    for file in files:
        groups.setdefault(file.url, []).append(file)
    return groups


def _fetch_file(client: httpx2.Client, url: str, files: Sequence[RemoteFile], errand: _Errand) -> Iterator[RemoteFile]:
    for file in files:
        with replaced_whole(errand.place / file.path) as part:
            sha256 = download(client, url, part, file.size, errand.patience, errand.say)
            _check(file, sha256, part)
        _record(errand.place, file, sha256)
        yield file


def _fetch_archive(
    client: httpx2.Client, url: str, files: Sequence[RemoteFile], errand: _Errand
) -> Iterator[RemoteFile]:
    with scratch(errand.place / "archive") as archive:
        download(client, url, archive, None, errand.patience, errand.say)
        with members(archive, url) as open_member:
            for file in files:
                with replaced_whole(errand.place / file.path) as part:
                    sha256 = unpack(open_member, file.member or "", url, part, file.size)
                    _check(file, sha256, part)
                _record(errand.place, file, sha256)
                yield file


def _check(file: RemoteFile, sha256: str, part: Path) -> None:
    size = part.stat().st_size
    if file.size is not None and size != file.size:
        raise JatdaeError(f"{file.path}: {size} bytes from {file.url}, expected {file.size}; nothing of it was kept")
    if file.sha256 is not None and sha256 != file.sha256:
        raise JatdaeError(
            f"{file.path}: SHA-256 {sha256} from {file.url}, expected {file.sha256}; nothing of it was kept, "
            "since the upstream file is not the one that was pinned"
        )


def _recorded(place: Path) -> dict[str, str]:
    lock = place / LOCK
    if not lock.is_file():
        return {}
    try:
        record = json.loads(lock.read_bytes())
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise JatdaeError(f"{lock}: not a JSON object of paths and hashes; remove it, and they are recorded anew")
    return {str(path): str(sha256) for path, sha256 in record.items()}


def _record(place: Path, file: RemoteFile, sha256: str) -> None:
    if file.sha256 is not None:
        return
    record = dict(sorted({**_recorded(place), file.path: sha256}.items()))
    with replaced_whole(place / LOCK) as part:
        part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
