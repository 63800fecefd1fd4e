"""The two sentences of a unit, made one by a model."""

from __future__ import annotations

from jatdae.negation.construction.asking import Asked, Key, ask
from jatdae.negation.construction.events import MACHINE
from jatdae.negation.construction.item import ORIGINAL
from jatdae.negation.construction.project import Project
from jatdae.negation.construction.prompting import request
from jatdae.negation.construction.states import State
from jatdae.runtime import Progress


def merge(project: Project, *, offline: bool, progress: Progress) -> Asked:
    """Merge every unit that is not merged yet. The prompt, the model and its reply are in the project's store."""
    requests = {
        (item.idx, ORIGINAL): request(
            "merge",
            item.idx,
            {"first": item["first_sentence"], "second": item["second_sentence"]},
            project.config.max_tokens,
        )
        for item in project.items(State.DRAFTED)
    }

    def take(key: Key, sentence: str, request_key: str) -> None:
        with project.journal.writing(f"{MACHINE}{project.config.model}", project.time) as draft:
            # An author may have written the sentence by hand while the model was asked.
            if draft.items[key[0]].state is State.DRAFTED:
                draft.change(key[0], {ORIGINAL: sentence}, State.MERGED, note=request_key)

    return ask(project, requests, take, offline=offline, progress=progress)
