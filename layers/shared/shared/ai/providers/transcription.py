"""
Speech to text: one recording, transcribed by an audio model of OpenAI.

A repeated call is safe and only costs money: nothing is stored at the provider.
(OpenAI API reference, "Create transcription".)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from shared.ai.port import Unavailable
from shared.providers.multipart import File, encoded

if TYPE_CHECKING:
    from shared.ai.providers.openai import Account

FORMATS: Final = {
    "audio/ogg": "ogg",
    "audio/opus": "ogg",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/mp4": "mp4",
    "audio/aac": "m4a",
    "audio/m4a": "m4a",
    "audio/x-m4a": "m4a",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/webm": "webm",
    "audio/flac": "flac",
}
BYTES_A_SECOND: Final = 1_500  # of speech, in the densest usual format


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording; *media_type* is a key of FORMATS."""

    media_type: str
    data: bytes = field(repr=False)

    @property
    def seconds(self) -> int:
        """An estimate of its duration, rather too long than too short."""
        return -(-len(self.data) // BYTES_A_SECOND)


class Transcriber(Protocol):
    """Transcribes recordings."""

    def transcribe(self, recording: Recording, *, within_ms: int) -> str:
        """Return the words of a recording, which may be empty. Raises Unavailable."""


@dataclass(frozen=True, slots=True)
class OpenAiTranscriber:
    """An audio model of an account. *language* (ISO 639-1) improves accuracy where it is known."""

    account: Account
    model: str
    language: str | None = None

    def transcribe(self, recording: Recording, *, within_ms: int) -> str:
        """See `Transcriber.transcribe`. Raises SecretUnreadable too."""
        ending = FORMATS[recording.media_type]
        file = File("file", f"recording.{ending}", recording.media_type, recording.data)
        fields = {"model": self.model, "response_format": "json"}
        if self.language:
            fields["language"] = self.language
        answer = self.account.post_form("audio/transcriptions", *encoded(fields, file), within_ms)
        text = answer.get("text")
        if not isinstance(text, str):
            raise Unavailable("openai_bad_answer")
        return text.strip()
