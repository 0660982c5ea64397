"""
Quality ratings of a number: the newest rating on its item, and every change as an entry.

The entry is written first, under the next number; the item that counts it is written last. Any worker that finds an
uncounted entry counts it, so a worker that dies in between loses nothing and blocks no other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.failures import Transient
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound.event import Event
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.accounts import QualityEntry, QualityRating
from whatsapp.worker.updates.moments import moment_of

WINDOW = 20
ROUNDS = 5
_SEVERITY = {"GREEN": 0, "YELLOW": 1, "RED": 2}
# About limits and throughput, not about quality.
_OF_LIMITS = frozenset({"ONBOARDING", "UPGRADE", "DOWNGRADE", "THROUGHPUT_UPGRADE"})


def rate(resources: Resources, event: Event, phone: Phone) -> None:
    """
    Record the rating that an event implies, if any; late ratings are only added to the history.

    Raises Transient after repeated concurrent writes for the same number.
    """
    word = str((event.payload or {}).get("event") or "")
    rating = rating_of(word)
    if rating is None:
        if word not in _OF_LIMITS:
            metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
        return
    if record(resources, phone, rating, moment_of(event).at, word) and rating == "RED":
        # On every delivery, including repeats: the first one may have died before its metrics were emitted.
        metrics.add_metric("QualityRed", MetricUnit.Count, 1)


def rating_of(word: str) -> str | None:
    """
    Return the rating implied by an event; None if it implies none.

    Webhooks contain no rating [check]: a number is flagged when its rating becomes low, and unflagged when it is medium
    or high again, of which this returns the lower. Newer descriptions of the webhook list neither event any more; the
    rating itself must be requested.
    """
    return {"FLAGGED": "RED", "UNFLAGGED": "YELLOW"}.get(word)


def record(resources: SendingResources, phone: Phone, rating: str, at: str, word: str) -> bool:
    """Record a rating at time *at*, once. Return whether it is the number's current rating. Raises Transient."""
    for _ in range(ROUNDS):
        stored = store.account_reports.get_quality(resources.table, phone.phone)
        before = stored or QualityRating(
            pk=QualityRating.key(phone.phone), company=phone.company,
            waba_meta_id=phone.waba_meta_id, phone=phone.phone,
        )  # fmt: skip
        if (before.quality_rating, before.rating_at) == (rating, at):
            return True
        is_later = at > (before.rating_at or "")
        if _is_no_change(before.quality_history, rating, at):
            if not is_later:
                return False
            # No entry, but new information: any rating that still arrives from before this time is late.
            new = before.model_copy(update={"rating_at": at, "last_checked_at": at})
        elif len(before.quality_history) >= WINDOW and at < before.quality_history[0]["at"]:
            # Too old to be distinguished from a repetition: it is only stored as a WEBHOOK_EVENT.
            return False
        else:
            entry = QualityEntry(
                pk=QualityEntry.of(phone.phone, before.history_count + 1), company=phone.company,
                rating=rating, at=at, event=word,
            )  # fmt: skip
            new = _counted(before, store.account_reports.add_quality_entry(resources.table, entry))
        store.account_reports.replace_quality(resources.table, stored, new)
        # Read again: the write may have lost to another worker, or counted another worker's entry.
    raise Transient("quality_contended")


def record_limit(resources: SendingResources, phone: Phone, limit: str, at: str) -> None:
    """
    Record the messaging limit that a number has from time *at*, unless it is the one of that time already.

    Reports may come late and twice: each has its place by its time. Raises Transient after repeated concurrent writes.
    """
    for _ in range(ROUNDS):
        seen = store.account_reports.get_quality(resources.table, phone.phone) or QualityRating(
            pk=QualityRating.key(phone.phone), company=phone.company,
            waba_meta_id=phone.waba_meta_id, phone=phone.phone,
        )  # fmt: skip
        history = with_limit(seen.limit_history or [], limit, at)
        if history is None or store.account_reports.replace_limits(resources.table, seen, history):
            return
    raise Transient("quality_contended")


def with_limit(
    history: Sequence[Mapping[str, str]], limit: str, at: str
) -> list[Mapping[str, str]] | None:
    """Return the changes of a limit, oldest first, with one more report; None if it changes none of them."""
    before = [one for one in history if one["at"] <= at]
    if before and before[-1]["limit"] == limit:
        return None
    if len(history) >= WINDOW and not before:
        return None  # older than all that are kept
    after = [one for one in history if one["at"] > at]
    # The same limit that was reported later began here.
    kept = after[1:] if after and after[0]["limit"] == limit else after
    return [*before, {"limit": limit, "at": at}, *kept][-WINDOW:]


def _is_no_change(history: list[dict[str, Any]], rating: str, at: str) -> bool:
    """Whether the recorded history shows this rating at that time already: a repetition, or no change."""
    before = [e for e in history if (e["at"], _SEVERITY[e["rating"]]) <= (at, _SEVERITY[rating])]
    return bool(before) and before[-1]["rating"] == rating


def _counted(before: QualityRating, entry: QualityEntry) -> QualityRating:
    """Return the item with one more entry. The newest entry sets the rating; at equal times, the worst."""
    history_entry: dict[str, Any] = {"rating": entry.rating, "at": entry.at, "event": entry.event}
    window = sorted(
        [*before.quality_history, history_entry], key=lambda e: (e["at"], _SEVERITY[e["rating"]])
    )
    facts: dict[str, Any] = {
        "quality_history": window[-WINDOW:],
        "history_count": before.history_count + 1,
    }
    current = (before.rating_at or "", _SEVERITY.get(before.quality_rating or "", -1))
    if (entry.at, _SEVERITY[entry.rating]) > current:
        facts |= {
            "quality_rating": entry.rating,
            "rating_at": entry.at,
            "last_checked_at": entry.at,
        }
    return before.model_copy(update=facts)
