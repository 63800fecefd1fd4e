"""Judging generated text: rubric ensembles, pairwise comparison, and how far a judge can be believed."""
