"""The command line: thin. Each command parses, calls the API and prints.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 the work failed, 2 the request
was wrong. An error is one line; `--debug` shows the traceback.
"""

from __future__ import annotations

import io
import json
import sys

from jatdae.cli.app import app

STOPPED = 130
"""What typer makes of Ctrl-C where the work itself does not see to it."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run_app(sys.argv[1:]))


def run_app(arguments: list[str]) -> int:
    """Run one command and return its exit code; an error is told in one line on standard error."""
    import typer

    from jatdae.errors import Interrupted, JatdaeError

    _speak_utf8()
    debug = "--debug" in arguments
    arguments = [word for word in arguments if word != "--debug"]
    try:
        code = app(arguments, prog_name="jatdae", standalone_mode=False)
        if code == STOPPED:
            return _tell(str(Interrupted()), Interrupted.exit_code, as_json="--json" in arguments)
        return code if isinstance(code, int) else 0
    except (JatdaeError, typer.TyperException) as error:
        if debug:
            raise
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        return _tell(message, error.exit_code, as_json="--json" in arguments)
    except (KeyboardInterrupt, typer.Abort):
        return _tell(str(Interrupted()), Interrupted.exit_code, as_json="--json" in arguments)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:  # the last door: whatever comes this far is a fault of ours, told in one line
        if debug:
            raise
        message = f"internal fault, {type(error).__name__}: {error}; run again with --debug to see where"
        return _tell(message, 1, as_json="--json" in arguments)


def _tell(message: str, code: int, *, as_json: bool) -> int:
    """An error is one line, whatever a library put into its message; with --json standard output says it too."""
    line = " ".join(message.split())
    print(f"error: {line}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": line, "exit_code": code}, ensure_ascii=False))
    return code


def _speak_utf8() -> None:
    """Output never stops a run: UTF-8 into files and pipes, escapes for what a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
