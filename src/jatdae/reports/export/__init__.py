"""What the store holds in the formats of others: tables, lm-evaluation-harness, model cards."""
