"""What a report says, short."""

from fairdeal_verifier import Report

Told = tuple[str, int | None, str | None, int | None]
"""Verdict, step, cause, and the place of the event."""


def told(report: Report) -> Told:
    return report.verdict, report.step, report.cause, report.broken_at
