"""`fairdeal-verify`: a match from its bundle, or one of its commands, in English or French.

One sentence or one JSON object goes to stdout, what was looked at to stderr, the verdict into the exit code.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from fairdeal_verifier.commands import audit, explain, fork, verify
from fairdeal_verifier.console import EXIT_FAILED, EXIT_USAGE, PROGRAM, Parser
from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.sentences import Language
from fairdeal_verifier.usage import say, say_why

Command = tuple[Callable[[Language], Parser], Callable[[argparse.Namespace, Language], int]]
"""The parser of its arguments, and what runs on them."""

VERIFY: Command = (verify.parser, verify.run)
COMMANDS: dict[str, Command] = {
    "audit": (audit.parser, audit.run),
    "explain": (explain.parser, explain.run),
    "fork": (fork.parser, fork.run),
}
"""By the first word; a bundle of such a name is given as ./audit."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code (protocol 6.1)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents still gets its verdict
    language = _language(arguments, os.environ)
    given = sys.argv[1:] if arguments is None else arguments
    named = COMMANDS.get(given[0]) if given else None
    parser, run = VERIFY if named is None else named
    options = parser(language).parse_args(given if named is None else given[1:])
    try:
        return run(options, language)
    except WrongUsage as error:
        print(f"{PROGRAM}: {say_why(error, language)}", file=sys.stderr)
        return EXIT_USAGE
    except Exception as error:
        if os.environ.get("FAIRDEAL_DEBUG"):
            raise
        print(f"{PROGRAM}: {say('failed', language, type(error).__name__)}", file=sys.stderr)
        return EXIT_FAILED


def _language(arguments: Sequence[str] | None, environment: "os._Environ[str]") -> Language:
    """The one asked for, known before the rest is; else the first locale variable that is set decides."""
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--lang", nargs="?")
    wanted = early.parse_known_args(arguments)[0].lang
    if wanted is None:
        wanted = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
        return "fr" if wanted.lower().startswith("fr") else "en"
    return "fr" if wanted == "fr" else "en"
