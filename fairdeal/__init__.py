"""Provably fair dealing and auditing for wagered belote."""

__version__ = "0.1.0"
