"""
Fixed texts: the project's own, or defaults, in the language of the message that they accompany.

A project sets one text for all languages, or one per language. The defaults avoid characters that force UCS-2 encoding,
which doubles the cost of an SMS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store import messages
from conversations.store.items.conversation import Role
from shared.languages.function_words import language_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.configuration.projects import EmailChannel
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
    if name in {"handoff", "file_refused"}:
        text = rules.handoff_notice if name == "handoff" else rules.file_refused
        if not text:
            return None
        is_same = isinstance(text, str)  # in all languages
        spoken = [] if is_same else _customer_languages(messages.newest(log, opened.ref, NEWEST))
        return _in_language(text, [*spoken, *_fallback_languages(opened)])
    spoken = _customer_languages(messages.newest(log, opened.ref, NEWEST))
    languages = [*spoken, *_fallback_languages(opened)]
    if name == "help":
        return _help(opened, languages)
    if rules.opt_out_confirmation:
        return _in_language(rules.opt_out_confirmation, languages)
    return _in_language(_CONFIRMED, languages).format(company=_named(opened))


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
    if isinstance(text, str):
        return text
    texts = {_plain(language): words for language, words in sorted(text.items())}
    of_any_country = {language.partition("-")[0]: words for language, words in texts.items()}
    for language in map(_plain, [*languages, _USUAL]):
        chosen = texts.get(language) or of_any_country.get(language.partition("-")[0])
        if chosen:
            return chosen
    return next(iter(texts.values()))


def _plain(language: str) -> str:
    return language.replace("_", "-").casefold()
