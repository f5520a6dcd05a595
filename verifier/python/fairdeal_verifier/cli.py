"""`fairdeal-verify`: one sentence or one JSON object on stdout, the checks on stderr, the verdict in the exit code.

`fairdeal-verify explain` lays out the arithmetic of a deal instead, and has no verdict.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from fairdeal_verifier.errors import Malformed, NotRevealed, WrongUsage
from fairdeal_verifier.explain import explain, render
from fairdeal_verifier.explain.words import WITHOUT_GLYPHS
from fairdeal_verifier.files import MAX_FILE_BYTES
from fairdeal_verifier.policy import MAX_POLICY_BYTES, Policy
from fairdeal_verifier.report import EXIT_CODES
from fairdeal_verifier.sentences import CAUSES, Language, sentence, step_line
from fairdeal_verifier.usage import say, say_why
from fairdeal_verifier.verify import verify

EXIT_FAILED = 1
EXIT_USAGE = 2
PROGRAM = "fairdeal-verify"
EXPLAIN = "explain"
"""The first word that asks for an explanation; a bundle of this name is given as ./explain."""


class _Parser(argparse.ArgumentParser):
    """Refuses arguments in the reader's language; argparse has its reasons in English alone."""

    def __init__(self, language: Language, program: str, description: str, exits: str) -> None:
        super().__init__(
            prog=program, description=say(description, language), epilog=say(exits, language), add_help=False
        )
        self.language = language

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EXIT_USAGE, f"{PROGRAM}: {say('refused', self.language, message)}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code (protocol 6.1)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents still gets its verdict
    language = _language(arguments, os.environ)
    given = sys.argv[1:] if arguments is None else arguments
    explains = given[:1] == [EXPLAIN]
    options = _explain_parser(language).parse_args(given[1:]) if explains else _parser(language).parse_args(given)
    try:
        return _explain(options, language) if explains else _run(options, language)
    except WrongUsage as error:
        print(f"{PROGRAM}: {say_why(error, language)}", file=sys.stderr)
        return EXIT_USAGE
    except Exception as error:
        if os.environ.get("FAIRDEAL_DEBUG"):
            raise
        print(f"{PROGRAM}: {say('failed', language, type(error).__name__)}", file=sys.stderr)
        return EXIT_FAILED


def _parser(language: Language) -> argparse.ArgumentParser:
    parser = _Parser(language, PROGRAM, "description", "exits")
    # A group of its own, since the titles of argparse's are English.
    group = parser.add_argument_group("arguments")
    group.add_argument("bundle", metavar="BUNDLE", type=Path, help=say("bundle", language))
    group.add_argument("-h", "--help", action="help", help=say("help", language))
    group.add_argument("--policy", metavar="FILE", type=Path, help=say("policy", language))
    group.add_argument("--held", metavar="FILE", type=Path, help=say("held", language))
    group.add_argument("--json", action="store_true", help=say("json", language))
    group.add_argument("--lang", choices=("fr", "en"), help=say("lang", language))
    group.add_argument("--signatures", choices=("all", "last"), default="all", help=say("signatures", language))
    return parser


def _explain_parser(language: Language) -> argparse.ArgumentParser:
    parser = _Parser(language, f"{PROGRAM} {EXPLAIN}", "explain", "explain_exits")
    group = parser.add_argument_group("arguments")
    group.add_argument("bundle", metavar="BUNDLE", type=Path, help=say("bundle", language))
    group.add_argument("-h", "--help", action="help", help=say("help", language))
    group.add_argument("--deal", metavar="N", type=int, required=True, help=say("deal", language))
    group.add_argument("--event", metavar="K", type=int, help=say("event", language))
    group.add_argument("--json", action="store_true", help=say("explain_json", language))
    group.add_argument("--lang", choices=("fr", "en"), help=say("lang", language))
    return parser


def _explain(options: argparse.Namespace, language: Language) -> int:
    try:
        facts = explain(_read(options.bundle, MAX_FILE_BYTES), options.deal, options.event)
    except Malformed as error:
        print(f"{PROGRAM}: {say('no_bundle', language, CAUSES[error.cause][language == 'fr'])}", file=sys.stderr)
        return EXIT_CODES["malformed"]
    except NotRevealed:
        print(f"{PROGRAM}: {say('not_revealed', language)}", file=sys.stderr)
        return EXIT_CODES["pending"]
    text = json.dumps(facts, sort_keys=True) if options.json else render(facts, language)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = text.translate(WITHOUT_GLYPHS)
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader has seen enough (… | head)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(options: argparse.Namespace, language: Language) -> int:
    bundle = _read(options.bundle, MAX_FILE_BYTES)
    policy = None if options.policy is None else Policy.parse(_read(options.policy, MAX_POLICY_BYTES))
    held = None if options.held is None else _read(options.held, MAX_FILE_BYTES)
    report = verify(bundle, policy, held, signatures=options.signatures)
    said = sentence(report, language)
    if options.json:
        print(json.dumps(report.as_json(said), sort_keys=True))
    else:
        for check in report.checks:
            print(step_line(check, language), file=sys.stderr)
        print(said)
    return report.exit_code


def _read(path: Path, limit: int) -> bytes:
    """At most one byte more than the limit, so that the size is refused and not the memory filled."""
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise WrongUsage("no_file", path) from None
    except OSError:
        raise WrongUsage("unreadable", path) from None


def _language(arguments: Sequence[str] | None, environment: "os._Environ[str]") -> Language:
    """The one asked for, known before the rest is; else the first locale variable that is set decides."""
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--lang", nargs="?")
    wanted = early.parse_known_args(arguments)[0].lang
    if wanted is None:
        wanted = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
        return "fr" if wanted.lower().startswith("fr") else "en"
    return "fr" if wanted == "fr" else "en"
