"""On what the figures below were taken: processor, cores, memory, versions.

python benchmarks/machine.py
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("jatdae", "torch", "transformers", "lm_eval", "numpy", "scipy", "kiwipiepy", "evalica", "choix", "ray")


def main() -> None:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    machine = f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GiB"
    print(f"{machine}; Python {platform.python_version()}; {packages()}\n")


def processor() -> str:
    """The model's name where the system tells it, as Linux does."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def packages() -> str:
    return ", ".join(f"{name} {number}" for name in PACKAGES if (number := _version(name)))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main()
