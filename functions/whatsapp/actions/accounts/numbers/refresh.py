"""
Refreshes each hour: quality, throughput and limits of each number, its pending profile, each account's templates.

Every run takes some numbers in the order of their ids, each one under a conditional write before it is refreshed. So
overlapping runs share the numbers, and a number is refreshed once an hour. The next minute's run continues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.api.auth import RateLimited
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe, logger
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.accounts.numbers.profiles import profiles
from whatsapp.actions.accounts.numbers.registrations import proofs
from whatsapp.actions.templates import synchronisation
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured, ProviderRejected, ProviderUnavailable
from whatsapp.store.accounts.numbers import refreshes
from whatsapp.store.items.accounts.refreshes import NumberRefresh

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.store.items import Phone

# Five calls a number at most, one after another, in a run of each minute: below the providers' limits per second.
MOST_NUMBERS = 20
RESERVE_MS = 15 * clock.SECOND_MS  # for the calls of one more number
_HOUR_CHARACTERS = 13
_EXPECTED = (
    NotConfigured, ProviderRejected, ProviderUnavailable, RateLimited, NotFound, Permanent, Transient,
)  # fmt: skip


@dataclass(slots=True)
class Refreshed:
    """The result of a run: refreshed numbers, failed steps, and whether numbers are left in this hour."""

    numbers: int = 0
    failures: int = 0
    is_left: bool = False


def refresh_due(
    resources: ActionResources, at_ms: int, remaining_ms: Callable[[], int]
) -> Refreshed:
    """
    Refresh some of the numbers that are due in the hour of *at_ms* (since 1970); to be called every minute.

    A failing step stops neither the other steps nor the other numbers. A rate limit ends the run: the number is done
    for this hour, the others are left to the next minute. Safe to repeat.
    """
    hour = clock.to_text(at_ms)[:_HOUR_CHARACTERS]
    progress = refreshes.get(resources.table)
    done = Refreshed()
    if progress is not None and (progress.hour, progress.finished) >= (hour, True):
        return done
    position = progress.position if progress and progress.hour == hour else ""
    phones = sorted(str(entry["phone"]) for entry in store.phones.listed(resources.table))
    due = [phone_id for phone_id in phones if phone_id > position]
    for phone_id in due[:MOST_NUMBERS]:
        if remaining_ms() < RESERVE_MS:
            done.is_left = True
            return done
        taken = NumberRefresh(pk=NumberRefresh.pk_pattern, hour=hour, position=phone_id)
        if not refreshes.advance(resources.table, progress, taken):
            return done  # Another run continues.
        progress = taken
        phone = store.phones.get(resources.table, phone_id)
        if phone is not None and phone.in_use and _is_limited(resources, phone, done):
            done.is_left = True
            return done
    done.is_left = len(due) > MOST_NUMBERS
    if not done.is_left:
        end = NumberRefresh(
            pk=NumberRefresh.pk_pattern,
            hour=hour,
            position=progress.position if progress and progress.hour == hour else "",
            finished=True,
        )
        refreshes.advance(resources.table, progress, end)
    return done


def _is_limited(resources: ActionResources, phone: Phone, done: Refreshed) -> bool:
    """Refresh a number. Return whether a provider limits the rate of calls."""
    steps: list[Callable[[], object]] = [
        lambda: _report(resources, phone),
        lambda: profiles.finish_pending(resources, phone),
    ]
    if _is_first_of_account(resources, phone):
        steps.append(lambda: synchronisation.synchronise(resources, phone))
    is_limited = False
    for step in steps:
        try:
            step()
        except _EXPECTED as failure:
            done.failures += 1
            is_limited |= isinstance(failure, RateLimited)
            # Describes the failure by its kind only: texts of ours name fields and codes.
            logger.warning("refresh failed", extra={"phone": phone.phone, **describe(failure)})
    done.numbers += 1
    return is_limited


def _report(resources: ActionResources, phone: Phone) -> None:
    """Store the provider's report about a number; its answer also proves that the number is the company's."""
    try:
        report = reports.read(resources, phone)
    except ProviderRejected as refusal:
        proofs.note_refusal(resources, phone, refusal.code)
        raise
    proofs.note_listed(resources, phone)
    reports.keep(resources, phone, report)


def _is_first_of_account(resources: ActionResources, phone: Phone) -> bool:
    """Whether a number is the first one in use of its account."""
    numbers = store.phones.of_account(resources.table, phone.waba_meta_id)
    in_use = [one.phone for one in numbers if one.in_use]
    return bool(in_use) and phone.phone == min(in_use)
