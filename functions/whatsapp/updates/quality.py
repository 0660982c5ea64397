"""
How customers rate a number: the newest rating on its item, and every change of it as an entry.

The entry comes first, under the next number; the item that counts it comes last. Whoever finds an entry that is not
counted yet counts it, so a worker that died in between loses nothing and blocks nobody.
"""

from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.failures import Transient
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.event import Event
from whatsapp.resources import Resources
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts import QualityEntry, QualityRating
from whatsapp.updates.moments import moment_of

WINDOW = 20
ROUNDS = 5
_SEVERITY = {"GREEN": 0, "YELLOW": 1, "RED": 2}
# About limits and throughput, not about what customers think.
_OF_LIMITS = frozenset({"ONBOARDING", "UPGRADE", "DOWNGRADE", "THROUGHPUT_UPGRADE"})


def rate(here: Resources, event: Event, phone: Phone) -> None:
    """
    Take the rating in that an event implies, if it does; late ones join the history and change nothing else.

    Raises Transient when other workers rate the same number all the time.
    """
    word = str((event.payload or {}).get("event") or "")
    rating = rating_of(word)
    if rating is None:
        if word not in _OF_LIMITS:
            metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
        return
    if record(here, phone, rating, moment_of(event).at, word) and rating == "RED":
        # After every handling, repeated ones too: the first may have died before its metrics were out.
        metrics.add_metric("QualityRed", MetricUnit.Count, 1)


def rating_of(word: str) -> str | None:
    """
    The rating behind an event's word; None when it says nothing about one.

    Webhooks carry no rating [check]: a number is flagged when its rating becomes low, and unflagged when it is medium
    or high again, of which this takes the lower. Newer descriptions of the webhook list no longer either word; the
    rating itself is to be asked for.
    """
    return {"FLAGGED": "RED", "UNFLAGGED": "YELLOW"}.get(word)


def record(here: Resources, phone: Phone, rating: str, at: str, word: str) -> bool:
    """Note a rating of the time *at*, once. Whether it is the number's rating now. Raises Transient."""
    for _ in range(ROUNDS):
        seen = store.quality.get(here.table, phone.phone)
        known = seen or QualityRating(
            pk=QualityRating.key(phone.phone), company=phone.company,
            waba_meta_id=phone.waba_meta_id, phone=phone.phone,
        )  # fmt: skip
        if (known.quality_rating, known.rating_at) == (rating, at):
            return True
        is_later = at > (known.rating_at or "")
        if _is_no_change(known.quality_history, rating, at):
            if not is_later:
                return False
            # No entry, and yet news: what is still to come from before this time is late.
            new = known.model_copy(update={"rating_at": at, "last_checked_at": at})
        elif len(known.quality_history) >= WINDOW and at < known.quality_history[0]["at"]:
            # So late that nobody could tell it from its repetition: it stays a WEBHOOK_EVENT.
            return False
        else:
            entry = QualityEntry(
                pk=QualityEntry.of(phone.phone, known.history_count + 1), company=phone.company,
                rating=rating, at=at, event=word,
            )  # fmt: skip
            new = _counted(known, store.quality.add_entry(here.table, entry))
        store.quality.replace(here.table, seen, new)
        # Look again: it may have been lost to another worker, or have counted another's entry.
    raise Transient("quality_contended")


def _is_no_change(history: list[dict[str, Any]], rating: str, at: str) -> bool:
    """Whether the number had this rating already at that time, as far as is known: its repetition, or none at all."""
    before = [e for e in history if (e["at"], _SEVERITY[e["rating"]]) <= (at, _SEVERITY[rating])]
    return bool(before) and before[-1]["rating"] == rating


def _counted(known: QualityRating, entry: QualityEntry) -> QualityRating:
    """The item with one entry more. The newest gives the rating; of several at once, the worst."""
    told: dict[str, Any] = {"rating": entry.rating, "at": entry.at, "event": entry.event}
    window = sorted([*known.quality_history, told], key=lambda e: (e["at"], _SEVERITY[e["rating"]]))
    facts: dict[str, Any] = {
        "quality_history": window[-WINDOW:],
        "history_count": known.history_count + 1,
    }
    current = (known.rating_at or "", _SEVERITY.get(known.quality_rating or "", -1))
    if (entry.at, _SEVERITY[entry.rating]) > current:
        facts |= {
            "quality_rating": entry.rating,
            "rating_at": entry.at,
            "last_checked_at": entry.at,
        }
    return known.model_copy(update=facts)
