"""Negation in a Korean sentence: where it is, of which type, what it denies and which clause holds it."""
