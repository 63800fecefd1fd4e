"""How long `jatdae --help` takes, as a ratio to a bare Python start. Prints a Markdown table."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "jatdae --help": [str(Path(sys.executable).with_name("jatdae")), "--help"],
}


def median_seconds(command: list[str], runs: int = 15) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    measured = {name: median_seconds(command) for name, command in COMMANDS.items()}
    bare = measured["python -c pass"]
    print("| command | median seconds | ratio |\n|---|---|---|")
    for name, seconds in measured.items():
        print(f"| `{name}` | {seconds:.3f} | {seconds / bare:.1f} |")


if __name__ == "__main__":
    main()
