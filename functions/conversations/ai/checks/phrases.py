"""Matches phrases as whole words, ignoring case, accents and punctuation; and phrases that ask for a human agent."""

from collections.abc import Sequence
from functools import cache

from conversations.ai.checks.languages import plain_words

# By language, separated by commas. A phrase that begins with `=` must be the whole message.
_PERSON = {
    "en": """
        speak to a person, speak with a person, talk to a person, talk with a person, speak to a human, talk to a
        human, speak with a human, speak to someone, speak with someone, talk to someone, talk with someone, speak to
        somebody, talk to somebody, speak to an agent, talk to an agent, speak with an agent, speak to a
        representative, talk to a representative, speak to an advisor, speak to a manager, talk to a manager, speak to
        a colleague, real person, real human, human being please, human please, person please, agent please, call me,
        ring me, put me through, connect me, =human, =agent, =operator, =person""",
    "de": """
        mit einem menschen, mit einer person, mit jemandem sprechen, mit jemand sprechen, mit jemandem reden, mit
        einem mitarbeiter, mit einer mitarbeiterin, mit einem berater, mit einem ansprechpartner, echter mensch,
        echten menschen, echte person, verbinden sie mich, rufen sie mich an, ruf mich an, mensch bitte, mitarbeiter
        bitte, =mensch, =mitarbeiter""",
    "fr": """
        parler à une personne, parler avec une personne, parler à quelqu'un, parler avec quelqu'un, parler à un
        humain, parler avec un humain, parler à un conseiller, parler avec un conseiller, parler à un agent, parler à
        un responsable, une vraie personne, être mis en relation, rappelez moi, appelez moi, un humain, =humain,
        =conseiller""",
    "es": """
        hablar con una persona, hablar con alguien, hablar con un agente, hablar con un humano, hablar con un asesor,
        hablar con un representante, hablar con un responsable, persona real, pásame con, páseme con, llámenme,
        llámame, un humano, =agente, =humano, =operador""",
    "it": """
        parlare con una persona, parlare con qualcuno, parlare con un operatore, parlare con un umano, parlare con un
        consulente, parlare con un responsabile, persona reale, persona vera, mi chiami, chiamatemi, richiamatemi, un
        operatore, un umano, =operatore, =umano""",
    "pt": """
        falar com uma pessoa, falar com alguém, falar com um atendente, falar com um humano, falar com um agente,
        falar com um responsável, pessoa real, pessoa de verdade, me liga, me ligue, liguem me, um humano, um
        atendente, =atendente, =humano""",
}


def asks_for_a_person(words: Sequence[str]) -> bool:
    """Return whether the plain *words* ask for a human agent, in any of the languages."""
    return any(has_phrase(phrases, words) for phrases in _PERSON.values())


def has_phrase(phrases: str, words: Sequence[str]) -> bool:
    """Return whether one of the comma-separated *phrases* occurs in the plain *words*."""
    text = _delimited(words)
    return any(
        text == phrase if is_whole else phrase in text
        for phrase, is_whole in _delimited_of(phrases)
    )


def _delimited(words: Sequence[str]) -> str:
    """Return the words with a space before and after each, so that a text contains only whole words of another."""
    return f" {' '.join(words)} "


@cache
def _delimited_of(phrases: str) -> tuple[tuple[str, bool], ...]:
    return tuple((_delimited(phrase), is_whole) for phrase, is_whole in compiled(phrases))


@cache
def compiled(phrases: str) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """Return the words of each phrase, and whether it must be the whole message."""
    return tuple(
        (tuple(plain_words(phrase)), phrase.strip().startswith("="))
        for phrase in phrases.split(",")
    )
