"""Negation in Korean text: the corpus study, a benchmark's alignment with it, and the building of new items."""
