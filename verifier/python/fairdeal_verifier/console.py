"""What every command shares: its parser, how it reads a file, and its exit codes beside those of the verdicts."""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.sentences import Language
from fairdeal_verifier.usage import say

PROGRAM = "fairdeal-verify"
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NOT_FETCHED = 14

_LACKING = "the following arguments are required: "
"""argparse's words before the names of the arguments."""


class Parser(argparse.ArgumentParser):
    """Refuses arguments in the reader's language; argparse has its reasons in English alone."""

    def __init__(self, language: Language, command: str, description: str, exits: str) -> None:
        """The command's name may be empty; `description` and `exits` are keys of `usage.TEXTS`."""
        super().__init__(
            prog=f"{PROGRAM} {command}".rstrip(),
            description=say(description, language),
            epilog=say(exits, language),
            add_help=False,
        )
        self.language = language
        # A group of its own, since the titles of argparse's are English.
        self.group = self.add_argument_group("arguments")
        self.group.add_argument("-h", "--help", action="help", help=say("help", language))
        self.group.add_argument("--lang", choices=("fr", "en"), help=say("lang", language))

    def error(self, message: str) -> NoReturn:
        """Exits with 2."""
        self.print_usage(sys.stderr)
        lacking = message.removeprefix(_LACKING)
        told = say("refused" if lacking == message else "lacking", self.language, lacking)
        self.exit(EXIT_USAGE, f"{PROGRAM}: {told}\n")


def read_file(path: Path, limit: int) -> bytes:
    """At most one byte over the limit: the size is refused, and no memory filled. Raises WrongUsage."""
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise WrongUsage("no_file", path) from None
    except OSError:
        raise WrongUsage("unreadable", path) from None


def write_file(path: Path, data: bytes) -> None:
    """The whole file or nothing; raises WrongUsage."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        raise WrongUsage("unwritable", path) from None
