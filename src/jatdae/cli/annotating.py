"""What the commands of `jatdae annotate` do and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jatdae.app.annotation.creating import Wanted, create_from_munbench, create_from_task
from jatdae.app.annotation.exporting import apply_set, export_set
from jatdae.app.annotation.loading import LoadedSet
from jatdae.app.annotation.measuring import agreement_record
from jatdae.cli.settings import one_of
from jatdae.cli.stored import open_existing
from jatdae.errors import RequestError
from jatdae.evaluate.munbench.believing import key_file
from jatdae.reports.documents import document
from jatdae.reports.munbench.escaping import one_line
from jatdae.store import Store
from jatdae.store.annotations import Annotations, SetKind

if TYPE_CHECKING:
    from jatdae.store.annotations import AnnotationSet

NOTHING = "n/a"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a set's texts come from, as it was typed: a MunBench run, or a task's stored results."""

    munbench: Path | None
    task: str | None
    models: tuple[str, ...]
    runs: tuple[int, ...]


def create_command(
    folder: Path, name: str, kind: str, source: Source, *, size: int | None, seed: int, criteria: tuple[str, ...]
) -> None:
    """Make a set and say how to open it. Raises RequestError for options that do not go together."""
    chosen: SetKind = one_of("--kind", kind, ("rubric", "pairs"))
    if chosen == "pairs" and criteria:
        raise RequestError("--criteria is for --kind rubric; in a pair people choose the better text")
    wanted = Wanted(name, chosen, size, seed, criteria)
    made, count = _created(folder, wanted, source)
    print(f"{made.name}: {count} {'texts' if chosen == 'rubric' else 'pairs'} to rate; open them with: jatdae view")


def _created(folder: Path, wanted: Wanted, source: Source) -> tuple[AnnotationSet, int]:
    if (source.munbench is None) == (source.task is None):
        raise RequestError("say where the texts come from: --munbench CONFIG, or --task TASK --model A --model B")
    if source.munbench is not None:
        if source.models or source.runs:
            raise RequestError("--model and --run go with --task; a MunBench run takes all of its models")
        with Store.open(folder) as store:
            made = create_from_munbench(store, wanted, source.munbench)
            return made, len(Annotations(store).unit_names(made.id))
    if not source.models:
        raise RequestError("--task needs --model, once for each model whose outputs are to be rated")
    with open_existing(folder) as store:
        made = create_from_task(store, wanted, source.task or "", source.models, source.runs)
        return made, len(Annotations(store).unit_names(made.id))


def list_command(folder: Path, *, as_json: bool) -> None:
    """Print the sets, newest first."""
    with open_existing(folder) as store:
        tables = Annotations(store)
        rows = [
            {
                "name": one.name,
                "kind": one.kind,
                "created": one.created,
                "units": len(tables.unit_names(one.id)),
                "raters": tables.done_by_rater(one.id),
            }
            for one in tables.sets()
        ]
    if as_json:
        print(document({"sets": rows}))
        return
    for row in rows:
        done = ", ".join(f"{rater} {count}/{row['units']}" for rater, count in row["raters"].items())
        print(one_line(f"{row['name']}: {row['kind']}, {row['units']} units; {done or 'nobody has begun'}"))
    if not rows:
        print("no sets; make one with: jatdae annotate create")


def export_command(folder: Path, name: str, out: Path) -> None:
    """Write the answers, and for scores the key."""
    with open_existing(folder) as store:
        count = export_set(store, name, out)
        kind = Annotations(store).set(name).kind
    beside = f"; who wrote which text is in {key_file(out)}" if kind == "rubric" else ""
    print(f"{count} answers are in {out}{beside}")


def apply_command(folder: Path, name: str) -> None:
    """Put the results where the run keeps people's word."""
    with open_existing(folder) as store:
        placed = apply_set(store, name)
    told = {
        "have changed since and were left out": placed.changed,
        "have no record to put it into": placed.absent,
        "hold a score that names no raters and were left alone": placed.unsigned,
    }
    print(
        f"{placed.taken} have people's word now"
        + "".join(f"; {count} {what}" for what, count in told.items() if count)
        + (". Comparison records are made by: jatdae munbench elo" if placed.absent else "")
    )


def agreement_command(folder: Path, name: str, *, as_json: bool) -> None:
    """Print the figures of the agreement page."""
    with open_existing(folder) as store:
        record = agreement_record(LoadedSet.open(store, name))
    if as_json:
        print(document(record))
        return
    for line in record["warnings"]:
        print(f"warning: {line}")
    for row in record["raters"]:
        print(f"raters, {one_line(row['criterion'])}: {row['standing']}; {_measures(row, _RATERS)}, n={row['units']}")
        for pair in row["pairs"]:
            print(one_line(f"  {pair['one']} and {pair['other']}: {_measures(pair, _PAIR)}, n={pair['units']}"))
    for row in record["judges"]:
        head = one_line(f"{row['judge']} and people, {row['criterion']}")
        measures = _JUDGE if row["is_whole"] else ("kappa", "alpha")
        print(f"{head}: {row['standing']}; {_measures(row, measures)}, n={row['units']}")
        if row["stand_in"]:
            print(f"  {_stand_in(row)}")
    if record["judges_absent"]:
        print(f"judges: {one_line(record['judges_absent'])}")


_RATERS = ("alpha", "alpha_interval", "icc_absolute", "icc_order", "ceiling_spearman", "ceiling_accuracy")
_PAIR = ("kappa", "spearman")
_BOUNDS = ("value", "low", "high")
_JUDGE = ("kappa", "spearman", "alpha", "accuracy")


def _measures(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {_figure(row[name])}" for name in names)


def _figure(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return NOTHING
    value, low, high = (None if one[name] is None else f"{round(one[name], 3) + 0.0:.3f}" for name in _BOUNDS)
    return f"{value} [{NOTHING if low is None or high is None else f'{low}, {high}'}]"


def _stand_in(row: Mapping[str, Any]) -> str:
    test = row["stand_in"]
    if test["not_run"]:
        return f"may it stand in for a rater: not tested, {test['not_run']}"
    word = "yes" if row["may_stand_in"] else "no"
    wins = ", ".join(f"{one['rater']} p={one['p']:.3g}" for one in test["left_out"])
    return one_line(f"may it stand in for a rater: {word}, winning rate {test['winning_rate']:.2f} ({wins})")
