"""`fairdeal-verify explain BUNDLE`: the arithmetic of a deal, and no verdict."""

import argparse
import json
import os
import sys
from pathlib import Path

from fairdeal_verifier.console import PROGRAM, Parser, read_file
from fairdeal_verifier.errors import Malformed, NotRevealed
from fairdeal_verifier.explain import explain, render
from fairdeal_verifier.explain.words import WITHOUT_GLYPHS
from fairdeal_verifier.files import MAX_FILE_BYTES
from fairdeal_verifier.report import EXIT_CODES
from fairdeal_verifier.sentences import CAUSES, Language
from fairdeal_verifier.usage import say


def parser(language: Language) -> Parser:
    """Its arguments."""
    made = Parser(language, "explain", "explain", "explain_exits")
    group = made.group
    group.add_argument("bundle", metavar="BUNDLE", type=Path, help=say("bundle", language))
    group.add_argument("--deal", metavar="N", type=int, required=True, help=say("deal", language))
    group.add_argument("--event", metavar="K", type=int, help=say("event", language))
    group.add_argument("--json", action="store_true", help=say("explain_json", language))
    return made


def run(options: argparse.Namespace, language: Language) -> int:
    """The exit code; raises WrongUsage."""
    try:
        facts = explain(read_file(options.bundle, MAX_FILE_BYTES), options.deal, options.event)
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
