"""
Checks the text of an answer that no person has read. Pure; strict: a refused text waits for a person.

Amounts and long numbers must stand in the thread or among the facts of the mailbox, links must lead to its hosts.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from email_threads.replies.checks.codes import codes_in, numbers_in
from shared.ai.texts.links import is_allowed, links_in
from shared.ai.texts.values import amounts_in, has_control_character, has_placeholder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LONGEST: Final = 5_000  # characters
_ATTACHED: Final = re.compile(
    r"\b(?:attached|attachment|enclosed|angehängt|im anhang|anbei|beigefügt|adjunt[oa]s?|ci-joint|en pièce jointe"
    r"|in allegato|em anexo)\b",
    re.IGNORECASE,
)


class Fault(StrEnum):
    """The reason why a text needs a review before it is sent."""

    EMPTY = "empty_text"
    TOO_LONG = "text_too_long"
    CONTROL_CHARACTER = "control_character"
    PLACEHOLDER = "placeholder"
    FOREIGN_LINK = "foreign_link"
    UNKNOWN_AMOUNT = "unknown_amount"
    UNKNOWN_NUMBER = "unknown_number"
    MISSING_ATTACHMENT = "missing_attachment"


def fault_of(
    text: str, *, hosts: Collection[str], known_texts: Iterable[str], has_files: bool
) -> Fault | None:
    """Return the first fault of a text. *known_texts* are the mails of the thread and the facts of the mailbox."""
    if not text.strip():
        return Fault.EMPTY
    allowed, known = frozenset(hosts), list(known_texts)
    stands = {
        Fault.TOO_LONG: len(text) > LONGEST,
        Fault.CONTROL_CHARACTER: has_control_character(text),
        Fault.PLACEHOLDER: has_placeholder(text),
        Fault.FOREIGN_LINK: any(not is_allowed(link, allowed) for link in links_in(text)),
        Fault.UNKNOWN_AMOUNT: not amounts_in([text]) <= amounts_in(known),
        Fault.UNKNOWN_NUMBER: not numbers_in(text) <= codes_in(known) | _joined_numbers(known),
        Fault.MISSING_ATTACHMENT: not has_files and _ATTACHED.search(text) is not None,
    }
    return next((fault for fault, is_true in stands.items() if is_true), None)


def _joined_numbers(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(number for text in texts for number in numbers_in(text))
