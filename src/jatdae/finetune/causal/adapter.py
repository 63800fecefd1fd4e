"""An adapter on disk: weights and config as peft reads them, and a card of how they were learned."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jatdae.errors import ModelError
from jatdae.models.base import ADAPTER_FILE

CARD = "jatdae.json"
FORMAT = 1
KIND = "adapter"


@dataclass(frozen=True, slots=True)
class AdapterCard:
    """How an adapter was learned: from which base, in which mode, with which settings, and how the loss went.

    `options` are the settings of the prompts. `losses` holds the mean over the answer tokens of each step, in nats.
    `overlong` counts the items that did not fit. `targets` are the endings of the names of the layers it sits on.
    """

    task: str
    mode: str
    base: str
    seed: int
    settings: Mapping[str, Any]
    options: Mapping[str, str]
    targets: tuple[str, ...]
    data_hash: str
    key: str
    items: int
    overlong: int
    steps: int
    losses: tuple[float, ...]
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    kind: str = KIND
    format: int = FORMAT


def write_weights(model: Any, base: str, revision: str | None, folder: Path) -> None:
    """Weights and config of a peft model's adapter over `base`; the same weights give the same bytes."""
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    tensors = get_peft_model_state_dict(model, save_embedding_layers=False)
    save_file(
        {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()},
        folder / "adapter_model.safetensors",
        metadata={"format": "pt"},
    )
    config = {name: _plain(value) for name, value in model.peft_config["default"].to_dict().items()}
    config |= {"base_model_name_or_path": base, "revision": revision, "inference_mode": True}
    (folder / ADAPTER_FILE).write_text(
        json.dumps(config, ensure_ascii=False, indent=1, sort_keys=True), encoding="utf-8"
    )


def _plain(value: Any) -> Any:
    """A value of peft's config as JSON has it; sets in order, so that the file does not vary."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    return getattr(value, "value", value)


def write_result(folder: Path, epochs: list[Path], card: AdapterCard) -> None:
    """The last epoch's adapter with its card, and a folder of each epoch; all of it appears at once or not at all.

    Raises ModelError where the folder is taken.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ModelError(f"{folder} is not empty; name a new folder")
    draft = folder.with_name(f"{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(epochs[-1], draft)
    for epoch in epochs:
        shutil.copytree(epoch, draft / epoch.name)
    (draft / CARD).write_text(json.dumps(asdict(card), ensure_ascii=False, indent=1), encoding="utf-8")
    if folder.exists():
        folder.rmdir()
    draft.replace(folder)


def read_adapter_card(folder: Path) -> AdapterCard | None:
    """The card of a folder; None where there is none, or one of something else. Raises ModelError for a damaged one."""
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("kind") != KIND:
            return None
        if content.get("format") != FORMAT:
            raise ModelError(f"{path}, field 'format': {content.get('format')!r} is not known; update jatdae")
        lists = {name: tuple(content[name]) for name in ("targets", "losses")}
        return AdapterCard(**{**content, **lists})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); fine-tune again") from None
