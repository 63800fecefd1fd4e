"""The corpus study: passages, sentences, a reproducible sample, its negations, a person's review, and the report."""
