"""
Reserves costs before they are caused.

    1 read      the sender's day, whether the sender is known, the company's settings    counted already: granted
    2 company   conditional additions for its ceilings, and for company and address      refused: nothing is counted
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

from shared.ai.spending import ceilings
from shared.ai.spending.bounds import DEFAULTS, Scope
from shared.ai.spending.items import (
    COUNTED_DAYS,
    KNOWN_DAYS,
    SENDER_DAYS,
    CompanySettings,
    Day,
    Known,
    Sender,
)
from shared.ai.spending.usage import held_percent
from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.ai.spending.bounds import Bound, Bounds, Kind
    from shared.ai.spending.ceilings import Ceiling
    from shared.aws.dynamodb import Attributes, Table

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
    ceilings: tuple[Ceiling, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A bound was reached; *free_at* (ms since 1970) is when the next day begins."""

    scope: Scope
    free_at: int


@dataclass(slots=True, eq=False)
class Spending:
    """
    The counts in *table*. *percent* of the default bounds hold for a company without settings; *most_percent* is the
    maximum for a company with settings.
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
        stored = seen.get(_pair(keys.settings))
        settings = CompanySettings.read(stored) if stored else None
        own = ceilings.ceilings_of(settings, date) if kind in ceilings.KINDS else ()
        sender = seen.get(_pair(keys.sender))
        if sender is not None and keys.event in sender.get("events", ()):
            return Reservation(kind=kind, cause=cause, date=date, micros=0, ceilings=own)
        is_known = cause.is_known or _pair(keys.known) in seen
        bounds = self._bounds(kind, settings).of(is_known=is_known)
        cost = _Cost(
            kind=kind, cause=cause, bounds=bounds, units=units, micros=micros, ceilings=own
        )
        if not cost.fits(bounds.sender, sender):
            return _refused(kind, cause, Scope.SENDER)
        if not ceilings.reserve(self.table, cause.company, own, micros):
            return _refused(kind, cause, Scope.COMPANY)
        scope = self._count_day(keys, cost)
        if scope is not None:
            ceilings.add(self.table, cause.company, own, -micros)
            return _refused(kind, cause, scope)
        return self._count_sender(keys, cost)

    def settle(self, reservation: Reservation, micros: int) -> None:
        """Count the real price of a call in place of its estimate. A failure leaves the estimate."""
        difference = micros - reservation.micros
        if difference == 0:
            return
        cause = reservation.cause
        added = {"micros": difference, Day.micros_of(cause.address): difference}
        try:
            self.table.update(Day.key(cause.company, reservation.date, reservation.kind), add=added)
            ceilings.add(self.table, cause.company, reservation.ceilings, difference)
        except (ClientError, BotoCoreError) as failure:
            # The call is already paid for: a retry of the event would pay again.
            logger.warning("cost not settled", extra=describe(failure))

    def remember(self, company: str, sender: str) -> None:
        """Note that a person of the company has written to an address, which is known from now on. Idempotent."""
        expiry = clock.expires_in(KNOWN_DAYS * clock.DAY_SECONDS)
        self.table.put({**Known.key(company, sender[:_SENDER_CHARACTERS]), "ttl": expiry})

    def _bounds(self, kind: Kind, settings: CompanySettings | None) -> Bounds:
        percents = settings.percents if settings else {}
        return DEFAULTS[kind].part(held_percent(percents, kind, self.percent, self.most_percent))

    def _count_day(self, keys: _Keys, cost: _Cost) -> Scope | None:
        """Count for company and address, or return whose bound is reached."""
        company, address = cost.bounds.company, cost.bounds.address
        # A condition on absent counts holds for any cost.
        if not cost.fits(company):
            return Scope.COMPANY
        if not cost.fits(address):
            return Scope.ADDRESS
        try:
            self.table.update(
                keys.day,
                add=cost.of_day,
                put={"ttl": clock.expires_in(COUNTED_DAYS * clock.DAY_SECONDS)},
                when=cost.has_room(company) & cost.has_room(address, *cost.names_of_address),
            )
        except ConditionFailed as refusal:
            is_full = not cost.fits(company, refusal.existing)
            return Scope.COMPANY if is_full else Scope.ADDRESS
        return None

    def _count_sender(self, keys: _Keys, cost: _Cost) -> Reservation | Reached:
        """Count for the sender; if that is refused, take back what was counted for the company."""
        events = Attr("events")
        micros = cost.micros
        try:
            self.table.update(
                keys.sender,
                add={"units": cost.units, "micros": cost.micros, "events": {keys.event}},
                put={"ttl": clock.expires_in(SENDER_DAYS * clock.DAY_SECONDS)},
                when=cost.has_room(cost.bounds.sender)
                & (events.not_exists() | ~events.contains(keys.event)),
            )
        except ConditionFailed as refusal:
            self.table.update(keys.day, add={name: -most for name, most in cost.of_day.items()})
            ceilings.add(self.table, cost.cause.company, cost.ceilings, -cost.micros)
            if keys.event not in (refusal.existing or {}).get("events", ()):
                return _refused(cost.kind, cost.cause, Scope.SENDER)
            micros = 0  # Another delivery counts the same event.
        return Reservation(
            kind=cost.kind,
            cause=cost.cause,
            date=keys.date,
            micros=micros,
            ceilings=cost.ceilings,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """The counts of one reservation, and the bounds of its sender."""

    kind: Kind
    cause: Cause
    bounds: Bounds
    units: int
    micros: int
    ceilings: tuple[Ceiling, ...] = ()

    @property
    def names_of_address(self) -> tuple[str, str]:
        """The attributes with the counts of the address."""
        return Day.units_of(self.cause.address), Day.micros_of(self.cause.address)

    @property
    def of_day(self) -> dict[str, int]:
        """The cost that is added to the day of the company."""
        counts = (self.units, self.micros)
        of_address = zip(self.names_of_address, counts, strict=True)
        return {"units": self.units, "micros": self.micros, **dict(of_address)}

    def fits(self, bound: Bound, counted: Attributes | None = None) -> bool:
        """Whether the bound permits this cost beside what is counted."""
        known = counted or {}
        return (
            int(known.get("units", 0)) + self.units <= bound.units
            and int(known.get("micros", 0)) + self.micros <= bound.micros
        )

    def has_room(self, bound: Bound, units: str = "units", micros: str = "micros") -> ConditionBase:
        """Return the condition that the counts with these names stay within the bound."""
        most = {units: bound.units - self.units, micros: bound.micros - self.micros}
        return reduce(
            and_, (Attr(name).not_exists() | Attr(name).lte(limit) for name, limit in most.items())
        )


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
