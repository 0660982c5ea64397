"""The texts of the question and of its page, by language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shared.ai.texts.languages.certain_languages import certain_language, primary_of

DEFAULT: Final = "en"


@dataclass(frozen=True, slots=True)
class Texts:
    """The question in a message and on the page, its fields, and the answers of the page."""

    question: str
    one_click: str
    comment: str
    send: str
    thanks: str
    expired: str
    invalid: str
    full: str
    missing: str
    later: str


TEXTS: Final = {
    "en": Texts(
        "How satisfied are you with our help?",
        "Please choose a number of stars:",
        "Comment (optional)",
        "Send",
        "Thank you for your answer.",
        "This link is no longer valid.",
        "This link is not valid.",
        "Your answer has been recorded already.",
        "Please choose a number of stars. A comment has at most 1,000 characters.",
        "Please try again in a minute.",
    ),
    "de": Texts(
        "Wie zufrieden sind Sie mit unserer Hilfe?",
        "Bitte wählen Sie eine Anzahl Sterne:",
        "Kommentar (freiwillig)",
        "Absenden",
        "Vielen Dank für Ihre Antwort.",
        "Dieser Link ist nicht mehr gültig.",
        "Dieser Link ist ungültig.",
        "Ihre Antwort ist bereits gespeichert.",
        "Bitte wählen Sie eine Anzahl Sterne. Ein Kommentar hat höchstens 1.000 Zeichen.",
        "Bitte versuchen Sie es in einer Minute noch einmal.",
    ),
    "fr": Texts(
        "Êtes-vous satisfait de notre aide ?",
        "Choisissez un nombre d'étoiles :",
        "Commentaire (facultatif)",
        "Envoyer",
        "Merci pour votre réponse.",
        "Ce lien n'est plus valable.",
        "Ce lien n'est pas valable.",
        "Votre réponse est déjà enregistrée.",
        "Choisissez un nombre d'étoiles. Un commentaire a 1 000 caractères au plus.",
        "Veuillez réessayer dans une minute.",
    ),
    "es": Texts(
        "¿Qué tan satisfecho está con nuestra ayuda?",
        "Elija un número de estrellas:",
        "Comentario (opcional)",
        "Enviar",
        "Gracias por su respuesta.",
        "Este enlace ya no es válido.",
        "Este enlace no es válido.",
        "Su respuesta ya está guardada.",
        "Elija un número de estrellas. Un comentario tiene como máximo 1.000 caracteres.",
        "Inténtelo de nuevo en un minuto.",
    ),
    "it": Texts(
        "Quanto è soddisfatto del nostro aiuto?",
        "Scelga un numero di stelle:",
        "Commento (facoltativo)",
        "Invia",
        "Grazie per la sua risposta.",
        "Questo link non è più valido.",
        "Questo link non è valido.",
        "La sua risposta è già stata registrata.",
        "Scelga un numero di stelle. Un commento ha al massimo 1.000 caratteri.",
        "Riprovi tra un minuto.",
    ),
    "nl": Texts(
        "Hoe tevreden bent u over onze hulp?",
        "Kies een aantal sterren:",
        "Opmerking (niet verplicht)",
        "Versturen",
        "Bedankt voor uw antwoord.",
        "Deze link is niet meer geldig.",
        "Deze link is niet geldig.",
        "Uw antwoord is al opgeslagen.",
        "Kies een aantal sterren. Een opmerking heeft hoogstens 1.000 tekens.",
        "Probeer het over een minuut opnieuw.",
    ),
    "pt": Texts(
        "Qual é o seu grau de satisfação com a nossa ajuda?",
        "Escolha um número de estrelas:",
        "Comentário (opcional)",
        "Enviar",
        "Obrigado pela sua resposta.",
        "Este link já não é válido.",
        "Este link não é válido.",
        "A sua resposta já está guardada.",
        "Escolha um número de estrelas. Um comentário tem no máximo 1.000 caracteres.",
        "Tente novamente dentro de um minuto.",
    ),
    "pl": Texts(
        "Jak ocenia Pan/Pani naszą pomoc?",
        "Proszę wybrać liczbę gwiazdek:",
        "Komentarz (nieobowiązkowy)",
        "Wyślij",
        "Dziękujemy za odpowiedź.",
        "Ten link stracił ważność.",
        "Ten link jest nieprawidłowy.",
        "Odpowiedź jest już zapisana.",
        "Proszę wybrać liczbę gwiazdek. Komentarz może mieć najwyżej 1000 znaków.",
        "Proszę spróbować ponownie za minutę.",
    ),
}


def texts_of(language: str) -> Texts:
    """Return the texts of a language, in English if there are none."""
    return TEXTS.get(language, TEXTS[DEFAULT])


def language_of(text: str, *others: str | None) -> str:
    """Return the language of a customer's text with a question: of the text where it is certain, else of the tags."""
    for found in (certain_language(text), *(primary_of(one) for one in others if one)):
        if found in TEXTS:
            return str(found)
    return DEFAULT
