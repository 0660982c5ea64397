"""
Requests that erase or export a person, in the table of the contacts: each with its receipt, listed by company.

    waiting -> running -> done          `waiting`: a second administrator confirms it, by a setting of the company
    waiting -> expired                  not confirmed in time

A request, its place in the company's list and its place among the open ones are written at once. The names of the
person are removed when it ends.
"""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from boto3.dynamodb.conditions import Key
from pydantic import Field

from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import Item, filled
from shared.privacy.jobs import Kind  # noqa: TC001 - field of a model
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes, Table

type RequestStage = Literal["waiting", "running", "done", "expired"]

OPEN_A_READ: Final = 100
MOST_OPEN: Final = 20  # of a company
_OPEN: Final = frozenset({"waiting", "running"})


class Contended(Transient):
    """Another run, or a person, has written the request meanwhile."""

    def __init__(self) -> None:
        super().__init__("privacy_request_contended")


class PersonRequest(Item):
    """
    A request for one person, by the name `given`, as `[kind, value]`.

    `begun_at` is the time since when a run of the person's job belongs to it. `receipts` are the contexts' receipts, as
    `{context, counts, kept, outside}`; `problem` is the code of the newest failure that may pass. `archive` is the key
    of an export's ZIP. With `contexts` the request is about the person in these alone, and not about the contact.
    """

    pk_pattern: ClassVar[str] = "PRIVACY_REQUEST#{company}#{id}"
    sk_pattern: ClassVar[str] = "REQUEST"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = sk_pattern
    company_id: str
    request_id: str
    kind: Kind
    stage: RequestStage
    requested_at: str
    requested_by: str
    reason: str
    reference: str | None = None
    received_on: str | None = (
        None  # the day on which the person asked, if another one than of `requested_at`
    )
    given: list[str] | None = Field(default=None, repr=False)
    contexts: list[str] | None = None
    begun_at: str | None = None
    confirmed_by: str | None = None
    expires_at: str | None = None  # of a waiting one
    finished_at: str | None = None
    job_id: str | None = None
    receipts: list[dict[str, Any]] = Field(default_factory=list)
    left: list[str] = Field(default_factory=list)  # copies at the model's provider
    archive: str | None = None
    problem: str | None = None
    revision: int = 0

    @classmethod
    def key_of(cls, company: str, request_id: str) -> Attributes:
        """Return the whole key of a request."""
        return {"pk": filled(cls.pk_pattern, company, request_id), "sk": cls.sk_pattern}

    @property
    def due_on(self) -> str | None:
        """
        The last day for the answer: a month after the person asked (article 12(3) of the GDPR), on the last day of a
        month that has no such day. None for a request of the company's retention, for which no person has asked.
        """
        if self.contexts is not None:
            return None
        asked = date.fromisoformat(self.received_on or self.requested_at[: len("2026-01-31")])
        following = (asked.replace(day=1) + timedelta(days=31)).replace(day=1)
        last = calendar.monthrange(following.year, following.month)[1]
        return following.replace(day=min(asked.day, last)).isoformat()

    @property
    def is_open(self) -> bool:
        """Whether the request has not ended."""
        return self.stage in _OPEN


class ListedRequest(Item):
    """The place of a request in the list of its company, by time."""

    pk_pattern: ClassVar[str] = "PRIVACY_REQUESTS#{company}"
    sk_pattern: ClassVar[str] = "{at}#{id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str
    request_id: str

    @classmethod
    def list_of(cls, company: str) -> str:
        """Return the partition of a company's requests."""
        return filled(cls.pk_pattern, company)


class OpenRequest(Item):
    """
    The place of a request among the open ones of all companies, which a schedule goes on with from `due_at` on: of a
    waiting one the end of its time.
    """

    pk_pattern: ClassVar[str] = "PRIVACY_OPEN"
    sk_pattern: ClassVar[str] = "{company}#{id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str = pk_pattern
    sk: str
    company_id: str
    request_id: str
    due_at: str


