"""Pulling a release: every test talks to a real HTTP server on the loopback interface."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jatdae.benchmarks.download import LOCK, Patience, PullReport, Release, RemoteFile, pull
from jatdae.benchmarks.kmmlu import release as kmmlu
from jatdae.benchmarks.konubench import release as konubench
from jatdae.benchmarks.sources import Source
from jatdae.benchmarks.transfer import seconds_asked
from jatdae.errors import DataError, JatdaeError, RequestError

GOOD = "문항,정답\n물은 몇 도에서 끓는가?,3\n".encode() * 40
Reply = Callable[[BaseHTTPRequestHandler], None]


def body(content: bytes, status: int = 200, *, length: int | None = -1, drop: bool = False, **headers: str) -> Reply:
    """A reply; `length` may lie or be left out (None), and `drop` closes the connection after it."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        if length is not None:
            request.send_header("Content-Length", str(len(content) if length < 0 else length))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(content)
        request.close_connection = drop or length is None

    return reply


def drip(content: bytes, pause: float) -> Reply:
    """Send a third, wait longer than the client is willing to, and never send the rest."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[: len(content) // 3])
        request.wfile.flush()
        time.sleep(pause)
        request.close_connection = True

    return reply


class Site:
    """A web server: each path gives its replies in turn, the last one again and again."""

    def __init__(self) -> None:
        self.pages: dict[str, list[Reply]] = {}
        self.folders: dict[str, Path] = {}
        self.hits: Counter[str] = Counter()
        self.peers: set[tuple[str, int]] = set()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.hits[self.path] += 1
                site.peers.add(self.client_address)
                site.reply_to(self.path)(self)

            def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """Clients that hang up are part of the tests."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def serve(self, path: str, *replies: Reply) -> str:
        self.pages[path] = list(replies)
        return self.url + path

    def reply_to(self, path: str) -> Reply:
        replies = self.pages.get(path)
        if replies:
            return replies.pop(0) if len(replies) > 1 else replies[0]
        for prefix, folder in self.folders.items():
            file = folder / path.rpartition("/")[2]
            if path.startswith(prefix) and file.is_file():
                return body(file.read_bytes())
        return body(b"not here", 404)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield site
    site.server.shutdown()
    site.server.server_close()


