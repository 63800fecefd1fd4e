"""`jatdae negation build PROJECT STEP`: a benchmark of negation, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jatdae.errors import RequestError, did_you_mean
from jatdae.reports.documents import document
from jatdae.reports.munbench.escaping import one_line
from jatdae.runtime import Progress

if TYPE_CHECKING:
    from jatdae.negation.construction.asking import Asked
    from jatdae.negation.construction.project import Project


@dataclass(frozen=True, slots=True)
class Call:
    """What was typed after the step."""

    words: Sequence[str]
    person: str | None
    offline: bool
    progress: Progress

    def file(self, step: str) -> Path | None:
        """The one file that the step may be given. Raises RequestError for more."""
        if len(self.words) > 1:
            raise RequestError(f"{step} takes one file, not {len(self.words)}")
        return Path(self.words[0]) if self.words else None

    def one(self, what: str) -> str:
        """The one word that the step needs. Raises RequestError."""
        if len(self.words) != 1:
            raise RequestError(f"{what} is needed")
        return self.words[0]

    def nothing(self, step: str) -> None:
        if self.words:
            raise RequestError(f"{step} takes no further word; {self.words[0]!r} is too much")


@dataclass(frozen=True, slots=True)
class Told:
    """What a step says: lines for people, facts for programs, and whether all of its work is done."""

    lines: Sequence[str]
    facts: Any
    complete: bool = True


Step = Callable[["Project", Call], Told]


def build_command(
    project: Path,
    step: str,
    words: Sequence[str],
    *,
    by: str | None,
    offline: bool,
    as_json: bool,
    quiet: bool,
    now: datetime | None = None,
) -> int:
    """Take one step; 0 when all of it is done, 1 where a model left something undone. Raises RequestError.

    `now` is the time that the log gives to what is changed; the present where it is None.
    """
    call = Call(words, by, offline, Progress(quiet=quiet))
    if step == "init":
        from jatdae.negation.construction.project import create

        path = create(project, call.one("a name for the benchmark") if words else None)
        told = Told([f"{path} is there; fill it in, then: jatdae negation build {project} units"], {"file": str(path)})
    elif step not in STEPS:
        raise RequestError(f"{step!r} is no step; {did_you_mean(step, ('init', *STEPS))}")
    else:
        told = STEPS[step](_opened(project, now), call)
    if as_json:
        print(document({"project": str(project), "step": step, "complete": told.complete, "result": told.facts}))
    else:
        print("\n".join(one_line(line) for line in told.lines))
    return 0 if told.complete else 1


def _opened(folder: Path, now: datetime | None) -> Project:
    from jatdae.negation.construction.project import Project

    return Project.open(folder, (now or datetime.now(UTC)).isoformat(timespec="seconds"))


def _units(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.units import make_units

    call.nothing("units")
    counts = make_units(project, call.progress)
    left_out = ", ".join(f"{count:,} {why}" for why, count in sorted(counts.left_out.items()))
    lines = [
        f"{counts.made:,} units from {counts.passages:,} passages" + (f"; left out: {left_out}" if left_out else "")
    ]
    return Told(lines, {"passages": counts.passages, "made": counts.made, "left_out": dict(counts.left_out)})


def _add(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.units import add_sentences

    person = project.config.check_person(call.person)
    made = add_sentences(project, Path(call.one("a file with a sentence a line")), person)
    return Told([f"{len(made)} items added: {', '.join(made[:8])}{', ...' if len(made) > 8 else ''}"], {"ids": made})


def _merge(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.merging import merge

    call.nothing("merge")
    asked = merge(project, offline=call.offline, progress=call.progress)
    return Told(_asked(asked, "merged"), _asked_facts(asked), not asked.failed)


def _draft(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.drafting import draft_distractors, draft_negations

    call.nothing("draft")
    lacking = draft_negations(project)
    asked = draft_distractors(project, offline=call.offline, progress=call.progress)
    lines = _asked(asked, "contradictions and paraphrases")
    lines += [f"item {idx}: cannot be negated by rule; write its negations on the author's sheet" for idx in lacking]
    return Told(lines, {**_asked_facts(asked), "without_rule": lacking}, not asked.failed)


def _asked(asked: Asked, what: str) -> list[str]:
    line = f"{asked.sentences:,} {what}: {asked.answered:,} calls answered, {asked.stored:,} answers from the store"
    return [line, *(f"item {idx}, {name}: {why}" for (idx, name), why in asked.failed.items())]


def _asked_facts(asked: Asked) -> dict[str, Any]:
    failed = [{"item": idx, "field": name, "why": why} for (idx, name), why in asked.failed.items()]
    return {"sentences": asked.sentences, "answered": asked.answered, "stored": asked.stored, "failed": failed}


def _sheet(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.author_sheet import read_author_sheet, write_author_sheet

    path = call.file("sheet")
    if path is None:
        return _written(write_author_sheet(project), "correct it, write done or drop under decision, read it back")
    read = read_author_sheet(project, path, project.config.check_person(call.person))
    states = ", ".join(f"{count} {state}" for state, count in sorted(read.states.items())) or "no decisions"
    lines = [f"{path}: {states}; {read.saved} edited without a decision", *map(str, read.warnings)]
    return Told(lines, read)


def _check(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.checks import check_items
    from jatdae.negation.construction.item import STANDARD

    call.nothing("check")
    kept = project.kept()
    problems = check_items([item for item in kept if item[STANDARD]], kept)
    errors = sum(problem.is_error for problem in problems)
    lines = [*map(str, problems), f"{errors} errors, {len(problems) - errors} warnings"]
    return Told(lines, problems)


def _verify(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.verification import read_verification, write_blind_sheet

    path, person = call.file("verify"), project.config.check_person(call.person)
    if path is None:
        return _written(
            write_blind_sheet(project, person), "answer with A, B, C, D or none, read it back, then: review"
        )
    read = read_verification(project, path, person)
    return Told([f"{path}: {read.answered} answered, {read.verified} verified, {read.disputed} disputed"], read)


def _review(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.verification import write_review_sheet

    call.nothing("review")
    paths = write_review_sheet(project, project.config.check_person(call.person))
    return _written(paths, "write agree or dispute under verdict, read it back with: verify FILE")


def _disputes(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.disputes import read_decisions, write_disputes

    path = call.file("disputes")
    if path is None:
        return _written(write_disputes(project), "write keep, change or drop under decision and why, read it back")
    read = read_decisions(project, path, project.config.check_person(call.person))
    decided = ", ".join(f"{count} {word}" for word, count in sorted(read.decisions.items())) or "no decisions"
    return Told([f"{path}: {decided}", *read.warnings], read)


def _written(paths: Sequence[Path], then: str) -> Told:
    named = " and ".join(map(str, paths))
    return Told([f"{named}: {then}"], {"files": [str(path) for path in paths]})


def _release(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.release import release

    made = release(project, call.file("release") or project.folder / "release")
    sizes = ", ".join(f"{name} {size:,}" for name, size in made.sizes.items())
    lines = [f"{made.folder}: {sizes}; {len(made.warnings)} warnings stand in the datasheet"]
    return Told(lines, {"folder": str(made.folder), "sizes": made.sizes, "warnings": made.warnings})


def _human(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.human_evaluation import score_forms
    from jatdae.negation.construction.release import HUMAN

    if len(call.words) < 2:
        raise RequestError("a release folder and filled-in forms are needed: human RELEASE FORM...")
    key = Path(call.words[0]) / HUMAN
    if not key.is_file():
        raise RequestError(f"no {key}; name the folder of a release")
    scores = score_forms(key, [Path(word) for word in call.words[1:]])
    figures = {"mean": scores.mean, "median": scores.median, "lowest": scores.lowest, "highest": scores.highest}
    told = ", ".join(f"{name} {100 * value:.1f}" for name, value in figures.items())
    lines = [f"{len(scores.people)} people, {scores.items} items: {told} percent; {scores.unanswered} not answered"]
    return Told(lines, {**figures, "people": scores.people, "items": scores.items, "unanswered": scores.unanswered})


def _status(project: Project, call: Call) -> Told:
    from jatdae.negation.construction.standing import standing

    call.nothing("status")
    now = standing(project)
    lines = [", ".join(f"{count:,} {state}" for state, count in now.states.items()) or "no items yet"]
    for kind, shares in now.shares.items():
        told = ", ".join(f"{one.label} {one.count} ({one.project:.0%}, {one.corpus:.0%})" for one in shares)
        apart = now.divergences[kind]
        distance = "infinite as long as a class is empty" if apart is None else f"{apart:.3f} nats"
        lines.append(f"{kind} of {now.labelled} items (share here, in the corpus): {told}")
        lines.append(f"{kind}: D(corpus||project) {distance}")
    wanted = [f"{name} in {clause} {count}" for (name, clause), count in now.next.cells.items() if count]
    lines.append(f"next: {', '.join(wanted)}")
    cells = [{"type": name, "clause": clause, "count": count} for (name, clause), count in now.next.cells.items()]
    shares = {"labelled": now.labelled, "shares": now.shares, "divergences": now.divergences}
    return Told(lines, {"states": now.states, **shares, "next": cells})


def _history(project: Project, call: Call) -> Told:
    item = project.item(call.one("an item's id"))
    events = [event for event in project.journal.events() if event.item == item.idx]
    lines = []
    for event in events:
        lines.append(f"{event.time} {event.by}" + (f" ({event.note})" if event.note else ""))
        lines += [
            f"  {name}: {old or '(nothing)'} -> {new or '(nothing)'}" for name, (old, new) in event.changes.items()
        ]
    return Told(lines, events)


STEPS: dict[str, Step] = {
    "units": _units,
    "add": _add,
    "merge": _merge,
    "draft": _draft,
    "sheet": _sheet,
    "check": _check,
    "verify": _verify,
    "review": _review,
    "disputes": _disputes,
    "release": _release,
    "human": _human,
    "status": _status,
    "history": _history,
}
