"""The `vllm` backend: log-likelihoods and texts from vLLM, on GPUs where it is at its best."""

from jatdae.models.vllm.backend import VllmBackend

__all__ = ["VllmBackend"]