class Clock:
    """Takes the place of sleep: remembers how long it was asked to wait."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def patience(self, **settings: float) -> Patience:
        return Patience(sleep=self.waits.append, random=lambda: 0.0, **settings)  # type: ignore[arg-type]


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def remote(url: str, path: str = "test.csv", content: bytes = GOOD, member: str | None = None) -> RemoteFile:
    return RemoteFile(url, path, sha256(content), len(content), member)


def release(*files: RemoteFile, benchmark: str = "sample") -> Release:
    return Release(benchmark, "Sample", "CC0", "1", files)


def leftovers(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*.part")]


# --- what goes well


def test_files_land_where_a_source_finds_them(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # given a cache of its own and a release of two files
    monkeypatch.setenv("JATDAE_CACHE", str(tmp_path))
    monkeypatch.delenv("JATDAE_DATA", raising=False)
    files = [remote(site.serve(f"/{name}", body(GOOD)), name) for name in ("a.csv", "b.csv")]
    said: list[str] = []
    # when it is pulled
    report = pull(release(*files), progress=said.append)
    # then the default source finds both, over one connection, and progress was told of each
    place = Source.of(None).find("sample", ["a.csv"])
    assert place == tmp_path / "data" / "sample" == report.folder
    assert (place / "b.csv").read_bytes() == GOOD
    assert report == PullReport(place, ("a.csv", "b.csv"), (), ())
    assert report.verified == ("a.csv", "b.csv")
    assert said == ["1/2 a.csv", "2/2 b.csv"]
    assert len(site.peers) == 1
    assert not leftovers(tmp_path)


def test_a_second_pull_asks_nobody_and_force_asks_again(site: Site, tmp_path: Path) -> None:
    wanted = release(remote(site.serve("/a.csv", body(GOOD))))
    pull(wanted, tmp_path)
    again = pull(wanted, tmp_path)
    assert (again.downloaded, again.already_there, site.hits["/a.csv"]) == ((), ("test.csv",), 1)
    forced = pull(wanted, tmp_path, force=True)
    assert (forced.downloaded, forced.already_there, site.hits["/a.csv"]) == (("test.csv",), (), 2)


def test_a_file_that_was_altered_is_replaced_whole(site: Site, tmp_path: Path) -> None:
    # given a file that was altered, and that somebody reads at this moment
    wanted = release(remote(site.serve("/a.csv", body(GOOD))))
    place = pull(wanted, tmp_path).folder / "test.csv"
    place.write_bytes(GOOD + b"x")
    with place.open("rb") as reader:
        # when it is pulled again, then it is good, and the reader sees no mixture
        assert pull(wanted, tmp_path).downloaded == ("test.csv",)
        assert place.read_bytes() == GOOD
        assert reader.read() == GOOD + b"x"


def test_redirects_are_followed(site: Site, tmp_path: Path) -> None:
    site.serve("/store/a.csv", body(GOOD))
    url = site.serve("/a.csv", body(b"", 302, Location="/store/a.csv"))
    assert pull(release(remote(url)), tmp_path).downloaded == ("test.csv",)


def test_proxies_of_the_environment_are_used(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", site.url)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    site.serve("http://data.invalid/a.csv", body(GOOD))
    assert pull(release(remote("http://data.invalid/a.csv")), tmp_path).downloaded == ("test.csv",)


# --- servers that fail for a while


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(body(b"busy", 503), id="503"),
        pytest.param(body(GOOD[:100], length=len(GOOD), drop=True), id="dropped in the middle"),
        pytest.param(body(GOOD[:100], length=None), id="cut off, and no length was announced"),
    ],
)
def test_passing_trouble_is_waited_out(site: Site, tmp_path: Path, clock: Clock, trouble: Reply) -> None:
    # given a server that fails twice, when the file is pulled
    url = site.serve("/a.csv", trouble, trouble, body(GOOD))
    report = pull(release(remote(url)), tmp_path, patience=clock.patience())
    # then the third answer is kept, whole, and the waits have doubled
    assert (report.folder / "test.csv").read_bytes() == GOOD
    assert clock.waits == [1.0, 2.0]


def test_a_server_that_stalls_is_left_and_asked_again(site: Site, tmp_path: Path, clock: Clock) -> None:
    import httpx2

    url = site.serve("/a.csv", drip(GOOD, pause=0.6), body(GOOD))
    with httpx2.Client(timeout=0.15) as client:
        report = pull(release(remote(url)), tmp_path, client=client, patience=clock.patience())
        assert not client.is_closed
    assert (report.folder / "test.csv").read_bytes() == GOOD
    assert len(clock.waits) == 1


def test_retry_after_is_honoured(site: Site, tmp_path: Path, clock: Clock) -> None:
    said: list[str] = []
    url = site.serve("/a.csv", body(b"", 429, Retry_After="7"), body(GOOD))
    pull(release(remote(url)), tmp_path, patience=clock.patience(), progress=said.append)
    assert clock.waits == [7.0]
    assert said[0] == f"{url}: HTTP 429; attempt 2 of 6 in 7.0 s"


def test_a_wait_beyond_patience_is_refused(site: Site, tmp_path: Path, clock: Clock) -> None:
    url = site.serve("/a.csv", body(b"", 429, Retry_After="3600"))
    with pytest.raises(JatdaeError, match="HTTP 429, and the server asks to wait 3600 s"):
        pull(release(remote(url)), tmp_path, patience=clock.patience())
    assert clock.waits == []


def test_attempts_are_bounded(site: Site, tmp_path: Path, clock: Clock) -> None:
    url = site.serve("/a.csv", body(b"busy", 503))
    with pytest.raises(JatdaeError, match="HTTP 503, 4 times in a row"):
        pull(release(remote(url)), tmp_path, patience=clock.patience(attempts=4))
    assert site.hits["/a.csv"] == 4
    assert clock.waits == [1.0, 2.0, 4.0]


def test_nobody_listening_is_one_line(site: Site, tmp_path: Path, clock: Clock) -> None:
    wanted = release(remote(site.url + "/a.csv"))
    site.server.server_close()
    with pytest.raises(JatdaeError, match="the connection failed \\(ConnectError\\), 2 times in a row") as caught:
        pull(wanted, tmp_path, patience=clock.patience(attempts=2))
    assert "\n" not in str(caught.value)


def test_retry_after_holds_seconds_or_a_date() -> None:
    # the dates are the examples of RFC 9110, section 5.6.7: one instant in three notations
    now = datetime(1994, 11, 6, 8, 49, 7, tzinfo=UTC)
    assert seconds_asked("120", now) == 120.0
    assert seconds_asked("Sun, 06 Nov 1994 08:49:37 GMT", now) == 30.0
    assert seconds_asked("Sun Nov  6 08:49:37 1994", now) == 30.0
    assert seconds_asked("Sun, 06 Nov 1994 08:00:00 GMT", now) == 0.0
    assert seconds_asked("soon", now) is None
    assert seconds_asked(None, now) is None


@given(
    attempt=st.integers(1, 40),
    luck=st.floats(0, 1, exclude_max=True),
    asked=st.none() | st.floats(0, 1e5),
)
def test_waits_are_bounded_spread_and_never_below_what_was_asked(
    attempt: int, luck: float, asked: float | None
) -> None:
    wait = Patience(random=lambda: luck).wait(attempt, asked)
    longest = min(120.0, 2.0 ** (attempt - 1))
    assert wait >= (asked or 0.0)
    assert longest / 2 <= wait <= max(longest, asked or 0.0)


# --- servers that give something else


def test_a_missing_file_is_not_asked_for_twice(site: Site, tmp_path: Path, clock: Clock) -> None:
    # given a release whose second of three files is gone
    files = [remote(site.serve(f"/{name}", body(GOOD)), name) for name in ("a.csv", "c.csv")]
    gone = remote(site.url + "/b.csv", "b.csv")
    wanted = release(files[0], gone, files[1])
    # when it is pulled, then the error is one line, at once, and the first file stays
    with pytest.raises(JatdaeError, match=r"b\.csv: HTTP 404") as caught:
        pull(wanted, tmp_path, patience=clock.patience())
    assert "\n" not in str(caught.value)
    assert "1 of 3 files are in place" in str(caught.value)
    assert (site.hits["/b.csv"], clock.waits) == (1, [])
    assert (tmp_path / "sample" / "a.csv").read_bytes() == GOOD
    # when the file is back, then the same call fetches only what is missing
    site.serve("/b.csv", body(GOOD))
    assert pull(wanted, tmp_path).downloaded == ("b.csv", "c.csv")
    assert site.hits["/a.csv"] == 1


def test_altered_content_is_named_and_not_kept(site: Site, tmp_path: Path, clock: Clock) -> None:
    # given a good old copy and a server that gives as many, but other, bytes
    altered = b"X" + GOOD[1:]
    url = site.serve("/a.csv", body(GOOD), body(altered))
    wanted = release(remote(url))
    place = pull(wanted, tmp_path).folder
    # when it is fetched anew, then the error names file, expected and found
    with pytest.raises(JatdaeError) as caught:
        pull(wanted, tmp_path, force=True, patience=clock.patience())
    for part in ("test.csv", sha256(GOOD), sha256(altered), "nothing of it was kept"):
        assert part in str(caught.value)
    # and the old copy is still there, nothing else is, and nobody waited
    assert [path.name for path in place.iterdir()] == ["test.csv"]
    assert (place / "test.csv").read_bytes() == GOOD
    assert clock.waits == []


def test_more_than_was_announced_is_cut_short(site: Site, tmp_path: Path, clock: Clock) -> None:
    url = site.serve("/a.csv", body(GOOD * 1000, length=None))
    with pytest.raises(JatdaeError, match=f"more than the {len(GOOD)} bytes expected"):
        pull(release(remote(url)), tmp_path, patience=clock.patience())
    assert not list((tmp_path / "sample").iterdir())


def test_a_file_that_stays_short_is_refused(site: Site, tmp_path: Path, clock: Clock) -> None:
    url = site.serve("/a.csv", body(GOOD[:10]))
    with pytest.raises(JatdaeError, match=f"cut off after 10 of {len(GOOD)} bytes, 3 times in a row"):
        pull(release(remote(url)), tmp_path, patience=clock.patience(attempts=3))
    assert not list((tmp_path / "sample").iterdir())


# --- files without a published hash


def test_an_unpinned_file_is_held_to_what_it_was(site: Site, tmp_path: Path) -> None:
    # given a file without a hash, when it first arrives, then its hash is recorded
    url = site.serve("/a.csv", body(GOOD), body(b"new"))
    wanted = release(RemoteFile(url, "a.csv"))
    first = pull(wanted, tmp_path)
    assert (first.recorded, first.verified) == (("a.csv",), ())
    assert json.loads((first.folder / LOCK).read_text()) == {"a.csv": sha256(GOOD)}
    # then it is checked from now on, without asking
    second = pull(wanted, tmp_path)
    assert (second.already_there, second.verified, site.hits["/a.csv"]) == (("a.csv",), ("a.csv",), 1)
    # and when it was lost and upstream has changed, that is said
    (first.folder / "a.csv").unlink()
    with pytest.raises(JatdaeError, match=f"SHA-256 {sha256(b'new')}.* expected {sha256(GOOD)}"):
        pull(wanted, tmp_path)
    # unless the change is wanted
    assert pull(wanted, tmp_path, force=True).recorded == ("a.csv",)
    assert json.loads((first.folder / LOCK).read_text()) == {"a.csv": sha256(b"new")}


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_broken_record_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / LOCK).write_text(content)
    with pytest.raises(JatdaeError, match=f"{LOCK}: not a JSON object"):
        pull(release(RemoteFile("http://127.0.0.1:9/a", "a")), tmp_path)


# --- archives


def tar_gz(**members: bytes | str) -> bytes:
    """An archive; a text value makes a symbolic link to it. Two underscores stand for a slash, `up` for two dots."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("__", "/").replace("up", "..") + ".csv")
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def zipped(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("up", "..") + ".csv", content)
    return packed.getvalue()