def get(table: Table, company: str, request_id: str) -> PersonRequest | None:
    """Return a request of a company (strongly consistent)."""
    item = table.get(PersonRequest.key_of(company, request_id))
    return PersonRequest.read(item) if item else None


def add(table: Table, request: PersonRequest, *also: Attributes) -> PersonRequest:
    """
    Store a new request, together with the writes *also*, and return it. Safe to repeat: the first one with its id
    stays. Raises Contended.
    """
    listed = ListedRequest(
        pk=ListedRequest.list_of(request.company_id),
        sk=filled(ListedRequest.sk_pattern, request.requested_at, request.request_id),
        company_id=request.company_id,
        request_id=request.request_id,
    )
    is_new = PersonRequest.attr("revision").not_exists()
    try:
        table.transact(
            table.to_put(request.attributes(), when=is_new),
            table.to_put(listed.attributes()),
            table.to_put(_open(request).attributes()),
            *also,
        )
    except TransactionRefused:
        stored = get(table, request.company_id, request.request_id)
        if stored is None:
            raise Contended from None
        return stored
    return request


def replace(table: Table, request: PersonRequest, **fields: object) -> PersonRequest:
    """
    Write the next revision of a request and return it; one that ends leaves the open ones. Raises Contended after a
    concurrent write.
    """
    changed = request.model_copy(update={**fields, "revision": request.revision + 1})
    unchanged = PersonRequest.attr("revision").eq(request.revision)
    place = _open(changed)
    try:
        if changed.stage == request.stage:
            table.put(changed.attributes(), when=unchanged)
        else:
            table.transact(
                table.to_put(changed.attributes(), when=unchanged),
                table.to_put(place.attributes())
                if changed.is_open
                else table.to_delete({"pk": place.pk, "sk": place.sk}),
            )
    except (ConditionFailed, TransactionRefused):
        raise Contended from None
    return changed


def due(table: Table) -> Iterator[tuple[str, str]]:
    """Yield company and id of the requests of all companies that a schedule goes on with."""
    now, start = clock.to_text(clock.now_ms()), None
    while True:
        listed = Key("pk").eq(OpenRequest.pk_pattern)
        items, start = table.query(None, listed, limit=OPEN_A_READ, start=start)
        for one in map(OpenRequest.read, items):
            if one.due_at <= now:
                yield one.company_id, one.request_id
        if start is None:
            return


def has_many_open(table: Table, company: str) -> bool:
    """Whether a company has MOST_OPEN requests that have not ended; requests at the same time may be a few more."""
    return open_requests(table, company) >= MOST_OPEN


def open_requests(table: Table, company: str) -> int:
    """Return how many requests of a company have not ended, MOST_OPEN at most."""
    first = filled(OpenRequest.sk_pattern, company, "-").removesuffix("-")
    listed = Key("pk").eq(OpenRequest.pk_pattern) & Key("sk").begins_with(first)
    items, _ = table.query(None, listed, limit=MOST_OPEN)
    return len(items)


def page(
    table: Table, company: str, limit: int, start: Attributes | None
) -> tuple[list[PersonRequest], Attributes | None]:
    """Return requests of a company, newest first, and where the next page starts."""
    items, last = table.query(
        None,
        Key("pk").eq(ListedRequest.list_of(company)),
        limit=limit,
        start=start,
        newest_first=True,
    )
    ids = [ListedRequest.read(item).request_id for item in items]
    stored = table.get_many([PersonRequest.key_of(company, one) for one in ids]) if ids else []
    found = {one.request_id: one for one in map(PersonRequest.read, stored)}
    return [found[one] for one in ids if one in found], last


def _open(request: PersonRequest) -> OpenRequest:
    company, request_id = request.company_id, request.request_id
    place = filled(OpenRequest.sk_pattern, company, request_id)
    is_waiting = request.stage == "waiting" and request.expires_at
    due_at = (request.expires_at if is_waiting else None) or request.requested_at
    return OpenRequest(sk=place, company_id=company, request_id=request_id, due_at=due_at)
