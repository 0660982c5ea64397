"""The question how satisfied a customer is: its text, and the text that is sent, which has the link of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.inbox.satisfaction.links import CONVERSATIONS, VALID_DAYS, Link, page_url
from shared.inbox.satisfaction.texts import DEFAULT, TEXTS
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.store.items.log import Message

QUESTIONS = {language: texts.question for language, texts in TEXTS.items()}


def page_language(language: str) -> str:
    """Return the language of the page for a customer's language."""
    primary = language.replace("_", "-").partition("-")[0].casefold()
    return primary if primary in TEXTS else DEFAULT


def with_link(text: str, ref: str, language: str, at: str, base_url: str) -> str:
    """Return the text that is sent. The same of the same *at*, the time of the message. Raises KeysUnreadable."""
    sent = clock.from_text(at) // clock.SECOND_MS
    link = Link(
        channel=CONVERSATIONS,
        conversation_id=ref,
        language=language,
        expires_at=sent + VALID_DAYS * clock.DAY_SECONDS,
    )
    return f"{text}\n{page_url(link, base_url)}"


def as_sent(message: Message, ref: str, base_url: str) -> Message:
    """
    Return a question with the text that its provider gets. The stored one has no link: only the customer can answer.

    Raises KeysUnreadable.
    """
    language = message.language or DEFAULT
    text = with_link(message.content, ref, language, message.message_timestamp, base_url)
    return message.model_copy(update={"content": text})
