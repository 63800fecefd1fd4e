"""What the pages on MunBench show can be typed, and their tables are those of the code."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from pydantic import BaseModel

from jatdae.cli import run_app
from jatdae.cli.app import app
from jatdae.evaluate.munbench.config import MunConfig, build_config
from jatdae.reports.munbench.words import HEADERS, KINDS, MEASURES, TITLES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {"en": DOCS / "munbench.md", "ko": DOCS / "munbench.ko.md"}
SHOWN = (*PAGES.values(), DOCS / "running.md", ROOT / "README.md", ROOT / "README.ko.md")
VALIDATION = ROOT / "src" / "jatdae" / "benchmarks" / "munbench" / "validation"
PLACEHOLDERS = {"ITEM": "T3-02-01", "N": "20"}
NOT_HEADERS = {"points", "withheld", "unknown_floor"}
"""Words of cells and notes."""
LEVELS = {"error": "오류", "warning": "경고"}

in_both = pytest.mark.parametrize("language", list(PAGES))


def sections(language: str) -> list[str]:
    """The parts of a page under headings of the second level, in order."""
    return re.split(r"^## ", PAGES[language].read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def section(language: str, heading: str) -> str:
    """The part of a page that has the same place as the English one under a heading."""
    places = [number for number, part in enumerate(sections("en")) if part.startswith(heading)]
    return sections(language)[places[0]]


def blocks(part: str, kind: str) -> list[str]:
    """Fenced blocks of a kind: `yaml`, `python`, or "" for commands."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
    return [body for name, body in found if name == kind]


def rows(part: str) -> list[list[str]]:
    """The cells of all tables of a part."""
    lines = [line for line in part.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def commands(text: str) -> list[str]:
    """Every command of ours in a page: lines of blocks, and code within sentences and tables."""
    lines = [line for block in blocks(text, "") for line in block.splitlines()]
    inline = re.findall(r"`(jatdae [^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    found = [line for line in (*lines, *(" ".join(one.split()) for one in inline)) if line.startswith("jatdae ")]
    return [line for line in found if "munbench/..." not in line]


def parse(words: list[str]) -> None:
    """Read a command line down to its last command, without running anything; a command named alone has to exist."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("jatdae", list(words))
    while hasattr(command, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        name, command, rest = command.resolve_command(context, rest)
        if not rest:
            return
        context = command.make_context(name, rest, parent=context)


def typed(line: str) -> list[str]:
    """The words after `jatdae`, with something in the place of placeholders."""
    words = shlex.split(line.replace("FILE ...", "FILE"), comments=True)[1:]
    return [PLACEHOLDERS.get(word, word) for word in words]


def keys_of(model: type[BaseModel], front: str = "") -> dict[str, Any]:
    """Every key of the settings by its dotted name, with its default as JSON has it."""
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            found |= keys_of(type(field.default), f"{front}{name}.")
        elif name != "folder":
            default = field.default
            found[front + name] = [one.id for one in default] if name == "judges" and default else default
    return found


@dataclass(frozen=True)
class Started:
    """Where a page's first section was followed, and what each of its commands printed."""

    place: Path
    printed: dict[str, str]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Started]:
    """Both pages' first sections, followed to their ends."""
    return {language: follow(language, tmp_path_factory.mktemp(language)) for language in PAGES}


def follow(language: str, place: Path) -> Started:
    """Do what a page's first section says, in an empty folder."""
    part, printed = section(language, "Five minutes"), {}
    settings = blocks(part, "yaml")[0]
    assert settings.startswith("# munbench.yaml\n")
    (place / "munbench.yaml").write_text(settings, encoding="utf-8")
    with contextlib.chdir(place):
        run_python(blocks(part, "python")[0])
        for line in blocks(part, "")[0].splitlines():
            code, printed[line] = run(line)
            assert code == 0, line
    return Started(place, printed)


def run_python(source: str) -> str:
    """What a script prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(source, "page", "exec"), {"__name__": "page"})
    return out.getvalue()


def run(line: str) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run_app(typed(line))
    return code, out.getvalue()


@in_both
def test_the_five_minutes_end_in_the_figures_that_are_told(language: str, started: dict[str, Started]) -> None:
    place, printed = started[language].place, started[language].printed
    board = json.loads((place / "results" / "leaderboard.json").read_text(encoding="utf-8"))
    first = board["rows"][0]
    told = re.search(r"(\d\.\d)(?= of 10|점)", section(language, "Five minutes"))
    assert told is not None
    assert (first["model"], f"{first['overall_rubric_mean']:.1f}", first["rank"]) == ("file:same", told[1], 1)
    assert board["units"]["planned"] == 51
    assert json.loads(printed["jatdae munbench show T3-02-01"])


def test_people_and_python_go_on_from_there(started: dict[str, Started]) -> None:
    export, take, compare = blocks(section("en", "Can the judges be believed?"), "")[0].splitlines()
    with contextlib.chdir(started["en"].place):
        assert run(export)[0] == 0
        fill(Path("sheet.csv"))
        code, told = run(take)
        assert (code, "20 texts" in told) == (0, True)
        code, told = run(compare)
        assert (code, "20 rated samples, 100 are needed" in told) == (0, True)
        assert "file:same" in run_python(blocks(section("en", "From Python"), "python")[0])


@in_both
def test_every_file_that_a_run_leaves_is_named(language: str, started: dict[str, Started]) -> None:
    named = " ".join(row[0] for row in rows(section(language, "The results folder")))
    results = started[language].place / "results"
    found = {documented_name(file.relative_to(results)) for file in results.rglob("*") if file.is_file()}
    assert [name for name in found - {".lock"} if name not in named] == []


def documented_name(file: Path) -> str:
    """The name of a result file as the pages have it, with MODEL for a model's part."""
    name = re.sub(r"(?:file%3A)\w+-[0-9a-f]{8}", "MODEL", file.as_posix())
    return "jatdae.sqlite3" if name.startswith("jatdae.sqlite3") else name


def fill(sheet: Path) -> None:
    """Rate a sheet as a person would, in a spreadsheet."""
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        table = list(csv.DictReader(stream))
    with sheet.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(table[0]))
        writer.writeheader()
        writer.writerows({**row, "overall": str(number % 11), "rater_id": "가람"} for number, row in enumerate(table))


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_every_command_of_a_page_has_its_options(page: Path) -> None:
    found = commands(page.read_text(encoding="utf-8"))
    assert found
    for line in found:
        try:
            parse(typed(line))
        except typer.TyperException as error:
            pytest.fail(f"{line}: {error}")


