"""The file with facts about models: what fits a reference, and faults named by line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from jatdae.errors import DataError
from jatdae.reports.negation.models_file import band, facts_of, read_models

HEADER = "reference,name,family,parameters,tuning,korean\n"


def test_the_published_models_are_known_by_their_hub_names() -> None:
    known = read_models(None)

    base, tuned = (facts_of(f"hf:Qwen/Qwen3-8B{end}", known) for end in ("-Base", ""))
    assert base is not None
    assert tuned is not None
    assert (base.tuning, tuned.tuning, base.parameters, base.korean) == ("base", "instruct", 8.0, False)
    assert facts_of("hf:Qwen/Qwen3-8B-Base@main", known) == base
    assert len(known) == 47
    assert sum(one.korean for one in known) == 18
    assert sum(one.parameters is not None for one in known) == 43


def test_a_model_that_no_line_fits_stays_unknown() -> None:
    known = read_models(None)

    assert facts_of("hf:./Qwen3-8B-Base-mine", known) is None
    assert facts_of("hf:somebody/Qwen3-8B", known) is None


@pytest.mark.parametrize("suffix", ["csv", "yaml"])
def test_lines_of_an_own_file_come_first(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"models.{suffix}"
    path.write_text(
        HEADER + "*/Qwen3-8B,우리 것,우리,8.2,instruct,true\n"
        if suffix == "csv"
        else "- {reference: '*/Qwen3-8B', name: 우리 것, family: 우리, parameters: 8.2, tuning: instruct, korean: on}",
        encoding="utf-8",
    )

    found = facts_of("hf:Qwen/Qwen3-8B", read_models(path))

    assert found is not None
    assert (found.name, found.parameters, found.korean) == ("우리 것", 8.2, True)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("a,b,c,8,chat,true", r"line 2, field 'tuning': base or instruct is expected, found 'chat'"),
        ("a,b,c,8,base,maybe", r"line 2, field 'korean': true or false is expected"),
        ("a,b,c,0,base,true", r"line 2, field 'parameters': billions .* found '0'"),
        ("a,b,c,7B,base,true", r"line 2, field 'parameters': billions .* found '7B'"),
        (",b,c,7,base,true", r"line 2, field 'reference': text"),
    ],
)
def test_a_fault_names_line_and_field(tmp_path: Path, line: str, what: str) -> None:
    path = tmp_path / "models.csv"
    path.write_text(HEADER + line + "\n", encoding="utf-8")

    with pytest.raises(DataError, match=what):
        read_models(path)


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("models.csv", "model,size\nx,1\n", r"line 1: the header lacks reference, name"),
        ("models.yaml", "reference: a", r"a list of mappings is expected"),
        ("models.yaml", "- {reference: a", r"this is no YAML"),
        ("models.yaml", "[" * 5000, r"this is no YAML"),
        ("models.yaml", "- {reference: a, name: b, family: c, tuning: base, korean: 2}", r"entry 1: true or false"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str, text: str, what: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=what):
        read_models(path)


def test_bands_include_their_lower_end() -> None:
    sizes = (0.6, 2, 4.9, 5, 8, 12.5, 20, 72, None)

    assert [band(size) for size in sizes] == [
        "<2B", "2-5B", "2-5B", "5-8B", "8-12.5B", "12.5-20B", ">=20B", ">=20B", None,
    ]  # fmt: skip
