"""Supervised fine-tuning of causal language models: answers learned through a low-rank adapter (LoRA)."""
