"""Use cases: what people and the clock may do, each decided, written in one transaction and answered."""
