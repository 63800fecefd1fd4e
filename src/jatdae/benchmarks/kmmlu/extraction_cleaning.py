"""A reply in plain spelling: one form of every character, no markup, no runs of blanks.

Only the copy that is searched for an answer is changed; prompts are never normalised.
"""

from __future__ import annotations

import re
import unicodedata

CIRCLED_MARK = 0xE030
"""Code point that stands for the first circled number; see `extraction_labels` for the other marks."""

# NFKC would turn a circled 1 into a plain "1", so circled numbers become marks before it.
_CIRCLED = {ord(first) + number: chr(CIRCLED_MARK + number) for first in "①❶➀➊⓵" for number in range(10)}
# Private-use characters serve as marks below; those of the reply itself must not be taken for marks.
_FOREIGN_MARKS = dict.fromkeys(range(0xE000, 0xE100), "\ufffd")
_INVISIBLE = dict.fromkeys(
    [0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
     *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)]
)  # fmt: skip
_MARKDOWN = dict.fromkeys(map(ord, "*_`~"))
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"'}

_SPECIAL_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:eos|bos|end_of_turn|start_of_turn)>|\[/?INST\]")
_INLINE_TAG = re.compile(r"</?(?:b|i|u|em|strong|mark|span|font|code|sup|sub|small|big)(?:\s[^<>]{0,100})?>")
_BLOCK_TAG = re.compile(r"</?(?:p|div|br|li|ul|ol|pre|center|h[1-6])(?:\s[^<>]{0,100})?/?>", re.IGNORECASE)
_MATHS_WRAPPER = re.compile(
    r"\\(?:text|mathrm|mathbf|mathsf|mathit|operatorname|rm|bf)[a-z]{0,2}\s?\{([^{}\n]{0,200})\}"
)
_MATHS_DELIMITER = re.compile(r"\\[()\[\]]|\$|\\(?=[\"'])")
_BLANKS = re.compile(r"\s+")
_LINE_DECORATION = re.compile(r"(?m)^(?:[#>•▶►●■◆※+-]{1,6} ?){1,3}(?!\d)")


def clean(text: str) -> str:
    """`text` in NFKC without markup; circled numbers become marks, each run of blanks one space or one line break."""
    plain = text.translate(_FOREIGN_MARKS).translate(_CIRCLED)
    plain = unicodedata.normalize("NFKC", plain).translate(_INVISIBLE)
    plain = _SPECIAL_TOKEN.sub("", plain.translate(_MARKDOWN).translate(_QUOTES))
    plain = _BLOCK_TAG.sub("\n", _INLINE_TAG.sub("", plain))
    for _ in range(2):  # wrappers may be nested once, as in \mathbf{\text{B}}
        plain = _MATHS_WRAPPER.sub(r"\1", plain)
    plain = _BLANKS.sub(_one_blank, _MATHS_DELIMITER.sub("", plain)).strip()
    return _LINE_DECORATION.sub("", plain)


def _one_blank(run: re.Match[str]) -> str:
    return "\n" if re.search(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", run[0]) else " "
