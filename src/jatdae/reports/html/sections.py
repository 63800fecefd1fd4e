"""The sections of a report in one language, in their order."""

from __future__ import annotations

from jatdae.evaluate.comparing import verdict
from jatdae.reports.html.blocks import Block, Grid, Lang, Paragraph, Section
from jatdae.reports.html.content import MOST_COMPARED, Compared, Content, by_question
from jatdae.reports.html.families import family_sections
from jatdae.reports.html.leaderboard import leaderboard
from jatdae.reports.html.words import Words, words
from jatdae.reports.inert import inert
from jatdae.store import StoredResult
from jatdae.types import Estimate

STANDING = ("run", "model", "task", "signature", "fingerprint", "data", "identity", "settings")


def sections(content: Content, lang: Lang) -> list[Section]:
    """All of them but the sample browser, which is no table."""
    say = words(lang)
    compared = [_comparisons(content, say, lang)] if content.compared else []
    families = family_sections(content.results, lang, content.munbench)
    return [leaderboard(content, say), *families, *compared, _protocol(content, say), _notes(content, say)]


def _comparisons(content: Content, say: Words, lang: Lang) -> Section:
    header = tuple(
        say[name] for name in ("task", "first", "second", "difference", "corrected", "detectable", "verdict")
    )
    rows = tuple(_compared_row(one, say, lang) for one in content.compared)
    crowded = [len(own) for own in by_question(content.results).values() if len(own) > MOST_COMPARED]
    told = [Paragraph(say["many_models"].format(count=max(crowded), shown=MOST_COMPARED))] if crowded else []
    blocks: list[Block] = [Paragraph(say["comparisons_help"]), *told, Grid(header, rows, sortable=True)]
    return Section("comparisons", say["comparisons"], tuple(blocks))


def _compared_row(one: Compared, say: Words, lang: Lang) -> tuple[str, ...]:
    names = (inert(one.first.model_reference), inert(one.second.model_reference))
    task = f"{inert(one.first.task)} {inert(one.first.mode)}"
    if one.difference is None:
        return (task, *names, "", "", "", say["refused"].format(reason=inert(one.refusal)))
    found = one.difference
    return (
        task,
        *names,
        _points(found.difference),
        f"{found.corrected_p:.4f}",
        f"{100 * found.detectable:.1f}",
        inert(verdict(found, lang)),
    )


def _points(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:+.2f} [n/a] n={estimate.n:,}"
    return f"{100 * estimate.value:+.2f} [{100 * estimate.low:+.2f}, {100 * estimate.high:+.2f}] n={estimate.n:,}"


def _protocol(content: Content, say: Words) -> Section:
    """What makes each figure reproducible: question, data, weights, version."""
    header = tuple(say[name] for name in STANDING)
    rows = tuple(_signature_row(content, one) for one in content.results)
    return Section("protocol", say["protocol"], (Grid(header, rows),))


def _signature_row(content: Content, stored: StoredResult) -> tuple[str, ...]:
    result = stored.result
    assert result is not None  # noqa: S101 - only finished ones are gathered
    protocol, run = result.protocol, content.runs[stored.run_id]
    parts = [f"mode:{protocol.mode}", f"shots:{protocol.shots}", f"split:{protocol.split}", f"v:{stored.task_version}"]
    if protocol.shots:
        parts += [f"demos:{protocol.demos}", f"seeds:{','.join(map(str, protocol.seeds))}"]
    if protocol.limit:
        parts.append(f"limit:{protocol.limit}")
    parts += [f"template:{'yes' if protocol.chat_template else 'no'}", f"jatdae:{run.versions.get('jatdae', '')}"]
    settings = ", ".join(f"{name} {value}" for name, value in result.settings.items())
    return (
        str(stored.run_id),
        inert(stored.model_reference),
        inert(stored.task),
        inert("|".join(parts)),
        stored.fingerprint[:12],
        stored.data_hash[:12],
        stored.model_key[:12],
        inert(settings),
    )


def _notes(content: Content, say: Words) -> Section:
    """Each note once, with the results that it is about."""
    about: dict[str, list[str]] = {}
    for one in content.results:
        for note in one.result.notes if one.result else ():
            about.setdefault(inert(note), []).append(
                f"{inert(one.model_reference)} {inert(one.task)} {inert(one.mode)}"
            )
    rows = tuple((note, "; ".join(dict.fromkeys(own))) for note, own in about.items())
    blocks: tuple[Block, ...] = (Grid((say["notes"], say["result"]), rows),) if rows else (Paragraph(say["none"]),)
    return Section("notes", say["notes"], blocks)
