"""Where the files of KoNUBench and of its two side studies are fetched.

Six files come from the authors' repository at one commit; the original KoBEST BoolQ test set, with which the negated
one is compared, comes from the hub (JSON lines: paragraph, question, label). Each is pinned by size and SHA-256.
"""

from __future__ import annotations

from jatdae.benchmarks.download import Release, RemoteFile

REPOSITORY = "mcrl/Thunder-KoNUBench"
REVISION = "a855ffc095dbca3502e3c685e37edef369bae00d"
KOBEST_HUB_ID = "skt/kobest_v1"
KOBEST_REVISION = "a5ea15e3ac77ed694b79f6204eb31889a2ba989f"
KOBEST_BOOLQ = "kobest_boolq.jsonl"

_FILES = (
    (
        "Thunder_KoNUBench/test/test.json",
        1599009,
        "128e37d0f17d23ba043ea561983140ab555577a4cfff1e8eef73d87951f07bca",
    ),
    (
        "Thunder_KoNUBench/validation/val.json",
        1259788,
        "6293f3fb7802ec4b388819ed61d98f22101290764a21cf6b714390e16e4aed57",
    ),
    (
        "Thunder_KoNUBench/train/train.json",
        3134472,
        "c340f5d27689868fab0829fa221f076a7f4f3e64c3468d48851c4d2644a3a7ac",
    ),
    (
        "kmmlu_neg/test/kmmlu_neg.json",
        2518204,
        "57392c31b412ac148ee9263c95fd51635cf98477fd8d27feecfdddce1d6c3a6a",
    ),
    (
        "kmmlu_pos/test/kmmlu_pos.json",
        2498482,
        "57dbfc5a65dc7db60d59d8b4a7772e420cca77ba1c02849b50ac5b5cb6d54484",
    ),
    (
        "kobest_boolq_neg/test/kobest_boolq_neg.json",
        841474,
        "15350e41690dd3ee3780334dd4d4aa14395b6aaea47e7cbbb14a17631f6d35af",
    ),
)


def pin_of(stem: str) -> tuple[str | None, str]:
    """The SHA-256 of a published file by its name without the ending, and the revision that it stands in."""
    hashes = {file.path.rpartition("/")[2].partition(".")[0]: file.sha256 for file in release().files}
    return hashes.get(stem), KOBEST_REVISION if KOBEST_BOOLQ.startswith(f"{stem}.") else REVISION


def release() -> Release:
    """Three splits, negated and affirmative KMMLU, negated and original KoBEST BoolQ; all in one flat folder."""
    base = f"https://raw.githubusercontent.com/{REPOSITORY}/{REVISION}/dataset"
    files = [RemoteFile(f"{base}/{path}", path.rpartition("/")[2], sha256, size) for path, size, sha256 in _FILES]
    licence = "KoNUBench: none stated; KMMLU: CC BY-ND 4.0; KoBEST: CC BY-SA 4.0"
    return Release("konubench", "Thunder-KoNUBench", licence, REVISION, (*files, _kobest_boolq()))


def _kobest_boolq() -> RemoteFile:
    return RemoteFile(
        f"https://huggingface.co/datasets/{KOBEST_HUB_ID}/resolve/{KOBEST_REVISION}/boolq/test.jsonl",
        KOBEST_BOOLQ,
        "e6fb1bceab2e3e132119e7ce23d98c38e7700ce38bd0d00ec4f26c9a07d6b583",
        1406101,
    )
