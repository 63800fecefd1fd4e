"""The versions that decide what a study finds."""

from __future__ import annotations

import unicodedata
from importlib.metadata import PackageNotFoundError, version

from jatdae.negation.corpus.settings import StudySettings

_ANALYSER = ("kiwipiepy", "kiwipiepy_model")


def deciding_versions(settings: StudySettings) -> dict[str, str]:
    """Jatdae, the tables of Unicode, and the analyser's code and model or the splitter's, where they are used."""
    names = ["jatdae", "numpy"]
    if settings.method == "morphemes" or settings.splitter == "kiwi":
        names += _ANALYSER
    if settings.splitter == "kss":
        names += ["kss", "python-mecab-ko"]
    found = {"unicode": unicodedata.unidata_version}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