@pytest.mark.parametrize("pack", [tar_gz, zipped])
def test_one_archive_serves_several_files_and_writes_nothing_else(
    site: Site, tmp_path: Path, pack: Callable[..., bytes]
) -> None:
    # given an archive with a member that points out of the folder
    packed = pack(up__up__evil=b"boo", repo__a=GOOD, repo__b=b"other", repo__c=b"unwanted")
    url = site.serve("/all", body(packed))
    wanted = release(remote(url, "a.csv", GOOD, "repo/a.csv"), remote(url, "sub/b.csv", b"other", "repo/b.csv"))
    # when two of its members are pulled
    deep = tmp_path / "one" / "two"
    report = pull(wanted, deep)
    # then it was fetched once, and only the two exist
    assert (report.downloaded, site.hits["/all"]) == (("a.csv", "sub/b.csv"), 1)
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {"one/two/sample/a.csv", "one/two/sample/sub/b.csv"}


def test_a_member_with_an_evil_name_cannot_be_asked_for() -> None:
    with pytest.raises(RequestError, match="the archive member"):
        RemoteFile("http://127.0.0.1/all", "evil.csv", member="../../evil.csv")


@pytest.mark.parametrize(
    ("packed", "complaint"),
    [
        pytest.param(tar_gz(a="/etc/passwd"), "holds no regular file 'a.csv'", id="a link"),
        pytest.param(tar_gz(b=GOOD), "holds no regular file 'a.csv'", id="absent"),
        pytest.param(tar_gz(a=GOOD * 1000), f"more than the {len(GOOD)} bytes expected", id="larger than announced"),
        pytest.param(zipped(a=b"\0" * 10**7), f"more than the {len(GOOD)} bytes expected", id="a zip bomb"),
        pytest.param(tar_gz(a=b"x" * len(GOOD)), "SHA-256", id="altered"),
        pytest.param(tar_gz(a=GOOD)[:-30], "not a readable archive", id="cut off"),
        pytest.param(b"<html>sign in</html>", "not a readable archive", id="no archive at all"),
    ],
)
def test_a_bad_archive_is_one_line_and_leaves_nothing(
    site: Site, tmp_path: Path, packed: bytes, complaint: str
) -> None:
    url = site.serve("/all", body(packed))
    with pytest.raises(JatdaeError, match=complaint) as caught:
        pull(release(remote(url, "a.csv", GOOD, "a.csv")), tmp_path)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "sample").iterdir())


