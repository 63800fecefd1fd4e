"""From a model reference to tokenizer, config and weights. Weights come from safetensors or GGUF only."""

from __future__ import annotations

import io
import logging
import os
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jatdae.errors import ModelError, RequestError
from jatdae.models.base import ModelReference
from jatdae.models.hf.checkpoint import CONVERT, Checkpoint, find_adapter, find_checkpoint
from jatdae.models.options import ModelOptions

LOADING_ERRORS = (
    *(OSError, ValueError, KeyError, IndexError, RuntimeError, ImportError, TypeError, AttributeError),
    *(struct.error, OverflowError),
)
"""What transformers, huggingface_hub and gguf raise for a checkpoint that is absent, damaged or of an unknown kind."""

SPREAD = "balanced"
"""The device that stands for all GPUs: accelerate's name for spreading layers evenly over them."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model's parts come from: what transformers calls them, and the local files where they are local."""

    name: str
    revision: str | None
    local: Checkpoint | None
    adapter: Checkpoint | None = None

    @property
    def shown(self) -> str:
        """What a message calls it: the GGUF file itself, not the folder that it is in."""
        return str(self.local.weights[0]) if self.local and self.local.gguf else self.name

    def arguments(self, options: ModelOptions) -> dict[str, Any]:
        """What every `from_pretrained` call is told."""
        chosen: dict[str, Any] = {
            "pretrained_model_name_or_path": self.name,
            "local_files_only": options.offline or self.local is not None,
            "trust_remote_code": options.trust_remote_code,
        }
        if self.revision:
            chosen["revision"] = self.revision
        if self.local and self.local.gguf:
            chosen["gguf_file"] = self.local.gguf
        return chosen


def find_source(reference: ModelReference) -> Source:
    """Local files where the name is a path, else a hub name. An adapter leads on to its base model.

    Where the reference gives base and adapter, that base is taken, whatever the adapter's config names.
    """
    if reference.adapter is not None:
        folder = Path(reference.adapter).expanduser()
        if not folder.exists():
            raise ModelError(f"{reference}: there is no model of that whole name, and no adapter at {folder}")
        return _over(replace(reference, adapter=None), find_adapter(folder))
    path = Path(reference.name).expanduser()
    looks_local = path.is_absolute() or reference.name.startswith((".", "~")) or path.suffix == ".gguf"
    if not (path.exists() or looks_local):
        return Source(reference.name, reference.revision, None)
    if reference.revision:
        whole = f"{reference.name}@{reference.revision}"
        if not path.exists():
            raise ModelError(f"there is no model at {whole}; give a folder, a .gguf file or a hub name")
        raise ModelError(f"{whole}: a local model has no revisions; give {reference.name} alone")
    checkpoint = find_checkpoint(path)
    if checkpoint.base is None:
        return Source(str(checkpoint.folder), None, checkpoint)
    revision = None if Path(checkpoint.base).expanduser().exists() else checkpoint.base_revision
    return _over(ModelReference("hf", checkpoint.base, revision), checkpoint)


def _over(base: ModelReference, adapter: Checkpoint) -> Source:
    source = find_source(base)
    if source.adapter is not None:
        raise ModelError(
            f"{adapter.folder} is an adapter over another adapter ({base.name}); merge the lower one first"
        )
    return replace(source, adapter=adapter)


def load_tokenizer(source: Source, options: ModelOptions) -> Any:
    """The tokenizer; an adapter's own, where it brings one."""
    from transformers import AutoTokenizer

    if source.adapter and (source.adapter.folder / "tokenizer_config.json").is_file():
        source = Source(str(source.adapter.folder), None, source.adapter)
    with quiet(), one_line(source, "tokenizer", options):
        tokenizer = AutoTokenizer.from_pretrained(**source.arguments(options))
    if getattr(tokenizer, "bos_token_id", None) is None and tokenizer.eos_token_id is None and not len(tokenizer):
        raise ModelError(f"{source.name}: the tokenizer has no tokens")
    return tokenizer


def load_config(source: Source, options: ModelOptions) -> Any:
    """The config of a causal language model. Raises ModelError for another kind, or code that must be trusted first."""
    from transformers import AutoConfig

    with quiet(), one_line(source, "config", options):
        config = AutoConfig.from_pretrained(**source.arguments(options))
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{source.name} is an encoder-decoder model; this backend runs causal language models")
    return config


