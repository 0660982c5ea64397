"""
Kinds of files that a model can read, by its id.

Check: OpenAI reads images and PDFs with gpt-4o and later models ("File inputs"), Bedrock's Converse with the models
that its table of supported features lists. A model that no row names reads text; the setting `reads` of a project says
otherwise, for inference profiles too, whose ids may name no model.
"""

from __future__ import annotations

import re
from typing import Final

from shared.ai.attachments import Medium

_NOTHING: Final[frozenset[Medium]] = frozenset()
_IMAGES: Final = frozenset({Medium.IMAGE})
_BOTH: Final = frozenset(Medium)
# The first row whose words an id has.
_ROWS: Final = (
    (re.compile(r"audio|realtime|transcribe|search|o1-mini|o3-mini|claude-3-5-haiku"), _NOTHING),
    (re.compile(r"gpt-4o|gpt-4\.[15]|gpt-[5-9]|(?<![a-z0-9])o[1-9](?![0-9a-z])|scripted"), _BOTH),
    (re.compile(r"claude-3|claude-(?:sonnet|opus|haiku|fable|mythos)-\d"), _BOTH),
    (re.compile(r"nova-(?:2-)?(?:lite|pro|premier|omni)"), _BOTH),
    (re.compile(r"gpt-4-turbo|llama3-2-(?:11|90)b|llama4|pixtral|gemma-3"), _IMAGES),
)


def media_of(model: str | None) -> frozenset[Medium]:
    """Return what the model with this id or ARN reads; None is the model of the local stack."""
    name = (model or "scripted").casefold()
    return next((media for words, media in _ROWS if words.search(name)), _NOTHING)
