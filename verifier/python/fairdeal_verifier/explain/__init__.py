"""The arithmetic of one deal, or of one event, laid out for somebody with a calculator. It is no verdict."""

from fairdeal_verifier.explain.facts import explain
from fairdeal_verifier.explain.text import render

__all__ = ["explain", "render"]