# --- requests that are refused


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../../b", "a\\b", "C:a", ".."])
def test_a_path_must_stay_inside_the_folder(path: str) -> None:
    with pytest.raises(RequestError, match="must stay inside the data folder"):
        RemoteFile("https://data.invalid/a", path)


def test_a_release_is_checked() -> None:
    with pytest.raises(RequestError, match="no http or https address"):
        RemoteFile("file:///etc/passwd", "a")
    one = RemoteFile("https://data.invalid/a", "a")
    with pytest.raises(RequestError, match="names a path twice"):
        release(one, replace(one, path="A"))


def test_offline_is_refused_before_anything_is_touched(site: Site, tmp_path: Path) -> None:
    wanted = release(remote(site.serve("/a.csv", body(GOOD))))
    with pytest.raises(RequestError, match=r"^--offline: the sample data cannot be fetched"):
        pull(wanted, tmp_path / "new", offline=True)
    assert not site.hits
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "sample").write_text("a file is in the way")
    with pytest.raises(JatdaeError, match="sample: cannot be read or written"):
        pull(release(RemoteFile("http://127.0.0.1:9/a", "a")), tmp_path)


# --- other processes


PULL = """
import sys
from pathlib import Path
from jatdae.benchmarks.download import Release, RemoteFile, pull
url, sha256, size, folder = sys.argv[1:]
files = tuple(RemoteFile(f"{url}/{n}.csv", f"{n}.csv", sha256, int(size)) for n in range(6))
pull(Release("sample", "", "", "", files), Path(folder))
"""


