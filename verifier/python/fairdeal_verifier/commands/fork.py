"""`fairdeal-verify fork FILE…`: whether an operator said two things that cannot both be true (protocol 7.7)."""

import argparse
import sys
from pathlib import Path

from fairdeal_verifier.console import PROGRAM, Parser, read_file, write_file
from fairdeal_verifier.files import MAX_FILE_BYTES
from fairdeal_verifier.forks import Fork, KeyUnknown, find_fork
from fairdeal_verifier.policy import MAX_POLICY_BYTES, Policy
from fairdeal_verifier.report import EXIT_CODES
from fairdeal_verifier.sentences import Language
from fairdeal_verifier.usage import say


def parser(language: Language) -> Parser:
    """Its arguments."""
    made = Parser(language, "fork", "fork", "fork_exits")
    group = made.group
    group.add_argument("files", metavar="FILE", type=Path, nargs="+", help=say("fork_file_kinds", language))
    group.add_argument("--policy", metavar="FILE", type=Path, required=True, help=say("policy", language))
    group.add_argument("--out", metavar="FILE", type=Path, help=say("fork_out", language))
    return made


def run(options: argparse.Namespace, language: Language) -> int:
    """The exit code; raises WrongUsage."""
    policy = Policy.parse(read_file(options.policy, MAX_POLICY_BYTES))
    files = [read_file(path, MAX_FILE_BYTES) for path in options.files]
    try:
        fork = find_fork(files, policy)
    except KeyUnknown:
        print(f"{PROGRAM}: {say('fork_unknown', language)}", file=sys.stderr)
        return EXIT_CODES["unchecked"]
    if fork is None:
        print(say("fork_none", language))
        return 0
    if options.out is not None:
        write_file(options.out, fork.text())
    print(_sentence(fork, language))
    return EXIT_CODES["cheated"]


def _sentence(fork: Fork, language: Language) -> str:
    kind, origin, *where = fork.place
    return say(f"fork_{kind}", language, origin, *where)
