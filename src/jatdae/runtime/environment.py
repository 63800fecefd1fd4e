"""What a run stands on besides model and data: versions and kind of machine."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("jatdae", "torch", "transformers", "tokenizers", "numpy", "scipy")


def package_versions() -> dict[str, str]:
    """Versions of what decides numbers, Python included."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """What kind of machine this is, in a few words; nothing that names its user or place."""
    return {"system": platform.system(), "architecture": platform.machine(), "byteorder": sys.byteorder}
