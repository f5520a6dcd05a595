"""`fairdeal-verify`: one sentence or one JSON object on stdout, the checks on stderr, the verdict in the exit code."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.files import MAX_FILE_BYTES
from fairdeal_verifier.notes import MAX_POLICY_BYTES, Policy
from fairdeal_verifier.sentences import Language, sentence
from fairdeal_verifier.verify import verify

EXIT_FAILED = 1
EXIT_USAGE = 2
PROGRAM = "fairdeal-verify"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code (protocol 6.1)."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without accents still gets its verdict
    try:
        return _run(options)
    except WrongUsage as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return EXIT_USAGE
    except Exception as error:
        if os.environ.get("FAIRDEAL_DEBUG"):
            raise
        print(f"{PROGRAM}: the verifier failed: {type(error).__name__}", file=sys.stderr)
        return EXIT_FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Checks a match from its bundle, with no trust in the server that dealt it.",
        epilog="Exit codes: 0 verified, 10 cheated, 11 pending, 12 malformed, 13 unchecked, 15 altered, "
        "1 the verifier failed, 2 wrong usage.",
    )
    parser.add_argument("bundle", metavar="BUNDLE", type=Path, help="the match's .fairdeal file")
    parser.add_argument(
        "--policy", metavar="FILE", type=Path, help="the keys you trust, from elsewhere than the bundle"
    )
    parser.add_argument("--held", metavar="FILE", type=Path, help="the .held file your own client wrote while playing")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a sentence")
    parser.add_argument("--lang", choices=("fr", "en"), help="language of the sentence (default: the locale's)")
    parser.add_argument(
        "--signatures", choices=("all", "last"), default="all", help="check every signature, or each party's last one"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    bundle = _read(options.bundle, MAX_FILE_BYTES)
    policy = None if options.policy is None else Policy.parse(_read(options.policy, MAX_POLICY_BYTES))
    held = None if options.held is None else _read(options.held, MAX_FILE_BYTES)
    report = verify(bundle, policy, held, signatures=options.signatures)
    said = sentence(report, options.lang or _language(os.environ))
    if options.json:
        print(json.dumps(report.as_json(said), sort_keys=True))
    else:
        for check in report.checks:
            print(f"{check.step:2} {check.name}: {check.result}", file=sys.stderr)
        print(said)
    return report.exit_code


def _read(path: Path, limit: int) -> bytes:
    """At most one byte more than the limit, so that the size is refused and not the memory filled."""
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        raise WrongUsage(f"cannot read {path}: {error.strerror}") from None


def _language(environment: "os._Environ[str]") -> Language:
    """The first locale variable that is set decides, as for every program."""
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    return "fr" if named.lower().startswith("fr") else "en"
