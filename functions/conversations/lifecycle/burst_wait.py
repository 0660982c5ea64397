"""
Decides how long the reply to a customer's message waits for further messages.

    files are still being stored, or a
    voice note has no text yet              `file`
    follows another unanswered message      `fragment`: a burst has begun
    looks complete                          `complete`: a button or form, a place, the end of a sentence, an emoji at
                                            the end, a long text, a number or an address alone
    any other text                          `fragment`

The newest message of a burst decides: its reply trigger answers all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.configuration.burst_waits import SHORTEST_SECONDS
from conversations.configuration.projects import WhatsAppChannel
from conversations.lifecycle.file_states import is_settled, is_untranscribed
from conversations.store.items.log import Message
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.burst_waits import BurstWait
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.parts.state import State

BURST_MS = 15 * clock.SECOND_MS
LONG_CHARACTERS = 40
_WHOLE_KINDS = frozenset({"button", "interactive", "location", "contacts", "order"})
# The end of a sentence in the scripts of the world, perhaps closed by quotes or brackets.
_SENTENCE = re.compile(
    r"[.!?\u203c-\u2049\u3002\uff01\uff0e\uff1f\u061f\u06d4\u0964\u0965\u1362\u1367]['\")\]\u00bb\u2019\u201d\u300d]*$"
)
_EMOJI = re.compile(r"[\u2190-\u2bff\U0001f000-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*$")
# A number, a date, a telephone number or an e-mail address: what a customer was asked for.
_VALUE = re.compile(r"[\d\s.,:/+()-]*\d{2}[.)]?|[^\s@,;]+@[^\s@,;]+\.\w+")
_GREEK_QUESTION = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]\s?[;\u037e]$")
# More follows: dots, a comma, a colon, a dash.
_CONTINUES = re.compile(r"(?:\.{2,}|[,;:\-\u2026\u2013\u2014\uff0c\u3001\u060c])$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """
    The wait of a reply: the time at which it is due, None if it is due when its trigger leaves the queue.

    *shows_typing*: the customer sees meanwhile that an answer follows, once for each burst.
    """

    due_at: str | None = None
    shows_typing: bool = False


def wait_after(opened: OpenConversation, message: Message) -> Wait:
    """Return the wait of the reply to a message. *opened* has the state before the message."""
    is_burst = follows_unanswered(opened.state, message)
    seconds = seconds_after(
        opened.company.burst_wait.of(opened.conversation.channel_method),
        message,
        is_burst=is_burst,
        transcribes=bool(opened.company.ai_config.get("transcription")),
    )
    if seconds <= SHORTEST_SECONDS:
        return Wait()
    at_ms = clock.from_text(message.message_timestamp) + seconds * clock.SECOND_MS
    channel = opened.channel
    return Wait(
        due_at=clock.to_text(at_ms),
        shows_typing=isinstance(channel, WhatsAppChannel)
        and channel.can_show_typing
        and not is_burst,
    )


def seconds_after(
    wait: BurstWait, message: Message, *, is_burst: bool, transcribes: bool = False
) -> int:
    """Return the seconds that the reply waits after a message; *transcribes* voice notes or not. Pure."""
    if not all(map(is_settled, message.media)):
        return wait.file
    if transcribes and any(map(is_untranscribed, message.media)):
        return wait.file
    return wait.complete if looks_complete(message) and not is_burst else wait.fragment


def looks_complete(message: Message) -> bool:
    """Return whether a message looks as if no further one followed it. Pure."""
    if message.button is not None or message.kind in _WHOLE_KINDS:
        return True
    text = message.content.rstrip()
    if _EMOJI.search(text) or _GREEK_QUESTION.search(text) or _VALUE.fullmatch(text):
        return True
    if _CONTINUES.search(text):
        return False
    return _SENTENCE.search(text) is not None or len(text) > LONG_CHARACTERS


def follows_unanswered(state: State, message: Message) -> bool:
    """Return whether a message follows another unanswered one within seconds. Pure; *state* is before the message."""
    before = state.last_inbound_at
    at = message.message_timestamp
    if before is None or before >= at:  # At a retry the state already has the message.
        return False
    is_answered = f"{Message.first_sk}{before}" <= (state.answered_up_to or "")
    return not is_answered and clock.from_text(at) - clock.from_text(before) <= BURST_MS
