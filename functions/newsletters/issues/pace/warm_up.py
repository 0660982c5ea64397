"""
The warm-up of a sender's domain: so many mails a day, and so many of them to one mailbox provider.

The limit of a day follows from `days`. The counter changes in the transaction that reserves a recipient, so no limit is
ever passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from newsletters.issues.pace.days import (
    day_of,
    is_warm,
    limit_on,
    reason_on,
    sent_on,
    step_after,
    step_on,
)
from newsletters.store.delivery import warm_ups
from newsletters.store.delivery.warm_ups import Place
from newsletters.store.items.recipients import MAILBOX_PROVIDERS
from newsletters.store.readers import recipients
from newsletters.store.readers.recipients import NoPlace
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.store.items import Recipient, WarmUp
    from newsletters.store.items.company import LowerLimit
    from newsletters.store.items.recipients import MailboxProvider
    from shared.aws.dynamodb import Attributes, Table

ROUNDS: Final = 4


def domain_of(sender: str) -> str:
    """Return the domain whose warm-up an address belongs to."""
    return sender.rpartition("@")[2].casefold()


def end_of(warm_up: WarmUp, day: str, waiting: Mapping[MailboxProvider, int]) -> str:
    """
    Return the day on which the last of the *waiting* mails goes out, if no other mails of the domain do. Where their
    mailbox providers are not known yet, all are `other`, and it is the earliest day.
    """
    left = dict(waiting)
    present, step = date.fromisoformat(day), step_on(warm_up, day)
    counted = {one: sent_on(warm_up, day, one) for one in MAILBOX_PROVIDERS}
    while step < len(warm_up.limits):
        room = limit_on(warm_up, step) - sum(counted.values())
        # The providers with their own limit first: the rest of the day is for all others.
        for one in MAILBOX_PROVIDERS:
            taken = min(left.get(one, 0), limit_on(warm_up, step, one) - counted[one], room)
            taken = max(taken, 0)
            left[one] = left.get(one, 0) - taken
            counted[one] += taken
            room -= taken
        if not any(left.values()):
            break
        total = sum(counted.values())
        is_present = warm_up.day == present.isoformat()
        step = (
            step_after(warm_up, total)
            if is_present
            else step + (2 * total >= limit_on(warm_up, step))
        )
        present += timedelta(days=1)
        counted = dict.fromkeys(MAILBOX_PROVIDERS, 0)
    return present.isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """
    What a new domain means for an issue that is not begun: the limit of today (UTC), how much of it is used, and the
    earliest day of the last mail to *people*. They are all if *is_all*. *reason*: why the limit is not higher.
    """

    domain: str
    limit: int
    sent_today: int
    people: int
    is_all: bool
    ends_on: str
    reason: LowerLimit | None

    @property
    def text(self) -> str:
        """Return the same as a sentence."""
        today = f"the domain is new: {self.limit} mails today (UTC), of which {self.sent_today} are sent"
        count = self.people if self.is_all else f"at least {self.people}"
        why = f", no more because of {self.reason} before" if self.reason else ""
        return f"{today}{why}; for {count} people the last mails go out on {self.ends_on} at the earliest"


def outlook_of(found: WarmUp, people: int, *, is_all: bool) -> Outlook | None:
    """Return what a domain's warm-up means for an issue to so many people; None if the domain is warm."""
    day = day_of(found)
    if is_warm(found, day):
        return None
    return Outlook(
        domain=found.domain,
        limit=limit_on(found, step_on(found, day)),
        sent_today=sent_on(found, day),
        people=people,
        is_all=is_all,
        ends_on=end_of(found, day, {"other": people}),
        reason=reason_on(found, day),
    )


@dataclass(slots=True, eq=False)
class DayRoom:
    """The places that a day still has for the mails of a domain in its warm-up."""

    table: Table
    warm_up: WarmUp
    day: str

    @property
    def is_full(self) -> bool:
        """Whether the day has no place for any mail."""
        return not is_warm(self.warm_up, self.day) and self._left(None) <= 0

    def has_place(self, provider: MailboxProvider) -> bool:
        """Whether the day has a place for a mail to a mailbox provider."""
        if is_warm(self.warm_up, self.day):
            return True
        return min(self._left(None), self._left(provider)) > 0

    def reserve(self, recipient: Recipient, owner: str, deadline_ms: int) -> Recipient | None:
        """
        Reserve a recipient and a place of the day; None if another worker has made an attempt. Raises NoPlace, and
        Transient after lost races.
        """
        provider = recipients.provider_of(recipient)
        for _ in range(ROUNDS):
            if is_warm(self.warm_up, self.day):
                return recipients.reserve(self.table, recipient, owner, deadline_ms)
            if not self.has_place(provider):
                raise NoPlace
            taken = warm_ups.to_take(self.table, self.warm_up, self._place(provider))
            try:
                reserved = recipients.reserve_within(
                    self.table, recipient, owner, deadline_ms, taken
                )
            except NoPlace:
                self._read_again()
                continue
            if reserved is not None:
                self._note(provider)
            return reserved
        raise Transient("warm_up_contended")

    def place_back(self, reserved: Recipient) -> Attributes | None:
        """Return the write that gives the place of a reserved recipient back; None without one."""
        if is_warm(self.warm_up, self.day):
            return None
        place = self._place(recipients.provider_of(reserved))
        return warm_ups.to_give_back(self.table, self.warm_up, place)

    def _place(self, provider: MailboxProvider) -> Place:
        step = step_on(self.warm_up, self.day)
        return Place(
            day=self.day,
            step=step,
            limit=limit_on(self.warm_up, step),
            provider=provider,
            most=limit_on(self.warm_up, step, provider),
            reason=reason_on(self.warm_up, self.day),
        )

    def _left(self, provider: MailboxProvider | None) -> int:
        step = step_on(self.warm_up, self.day)
        return limit_on(self.warm_up, step, provider) - sent_on(self.warm_up, self.day, provider)

    def _read_again(self) -> None:
        self.warm_up = warm_ups.get(self.table, self.warm_up.company_id, self.warm_up.domain)
        self.day = day_of(self.warm_up)

    def _note(self, provider: MailboxProvider) -> None:
        """Count a mail in the copy that was read, as it is counted in the table."""
        counted: dict[str, Any] = {
            one: sent_on(self.warm_up, self.day, one) for one in MAILBOX_PROVIDERS
        }
        counted[provider] += 1
        facts = {**counted, "total": sum(counted.values())}
        if self.warm_up.day != self.day:
            facts |= warm_ups.begun(self.warm_up, self._place(provider))
        self.warm_up = self.warm_up.model_copy(update=facts)


def room_today(table: Table, company_id: str, sender: str) -> DayRoom | None:
    """Return the room that today has for mails of a sender; None if the domain is warm. One read."""
    warm_up = warm_ups.get(table, company_id, domain_of(sender))
    day = day_of(warm_up)
    return None if is_warm(warm_up, day) else DayRoom(table, warm_up, day)
