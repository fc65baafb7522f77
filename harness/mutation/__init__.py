"""Proof that the suite can fail: mutants, which break one rule each, and the kill matrix."""
