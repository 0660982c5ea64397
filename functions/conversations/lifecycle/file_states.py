"""The states of a customer's file, by the fields that its message has of it; see `inbound.attachments`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTLED: Final = frozenset({"key", "refused", "failed"})
_HAS_WORDS: Final = frozenset({"transcript", "no_transcript"})


def is_settled(file: Mapping[str, str]) -> bool:
    """Whether a file is stored, or will not be."""
    return not SETTLED.isdisjoint(file)


def is_untranscribed(file: Mapping[str, str]) -> bool:
    """Whether a file is a stored recording without text, by the type that the provider reported."""
    is_recording = file.get("mime_type", "").startswith("audio/")
    return is_recording and "key" in file and _HAS_WORDS.isdisjoint(file)
