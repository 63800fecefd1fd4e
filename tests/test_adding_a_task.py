"""The page that shows how to add a task is true."""

from __future__ import annotations

import re
from pathlib import Path

from scripted import ScriptedBackend

from jatdae import evaluate
from jatdae.types import OptionScore, Score, Scores

PAGE = Path(__file__).resolve().parents[1] / "docs" / "adding-a-task.md"


def test_the_example_is_a_whole_task_in_at_most_forty_lines(tmp_path: Path) -> None:
    source = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert source is not None
    assert len(source[1].splitlines()) <= 40

    exec(compile(source[1], str(PAGE), "exec"), {"__name__": "example"})

    def knows_proverbs(request: object) -> Scores:
        assert isinstance(request, Score)
        right = {" 곱다", " 쥐", " 나무", " 두들겨"}
        return Scores(tuple(OptionScore(-1.0 if option in right else -9.0, 1, False) for option in request.options))

    backend = ScriptedBackend(knows_proverbs)
    result = evaluate("proverbs", backend, store=tmp_path, mode="cloze", shots=2)

    assert result.headline == "acc_norm"
    assert result.estimates["acc_norm"].value == 1.0
    assert result.estimates["acc_norm"].n == 4
    assert result.estimates["acc_norm"].low < 1.0
    prompts = [request.context for request in backend.asked if isinstance(request, Score)]
    assert all(prompt.count("정답：") == 3 for prompt in prompts)
