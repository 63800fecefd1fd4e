"""What the library's trainer does, told to the progress."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from jatdae.runtime import Progress


class StepReporting(TrainerCallback):
    """Counts the steps; one process of several speaks."""

    def __init__(self, progress: Progress, label: str) -> None:
        self.progress, self.label = progress, label

    def on_train_begin(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        if state.is_world_process_zero:
            self.progress.start(f"{self.label}, steps", state.max_steps)
            self.progress.advance(state.global_step, state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        if state.is_world_process_zero:
            self.progress.advance(state.global_step)
