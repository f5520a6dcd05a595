"""The audit of a whole log (protocol 7.6)."""
