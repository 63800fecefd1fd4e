"""Getting one file over HTTP or out of an archive, and putting it in place whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from jatdae.errors import JatdaeError

if TYPE_CHECKING:
    import httpx2

LARGEST = 1 << 30
"""Bytes that are accepted where nothing says how many to expect."""
_STALE_AFTER = 24 * 3600.0
OpenMember = Callable[[str], "IO[bytes] | None"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long to wait for a server, in seconds. Waits double, and are shortened by up to a half."""

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = field(default_factory=lambda: random.SystemRandom().random)

    def wait(self, attempt: int, asked: float | None = None) -> float:
        """Seconds before the attempt that follows number `attempt`; at least what the server asked for."""
        backoff = min(self.longest_wait, self.first_wait * 2 ** (attempt - 1)) * (1 - self.random() / 2)
        return max(backoff, asked or 0.0)


class _PassingError(Exception):
    def __init__(self, what: str, asked: float | None = None) -> None:
        self.asked = asked
        super().__init__(what)


@contextlib.contextmanager
def opened(client: httpx2.Client | None) -> Iterator[httpx2.Client]:
    """The client that was given, left open, or a fresh one that follows redirects and the environment's proxies."""
    if client is not None:
        yield client
        return
    import httpx2

    with httpx2.Client(timeout=httpx2.Timeout(60, connect=20), headers={"User-Agent": "jatdae"}) as fresh:
        yield fresh


def download(
    client: httpx2.Client, url: str, part: Path, size: int | None, patience: Patience, say: Callable[[str], None]
) -> str:
    """Write what a URL holds to `part`, and return its SHA-256.

    Dropped connections, timeouts, HTTP 429 and 5xx are tried again; anything else raises JatdaeError at once, and so
    does more than `size` bytes (where it is None, more than LARGEST).
    """
    for attempt in range(1, patience.attempts + 1):
        try:
            return _attempt(client, url, part, size)
        except _PassingError as trouble:
            wait = patience.wait(attempt, trouble.asked)
            if attempt == patience.attempts:
                raise JatdaeError(f"{url}: {trouble}, {attempt} times in a row; try again later") from None
            if wait > patience.longest_wait:
                raise JatdaeError(
                    f"{url}: {trouble}, and the server asks to wait {wait:.0f} s; try again then"
                ) from None
            say(f"{url}: {trouble}; attempt {attempt + 1} of {patience.attempts} in {wait:.1f} s")
            patience.sleep(wait)
    raise ValueError(f"at least one attempt is needed, not {patience.attempts}")


def _attempt(client: httpx2.Client, url: str, part: Path, size: int | None) -> str:
    import httpx2

    # Compression is declined so that the length on the wire is the file's.
    as_it_is = {"Accept-Encoding": "identity"}
    try:
        with client.stream("GET", url, headers=as_it_is, follow_redirects=True) as response, part.open("wb") as out:
            _check_status(response, url)
            sha256, got = _copy(response.iter_bytes(), out, LARGEST if size is None else size, url)
    except (httpx2.TimeoutException, httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.DecodingError) as error:
        raise _PassingError(f"the connection failed ({type(error).__name__})") from None
    except httpx2.HTTPError as error:
        raise JatdaeError(f"{url}: cannot be fetched ({error or type(error).__name__})") from None
    if size is not None and got < size:
        raise _PassingError(f"cut off after {got} of {size} bytes")
    return sha256


def _check_status(response: httpx2.Response, url: str) -> None:
    status = response.status_code
    if status == 429 or status >= 500:
        raise _PassingError(f"HTTP {status}", seconds_asked(response.headers.get("Retry-After"), datetime.now(UTC)))
    if status != 200:
        raise JatdaeError(f"{url}: HTTP {status}; the file has moved, or it needs an account that Jatdae does not use")


def seconds_asked(retry_after: str | None, now: datetime) -> float | None:
    """The wait that a Retry-After header asks for; it holds seconds or a date (RFC 9110, section 10.2.3)."""
    from email.utils import parsedate_to_datetime

    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        when = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now.timestamp())


def _copy(chunks: Iterator[bytes], out: IO[bytes], limit: int, name: str) -> tuple[str, int]:
    sha, got = hashlib.sha256(), 0
    for chunk in chunks:
        got += len(chunk)
        if got > limit:
            raise JatdaeError(f"{name}: more than the {limit} bytes expected; nothing of it was kept")
        sha.update(chunk)
        out.write(chunk)
    return sha.hexdigest(), got


@contextlib.contextmanager
def members(archive: Path, url: str) -> Iterator[OpenMember]:
    """A function that opens a regular file of a zip or tar.gz by its name (None: no such file).

    Nothing is ever written by the archive's own paths. Raises JatdaeError for a broken archive.
    """
    import gzip
    import tarfile
    import zipfile
    import zlib

    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped:
                yield lambda name: zipped.open(name) if name in zipped.NameToInfo else None
        else:
            with tarfile.open(archive, "r:gz") as tarred:
                regular = {member.name: member for member in tarred if member.isreg()}
                yield lambda name: tarred.extractfile(regular[name]) if name in regular else None
    except (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError, RuntimeError) as error:
        raise JatdaeError(f"{url}: not a readable archive ({error})") from None


def unpack(open_member: OpenMember, name: str, url: str, part: Path, size: int | None) -> str:
    """Write an archive's member to `part` and return its SHA-256. Raises JatdaeError when it is absent or too large."""
    stream = open_member(name)
    if stream is None:
        raise JatdaeError(f"{url}: the archive holds no regular file {name!r}")
    with stream, part.open("wb") as out:
        chunks = iter(lambda: stream.read(1 << 16), b"")
        return _copy(chunks, out, LARGEST if size is None else size, f"{url}, {name}")[0]


@contextlib.contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """A path beside `target` that no other process uses; what is there at the end is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def replaced_whole(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; at the end it takes the target's place, on an error it vanishes."""
    with scratch(target) as part:
        yield part
        part.replace(target)


def sweep(folder: Path) -> None:
    """Remove what killed pulls left behind a day ago or more; what is younger may be another process at work."""
    for part in folder.rglob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - part.stat().st_mtime > _STALE_AFTER:
                part.unlink()
