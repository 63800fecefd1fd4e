"""Items of the three tracks out of their files, with the variants' sidecar laid over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from jatdae.benchmarks.munbench.reading.layout import ID_PATTERN, TURNS, VARIANT_FIELDS
from jatdae.benchmarks.munbench.reading.rows import Row, entries_of, rows_of
from jatdae.benchmarks.munbench.records import (
    DOMAINS,
    FORMS,
    KIND_OF,
    SUBTYPES,
    EmotionItem,
    LiteraryItem,
    MunItem,
    NuanceItem,
    Variant,
    VariantKind,
)
from jatdae.errors import DataError


def read_items(track: int, value: Any, path: Path, variants: Mapping[str, Row]) -> list[MunItem]:
    """A track's items in file order. `variants` are rows of the sidecar by item id (see `read_variants`)."""
    rows = rows_of(value, path, "item")
    for row in rows:
        _check_id(row, track)
    if track == 1:
        return [_emotion(row) for row in rows]
    if track == 2:
        return [_literary(row) for row in rows]
    return [_nuance(row, variants.get(row.text("id"))) for row in rows]


def check_unique(items: list[MunItem], folder: Path) -> None:
    """Raises DataError for an id that occurs twice in any of the files."""
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise DataError(f"the id {item.id} occurs twice", path=folder, field="id", mend="ids must be unique")
        seen.add(item.id)


def read_variants(value: Any, path: Path) -> dict[str, Row]:
    """The entries of `variants.json` by item id."""
    return {name: Row.of(entry, path, name) for name, entry in entries_of(value, path)}


def _check_id(row: Row, track: int) -> None:
    name = row.text("id")
    if not re.fullmatch(ID_PATTERN, name) or not name.startswith(f"T{track}-"):
        row.fail("id", f"{name!r:.60} is no id of track {track}", f"write it as T{track}-01-01")


def _emotion(row: Row) -> EmotionItem:
    turns = row.texts("turns_ko")
    if len(turns) != TURNS:
        row.fail("turns_ko", f"{len(turns)} lines that are not blank where {TURNS} are expected")
    return EmotionItem(
        id=row.text("id"),
        title=row.text("title"),
        domain=row.choice("domain", DOMAINS),
        setup=row.text("setup_ko"),
        model_role=row.text("model_role_ko"),
        interlocutor=row.text("interlocutor_ko"),
        turns=turns,
        phenomena=row.texts("phenomena"),
        analysis_question=row.text("analysis_question_ko"),
        judge_notes=row.text("judge_notes_ko"),
        setup_public=row.optional("setup_public_ko"),
        interlocutor_public=row.optional("interlocutor_public_ko"),
        split=row.optional("split") or "public",
    )


def _literary(row: Row) -> LiteraryItem:
    return LiteraryItem(
        id=row.text("id"),
        form=row.choice("form", FORMS),
        prompt=row.text("prompt_ko"),
        constraints=row.either("constraints_ko"),
        targeted_weakness=row.text("targeted_weakness"),
        length_spec=row.text("length_spec"),
        judge_notes=row.text("judge_notes_ko"),
        split=row.optional("split") or "public",
    )


def _nuance(row: Row, overlay: Row | None) -> NuanceItem:
    subtype = row.choice("subtype", SUBTYPES)
    return NuanceItem(
        id=row.text("id"),
        subtype=subtype,
        prompt=row.text("prompt_ko"),
        expected_behavior=row.text("expected_behavior_ko"),
        judge_notes=row.text("judge_notes_ko"),
        variant=_variant(row, overlay, subtype),
        split=row.optional("split") or "public",
    )


def _variant(row: Row, overlay: Row | None, subtype: str) -> Variant | None:
    def given(field: str) -> str | None:
        laid_over = overlay.optional(field) if overlay is not None else None
        return laid_over or row.optional(VARIANT_FIELDS[field])

    text = given("text")
    if text is None:
        if overlay is not None:
            overlay.fail("text", "neither this entry nor the item has a text for the variant")
        return None
    if subtype not in KIND_OF:
        row.fail("variant_neutral_ko", f"a task of subtype {subtype} takes no variant")
    kind = given("kind") or KIND_OF[subtype]
    if kind not in KIND_OF.values():
        row.fail("variant_kind", f"unknown value {kind!r:.60}", f"known: {', '.join(KIND_OF.values())}")
    return Variant(cast("VariantKind", kind), text, given("expected"), given("judge_notes"))
