"""Lengths of commissions: V11."""

from __future__ import annotations

from collections.abc import Iterator

from jatdae.benchmarks.munbench.length_specs import Bound, named_ranges, parse_length
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem


def check(folder: Folder) -> Iterator[Finding]:
    """V11 over track 2: the specification parses, has its ends in order and agrees with the commission's own words."""
    for item in folder.of_track(2):
        if item.text("length_spec").strip():
            yield from _check_item(item)


def _check_item(item: RawItem) -> Iterator[Finding]:
    spec = item.text("length_spec")
    parsed = parse_length(spec)
    if parsed is None:
        message = f"names no length that can be read: {spec!r:.60}"
        yield error("V11", item.file, message, item=item.id, field="length_spec")
        return
    for bound in parsed.bounds:
        if bound.high is not None and bound.low > bound.high:
            message = f"the lower end, {bound.low}, is above the upper one, {bound.high}"
            yield error("V11", item.file, message, item=item.id, field="length_spec")
    stated = {bound.unit: bound for bound in named_ranges(spec) or parsed.bounds}
    for field in ("prompt_ko", "constraints_ko"):
        for bound in named_ranges(" ".join(item.texts(field))):
            other = stated.get(bound.unit)
            if other is not None and other != bound:
                message = f"asks for {_shown(bound)}, but length_spec for {_shown(other)}"
                yield warning("V11", item.file, message, item=item.id, field=field)


def _shown(bound: Bound) -> str:
    unit = {"char": "characters", "line": "lines", "stanza": "stanzas"}[bound.unit]
    return f"{bound.low} to {bound.high} {unit}" if bound.high is not None else f"at least {bound.low} {unit}"
