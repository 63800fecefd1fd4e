"""A checkpoint on disk: what it holds, whether it is whole, and the hash of its contents. Nothing is loaded here."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jatdae.errors import ModelError
from jatdae.models.base import ADAPTER_FILE
from jatdae.types import canonical, digest

UNSTABLE_CONFIG = ("transformers_version", "_name_or_path", "torch_dtype", "dtype")
"""Settings that say who wrote a config, or that the options decide; they change no answer."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A local checkpoint. `gguf` names the file within `folder`; an adapter has a `base` that it is laid over.

    `base_revision` is the base's revision on the hub, where the adapter names one.
    """

    folder: Path
    weights: tuple[Path, ...]
    gguf: str | None = None
    base: str | None = None
    base_revision: str | None = None


def find_checkpoint(path: Path) -> Checkpoint:
    """What a path holds: a GGUF file, a folder with one, an adapter, or safetensors. Raises ModelError otherwise."""
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise ModelError(f"{path} is a file but no GGUF; give the folder of the checkpoint or a .gguf file")
        return Checkpoint(path.parent, (path,), gguf=path.name)
    if not path.is_dir():
        raise ModelError(f"there is no model at {path}; give a folder, a .gguf file or a hub name")
    if (path / ADAPTER_FILE).is_file():
        adapter = find_adapter(path)
        if not adapter.base:
            raise ModelError(f"{path / ADAPTER_FILE}, field 'base_model_name_or_path': names no base model")
        return adapter
    tensors = _safetensors(path)
    if tensors:
        read_config(path)
        for file in tensors:
            check_safetensors(file)
        return Checkpoint(path, tensors)
    ggufs = sorted(path.glob("*.gguf"))
    if len(ggufs) == 1:
        return Checkpoint(path, (ggufs[0],), gguf=ggufs[0].name)
    if ggufs:
        raise ModelError(f"{path} holds {len(ggufs)} GGUF files; name one of them, such as {ggufs[0]}")
    if any(path.glob("*.bin")) or any(path.glob("*.pt")) or any(path.glob("*.pth")):
        raise ModelError(f"{path} holds pickled weights only; {CONVERT}")
    raise ModelError(f"{path} holds no weights: no *.safetensors and no *.gguf")


CONVERT = (
    "they can run code and are not loaded; convert them where you trust them, with "
    "AutoModelForCausalLM.from_pretrained(...).save_pretrained(...), which writes safetensors"
)


def find_adapter(folder: Path) -> Checkpoint:
    """An adapter's folder, whatever base its config names, if any. Raises ModelError for what is none."""
    if not (folder / ADAPTER_FILE).is_file():
        raise ModelError(f"{folder} is no adapter: it has no {ADAPTER_FILE}")
    config = read_json(folder / ADAPTER_FILE)
    base, revision = (config.get(name) for name in ("base_model_name_or_path", "revision"))
    weights = folder / "adapter_model.safetensors"
    if not weights.is_file():
        raise ModelError(f"{folder} is an adapter without adapter_model.safetensors")
    check_safetensors(weights)
    return Checkpoint(
        folder,
        (weights,),
        base=base if isinstance(base, str) else "",
        base_revision=revision if isinstance(revision, str) and revision else None,
    )


def _safetensors(folder: Path) -> tuple[Path, ...]:
    """The weight files that belong to the checkpoint, as its index says; Raises ModelError for a missing part."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file():
        return (single,)
    if not index.is_file():
        return ()
    parts = read_json(index).get("weight_map")
    if not isinstance(parts, Mapping) or not parts:
        raise ModelError(f"{index}, field 'weight_map': lists no files")
    files = tuple(folder / name for name in sorted(set(parts.values())))
    for file in files:
        if not file.is_file():
            raise ModelError(f"{file} is missing; {index.name} lists it")
    return files


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file. Raises ModelError that names the file and the line."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ModelError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ModelError(f"{path} holds no JSON object")
    return content


def read_config(folder: Path) -> dict[str, Any]:
    """config.json, and a look at tokenizer.json, so that a broken one is named before anything heavy starts."""
    config = read_json(folder / "config.json")
    if (folder / "tokenizer.json").exists():
        read_json(folder / "tokenizer.json")
    return config


def check_safetensors(path: Path) -> None:
    """See from the header whether the file is whole. Raises ModelError with the expected and the found size."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > size - 8:
            raise ModelError(f"{path} is no safetensors file or was cut off at {size} bytes; fetch it again")
        try:
            header = json.loads(file.read(length))
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} has a damaged safetensors header; fetch it again") from error
    expected = 8 + length + max(ends, default=0)
    if size != expected:
        raise ModelError(f"{path} has {size} bytes and should have {expected}; fetch it again")


def content_hash(checkpoint: Checkpoint) -> str:
    """A hash of the weights and of the settings that shape the model; the folder's name and place do not enter."""
    parts = [file_hash(file) for file in checkpoint.weights]
    for name in ("config.json", ADAPTER_FILE):
        path = checkpoint.folder / name
        if checkpoint.gguf is None and path.is_file():
            settings = {key: value for key, value in read_json(path).items() if key not in UNSTABLE_CONFIG}
            settings.pop("base_model_name_or_path", None)
            parts.append(canonical(settings))
    return digest(*parts)


def cache_folder() -> Path:
    """Where hashes of large files are remembered."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "jatdae"


def file_hash(path: Path, memory: Path | None = None) -> str:
    """SHA-256 of a file, computed once for a given path, size and time of change.

    The memory is an optimisation: where it cannot be read or written, the hash is computed again.
    """
    memory = memory or cache_folder() / "file-hashes.json"
    status = path.stat()
    key = canonical([str(path.resolve()), status.st_size, status.st_mtime_ns])
    known = _remembered(memory)
    if key in known:
        return known[key]
    with path.open("rb") as file:
        value = hashlib.file_digest(file, "sha256").hexdigest()
    _remember(memory, {**_remembered(memory), key: value})
    return value


def _remembered(memory: Path) -> dict[str, str]:
    try:
        known = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(memory: Path, known: dict[str, str]) -> None:
    draft = memory.with_name(f"{memory.name}.{os.getpid()}")
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(canonical(known), encoding="utf-8")
        draft.replace(memory)
    except OSError:
        return
