"""What decides a model's answers, as facts: known before the weights are loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jatdae.errors import ModelError
from jatdae.models.base import ModelIdentity, ModelReference
from jatdae.models.hf.checkpoint import content_hash, read_json
from jatdae.models.hf.compat import chat_template_date
from jatdae.models.hf.loading import Source, choose_device, choose_dtype, one_line
from jatdae.models.options import ModelOptions
from jatdae.types import canonical, digest

ENGINE = "jatdae-hf 2"
"""Raised when the same model would get other numbers: a change of encoding or scoring, not of speed."""


def identify(
    reference: ModelReference,
    source: Source,
    config: Any,
    tokenizer: Any,
    options: ModelOptions,
    ends: frozenset[int],
) -> ModelIdentity:
    """All that decides the answers, as facts. A local model is named by its contents, never by its place."""
    commit = getattr(config, "_commit_hash", None)
    if source.local:
        weights, name = content_hash(source.local), "local"
    elif commit:
        weights, name = f"commit {commit}", source.name
    else:
        raise ModelError(f"{source.name}: the hub gave no commit hash, so the weights cannot be identified")
    facts = {
        "name": name,
        "weights": weights,
        "dtype": str(choose_dtype(options.dtype, choose_device(options.device))).removeprefix("torch."),
        "quantisation": _quantisation(source, config),
        "adapter": content_hash(source.adapter) if source.adapter else "none",
        "trust_remote_code": str(options.trust_remote_code).lower(),
        "code": code_hash(source, config, tokenizer, options),
    }
    return ModelIdentity(str(reference), {**facts, **shared_facts(tokenizer, options, ends)})


def identify_parts(name: str, model: Any, facts: Mapping[str, str]) -> ModelIdentity:
    """The identity of a model in memory, by its weights; `facts` are the shared ones."""
    own = {"name": name, "weights": weights_hash(model), "dtype": str(model.dtype).removeprefix("torch.")}
    return ModelIdentity(f"hf:{name}", {**own, **facts})


def shared_facts(tokenizer: Any, options: ModelOptions, ends: frozenset[int]) -> dict[str, str]:
    """The facts that every model of this backend has, wherever its weights come from."""
    return {
        "backend": "hf",
        "engine": ENGINE,
        "tokenizer": tokenizer_hash(tokenizer),
        "chat_template": digest(canonical(tokenizer.chat_template)) if tokenizer.chat_template else "none",
        "template_date": chat_template_date(tokenizer) or "none",
        "end_tokens": ",".join(map(str, sorted(ends))) or "none",
        "truncate": options.truncate,
    }


def end_tokens(config: Any, tokenizer: Any, generation: Any = None) -> frozenset[int]:
    """Every token that ends a text: what generation settings (their `eos_token_id`), config and tokenizer say."""
    text = getattr(config, "text_config", None) or config
    said = [generation, *(getattr(part, "eos_token_id", None) for part in (config, text, tokenizer))]
    lists = [value if isinstance(value, list) else [value] for value in said if value is not None]
    return frozenset(int(token) for ids in lists for token in ids)


def generation_end(source: Source, config: Any, options: ModelOptions) -> Any:
    """`eos_token_id` of the checkpoint's generation_config.json; None where there is no such file."""
    if source.local:
        path = source.local.folder / "generation_config.json"
        return read_json(path).get("eos_token_id") if path.is_file() else None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    commit = getattr(config, "_commit_hash", None) or source.revision
    with one_line(source, "generation_config.json", options):
        try:
            path = hf_hub_download(
                source.name, "generation_config.json", revision=commit, local_files_only=options.offline
            )
        except EntryNotFoundError:
            return None
    return read_json(Path(path)).get("eos_token_id")


def code_hash(source: Source, config: Any, tokenizer: Any, options: ModelOptions) -> str:
    """A hash of the Python that a trusted checkpoint brings: its own files, and the commit of code that lies elsewhere.

    Code in the checkpoint's own hub repository is named by the commit already.
    """
    if not options.trust_remote_code:
        return "none"
    folders = [part.folder for part in (source.local, source.adapter) if part]
    files = [(folder, path) for folder in folders for path in sorted(folder.rglob("*.py"))]
    own = [f"{path.relative_to(at).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}" for at, path in files]
    maps = [getattr(config, "auto_map", None), getattr(tokenizer, "init_kwargs", {}).get("auto_map")]
    elsewhere = sorted({name for name in _class_names(maps) if "--" in name})
    return digest(*own, *(_code_commit(name, source, options) for name in elsewhere)) if own or elsewhere else "none"


def _class_names(part: Any) -> Iterator[str]:
    """All strings in the values of an `auto_map`, which are names or lists of names."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        yield from _class_names(list(part.values()))
    elif isinstance(part, Iterable):
        for inner in part:
            yield from _class_names(inner)


def _code_commit(name: str, source: Source, options: ModelOptions) -> str:
    """Where transformers keeps the code of `REPOSITORY--MODULE.CLASS`: a path with its commit. Runs none of it."""
    from transformers.dynamic_module_utils import get_cached_module_file

    repository, _, rest = name.partition("--")
    module = rest.rpartition(".")[0]
    with one_line(source, f"code {name}", options):
        return get_cached_module_file(repository, f"{module}.py", local_files_only=options.offline)


def tokenizer_hash(tokenizer: Any) -> str:
    """A hash of what the tokenizer does: its rules where it can tell them, else its vocabulary."""
    core: Any = getattr(tokenizer, "backend_tokenizer", None)
    rules = core.to_str() if core is not None else canonical(tokenizer.get_vocab())
    special = canonical({key: str(value) for key, value in tokenizer.special_tokens_map.items()})
    return digest(rules, special)


def _quantisation(source: Source, config: Any) -> str:
    if source.local and source.local.gguf:
        return "gguf"
    settings = getattr(config, "quantization_config", None)
    if settings is None:
        return "none"
    return canonical(settings if isinstance(settings, Mapping) else settings.to_dict())


def weights_hash(model: Any) -> str:
    """A hash of a model in memory: its tensors' names and bytes, and its config."""
    import torch

    sha = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        sha.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        sha.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    settings = {k: v for k, v in model.config.to_dict().items() if k not in ("transformers_version", "_name_or_path")}
    return digest(sha.hexdigest(), repr(sorted(settings.items(), key=str)))
