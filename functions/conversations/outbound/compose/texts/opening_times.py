"""The time at which people are back, in words of the customer's language."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.configuration.projects import Company

_WEEK = timedelta(days=7)
_WEEKDAYS: Mapping[str, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "it": ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
    "pt": ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"),
}  # fmt: skip
# Without characters that force UCS-2 encoding in an SMS.
BACK: Mapping[str, str] = {
    "en": "Our team is back: {opens_at}.",
    "de": "Unser Team ist wieder da: {opens_at}.",
    "fr": "Notre équipe est de retour: {opens_at}.",
    "es": "Nuestro equipo vuelve: {opens_at}.",
    "it": "Il nostro team torna: {opens_at}.",
    "pt": "A nossa equipa volta: {opens_at}.",
}


def opens_at(company: Company, now: int | None = None) -> int | None:
    """
    Return when people are back, in ms since 1970; None if they are there, or the project has no opening hours. *now* is
    by default the current time.
    """
    hours = company.opening_hours
    now = clock.now_ms() if now is None else now
    at_ms = hours.opens_at(now) if hours else None
    return None if at_ms is None or at_ms <= now else at_ms


def is_closed(company: Company) -> bool:
    """Whether it is outside the project's opening hours now."""
    hours = company.opening_hours
    return hours is not None and not hours.is_open(clock.now_ms())


def in_words(company: Company, at_ms: int, language: str) -> str:
    """Return a time in the zone of the opening hours: `Monday, 09:00`, or the date if it is a week or more away."""
    hours = company.opening_hours
    zone = ZoneInfo(hours.time_zone if hours else company.timezone)
    at, now = (datetime.fromtimestamp(ms / clock.SECOND_MS, zone) for ms in (at_ms, clock.now_ms()))
    if at.date() == now.date():
        return f"{at:%H:%M}"
    days = _WEEKDAYS.get(language.partition("-")[0].casefold())
    if days is None or at.date() - now.date() >= _WEEK:
        return f"{at:%Y-%m-%d, %H:%M}"
    return f"{days[at.weekday()]}, {at:%H:%M}"
