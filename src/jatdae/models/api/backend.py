"""What the backends behind APIs share: how they are described, what they adapt to, what their failures say."""

from __future__ import annotations

from collections.abc import Sequence

from jatdae.errors import RequestFailed, TransientFailure
from jatdae.models.api.complaints import Speaker
from jatdae.models.api.parameters import Adaptation, messages_of
from jatdae.models.base import Capabilities, ModelIdentity, ModelReference, Sent
from jatdae.models.options import RemoteOptions
from jatdae.types import Generate, Request, canonical


class ApiBackend:
    """A model behind an API. `address` is its server as it may be shown; `speaker` is who failures quote."""

    capabilities = Capabilities(chat=True)

    def __init__(self, reference: ModelReference, options: RemoteOptions, address: str, speaker: Speaker) -> None:
        self.options = options
        self._reference, self._speaker, self._adaptation = reference, speaker, Adaptation()
        facts = {
            "backend": reference.backend,
            "base_url": address,
            "model": reference.name,
            "effort": reference.revision or "",
        }
        self.identity = ModelIdentity(str(reference), facts)

    @property
    def concurrency(self) -> int:
        return self.options.concurrency

    @property
    def notes(self) -> Sequence[str]:
        return tuple(f"{self._reference}: {note}" for note in self._adaptation.notes)

    def preview(self, request: Request) -> list[Sent]:
        """The messages as JSON. Raises RequestFailed for a Score."""
        if not isinstance(request, Generate):
            raise RequestFailed(f"{self._reference} gives no log-likelihoods", kind="unsupported")
        return [Sent(canonical(messages_of(request.prompt)), ())]

    def random_like(self, seed: int) -> None:
        return None

    def _timed_out(self) -> TransientFailure:
        message = f"{self._speaker.name} gave no answer within {self.options.timeout_seconds:g} seconds"
        return TransientFailure(message, kind="timeout")

    def _lost(self, what: str, words: str, kind: str) -> TransientFailure:
        return TransientFailure(self._speaker.message(what, words), kind=kind)
