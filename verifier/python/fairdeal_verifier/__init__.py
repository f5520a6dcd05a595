"""Checks a match from its bundle by docs/protocol.md alone. It shares no code with the service that dealt it."""

from fairdeal_verifier.errors import VerifierError, WrongUsage
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.report import Report
from fairdeal_verifier.verify import verify

__all__ = ["Policy", "Report", "VerifierError", "WrongUsage", "verify"]
