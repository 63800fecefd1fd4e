"""Contrast variants of track 3: V12 to V15."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from jatdae.benchmarks.munbench.records import KIND_OF
from jatdae.benchmarks.munbench.validation.findings import Finding, error, warning
from jatdae.benchmarks.munbench.validation.folder import Folder, RawItem

REQUIRED_IN = frozenset({"culture-pair", "idiom"})
KOREA = re.compile("한국|대한민국|우리나라|코리아|[Kk]orea")
FIELD = "variant_neutral_ko"
_QUOTED = re.compile(r"'([^'\n]{1,80})'|‘([^’\n]{1,80})’|\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|「([^」\n]{1,80})」")
_ADNOMINAL = "".join(chr(0xAC00 + 28 * place + 8) for place in range(399))
"""Syllables that end in ㄹ, as before the `것` of an instruction (쓸 것)."""
_ASKS = re.compile(
    r"(?:[가내둬라려마봐써아어여와줘춰하해]라|세요|시오|주시길|[줘봐]|"
    rf"[{_ADNOMINAL}] ?것|[쓰하적짓]기|작성|청합니다|바랍니다|부탁(?:드립니다|드려요|해요|합니다)|\?)[.!?…)]{{0,5}}$"
)


def check(folder: Folder) -> Iterator[Finding]:
    """V12 to V15 over track 3, with the sidecar's variants in place of the items' own."""
    for item in folder.of_track(3):
        text = item.text(FIELD)
        yield from _presence(item, text)
        if not text.strip():
            continue
        yield from _kind(item)
        yield from _task(item, text)
        yield from _expectation(item)
        if item.text("subtype") == "culture-pair":
            yield from _culture(item, text)
        if item.text("subtype") == "idiom":
            yield from _idiom(item, text)


def _presence(item: RawItem, text: str) -> Iterator[Finding]:
    subtype = item.text("subtype")
    if subtype in REQUIRED_IN and not text.strip():
        yield error("V12", item.file, f"a task of subtype {subtype} needs a variant", item=item.id, field=FIELD)
    elif subtype == "register" and text.strip():
        yield error("V12", item.file, "a register task takes no variant", item=item.id, field=FIELD)
    elif isinstance(item.record.get(FIELD), str) and not text.strip():
        yield warning("V12", item.file, "blank; read as none (null would say so)", item=item.id, field=FIELD)


def _kind(item: RawItem) -> Iterator[Finding]:
    given, due = item.text("variant_kind"), KIND_OF.get(item.text("subtype"))
    if given in KIND_OF.values() and due is not None and given != due:
        message = f"a variant of subtype {item.text('subtype')} is {due}, not {given}"
        yield error("V12", item.file, message, item=item.id, field="variant_kind")


def _task(item: RawItem, text: str) -> Iterator[Finding]:
    if not is_task(text):
        message = "describes a situation and asks for nothing; give a prompt (variants.json can replace it)"
        yield error("V12", item.file, message, item=item.id, field=FIELD)
    if _squeezed(text) == _squeezed(item.text("prompt_ko")):
        yield error("V12", item.file, "is the prompt itself", item=item.id, field=FIELD)


def is_task(text: str) -> bool:
    """Whether some sentence, quotations left out, asks for something: a command, a request or a question."""
    bare = _QUOTED.sub("", text)
    return any(_ASKS.search(sentence.strip()) for sentence in re.split(r"(?<=[.!?…])\s|[\n,;]", bare))


def _squeezed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _expectation(item: RawItem) -> Iterator[Finding]:
    kind = item.text("variant_kind") or KIND_OF.get(item.text("subtype"))
    if kind == "sincere_control" and not item.text("variant_expected_ko").strip():
        message = "another answer is right here than for the prompt, but none is given; the variant cannot be scored"
        yield error("V15", item.file, message, item=item.id, field="variant_expected_ko")


def _culture(item: RawItem, text: str) -> Iterator[Finding]:
    if not KOREA.search(item.text("prompt_ko")):
        yield error("V13", item.file, "the prompt does not name Korea", item=item.id, field="prompt_ko")
    marker = KOREA.search(text)
    if marker is not None:
        yield error("V13", item.file, f"the variant names Korea: {marker[0]}", item=item.id, field=FIELD)


def _idiom(item: RawItem, text: str) -> Iterator[Finding]:
    """The idiom is what the prompt quotes; of its quotations at least one must be quoted in the variant too."""
    quoted = quotations(item.text("prompt_ko"))
    if not quoted:
        yield error("V14", item.file, "the prompt quotes no idiom", item=item.id, field="prompt_ko")
    elif not quoted & quotations(text):
        yield error("V14", item.file, "the variant quotes no idiom of the prompt", item=item.id, field=FIELD)


def quotations(text: str) -> set[str]:
    """What stands in quotation marks, blanks squeezed."""
    return {_squeezed("".join(match.groups(""))) for match in _QUOTED.finditer(text)}
