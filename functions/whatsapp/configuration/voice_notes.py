"""The transcription of a number's voice notes."""

from shared.ai.settings import TranscriptionSettings


class VoiceNotes(TranscriptionSettings):
    """The setting of a number. *automatic*: each voice note of a customer; else those that a person asks for."""

    automatic: bool = True
