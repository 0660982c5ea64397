"""Fixed texts of newsletters by language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsletterWording:
    """Texts of one language. *names*: names of sections by kind. *welcome* and *closing* are titles of items."""

    names: Mapping[str, str]
    welcome: str
    welcome_about: str
    closing: str
    closing_about: str
    greeting: str
    issue: str  # {titles}
    thanks: str
    more: str  # {title}


def _names(*names: str) -> Mapping[str, str]:
    kinds = ("introduction", "main", "updates", "opportunities", "resources", "conclusion")
    return dict(zip(kinds, names, strict=True))


WORDINGS: Final[Mapping[str, NewsletterWording]] = {
    "en": NewsletterWording(
        names=_names(
            "Introduction",
            "Main Stories",
            "Updates & News",
            "Opportunities",
            "Resources",
            "Conclusion",
        ),
        welcome="Welcome",
        welcome_about="A short overview of this issue.",
        closing="Closing words",
        closing_about="Thanks to the readers.",
        greeting="Dear readers, welcome to this issue.",
        issue="In this issue: {titles}.",
        thanks="Thank you for reading.",
        more="More: {title}",
    ),
    "de": NewsletterWording(
        names=_names(
            "Einleitung",
            "Hauptthemen",
            "Aktuelles",
            "Ausschreibungen und Termine",
            "Materialien",
            "Schluss",
        ),
        welcome="Willkommen",
        welcome_about="Ein kurzer Überblick über diese Ausgabe.",
        closing="Schlusswort",
        closing_about="Dank an die Leserinnen und Leser.",
        greeting="Liebe Leserinnen und Leser, willkommen zu dieser Ausgabe.",
        issue="In dieser Ausgabe: {titles}.",
        thanks="Vielen Dank für Ihr Interesse.",
        more="Mehr: {title}",
    ),
    "fr": NewsletterWording(
        names=_names(
            "Introduction", "À la une", "Actualités", "Opportunités", "Ressources", "Conclusion"
        ),
        welcome="Bienvenue",
        welcome_about="Un bref aperçu de ce numéro.",
        closing="Mot de la fin",
        closing_about="Remerciements aux lecteurs.",
        greeting="Chères lectrices, chers lecteurs, bienvenue dans ce numéro.",
        issue="Dans ce numéro\u00a0: {titles}.",
        thanks="Merci de votre lecture.",
        more="Suite\u00a0: {title}",
    ),
    "es": NewsletterWording(
        names=_names(
            "Introducción",
            "Temas principales",
            "Novedades",
            "Oportunidades",
            "Recursos",
            "Conclusión",
        ),
        welcome="Bienvenida",
        welcome_about="Un breve resumen de este número.",
        closing="Despedida",
        closing_about="Agradecimiento a los lectores.",
        greeting="Estimados lectores y lectoras: les damos la bienvenida a este número.",
        issue="En este número: {titles}.",
        thanks="Gracias por su lectura.",
        more="Más: {title}",
    ),
    "ar": NewsletterWording(
        names=_names("مقدمة", "المواضيع الرئيسية", "آخر الأخبار", "فرص", "موارد", "خاتمة"),
        welcome="مرحبا",
        welcome_about="نظرة موجزة على هذا العدد.",
        closing="كلمة ختامية",
        closing_about="شكر للقراء.",
        greeting="قراءنا الأعزاء، مرحبا بكم في هذا العدد.",
        issue="في هذا العدد: {titles}.",
        thanks="شكرا لكم على القراءة.",
        more="المزيد: {title}",
    ),
    "sw": NewsletterWording(
        names=_names(
            "Utangulizi", "Habari kuu", "Taarifa na habari", "Fursa", "Rasilimali", "Hitimisho"
        ),
        welcome="Karibu",
        welcome_about="Muhtasari mfupi wa toleo hili.",
        closing="Maneno ya mwisho",
        closing_about="Shukrani kwa wasomaji.",
        greeting="Wasomaji wapendwa, karibuni katika toleo hili.",
        issue="Katika toleo hili: {titles}.",
        thanks="Asanteni kwa kusoma.",
        more="Zaidi: {title}",
    ),
}


def wording_of(language: str) -> NewsletterWording:
    """Return the texts of a language tag such as `de-AT`; English for languages without texts."""
    return WORDINGS.get(language.split("-", maxsplit=1)[0].casefold(), WORDINGS["en"])
