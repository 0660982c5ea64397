"""Texts for readers besides the content of an issue: of the footer and of the public pages, by language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shared.api.routing.public_pages import direction_of

DEFAULT: Final = "en"


@dataclass(frozen=True, slots=True)
class Texts:
    """*leave*, *choose* and *view* are links of the footer; the others are on the public pages."""

    direction: str
    leave: str
    choose: str
    view: str
    question: str
    this_list: str
    everything: str
    left: str
    undo: str
    back: str
    invalid: str
    later: str


_TEXTS: Final = {
    "en": (
        "Unsubscribe", "Preferences", "View in browser",
        "Do you want to unsubscribe?", "Unsubscribe from this newsletter",
        "Unsubscribe from all newsletters", "You are unsubscribed.", "Undo",
        "You will get the newsletter again.",
        "This link is not valid.", "Please try again in a minute.",
    ),
    "de": (
        "Abbestellen", "Einstellungen", "Im Browser ansehen",
        "Möchten Sie den Newsletter abbestellen?", "Diesen Newsletter abbestellen",
        "Alle Newsletter abbestellen", "Der Newsletter ist abbestellt.", "Rückgängig machen",
        "Sie erhalten den Newsletter wieder.", "Dieser Link ist ungültig.",
        "Bitte versuchen Sie es in einer Minute noch einmal.",
    ),
    "fr": (
        "Se désabonner", "Préférences", "Voir dans le navigateur",
        "Voulez-vous vous désabonner ?", "Se désabonner de cette lettre",
        "Se désabonner de toutes les lettres", "Vous êtes désabonné.", "Annuler",
        "Vous recevrez de nouveau la lettre.",
        "Ce lien n'est pas valable.", "Veuillez réessayer dans une minute.",
    ),
    "es": (
        "Darse de baja", "Preferencias", "Ver en el navegador",
        "¿Quiere darse de baja?", "Darse de baja de este boletín",
        "Darse de baja de todos los boletines", "Se ha dado de baja.", "Deshacer",
        "Volverá a recibir el boletín.",
        "Este enlace no es válido.", "Inténtelo de nuevo en un minuto.",
    ),
    "it": (
        "Annulla l'iscrizione", "Preferenze", "Apri nel browser",
        "Vuole annullare l'iscrizione?", "Annulla questa newsletter",
        "Annulla tutte le newsletter", "L'iscrizione è annullata.", "Ripristina",
        "Riceverà di nuovo la newsletter.",
        "Questo link non è valido.", "Riprovi tra un minuto.",
    ),
    "nl": (
        "Uitschrijven", "Voorkeuren", "Bekijken in de browser",
        "Wilt u zich uitschrijven?", "Uitschrijven voor deze nieuwsbrief",
        "Uitschrijven voor alle nieuwsbrieven", "U bent uitgeschreven.", "Ongedaan maken",
        "U ontvangt de nieuwsbrief weer.", "Deze link is niet geldig.", "Probeer het over een minuut opnieuw.",
    ),
    "pt": (
        "Cancelar a subscrição", "Preferências", "Ver no navegador",
        "Deseja cancelar a subscrição?", "Cancelar este boletim",
        "Cancelar todos os boletins", "A subscrição foi cancelada.", "Anular",
        "Voltará a receber o boletim.",
        "Este link não é válido.", "Tente novamente dentro de um minuto.",
    ),
    "pl": (
        "Wypisz się", "Ustawienia", "Zobacz w przeglądarce",
        "Czy chcesz się wypisać?", "Wypisz z tego newslettera",
        "Wypisz ze wszystkich newsletterów", "Wypisano z newslettera.", "Cofnij",
        "Newsletter będzie znowu wysyłany.",
        "Ten link jest nieprawidłowy.", "Proszę spróbować ponownie za minutę.",
    ),
    "ar": (
        "إلغاء الاشتراك", "التفضيلات", "عرض في المتصفح",
        "هل تريد إلغاء الاشتراك؟", "إلغاء الاشتراك في هذه النشرة",
        "إلغاء الاشتراك في جميع النشرات", "تم إلغاء اشتراكك.", "تراجع",
        "ستصلك النشرة من جديد.", "هذا الرابط غير صالح.",
        "يرجى المحاولة مرة أخرى بعد دقيقة.",
    ),
}  # fmt: skip


def texts_of(language: str) -> Texts:
    """Return the texts of a language (BCP 47), in English if there are none."""
    primary = language.partition("-")[0].lower()
    known = primary if primary in _TEXTS else DEFAULT
    return Texts(direction_of(known), *_TEXTS[known])
