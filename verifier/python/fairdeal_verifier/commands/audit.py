"""`fairdeal-verify audit DIR|URL`: a whole log and every match of it (protocol 7.6)."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from fairdeal_verifier.audit.checkpoints import MAX_NOTE_BYTES
from fairdeal_verifier.audit.report import as_json, exit_code, lines, may_keep
from fairdeal_verifier.audit.run import Wishes, audit
from fairdeal_verifier.audit.source import open_source
from fairdeal_verifier.audit.state import State
from fairdeal_verifier.console import EXIT_NOT_FETCHED, PROGRAM, Parser, read_file, write_file
from fairdeal_verifier.errors import NoteRefused, NotFetched, WrongUsage
from fairdeal_verifier.notes import Checkpoint, format_note
from fairdeal_verifier.policy import MAX_POLICY_BYTES, Policy
from fairdeal_verifier.sentences import Language
from fairdeal_verifier.usage import say

TOKEN = "FAIRDEAL_AUDITOR_TOKEN"
MAX_TOKEN_BYTES = 4_096
"""Longer ones do not fit a header."""


def parser(language: Language) -> Parser:
    """Its arguments."""
    made = Parser(language, "audit", "audit", "audit_exits")
    group = made.group
    group.add_argument("source", metavar="DIR|URL", help=say("audit_source", language))
    group.add_argument("--policy", metavar="FILE", type=Path, help=say("policy", language))
    group.add_argument("--since", metavar="FILE", type=Path, help=say("since", language))
    group.add_argument("--keep", metavar="FILE", type=Path, help=say("keep", language))
    group.add_argument("--state", metavar="FILE", type=Path, help=say("state", language))
    group.add_argument("--token-file", metavar="FILE", type=Path, help=say("token_file", language, TOKEN))
    group.add_argument("--jobs", metavar="N", type=int, default=_cores(), help=say("jobs", language))
    group.add_argument("--signatures", choices=("all", "last"), default="all", help=say("signatures", language))
    group.add_argument("--json", action="store_true", help=say("audit_json", language))
    return made


def run(options: argparse.Namespace, language: Language) -> int:
    """The exit code; raises WrongUsage."""
    source = open_source(options.source, _token(options.token_file))
    policy = None if options.policy is None else Policy.parse(read_file(options.policy, MAX_POLICY_BYTES))
    since = None if options.since is None else _since(options.since)
    state = None if options.state is None else State(options.state)

    def tell(done: int, total: int) -> None:
        print(say("progress", language, done, total), file=sys.stderr, flush=True)

    now_ms = int(time.time() * 1_000)
    wishes = Wishes(policy, now_ms, since, options.signatures, max(1, options.jobs), state, tell)
    try:
        outcome = audit(source, wishes)
    except NotFetched as error:
        print(f"{PROGRAM}: {say('not_fetched', language, error.path, error.why)}", file=sys.stderr)
        return EXIT_NOT_FETCHED
    finally:
        if state is not None:
            state.close()
    if options.json:
        print(json.dumps(as_json(outcome, wishes, language), sort_keys=True))
    else:
        for line in lines(outcome, wishes, language):
            # A name in it may be anybody's, and a terminal obeys some characters.
            print("".join(letter if letter.isprintable() else "?" for letter in line))
    if options.keep is not None:
        if outcome.checkpoint is not None and may_keep(outcome, wishes):
            write_file(options.keep, format_note(outcome.checkpoint).encode())
        else:
            print(f"{PROGRAM}: {say('not_kept', language, options.keep)}", file=sys.stderr)
    return exit_code(outcome, wishes)


def _since(path: Path) -> Checkpoint:
    try:
        return Checkpoint.parse(read_file(path, MAX_NOTE_BYTES).decode())
    except (UnicodeDecodeError, NoteRefused):
        raise WrongUsage("since_note", path) from None


def _token(path: Path | None) -> str | None:
    """From the file, else the environment: others on the machine can read arguments."""
    if path is None:
        return os.environ.get(TOKEN) or None
    token = read_file(path, MAX_TOKEN_BYTES).strip()
    if not token.isascii() or not token.decode("ascii").isprintable() or len(token) > MAX_TOKEN_BYTES:
        raise WrongUsage("token", path)
    return token.decode()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
