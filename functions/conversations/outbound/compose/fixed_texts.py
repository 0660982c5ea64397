"""
Texts that no model words: the project's own, ours where it has none, each in the language of what it stands beside.

A project has a text for everybody, or one by language. Ours avoid letters that would make an SMS twice as dear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.checks.languages import language_of
from conversations.store.items.conversation import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conversations.conversation import Opened
    from conversations.projects import EmailChannel
    from conversations.store.items.conversation import Entry
    from conversations.store.items.log import Message

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


def opt_out_hint(opened: Opened) -> str:
    """What ends the first SMS: how to leave."""
    return _hint(opened, _asked_for(opened))


def subject(opened: Opened, channel: EmailChannel) -> str:
    """The subject of a mail that was given none."""
    return _in_language(channel.default_subject_line or _SUBJECT, _asked_for(opened))


def notice(opened: Opened, name: str, said: Callable[[], Sequence[Message]]) -> str | None:
    """
    The text of a notice (see `records.Notice`); None where the project has none.

    It stands in for an answer, and is in the language that the customer writes in. *said* is the newest of the log,
    asked for where an answer of the model did not come to be; what was answered before STOP or HELP is at hand.
    """
    rules = opened.company.policy
    if name == "handoff":
        text = rules.handoff_notice
        heard = _spoken(said()) if text and not isinstance(text, str) else []
        return _in_language(text, [*heard, *_asked_for(opened)]) if text else None
    languages = [*_spoken(opened.conversation.messages), *_asked_for(opened)]
    if name == "help":
        return _help(opened, languages)
    if rules.opt_out_confirmation:
        return _in_language(rules.opt_out_confirmation, languages)
    return _in_language(_CONFIRMED, languages).format(company=_named(opened))


def _help(opened: Opened, languages: Sequence[str]) -> str:
    """Who writes, what the project says, and how to leave: silence would be no answer."""
    text, hint = opened.company.policy.help_text, _hint(opened, languages)
    words = _in_language(text, languages) if text else ""
    if "stop" not in words.casefold():
        words = f"{words} {hint}".strip()
    return f"{_named(opened)}: {words}"


def _hint(opened: Opened, languages: Sequence[str]) -> str:
    return _in_language(opened.company.policy.opt_out_hint or _HINT, languages)


def _named(opened: Opened) -> str:
    return opened.company.company_name or opened.company.company_id


def _asked_for(opened: Opened) -> list[str]:
    """The languages that fit, best first, before the customer has written."""
    return [opened.language, opened.company.default_language]


def _spoken(said: Sequence[Message | Entry]) -> list[str]:
    """The languages of what the customer wrote, the newest first: not every message tells one."""
    theirs = [message.content for message in reversed(said) if message.role is Role.USER]
    return [language for language in map(language_of, theirs) if language]


def _in_language(text: str | Mapping[str, str], languages: Sequence[str]) -> str:
    """The text in the first of *languages* that it has, be it as another country writes it."""
    if isinstance(text, str):
        return text
    known = {_plain(language): words for language, words in sorted(text.items())}
    of_any_country = {language.partition("-")[0]: words for language, words in known.items()}
    for language in map(_plain, [*languages, _USUAL]):
        found = known.get(language) or of_any_country.get(language.partition("-")[0])
        if found:
            return found
    return next(iter(known.values()))


def _plain(language: str) -> str:
    return language.replace("_", "-").casefold()