def test_processes_that_pull_at_once_do_not_disturb_each_other(site: Site, tmp_path: Path) -> None:
    # given files whose second half comes only when all three processes have the first
    large = GOOD * 300
    everybody = threading.Barrier(3, timeout=60)

    def in_step(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(large)))
        request.end_headers()
        request.wfile.write(large[:100_000])
        everybody.wait()
        request.wfile.write(large[100_000:])

    for number in range(6):
        site.serve(f"/{number}.csv", in_step)
    # when three processes pull them into one folder
    command = [sys.executable, "-c", PULL, site.url, sha256(large), str(len(large)), str(tmp_path)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    try:
        complaints = [process.communicate(timeout=60)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    # then all succeed, and every file is whole
    assert [process.returncode for process in processes] == [0, 0, 0], complaints
    assert {path.read_bytes() for path in (tmp_path / "sample").iterdir()} == {large}
    assert not leftovers(tmp_path)


def test_what_a_killed_pull_left_is_removed_after_a_day(site: Site, tmp_path: Path) -> None:
    wanted = release(remote(site.serve("/a.csv", body(GOOD))))
    place = pull(wanted, tmp_path).folder
    old, young = place / ".test.csv.0.part", place / ".test.csv.1.part"
    for part in (old, young):
        part.write_bytes(b"half")
    long_ago = time.time() - 90_000
    os.utime(old, (long_ago, long_ago))
    pull(wanted, tmp_path)
    assert leftovers(place) == [str(young)]


def test_the_module_is_light() -> None:
    code = (
        "import sys, jatdae.benchmarks.download; print([m for m in sys.modules if m in ('httpx2', 'yaml', 'tarfile')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# --- the real releases


def test_the_kmmlu_release_is_the_45_subjects() -> None:
    files = kmmlu.release().files
    names = {file.path for file in files}
    assert len(files) == 90
    assert {name.rpartition("-")[2] for name in names} == {"dev.csv", "test.csv"}
    assert {name for name in names if name[0].islower()} == {
        f"{subject}-{split}.csv" for subject in ("korean-history", "math") for split in ("dev", "test")
    }
    assert all(file.size and file.sha256 and len(file.sha256) == 64 for file in files)


@pytest.mark.parametrize(
    ("wanted", "prefix", "below", "absent"),
    [
        (kmmlu.release(), "/datasets/HAERAE-HUB/KMMLU/resolve/", "kmmlu/data", 0),
        (konubench.release(), "/mcrl/Thunder-KoNUBench/", "konubench", 1),
    ],
    ids=["kmmlu", "konubench"],
)
def test_upstream_files_fit_the_pins(
    site: Site, tmp_path: Path, upstream: Path, wanted: Release, prefix: str, below: str, absent: int
) -> None:
    # given a mirror that serves whole copies of the upstream files (of KoBEST there is none)
    site.folders[prefix] = upstream / below
    here = replace(wanted, files=tuple(file for file in wanted.files if (upstream / below / file.path).is_file()))
    assert len(wanted.files) - len(here.files) == absent
    # when the release is pulled from there, then every file fits its pin
    report = pull(here.mirrored(site.url), tmp_path)
    assert report.verified == tuple(file.path for file in here.files)
    assert Source(tmp_path).find(wanted.benchmark, [here.files[0].path]) == report.folder


def test_worked_examples_of_the_harness_are_the_known_ones(tmp_path: Path, upstream: Path) -> None:
    if importlib.util.find_spec("lm_eval") is None:
        pytest.skip("lm-evaluation-harness is not installed")
    written = kmmlu.write_cot_exemplars(tmp_path)
    assert written == tmp_path / "kmmlu" / kmmlu.EXEMPLARS
    assert json.loads(written.read_text(encoding="utf-8")) == json.loads(
        (upstream / "kmmlu" / kmmlu.EXEMPLARS).read_text(encoding="utf-8")
    )


TASK_FILE = """\
dataset_name: sample_subject
doc_to_text: !function utils.nothing_is_run
process_docs: !!python/object/apply:os.system ["false"]
fewshot_config:
  samples:
  - {question: "1 더하기 1은?", A: 1.0, B: 0x10, C: no, D: null, target: "둘이다. 정답은 (A) 입니다."}
"""


def test_task_files_are_read_as_text_and_run_nothing(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(
        TASK_FILE.replace('process_docs: !!python/object/apply:os.system ["false"]\n', "")
    )
    (tmp_path / "_group.yaml").write_text("group: sample\ntask: [a, b]\n")
    assert kmmlu.cot_exemplars_from_harness(tmp_path) == {
        "sample_subject": [
            {
                "question": "1 더하기 1은?",
                "A": "1.0",
                "B": "0x10",
                "C": "no",
                "D": "null",
                "target": "둘이다. 정답은 (A) 입니다.",
            }
        ]
    }
    (tmp_path / "one.yaml").write_text(TASK_FILE)
    with pytest.raises(DataError, match=r"one\.yaml, line 3: not valid YAML"):
        kmmlu.cot_exemplars_from_harness(tmp_path)


def test_faults_in_task_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no task file with worked examples"):
        kmmlu.cot_exemplars_from_harness(tmp_path)
    (tmp_path / "one.yaml").write_text("dataset_name: x\nfewshot_config:\n  samples:\n  - {question: q, A: a}\n")
    with pytest.raises(DataError, match=r"one\.yaml, field 'B': worked example 1 lacks this field"):
        kmmlu.cot_exemplars_from_harness(tmp_path)
