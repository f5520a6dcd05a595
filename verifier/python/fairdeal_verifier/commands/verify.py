"""`fairdeal-verify BUNDLE`: one match from its bundle, and the verdict."""

import argparse
import json
import sys
from pathlib import Path

from fairdeal_verifier.console import Parser, read_file
from fairdeal_verifier.files import MAX_FILE_BYTES
from fairdeal_verifier.policy import MAX_POLICY_BYTES, Policy
from fairdeal_verifier.sentences import Language, sentence, step_line
from fairdeal_verifier.usage import say
from fairdeal_verifier.verify import verify


def parser(language: Language) -> Parser:
    """Its arguments."""
    made = Parser(language, "", "description", "exits")
    group = made.group
    group.add_argument("bundle", metavar="BUNDLE", type=Path, help=say("bundle", language))
    group.add_argument("--policy", metavar="FILE", type=Path, help=say("policy", language))
    group.add_argument("--held", metavar="FILE", type=Path, help=say("held", language))
    group.add_argument("--json", action="store_true", help=say("json", language))
    group.add_argument("--signatures", choices=("all", "last"), default="all", help=say("signatures", language))
    return made


def run(options: argparse.Namespace, language: Language) -> int:
    """The exit code; raises WrongUsage."""
    bundle = read_file(options.bundle, MAX_FILE_BYTES)
    policy = None if options.policy is None else Policy.parse(read_file(options.policy, MAX_POLICY_BYTES))
    held = None if options.held is None else read_file(options.held, MAX_FILE_BYTES)
    report = verify(bundle, policy, held, signatures=options.signatures)
    said = sentence(report, language)
    if options.json:
        print(json.dumps(report.as_json(said), sort_keys=True))
    else:
        for check in report.checks:
            print(step_line(check, language), file=sys.stderr)
        print(said)
    return report.exit_code
