"""Signs that a benchmark was in a model's training data, each with the claim that it supports and no more."""
