"""`jatdae export` and `jatdae import`: what the store holds, for other tools and from other machines."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from jatdae.cli.stored import open_existing
from jatdae.errors import RequestError
from jatdae.reports.documents import document
from jatdae.store import Store, StoredResult


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which results are meant: all that finished, without a word."""

    run: int | None = None
    task: str | None = None
    model: str | None = None

    def of(self, store: Store) -> list[StoredResult]:
        """Oldest first. Raises RequestError where nothing finished fits."""
        found = [
            one
            for one in reversed(store.results(run=self.run))
            if one.result is not None
            and (self.task is None or one.task == self.task or one.task.startswith(f"{self.task}/"))
            and (self.model or "") in one.model_reference
        ]
        if not found:
            raise RequestError("no finished result fits; `jatdae results` lists what the store has")
        return found


def export_results_command(store: Path, out: Path, chosen: Chosen, *, bom: bool, force: bool) -> None:
    """One row a figure, with its interval."""
    from jatdae.reports.export.files import write_rows
    from jatdae.reports.export.rows import RESULT_COLUMNS, result_rows

    with open_existing(store) as opened:
        count = write_rows(out, RESULT_COLUMNS, result_rows(chosen.of(opened)), bom=bom, force=force)
    _say(f"{out}: {count:,} figures")


def export_samples_command(store: Path, out: Path, chosen: Chosen, *, bom: bool, force: bool) -> None:
    """One row a sample."""
    from jatdae.reports.export.files import write_rows
    from jatdae.reports.export.rows import SAMPLE_COLUMNS, sample_rows

    with open_existing(store) as opened:
        count = write_rows(out, SAMPLE_COLUMNS, sample_rows(opened, chosen.of(opened)), bom=bom, force=force)
    _say(f"{out}: {count:,} samples")


def export_harness_command(store: Path, out: Path, chosen: Chosen, *, force: bool) -> None:
    """The layout of lm-evaluation-harness."""
    from jatdae.reports.export.harness import write_harness_layout

    with open_existing(store) as opened:
        for path in write_harness_layout(opened, chosen.of(opened), out, force=force):
            _say(str(path))


def export_card_command(store: Path, out: Path | None, chosen: Chosen, readme: Path | None) -> None:
    """The hub's metadata: alone, or in a README that is otherwise left as it is."""
    from jatdae.evaluate.munbench.lines import write_text
    from jatdae.reports.export.model_card import card_text, into_readme, model_index

    if readme is not None and not readme.is_file():
        raise RequestError(f"--readme {readme}: there is no such file")
    with open_existing(store) as opened:
        index = model_index(chosen.of(opened))
    text = into_readme(readme, index) if readme else card_text(index)
    if out is None:
        print(text, end="")
    else:
        write_text(out, text)
        _say(str(out))


def import_command(folder: Path, store: Path, *, answers: bool, as_json: bool) -> None:
    """Bring in the runs of another store."""
    from jatdae.store.importing import import_store

    with Store.open(store) as opened:
        found = import_store(opened, folder, answers=answers)
    if as_json:
        print(document({"imported": found}))
        return
    held = f"{found.results} results, {found.samples:,} samples and {found.responses:,} answers"
    _say(f"{found.runs} runs with {held} from {folder}; {found.known} were there already")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
