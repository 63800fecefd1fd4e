"""Building a benchmark of negation: from a corpus to released items, with every change on record."""