def test_the_pages_name_every_command_of_munbench() -> None:
    group: Any = typer.main.get_command(app)
    munbench = group.commands["munbench"]
    names = {f"{name} {inner}" for name in ("human",) for inner in munbench.commands[name].commands}
    names |= set(munbench.commands) - {"human"}
    for language in PAGES:
        told = " ".join(row[0] for row in rows(section(language, "Commands")))
        assert [name for name in names if f"jatdae munbench {name}" not in told] == []


@in_both
def test_the_settings_table_has_every_key_and_its_default(language: str) -> None:
    table = {row[0].strip("`"): row[1].strip("`") for row in rows(section(language, "Settings"))[1:]}
    shown = {key: yaml.safe_load(value) for key, value in table.items()}
    assert shown == keys_of(MunConfig)


@in_both
def test_all_settings_that_a_page_shows_are_accepted(language: str) -> None:
    for settings in blocks(section(language, "Five minutes"), "yaml"):
        build_config(yaml.safe_load(settings))


@in_both
def test_the_table_of_rules_has_every_rule_at_its_levels(language: str) -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in VALIDATION.glob("*.py"))
    raised: dict[str, set[str]] = {}
    for level, rule in re.findall(r"\b(error|warning)\(\s*\"(V\d\d)\"", source):
        raised.setdefault(rule, set()).add(level if language == "en" else LEVELS[level])
    shown = {
        row[0]: set(row[1].split(", "))
        for row in rows(section(language, "Your own items"))
        if re.fullmatch(r"V\d\d", row[0])
    }
    assert len(shown) == 28
    assert shown == raised


@in_both
def test_every_table_and_column_of_the_report_is_explained(language: str) -> None:
    place = list(PAGES).index(language)
    part = section(language, "How to read the report")
    words = {f"title {name}": one[place] for name, one in TITLES.items() if name not in ("heading", "provisional")}
    words |= {f"header {name}": one[place] for name, one in HEADERS.items() if name not in NOT_HEADERS}
    words |= {f"measure {name}": one[place] for name, one in MEASURES.items()}
    words |= {f"kind {name}": one[place] for name, one in KINDS.items()}
    assert [f"{name}: {word}" for name, word in words.items() if word not in part] == []


def test_both_pages_have_the_same_parts() -> None:
    english, korean = sections("en"), sections("ko")
    assert len(english) == len(korean)
    for one, other in zip(english, korean, strict=True):
        assert [len(row) for row in rows(one)] == [len(row) for row in rows(other)], one.partition("\n")[0]


@pytest.mark.parametrize("page", [*SHOWN, *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name) if name else page
        assert other.exists(), target
        if anchor:
            assert anchor in map(anchor_of, headings(other)), target


def headings(page: Path) -> list[str]:
    return re.findall(r"^#{1,6} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
