"""The pinned release of KLUE: which files it has, and that they are fetched to where the readers look for them."""

from __future__ import annotations

import functools
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from jatdae.benchmarks.download import Release, pull
from jatdae.benchmarks.inspection import FileFact
from jatdae.benchmarks.klue import TASKS, locate, read_task
from jatdae.benchmarks.klue.inspection import SIZES, inspect
from jatdae.benchmarks.klue.reading.files import file_names
from jatdae.benchmarks.klue.release import published_hash, release
from jatdae.benchmarks.sources import Source
from jatdae.errors import JatdaeError

WHOLE = {"sts", "nli", "ner", "dp"}
"""Tasks of which the test material has the whole dev file."""


class Quiet(SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, str]]:
    """A folder and the address at which a web server gives its files."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    folder = tmp_path / "mirror"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def mirrored(folder: Path, address: str, upstream: Path) -> Release:
    """The files of the release of which there is a copy, served as upstream serves them."""
    files = []
    for file in release().files:
        copy = upstream / "klue" / file.path.rpartition("/")[2]
        if copy.is_file():
            place = folder / urlsplit(file.url).path.removeprefix("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(copy, place)
            files.append(file)
    return replace(release(), files=tuple(files)).mirrored(address)


def test_every_task_has_a_train_and_a_dev_file_where_the_readers_look() -> None:
    paths = {file.path for file in release().files}

    expected = {"/".join(file_names(task, split)[0]) for task in TASKS for split in ("train", "dev")}
    assert paths == expected | {"klue-re-v1.1/relation_list.json", "wos-v1.1/ontology.json"}
    assert all(path.partition("/")[0].endswith("-v1.1") for path in paths)


def test_every_file_is_pinned_by_commit_size_and_content() -> None:
    wanted = release()

    assert (wanted.benchmark, wanted.licence) == ("klue", "CC BY-SA 4.0")
    assert re.fullmatch("[0-9a-f]{40}", wanted.revision)
    for file in wanted.files:
        assert file.url.endswith(f"/KLUE-benchmark/KLUE/{wanted.revision}/klue_benchmark/{file.path}")
        assert file.member is None and file.size
        assert file.sha256 and re.fullmatch("[0-9a-f]{64}", file.sha256)
    assert len({file.sha256 for file in wanted.files}) == len(wanted.files)


def test_upstream_files_fit_the_pins_and_are_found_once_fetched(
    mirror: tuple[Path, str], tmp_path: Path, upstream: Path
) -> None:
    # given a mirror with whole copies of six of the files
    wanted = mirrored(*mirror, upstream)
    assert len(wanted.files) == 6

    # when they are pulled
    report = pull(wanted, tmp_path / "data")

    # then each fits its pin, nothing had to be recorded, and the readers find them whole
    assert report.verified == tuple(file.path for file in wanted.files)
    assert (report.recorded, report.folder) == ((), tmp_path / "data" / "klue")
    source = Source.of(tmp_path / "data")
    for task in WHOLE:
        assert len(read_task(task, locate(source, task, "dev"))) == SIZES[task]["dev"]
    found = inspect(source)
    assert (len(found.files), found.problems) == (4, ())
    assert {file.sha256 for file in found.files} <= {file.sha256 for file in wanted.files}
    # and a second pull fetches nothing
    assert pull(wanted, tmp_path / "data").downloaded == ()


def test_an_altered_file_is_refused_and_not_kept(mirror: tuple[Path, str], tmp_path: Path, upstream: Path) -> None:
    wanted = mirrored(*mirror, upstream)
    (path,) = mirror[0].rglob("klue-sts-v1.1_dev.json")
    path.write_bytes(path.read_bytes().replace(b'"binary-label": 1', b'"binary-label": 0'))

    with pytest.raises(JatdaeError, match=r"klue-sts-v1.1_dev.json: SHA-256 .*, expected b6a0ae0c") as caught:
        pull(wanted, tmp_path / "data")

    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "data").rglob("klue-sts*.json"))


def test_published_files_are_known_by_name(upstream: Path) -> None:
    for task in WHOLE:
        path = locate(Source.of(upstream), task, "dev")
        assert published_hash(path.name) == FileFact.of(path, 0).sha256
    assert published_hash("ynat-v1.1_dev.sample.json") is None
