"""Removes the faulty parts of an answer after its repair call failed, sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.checks import guardrails
from conversations.ai.checks.division import sentences
from shared.ai.texts.links import links_in
from shared.ai.texts.values import without_control_characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.checks.guardrails import Bounds
    from conversations.ai.schemas.output_schema import Output

_FEWEST_KEPT = 0.5  # of the letters outside links: less would be a greeting without its message


def reduced(output: Output, bounds: Bounds) -> Output:
    """Return *output* without faulty sentences and subject, cut after a sentence if it is too long; may be empty."""
    content = without_faulty_sentences(
        output.content, lambda text: guardrails.has_fault(text, bounds)
    )
    if not bounds.has_room_for(content):
        content = first_sentences(content, bounds.has_room_for)
    subject = output.subject
    if subject and (not subject.isprintable() or guardrails.has_fault(subject, bounds)):
        subject = None
    return output.model_copy(update={"content": content, "subject": subject})


def without_faulty_sentences(text: str, is_faulty: Callable[[str], bool]) -> str:
    """Return *text* without the sentences that are faulty; empty if less than half of its letters is left."""
    text = without_control_characters(text)
    kept = [part for part in sentences(text) if not is_faulty(part)]
    left = "".join(kept).strip()
    for link in links_in(text):
        text = text.replace(link.written, " ")
    return left if _letters(left) >= _FEWEST_KEPT * _letters(text) else ""


def first_sentences(text: str, has_room: Callable[[str], bool]) -> str:
    """Return the first sentences of *text* for which there is room; empty if there is none for the first one."""
    parts = sentences(text)
    for count in range(len(parts), 0, -1):
        left = "".join(parts[:count]).strip()
        if left and has_room(left):
            return left
    return ""


def _letters(text: str) -> int:
    return sum(sign.isalnum() for sign in text)
