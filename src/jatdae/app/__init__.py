"""The local web app: what was measured, sample by sample, and people's judgement of it. `serve` starts it."""
