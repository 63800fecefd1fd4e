"""Where training computes, and which of several processes it is that tells and writes."""

from __future__ import annotations

import os
from dataclasses import dataclass

from jatdae.errors import RequestError
from jatdae.models.hf.loading import choose_device
from jatdae.models.options import ModelOptions


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and how to compute: `device` is cpu or cuda; `dtype` float32, bfloat16 or float16 (mixed precision)."""

    device: str = "cpu"
    dtype: str | None = None


def find_machine(options: ModelOptions) -> Machine:
    """Device and precision. Raises RequestError for what is not there."""
    device = choose_device(options.device)
    if device.startswith("cuda:"):
        raise RequestError(f"--device {device}: set CUDA_VISIBLE_DEVICES={device[5:]} and use --device cuda")
    if device not in ("cpu", "cuda"):
        raise RequestError(f"--device {device}: fine-tuning runs on cpu or cuda")
    if device == "cpu" and options.dtype == "float16":
        raise RequestError("--dtype float16 needs a GPU here; on a CPU take float32 or bfloat16")
    return Machine(device, options.dtype if options.dtype != "auto" else None)


def is_main_process() -> bool:
    """Whether this process is the one that tells and writes, under `accelerate launch` or `torchrun`."""
    return os.environ.get("RANK", "0") == "0"


def count_processes() -> int:
    """How many processes train together, as `accelerate launch` and `torchrun` say."""
    return int(os.environ.get("WORLD_SIZE", "1"))
