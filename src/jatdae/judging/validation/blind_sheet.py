"""A sheet on which people score responses without knowing who wrote them, and the key that tells, kept apart.

Names of models stand nowhere on the sheet, texts that name their author are masked, ids are opaque and the order is
drawn, so that every first part of the sheet is about balanced over models, tracks and groups.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from jatdae.errors import RequestError
from jatdae.judging.cases import Case, Response
from jatdae.judging.fence import cleaned, masked
from jatdae.judging.presentation import context_of, text_hash
from jatdae.judging.validation.human_scores import SampleKey
from jatdae.types import canonical

NOT_APPLICABLE = "n/a"
"""Stands in the cell of a criterion that does not apply to a row's track."""
FRONT, BACK = ("id", "track", "prompt", "response"), ("overall", "rater_id")
_FORMULA = tuple("=+-@\t\r＝＋－＠")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One response to be scored. `criteria` are the names of those that apply to it."""

    id: str
    track: int
    prompt: str
    response: str
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What an opaque id stands for. `criteria` maps names to weights, `text_hash` is that of the response shown."""

    sample: SampleKey
    track: int
    criteria: Mapping[str, float]
    text_hash: str


@dataclass(frozen=True, slots=True)
class BlindSheet:
    """The rows in the order in which they are to be scored, and the key by id."""

    rows: tuple[SheetRow, ...]
    key: Mapping[str, KeyEntry]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The names of all criteria, one column each."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.criteria))


def blind_sheet(samples: Sequence[tuple[Case, Response]], *, seed: str, size: int | None = None) -> BlindSheet:
    """The sheet of `size` responses (all without it); the same samples and seed give the same sheet in any order.

    Whoever has the seed can work out who wrote what, so it belongs with the key. Raises RequestError when a response
    occurs twice or there is none.
    """
    if size is not None and size < 1:
        raise RequestError(f"size {size}: at least 1 is needed")
    by_id = {_opaque(sample_key(case, response), seed): (case, response) for case, response in samples}
    if not samples or len(by_id) < len(samples):
        raise RequestError(
            f"{len(samples)} responses of which {len(by_id)} differ: each is needed once, and one at least"
        )
    chosen = _balanced(by_id, len(by_id) if size is None else size)
    rows = tuple(_row(name, *by_id[name]) for name in chosen)
    return BlindSheet(rows, {name: _key_entry(*by_id[name]) for name in sorted(chosen)})


def sample_key(case: Case, response: Response) -> SampleKey:
    """The key under which a response to a case is scored."""
    return SampleKey(case.item, case.variant, response.model, response.index)


def _opaque(key: SampleKey, seed: str) -> str:
    """Begins with a letter, so that no spreadsheet takes an id for a number."""
    mark = hmac.new(seed.encode(), canonical(asdict(key)).encode("utf-8", "surrogatepass"), hashlib.sha256)
    return "s" + mark.hexdigest()[:16]


def _balanced(samples: Mapping[str, tuple[Case, Response]], size: int) -> list[str]:
    """Ids one by one, each from the model, track and group that were taken least so far; ids settle what is equal."""
    cells: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for name in sorted(samples, reverse=True):
        case, response = samples[name]
        cells[response.model, case.track, case.stratum].append(name)
    taken: Counter[tuple[object, ...]] = Counter()
    order: list[str] = []

    def crowding(cell: tuple[str, int, str]) -> tuple[object, ...]:
        model, track, group = cell
        counts = ((model,), (track,), (model, track), (track, group), cell)
        return (*(taken[part] for part in counts), cells[cell][-1])

    while cells and len(order) < size:
        cell = min(cells, key=crowding)
        order.append(cells[cell].pop())
        model, track, group = cell
        taken.update([(model,), (track,), (model, track), (track, group), cell])
        if not cells[cell]:
            del cells[cell]
    return order


def _row(name: str, case: Case, response: Response) -> SheetRow:
    scripted = {section.text for section in response.sections if section.fixed}
    parts = [
        f"[{section.title}{' · 대본' if section.fixed else ''}]\n{masked(cleaned(section.text))[0]}"
        for section in response.sections
    ]
    names = tuple(criterion.name for criterion in case.criteria)
    return SheetRow(name, case.track, cleaned(context_of(case, scripted)), "\n\n".join(parts), names)


def _key_entry(case: Case, response: Response) -> KeyEntry:
    weights = {criterion.name: criterion.weight for criterion in case.criteria}
    return KeyEntry(sample_key(case, response), case.track, weights, text_hash(response))


def neutralised(cell: str) -> str:
    """The cell with an apostrophe before it where a spreadsheet would run it: after =, +, -, @ or a tab."""
    return f"'{cell}" if cell.startswith(_FORMULA) or cell.lstrip().startswith(_FORMULA) else cell


def write_csv(sheet: BlindSheet, path: Path, *, bom: bool = True) -> None:
    """The sheet as CSV with a column a criterion; with a byte-order mark, as Korean Excel needs one to read UTF-8.

    Raises RequestError when the file exists, since it may hold scores by now.
    """
    names = sheet.criteria
    with _fresh(path, "utf-8-sig" if bom else "utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([neutralised(name) for name in (*FRONT, *names, *BACK)])
        for row in sheet.rows:
            cells = ["" if name in row.criteria else NOT_APPLICABLE for name in names]
            front = (row.id, str(row.track), row.prompt, row.response)
            writer.writerow([neutralised(cell) for cell in (*front, *cells, "", "")])


def write_jsonl(sheet: BlindSheet, path: Path) -> None:
    """The sheet as one JSON object a line, the scores null. Raises RequestError when the file exists."""
    _write_lines(
        path,
        (
            {
                **dict(zip(FRONT, (row.id, row.track, row.prompt, row.response), strict=True)),
                "criteria": dict.fromkeys(row.criteria),
                "overall": None,
                "rater_id": "",
            }
            for row in sheet.rows
        ),
    )


def write_key(sheet: BlindSheet, path: Path) -> None:
    """Who wrote what, one id a line. It must not reach the raters. Raises RequestError when the file exists."""
    _write_lines(
        path,
        (
            {
                "id": name,
                **asdict(entry.sample),
                "track": entry.track,
                "criteria": dict(entry.criteria),
                "text_hash": entry.text_hash,
            }
            for name, entry in sheet.key.items()
        ),
    )


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with _fresh(path, "utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _fresh(path: Path, encoding: str) -> IO[str]:
    try:
        return path.open("x", encoding=encoding, newline="", errors="replace")
    except FileExistsError:
        raise RequestError(f"{path}: exists and may hold scores; name another file or move it away") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be written ({error.strerror})") from None