def load_model(source: Source, config: Any, options: ModelOptions) -> Any:
    """The weights, on their device and ready to answer. A checkpoint that lacks some is not filled up at random."""
    from transformers import AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    device = choose_device(options.device)
    placed = {"device_map": SPREAD} if device == SPREAD else {}
    with quiet(), one_line(source, "weights", options):
        model, info = auto.from_pretrained(
            **source.arguments(options),
            config=config,
            dtype=choose_dtype(options.dtype, device),
            use_safetensors=True,
            output_loading_info=True,
            **placed,
        )
    missing = sorted([*info["missing_keys"], *(str(key[0]) for key in info.get("mismatched_keys", ()))])
    if missing:
        lack = f"{len(missing)} weights are missing, such as {missing[0]}"
        raise ModelError(f"{source.name} is no whole causal language model: {lack}")
    if source.adapter:
        with quiet():
            model = _with_adapter(model, source, source.adapter)
    return (model if placed else model.to(device)).eval().requires_grad_(False)


def _with_adapter(model: Any, source: Source, adapter: Checkpoint) -> Any:
    """The model with an adapter's weights added to its own. Raises ModelError where they were made for another one."""
    from peft import PeftModel, get_peft_model_state_dict
    from safetensors import SafetensorError, safe_open

    try:
        whole = PeftModel.from_pretrained(model, str(adapter.folder))
    except (*LOADING_ERRORS, SafetensorError) as error:
        told = " ".join(str(error).split())[:160]
        raise ModelError(f"the adapter {adapter.folder} does not fit {source.shown}: {told}") from error
    with safe_open(adapter.weights[0], framework="np") as file:
        strange = sorted(set(file.keys()) ^ set(get_peft_model_state_dict(whole)))
    if strange:
        raise ModelError(
            f"the adapter {adapter.folder} does not fit {source.shown}: {len(strange)} of its weights have no place "
            f"there or are lacking, such as {strange[0]}"
        )
    return whole.merge_and_unload()


def choose_device(wanted: str) -> str:
    """`auto` takes a GPU where there is one, `balanced` spreads the layers over all GPUs.

    Raises RequestError for a device that is not there.
    """
    import torch

    if wanted == SPREAD:
        if not torch.cuda.is_available():
            raise RequestError(f"--device {wanted}: there are no GPUs to spread over; use --device cpu")
        return wanted
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(wanted).type
    except RuntimeError as error:
        raise RequestError(f"--device {wanted}: unknown; use auto, cpu, cuda or balanced") from error
    if kind == "cuda" and not torch.cuda.is_available():
        raise RequestError(f"--device {wanted}: not available here; use --device cpu")
    return wanted


def choose_dtype(wanted: str | None, device: str) -> Any:
    """Float32 on a CPU and the checkpoint's own type elsewhere, unless one was asked for."""
    import torch

    if wanted is None:
        wanted = "float32" if device == "cpu" else "auto"
    return wanted if wanted == "auto" else getattr(torch, wanted)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' bars and warnings for a while, and what other libraries write to standard error."""
    # The bar of the GGUF reader obeys no setting.
    with silent_transformers(), warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def silent_transformers() -> Iterator[None]:
    """Silence transformers' bars and log for a while; what matters is said by this package."""
    from transformers.utils import logging as hf_logging

    level, bars = hf_logging.get_verbosity(), hf_logging.is_progress_bar_enabled()
    hf_logging.set_verbosity(logging.CRITICAL)
    hf_logging.disable_progress_bar()
    try:
        yield
    finally:
        hf_logging.set_verbosity(level)
        if bars:
            hf_logging.enable_progress_bar()


@contextmanager
def one_line(source: Source, what: str, options: ModelOptions) -> Iterator[None]:
    """Turn what the libraries raise for a bad checkpoint into one line that names it."""
    from safetensors import SafetensorError

    try:
        yield
    except (*LOADING_ERRORS, SafetensorError) as error:
        raise ModelError(_explain(source, what, options, error)) from error
    except Exception as error:
        # The tokenizers library raises bare Exception for a file that it cannot read; anything else is a fault here.
        if type(error) is not Exception:
            raise
        raise ModelError(_explain(source, what, options, error)) from error


def _explain(source: Source, what: str, options: ModelOptions, error: Exception) -> str:
    text = " ".join(str(error).split())
    if "trust_remote_code" in text:
        return f"{source.name} brings its own code, which is not run; if you trust it, use --trust-remote-code"
    if "safetensors" in text and (".bin" in text or "pytorch_model" in text):
        return f"{source.name} has pickled weights only; {CONVERT}"
    if source.local is None and isinstance(error, OSError):
        where = f"{source.name}@{source.revision}" if source.revision else source.name
        if options.offline or os.environ.get("HF_HUB_OFFLINE"):
            return f"{what} of {where} is not on this machine; while online, run: hf download {source.name}"
        return f"{what} of {where} cannot be fetched; check name, revision and connection: {text[:160]}"
    kind = "damaged, cut off or of an unknown kind"
    return f"{what} of {source.shown} cannot be loaded ({kind}): {type(error).__name__}: {text[:200]}"
