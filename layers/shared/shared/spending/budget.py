"""
Reserves costs before they are caused.

    1 read      the sender's day, whether the sender is known, the company's settings    counted already: granted
    2 company   conditional addition for company and address                             refused: nothing is counted
    3 sender    conditional addition, with the event                                     refused: 2 is taken back
    4 settle    after the call: the difference between its real price and the estimate

Every fault counts too much, never too little: a crash between 2 and 3, or before 4, leaves the estimate of one
reservation in the counts. An event that is delivered again counts no units again, but the price of each further call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics
from shared.spending.bounds import DEFAULTS, Scope
from shared.spending.items import (
    COUNTED_DAYS,
    KNOWN_DAYS,
    SENDER_DAYS,
    CompanySettings,
    Day,
    Known,
    Sender,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table
    from shared.spending.bounds import Bound, Bounds, Kind

REASON: Final = "spending_limit"  # why a message waits for a person
_DATE = len("2026-03-01")
_EVENT_CHARACTERS = 10
_SENDER_CHARACTERS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """
    The message that causes a cost. *address* is the mailbox or number of the company that it was sent to, *sender* a
    keyed hash of its author, *event* an id that is the same in each delivery.

    *is_known*: the caller knows that the company has turned to this person. *is_proven*: the sender's address cannot be
    forged, so that it may be looked up among the known persons.
    """

    company: str
    address: str
    sender: str
    event: str
    is_known: bool = False
    is_proven: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A cost that may be caused. *micros* is the estimate that is counted for this delivery, 0 for a repeated one."""

    kind: Kind
    cause: Cause
    date: str
    micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A bound was reached; *free_at* (ms since 1970) is when the next day begins."""

    scope: Scope
    free_at: int


@dataclass(slots=True, eq=False)
class Spending:
    """
    The counts in *table*. *percent* of the default bounds hold for a company without settings; *most_percent* is the
    maximum of the deployment.
    """

    table: Table
    percent: int
    most_percent: int

    def reserve(
        self, kind: Kind, cause: Cause, micros: int, units: int = 1
    ) -> Reservation | Reached:
        """
        Count a cost, or refuse it and count the refusal. Two writes; one read for a repeated event.

        Raises the errors of DynamoDB: without counts nothing is spent.
        """
        date = _today()
        keys = _Keys.of(kind, cause, date)
        seen = {(item["pk"], item["sk"]): item for item in self.table.get_many(keys.read(cause))}
        sender = seen.get(_pair(keys.sender))
        if sender is not None and keys.event in sender.get("events", ()):
            return Reservation(kind=kind, cause=cause, date=date, micros=0)
        is_known = cause.is_known or _pair(keys.known) in seen
        bounds = self._bounds(kind, seen.get(_pair(keys.settings))).of(is_known=is_known)
        if sender is not None and not _has_room(sender, bounds.sender, units, micros):
            return _refused(kind, cause, Scope.SENDER)
        scope = self._count_day(keys, cause, bounds, units, micros)
        if scope is not None:
            return _refused(kind, cause, scope)
        return self._count_sender(keys, kind, cause, bounds, units, micros)

    def settle(self, reservation: Reservation, micros: int) -> None:
        """Count the real price of a call in place of its estimate. A failure leaves the estimate."""
        difference = micros - reservation.micros
        if difference == 0:
            return
        cause = reservation.cause
        added = {"micros": difference, Day.micros_of(cause.address): difference}
        try:
            self.table.update(Day.key(cause.company, reservation.date, reservation.kind), add=added)
        except (ClientError, BotoCoreError) as failure:
            # The call is already paid for: a retry of the event would pay again.
            logger.warning("cost not settled", extra=describe(failure))

    def remember(self, company: str, sender: str) -> None:
        """Note that a person of the company has written to someone, who is known from now on. Idempotent."""
        expiry = clock.expires_in(KNOWN_DAYS * clock.DAY_SECONDS)
        self.table.put({**Known.key(company, sender[:_SENDER_CHARACTERS]), "ttl": expiry})

    def _bounds(self, kind: Kind, settings: Attributes | None) -> Bounds:
        percents = CompanySettings.read(settings).percents if settings else {}
        return DEFAULTS[kind].part(min(percents.get(kind, self.percent), self.most_percent))

    def _count_day(
        self, keys: _Keys, cause: Cause, bounds: Bounds, units: int, micros: int
    ) -> Scope | None:
        """Count for company and address, or return whose bound is reached."""
        address = (Day.units_of(cause.address), Day.micros_of(cause.address))
        added = {"units": units, "micros": micros, address[0]: units, address[1]: micros}
        if not (_fits(bounds.company, units, micros) and _fits(bounds.address, units, micros)):
            return Scope.ADDRESS
        try:
            self.table.update(
                keys.day,
                add=added,
                put={"ttl": clock.expires_in(COUNTED_DAYS * clock.DAY_SECONDS)},
                when=_room(("units", "micros"), bounds.company, units, micros)
                & _room(address, bounds.address, units, micros),
            )
        except ConditionFailed as refusal:
            counted = refusal.existing or {}
            is_full = not _has_room(counted, bounds.company, units, micros)
            return Scope.COMPANY if is_full else Scope.ADDRESS
        return None

    def _count_sender(
        self, keys: _Keys, kind: Kind, cause: Cause, bounds: Bounds, units: int, micros: int
    ) -> Reservation | Reached:
        events = Attr("events")
        try:
            self.table.update(
                keys.sender,
                add={"units": units, "micros": micros, "events": {keys.event}},
                put={"ttl": clock.expires_in(SENDER_DAYS * clock.DAY_SECONDS)},
                when=_room(("units", "micros"), bounds.sender, units, micros)
                & (events.not_exists() | ~events.contains(keys.event)),
            )
        except ConditionFailed as refusal:
            # Another delivery counts the same event, or another event of the sender took the last place.
            self._take_back(keys, cause, units, micros)
            if refusal.existing is not None and keys.event in refusal.existing.get("events", ()):
                return Reservation(kind=kind, cause=cause, date=keys.date, micros=0)
            return _refused(kind, cause, Scope.SENDER)
        return Reservation(kind=kind, cause=cause, date=keys.date, micros=micros)

    def _take_back(self, keys: _Keys, cause: Cause, units: int, micros: int) -> None:
        taken = {
            "units": -units,
            "micros": -micros,
            Day.units_of(cause.address): -units,
            Day.micros_of(cause.address): -micros,
        }
        self.table.update(keys.day, add=taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """The keys of one reservation; *event* is the short hash of its event."""

    date: str
    event: str
    day: Attributes
    sender: Attributes
    known: Attributes
    settings: Attributes

    @classmethod
    def of(cls, kind: Kind, cause: Cause, date: str) -> _Keys:
        sender = cause.sender[:_SENDER_CHARACTERS]
        return cls(
            date=date,
            event=digest(cause.event)[:_EVENT_CHARACTERS],
            day=Day.key(cause.company, date, kind),
            sender=Sender.key(cause.company, date, sender, kind),
            known=Known.key(cause.company, sender),
            settings=CompanySettings.key(cause.company),
        )

    def read(self, cause: Cause) -> list[Attributes]:
        """Return the keys to read before the writes."""
        looks_up = cause.is_proven and not cause.is_known
        return [self.sender, self.settings, *([self.known] if looks_up else [])]


def _today() -> str:
    return clock.to_text(clock.now_ms())[:_DATE]


def _pair(key: Attributes) -> tuple[str, str]:
    return key["pk"], key["sk"]


def _room(names: Iterable[str], bound: Bound, units: int, micros: int) -> ConditionBase:
    """Return the condition that the counts with these names stay within the bound."""
    most = (bound.units - units, bound.micros - micros)
    return reduce(
        and_,
        (
            Attr(name).not_exists() | Attr(name).lte(limit)
            for name, limit in zip(names, most, strict=True)
        ),
    )


def _fits(bound: Bound, units: int, micros: int) -> bool:
    """Whether the bound permits this cost at all: a condition on absent counts would hold."""
    return bound.units >= units and bound.micros >= micros


def _has_room(counted: Attributes, bound: Bound, units: int, micros: int) -> bool:
    return (
        int(counted.get("units", 0)) + units <= bound.units
        and int(counted.get("micros", 0)) + micros <= bound.micros
    )


def _refused(kind: Kind, cause: Cause, scope: Scope) -> Reached:
    """Count a refusal: operators see that a bound was reached, and by what."""
    condition = "SenderLimitReached" if scope is Scope.SENDER else "SpendingLimitReached"
    metrics.add_metric(condition, MetricUnit.Count, 1)
    logger.warning(
        "spending limit reached",
        extra={"cost": kind.value, "scope": scope.value, "company": cause.company},
    )
    day_ms = clock.DAY_SECONDS * clock.SECOND_MS
    return Reached(scope=scope, free_at=(clock.now_ms() // day_ms + 1) * day_ms)
