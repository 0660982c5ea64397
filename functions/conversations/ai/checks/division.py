"""
Divides a text that is too long for one SMS into several, which are sent in order.

    whole sentences or lines fill a message; a longer sentence is divided between words
    a word, number or link is never divided: a text with one that fits into no message is not divided at all
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.providers.sms.segments import SmsLength

# A full stop behind a number, an initial or a title is not the end of a sentence: "5. March", "B. Smith", "Dr. Smith".
_END_OF_SENTENCE = re.compile(
    r"(?<=[.!?…])(?<!\b\d\.)(?<!\b\d\d\.)(?<!\b\w\.)(?<!\b(?:Dr|Mr|Ms|St|Nr|Hr|Fr|Sr|ca)\.)(?<!\b(?:Mrs|Mme|Sra|Tel|bzw)\.)"
    r"(?=\s)|(?<=[。！？])|(?=\n)"
)
_BEFORE_A_WORD = re.compile(r"(?=\s)")


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of *text*, with the white space before each; joined they are the text."""
    return _END_OF_SENTENCE.split(text)


def divided(text: str, length: SmsLength) -> list[str]:
    """Return the messages in which *text* is sent as SMS, in order; empty if that is not possible."""
    whole = length.as_sent(text)
    if not length.is_exceeded_by(text):
        return [whole]
    one = replace(length, ending="")  # The ending is a part of the text now.
    parts = [""]
    for sentence in sentences(whole):
        if not one.is_exceeded_by(parts[-1] + sentence):
            parts[-1] += sentence
        elif not one.is_exceeded_by(sentence):
            parts.append(sentence)
        else:
            parts += _words_of(sentence, one)
    divisions = [part.strip() for part in parts if part.strip()]
    has_room = not any(map(one.is_exceeded_by, divisions))
    return divisions if has_room and len(divisions) <= length.messages else []


def _words_of(sentence: str, length: SmsLength) -> list[str]:
    """Divide a sentence between words; a word for which there is no room is a part of its own."""
    parts = [""]
    for word in _BEFORE_A_WORD.split(sentence):
        if length.is_exceeded_by(parts[-1] + word):
            parts.append(word)
        else:
            parts[-1] += word
    return parts
