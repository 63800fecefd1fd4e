"""Models behind an API: any OpenAI-compatible server, and all that litellm reaches. One attempt a call, no retries."""

from __future__ import annotations

from jatdae.models.api.preflight import missing_keys, open_api_backend, problems

__all__ = ["missing_keys", "open_api_backend", "problems"]
