"""The folder of unfinished training: who holds it, what it is of, and its newest checkpoint to go on from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from safetensors import SafetensorError

from jatdae.errors import ModelError
from jatdae.finetune.machine import is_main_process

STATE = "trainer_state.json"


@contextmanager
def claimed(work: Path, key: str) -> Iterator[None]:
    """Hold a folder of unfinished training, which is marked with what it is of; removed when the training is done.

    Raises ModelError where it is of something else, or another process works in it.
    """
    if not is_main_process():
        yield
        return
    mark, lock = work / "key.txt", FileLock(work.with_name(f"{work.name}.lock"), timeout=0)
    try:
        work.mkdir(parents=True, exist_ok=True)
        with lock:
            if mark.is_file() and mark.read_text(encoding="utf-8") != key:
                raise ModelError(
                    f"{work} holds unfinished training with other settings or data; remove it, or name a new folder"
                )
            mark.write_text(key, encoding="utf-8")
            yield
            shutil.rmtree(work, ignore_errors=True)
    except Timeout:
        raise ModelError(f"{work}: another process trains there now; wait for it, or name another folder") from None
    Path(lock.lock_file).unlink(missing_ok=True)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what libraries raise where nothing can be written, as on a full disk, into one line."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{folder} cannot be written ({error}); is there space left?") from error
    except RuntimeError as error:
        if "PytorchStreamWriter" not in str(error):
            raise
        raise ModelError(f"{folder} cannot be written; is there space left?") from error


def newest_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end; broken ones are removed. None where there is none.

    The place of the best one is written into it anew, since the folder may have been moved.
    """
    whole: dict[int, Path] = {}
    for path in folder.glob("checkpoint-*"):
        try:
            state = json.loads((path / STATE).read_text(encoding="utf-8"))
            whole[int(state["global_step"])] = path
        except (OSError, ValueError, KeyError):
            shutil.rmtree(path, ignore_errors=True)
            continue
        if state.get("best_model_checkpoint"):
            state["best_model_checkpoint"] = str(folder / Path(state["best_model_checkpoint"]).name)
            (path / STATE).write_text(json.dumps(state, indent=2), encoding="utf-8")
    return whole[max(whole)] if whole else None


def step_of(checkpoint: Path | None) -> int:
    """The step after which a checkpoint was written; 0 for none."""
    return int(checkpoint.name.rpartition("-")[2]) if checkpoint else 0


def is_finished(checkpoint: Path) -> bool:
    """Whether training had ended when this was written: by its steps, or by patience."""
    state = json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
    control = state["stateful_callbacks"].get("TrainerControl", {}).get("args", {})
    return state["global_step"] >= state["max_steps"] or bool(control.get("should_training_stop"))
