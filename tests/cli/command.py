"""The command `fairdeal`, as a test gives it."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from fairdeal.__main__ import main

IN_A_PROCESS = ("serve", "witness", "demo")
"""They change what a process is: its logging, its limits, its signals."""


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, with these variables of ours and no others. In this process where it can be: that saves a second."""
    line = [*map(str, arguments)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FAIRDEAL_")}
    if line[0] in IN_A_PROCESS and "--help" not in line:
        return run_process(line, inherited | environment)
    out, err, code = io.StringIO(), io.StringIO(), None
    with (
        mock.patch.dict(os.environ, inherited | environment, clear=True),
        mock.patch.object(sys, "argv", ["fairdeal", *line]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(line, code or 0, out.getvalue(), err.getvalue())


def run_process(line: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fairdeal", *line]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
