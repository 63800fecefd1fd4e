"""Where KMMLU's files are fetched, and the worked examples that come with lm-evaluation-harness.

The revision is a commit of the data set on the Hugging Face hub; what decides is the content pin, the size and SHA-256
of each file in `release.tsv`. KMMLU is CC BY-ND 4.0: the files are kept as they are. KMMLU-HARD and the train split are
not listed, since no content pin of theirs is known.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jatdae.benchmarks.download import Release, RemoteFile
from jatdae.benchmarks.sources import cache_folder, read_text
from jatdae.benchmarks.transfer import replaced_whole
from jatdae.errors import DataError, RequestError

if TYPE_CHECKING:
    import yaml

HUB_ID = "HAERAE-HUB/KMMLU"
REVISION = "d61b3f19e552c576bf5960dd24289763edc36a88"
EXEMPLARS = "kmmlu_hard_cot_dev_exemplars.json"
_FIELDS = ("question", "A", "B", "C", "D", "target")

Exemplars = dict[str, list[dict[str, str]]]


@functools.cache
def release() -> Release:
    """The 45 subjects' dev and test files. Two subjects have lower-case file names: korean-history and math."""
    base = f"https://huggingface.co/datasets/{HUB_ID}/resolve/{REVISION}/data"
    rows = Path(__file__).with_name("release.tsv").read_text(encoding="utf-8").splitlines()[1:]
    fields = [row.split("\t") for row in rows]
    files = tuple(RemoteFile(f"{base}/{name}", name, sha256, int(size)) for name, size, sha256 in fields)
    return Release("kmmlu", "KMMLU", "CC BY-ND 4.0", REVISION, files)


def published_hash(name: str) -> str | None:
    """The SHA-256 of a published file by its name, in any case; None for a name that the release does not have."""
    return _hashes().get(name.lower())


@functools.cache
def _hashes() -> Mapping[str, str | None]:
    return {file.path.lower(): file.sha256 for file in release().files}


def write_cot_exemplars(folder: Path | None = None) -> Path:
    """Put the installed harness's worked examples for KMMLU-HARD into `folder`/kmmlu, by default in the cache.

    Returns the file's path. The harness is found but not imported. Raises RequestError when it is not installed.
    """
    spec = find_spec("lm_eval")
    if spec is None or not spec.submodule_search_locations:
        raise RequestError(f"{EXEMPLARS} is made from lm-evaluation-harness; pip install 'jatdae[lm-eval]'")
    exemplars = cot_exemplars_from_harness(Path(spec.submodule_search_locations[0]) / "tasks" / "kmmlu" / "cot_hard")
    target = (folder if folder is not None else cache_folder() / "data") / "kmmlu" / EXEMPLARS
    with replaced_whole(target) as part:
        part.write_text(json.dumps(exemplars, ensure_ascii=False, indent=1, sort_keys=True), encoding="utf-8")
    return target


def cot_exemplars_from_harness(folder_of_yaml: Path) -> Exemplars:
    """The worked examples in a folder of the harness's task files: subject (snake_case) to question, A to D and target.

    Text is kept as it is; custom tags are read as plain text and run nothing. Raises DataError for a file that is not
    YAML or lacks a field, RequestError for a folder without any example.
    """
    found: Exemplars = {}
    for path in sorted(folder_of_yaml.glob("*.yaml")):
        task = _read_yaml(path)
        few_shot = task.get("fewshot_config")
        samples = few_shot.get("samples") if isinstance(few_shot, Mapping) else None
        if isinstance(samples, list) and "dataset_name" in task:
            found[str(task["dataset_name"])] = [
                _exemplar(sample, path, number) for number, sample in enumerate(samples, 1)
            ]
    if not found:
        raise RequestError(
            f"{folder_of_yaml}: no task file with worked examples; is this lm_eval/tasks/kmmlu/cot_hard?"
        )
    return found


def _exemplar(sample: Any, path: Path, number: int) -> dict[str, str]:
    for name in _FIELDS:
        if not isinstance(sample, Mapping) or name not in sample:
            raise DataError(f"worked example {number} lacks this field", path=path, field=name)
    return {name: str(sample[name]) for name in _FIELDS}


def _read_yaml(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        task = yaml.load(read_text(path), _plain_loader())  # noqa: S506 - a subclass of the safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise DataError("not valid YAML", path=path, line=mark.line + 1 if mark else None) from None
    if not isinstance(task, Mapping):
        raise DataError("a mapping is expected", path=path, line=1)
    return task


@functools.cache
def _plain_loader() -> type[yaml.SafeLoader]:
    """A safe loader that takes every scalar as text, since an option `1.0` or `0x10` must stay what the file says, and
    a custom tag, such as the harness's `!function`, as the text behind it."""
    import yaml

    class PlainLoader(yaml.SafeLoader):
        pass

    PlainLoader.yaml_implicit_resolvers = {}
    PlainLoader.add_multi_constructor("!", lambda loader, tag, node: str(node.value))
    return PlainLoader
