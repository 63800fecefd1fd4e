"""A run in a process of its own that a test kills: `python killed.py STORE LOG`.

Every request that reaches the backend is logged before it is answered, so that the test can see what was asked twice.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from scripted import ScriptedBackend, hashed

import jatdae.benchmarks.base as base
from jatdae.benchmarks.multiple_choice import MultipleChoice, Question
from jatdae.evaluate import evaluate
from jatdae.store import request_key
from jatdae.types import Answer, Request

ITEMS = 400


@base.register("killed", "a task for the kill test")
class Killed(MultipleChoice):
    version = "1"
    card = base.Card("Killed", "CC0-1.0", "written for this test")

    def items(self) -> list[Question]:
        return [
            Question(f"q{n}", f"{n} 다음의 수는?", (str(n + 1), str(n + 2), str(n + 3)), n % 3) for n in range(ITEMS)
        ]


def main(store: Path, log: Path) -> None:
    backend: ScriptedBackend

    def logged(request: Request) -> Answer:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(request_key(backend.identity.key, request) + "\n")
        return hashed(request)

    backend = ScriptedBackend(logged, part=5, delay=0.01)
    result = evaluate("killed", backend, store=store, mode="letter")
    print(
        json.dumps({"acc": result.estimates["acc"].value, "n": result.estimates["acc"].n, "complete": result.complete})
    )


if __name__ == "__main__":
    os.environ.pop("PYTHONWARNINGS", None)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
