"""
Fixed texts: the project's own, or defaults, in the language of the message that they accompany.

A project sets one text for all languages, or one per language. The defaults avoid characters that force UCS-2 encoding,
which doubles the cost of an SMS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.configuration.opening_hours import OPENS_AT
from conversations.outbound.compose.texts import opening_times
from conversations.store import messages
from conversations.store.items.conversation import Role
from shared.ai.texts.languages.function_words import language_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.configuration.projects import EmailChannel
    from conversations.configuration.texts import Text
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.aws.dynamodb import Table

_HINT = {
    "en": "Reply STOP to opt out.",
    "de": "Abmelden mit STOP.",
    "fr": "STOP pour vous désinscrire.",
    "es": "Responda STOP para darse de baja.",
    "it": "Risponda STOP per disiscriversi.",
    "pt": "Responda STOP para sair.",
}
_CONFIRMED = {
    "en": "You will get no more messages from {company}. Reply START to get them again.",
    "de": "Sie erhalten keine Nachrichten mehr von {company}. Mit START erhalten Sie wieder welche.",
    "fr": "Vous ne recevrez plus de messages de {company}. Répondez START pour en recevoir de nouveau.",
    "es": "Ya no va a recibir mensajes de {company}. Responda START para volver a recibirlos.",
    "it": "Non riceverà più messaggi da {company}. Risponda START per riceverli di nuovo.",
    "pt": "Sem mais mensagens de {company}. Responda START para voltar a receber.",
}
_SUBJECT = {
    "en": "A message for you",
    "de": "Eine Nachricht für Sie",
    "fr": "Un message pour vous",
    "es": "Un mensaje para usted",
    "it": "Un messaggio per Lei",
    "pt": "Uma mensagem para você",
}
_USUAL = "en"
NEWEST = 20  # messages that the language is detected from


def opt_out_hint(opened: OpenConversation) -> str:
    """Return the opt-out hint that ends the first SMS."""
    return _hint(opened, _fallback_languages(opened))


def subject(opened: OpenConversation, channel: EmailChannel) -> str:
    """Return the default subject of a mail."""
    return _in_language(channel.default_subject_line or _SUBJECT, _fallback_languages(opened))


def notice(log: Table, opened: OpenConversation, name: str) -> str | None:
    """
    Return the text of a notice (see `commands.Notice`); None if the project has none.

    It replaces a reply, and is in the customer's language, which is detected from the newest messages of the log.
    """
    rules = opened.company.policy
    if name == "handoff":
        return _hand_off(log, opened)
    if name == "file_refused":
        text = rules.file_refused
        return _in_customers_language(log, opened, text) if text else None
    spoken = _customer_languages(messages.newest(log, opened.ref, NEWEST))
    languages = [*spoken, *_fallback_languages(opened)]
    if name == "help":
        return _help(opened, languages)
    if rules.opt_out_confirmation:
        return _in_language(rules.opt_out_confirmation, languages)
    return _in_language(_CONFIRMED, languages).format(company=_named(opened))


def has_hand_off_notice(opened: OpenConversation) -> bool:
    """Whether a customer gets a notice of a hand-off now: outside the opening hours always."""
    return opened.company.policy.handoff_notice is not None or opening_times.is_closed(
        opened.company
    )


def _hand_off(log: Table, opened: OpenConversation) -> str | None:
    """Return the hand-off notice; outside the opening hours it names the time at which people are back."""
    company = opened.company
    text, at_ms = company.policy.handoff_notice, opening_times.opens_at(company)
    hours = company.opening_hours
    if at_ms is None or hours is None:
        return _in_customers_language(log, opened, text) if text else None
    spoken = _customer_languages(messages.newest(log, opened.ref, NEWEST))
    languages = [*spoken, *_fallback_languages(opened)]
    if hours.notice:
        words, language = _chosen(hours.notice, languages, company.default_language)
        return words.replace(OPENS_AT, opening_times.in_words(company, at_ms, language))
    words, language = _chosen(opening_times.BACK, languages, company.default_language)
    back = words.replace(OPENS_AT, opening_times.in_words(company, at_ms, language))
    return f"{_in_language(text, languages)} {back}" if text else back


def follow_up(log: Table, opened: OpenConversation, text: Text) -> str:
    """Return the text of a follow-up in the customer's language."""
    return _in_customers_language(log, opened, text)


def satisfaction(
    log: Table, opened: OpenConversation, text: Text | Mapping[str, str]
) -> tuple[str, str]:
    """Return the question how satisfied the customer is, in their language, and this language."""
    spoken = _customer_languages(messages.newest(log, opened.ref, NEWEST))
    languages = [*spoken, *_fallback_languages(opened)]
    return _chosen(text, languages, opened.company.default_language)


def _in_customers_language(log: Table, opened: OpenConversation, text: Text) -> str:
    """Return the text in the language of the customer's newest messages; reads them only if there are several texts."""
    is_same = isinstance(text, str)  # in all languages
    spoken = [] if is_same else _customer_languages(messages.newest(log, opened.ref, NEWEST))
    return _in_language(text, [*spoken, *_fallback_languages(opened)])


def _help(opened: OpenConversation, languages: Sequence[str]) -> str:
    """Return the answer to HELP: the sender, the project's text and the opt-out hint. HELP always gets an answer."""
    text, hint = opened.company.policy.help_text, _hint(opened, languages)
    words = _in_language(text, languages) if text else ""
    if "stop" not in words.casefold():
        words = f"{words} {hint}".strip()
    return f"{_named(opened)}: {words}"


def _hint(opened: OpenConversation, languages: Sequence[str]) -> str:
    return _in_language(opened.company.policy.opt_out_hint or _HINT, languages)


def _named(opened: OpenConversation) -> str:
    return opened.company.company_name or opened.company.company_id


def _fallback_languages(opened: OpenConversation) -> list[str]:
    """Return the fallback languages, best first, for use before the customer has written."""
    return [opened.language, opened.company.default_language]


def _customer_languages(entries: Sequence[Message]) -> list[str]:
    """Return the languages of the customer's messages, newest first; skips messages with none detected."""
    theirs = [message.content for message in reversed(entries) if message.role is Role.USER]
    return [language for language in map(language_of, theirs) if language]


def _in_language(text: str | Mapping[str, str], languages: Sequence[str]) -> str:
    """Return the text in the first available of *languages*; regional variants match each other."""
    return _chosen(text, languages, _USUAL)[0]


def _chosen(
    text: str | Mapping[str, str], languages: Sequence[str], language_of_one: str
) -> tuple[str, str]:
    """Return the text as `_in_language` does, and its language: *language_of_one* if there is one text for all."""
    if isinstance(text, str):
        return text, language_of_one
    texts = {_plain(language): words for language, words in sorted(text.items())}
    of_any_country = {language.partition("-")[0]: words for language, words in texts.items()}
    for language in map(_plain, [*languages, _USUAL]):
        chosen = texts.get(language) or of_any_country.get(language.partition("-")[0])
        if chosen:
            return chosen, language
    first = next(iter(texts))
    return texts[first], first


def _plain(language: str) -> str:
    return language.replace("_", "-").casefold()
