"""The HTML file: sections in both languages, the chart library and all data inside it, nothing fetched.

Data stand in elements that no browser runs, with every `<` escaped; the page's script builds what it shows from them as
text. The policy in its head admits the two scripts that were put in, by their hashes, and no connection at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jatdae.errors import RequestError
from jatdae.reports.html.blocks import LANGS, Chart, Lang, Section
from jatdae.reports.html.content import Content
from jatdae.reports.html.sections import sections
from jatdae.reports.html.words import words
from jatdae.types import Outcome

PAGE = Path(__file__).parent / "page"
VEGA_LITE = "6.4"


def html_report(content: Content, lang: Lang) -> str:
    """The file's text. `lang` is shown first; the page switches. Raises RequestError without the chart packages."""
    library, script = chart_library(), _page_file("report.js")
    languages = [_language(content, one) for one in LANGS]
    return (
        _templates()
        .get_template("report.html")
        .render(
            lang=lang,
            languages=languages,
            style=_page_file("report.css"),
            library=library,
            script=script,
            policy=_policy(library, script),
            samples=_data(_samples(content)),
            charts=_data({one["lang"]: one["charts"] for one in languages}),
        )
    )


def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script. Raises RequestError where the package that has them is missing."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise RequestError("an HTML report needs packages: pip install 'jatdae[report]'") from None
    bundle: Any = vl_convert.javascript_bundle
    return _closed(bundle(vl_version=VEGA_LITE))


def _closed(script: str) -> str:
    """A script cannot hold the tag that would end it; in its strings the slash may be escaped."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def _page_file(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _policy(*scripts: str) -> str:
    """Vega compiles its expressions, which needs 'unsafe-eval'; they come from this file alone."""
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _language(content: Content, lang: Lang) -> dict[str, Any]:
    """All that the template needs of one language."""
    say, found = words(lang), sections(content, lang)
    times = sorted(run.started[:10] for number, run in content.runs.items() if number in _runs_of(content))
    intro = say["intro"].format(
        results=len(content.results),
        models=len({one.model_reference for one in content.results}),
        first=times[0],
        last=times[-1],
    )
    return {
        "lang": lang,
        "other": LANGS[1 - LANGS.index(lang)],
        "say": say,
        "intro": intro,
        "sections": [_section(section) for section in found],
        "charts": {block.name: block.spec for section in found for block in section.blocks if isinstance(block, Chart)},
        "samples_help": say["samples_help"].format(
            count=f"{len(content.samples):,}", total=f"{content.sample_total:,}"
        ),
        "made": say["made"].format(version=version("jatdae")),
        "outcomes": [(outcome.value, say[_outcome_word(outcome)]) for outcome in Outcome],
        "results": [(one.id, f"{one.model_reference} · {one.task} {one.mode}") for one in content.results],
    }


def _outcome_word(outcome: Outcome) -> str:
    return "refused_answer" if outcome is Outcome.REFUSED else outcome.value


def _runs_of(content: Content) -> set[int]:
    return {one.run_id for one in content.results}


def _section(section: Section) -> dict[str, Any]:
    blocks = [{"kind": type(block).__name__, "block": block} for block in section.blocks]
    return {"anchor": section.anchor, "title": section.title, "blocks": blocks}


def _samples(content: Content) -> list[dict[str, Any]]:
    return [asdict(sample) for sample in content.samples]


def _data(value: Any) -> str:
    """JSON that can end no element and begin no comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
