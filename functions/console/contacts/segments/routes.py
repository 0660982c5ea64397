"""Routes of segments: conditions under a name, the number of the people who fit them, and these people."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from console.api.inbox import InboxDependencies
from console.api.inputs import PageQuery
from console.contacts import contacts
from console.contacts.segments.inputs import (
    ChangeSegmentInput,
    CountConditionsInput,
    CountQuery,
    SegmentInput,
)
from console.contacts.segments.views import RemovedSegment, SegmentCount, SegmentsView, SegmentView
from console.contacts.views import Contacts
from shared.api.auth import Caller, Scope
from shared.api.cursors import Listing, Page
from shared.api.errors import Unprocessable
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.sqs_fifo import to_json
from shared.contacts import conditions, lists, segments
from shared.contacts.conditions import CONSENT, Condition, ConditionsRefused
from shared.contacts.items import Segment
from shared.contacts.person import Sources
from shared.identity.contacts import attributes
from shared.policy.consent.records import Consents

_SEGMENTS, _SEGMENT = "/contacts/segments", "/contacts/segments/{segment_id}"
_READ, _WRITE = Scope.CONTACTS_READ, Scope.CONTACTS_WRITE
COMPARED_AT_ONCE: Final = 300  # contacts, in one call
CONTACTS_A_READ: Final = 100


@dataclass(frozen=True, slots=True)
class SegmentRoutes:
    """The routes over the resources of the API."""

    deps: InboxDependencies
    consents: Consents

    @route_methods.reads(f"GET {_SEGMENTS}", _READ)
    def list_segments(self, request: Request[NoInput]) -> SegmentsView:
        """List the segments of the company, oldest first."""
        found = segments.of_company(self.deps.contacts, request.caller.company)
        return SegmentsView(segments=[_view_of(one) for one in found])

    @route_methods.changes(f"POST {_SEGMENTS}", _WRITE)
    def create_segment(self, request: Request[SegmentInput]) -> Callable[[], SegmentView]:
        """Store conditions under a name."""
        caller, given = request.caller, request.input
        condition = self._parsed(caller, given.conditions)
        return lambda: _view_of(
            segments.create(
                self.deps.contacts,
                caller.company,
                given.name,
                condition,
                by=caller.principal,
                cause=request.cause,
            )
        )

    @route_methods.reads(f"POST {_SEGMENTS}/count", _READ)
    def count_conditions(self, request: Request[CountConditionsInput]) -> Page[SegmentCount]:
        """
        Count the people who fit conditions that are not stored.

        Compares 300 contacts: with a cursor the count is not exact, and the next call continues it.
        """
        condition = self._parsed(request.caller, request.input.conditions)
        return self._counted(request.caller, condition, request.input.cursor)

    @route_methods.reads(f"GET {_SEGMENT}", _READ)
    def get_segment(self, request: Request[NoInput], segment_id: str) -> SegmentView:
        """Return a segment."""
        return _view_of(segments.get(self.deps.contacts, request.caller.company, segment_id))

    @route_methods.changes(f"PATCH {_SEGMENT}", _WRITE)
    def change_segment(
        self, request: Request[ChangeSegmentInput], segment_id: str
    ) -> Callable[[], SegmentView]:
        """Give a segment another name or other conditions. What is running keeps the people that it has read."""
        caller, given = request.caller, request.input
        segments.get(self.deps.contacts, caller.company, segment_id)
        wanted = given.conditions
        condition = self._parsed(caller, wanted) if wanted is not None else None
        return lambda: _view_of(
            segments.change(
                self.deps.contacts,
                caller.company,
                segment_id,
                name=given.name,
                condition=condition,
            )
        )

    @route_methods.changes(f"DELETE {_SEGMENT}", _WRITE)
    def delete_segment(
        self, request: Request[NoInput], segment_id: str
    ) -> Callable[[], RemovedSegment]:
        """Delete a segment. Its people stay contacts; a campaign that still reads it ends without them."""
        company = request.caller.company
        segments.get(self.deps.contacts, company, segment_id)

        def deleted() -> RemovedSegment:
            segments.remove(self.deps.contacts, company, segment_id)
            return RemovedSegment(segment_id=segment_id)

        return deleted

    @route_methods.reads(f"GET {_SEGMENT}/count", _READ)
    def count_segment(self, request: Request[CountQuery], segment_id: str) -> Page[SegmentCount]:
        """Count the people of a segment, as `POST /contacts/segments/count`."""
        condition = self._stored(request.caller, segment_id)
        return self._counted(request.caller, condition, request.input.cursor)

    @route_methods.reads(f"GET {_SEGMENT}/members", _READ)
    def list_people(self, request: Request[PageQuery], segment_id: str) -> Page[Contacts]:
        """
        List the people of a segment whom the caller may see, each once.

        A call compares at most 300 contacts, so a page may be short or empty before the last one.
        """
        caller, query = request.caller, request.input
        condition = self._stored(caller, segment_id)
        listing = _listing(caller, "segment", condition)
        position = listing.position(self.deps.seal, query.cursor) if query.cursor else {}
        after: str | None = position.get("after")
        compared = 0
        while True:
            page = segments.page(
                self._sources, caller.company, condition, limit=query.limit, after=after
            )
            compared, after = compared + max(page.read, 1), page.after
            if page.people or after is None or compared >= COMPARED_AT_ONCE:
                break
        people = self.deps.people(caller)
        shown = [found for one in page.people if (found := people.shown(one.profile)) is not None]
        result = Contacts(contacts=contacts.views_of(self.deps, shown))
        return Page(result, listing.cursor(self.deps.seal, {"after": after}) if after else None)

    @property
    def _sources(self) -> Sources:
        return Sources(contacts=self.deps.contacts, inbox=self.deps.table, consents=self.consents)

    def _stored(self, caller: Caller, segment_id: str) -> Condition:
        segment = segments.get(self.deps.contacts, caller.company, segment_id)
        return _permitted(caller, segments.condition_of(segment))

    def _parsed(self, caller: Caller, given: dict[str, Any]) -> Condition:
        """Return the conditions of a request. Raises Unprocessable with field and rule, and Forbidden."""
        table, company = self.deps.contacts, caller.company
        own_lists = [one.sk for one in lists.of_company(table, company)]
        try:
            found = conditions.parsed(given, attributes.of_company(table, company), own_lists)
        except ConditionsRefused as refusal:
            problems = [
                {"field": ".".join(filter(None, ("conditions", path))), "problem": rule}
                for path, rule in refusal.problems.items()
            ]
            raise Unprocessable(problems) from None
        return _permitted(caller, found)

    def _counted(
        self, caller: Caller, condition: Condition, cursor: str | None
    ) -> Page[SegmentCount]:
        """Continue a count, whose sums so far are in the cursor."""
        listing = _listing(caller, "segment count", condition)
        at = listing.position(self.deps.seal, cursor) if cursor else {}
        people, compared = int(at.get("people", "0")), int(at.get("compared", "0"))
        after, left = at.get("after"), COMPARED_AT_ONCE
        while True:
            limit = min(left, CONTACTS_A_READ)
            page = segments.page(self._sources, caller.company, condition, limit=limit, after=after)
            people, compared = people + len(page.people), compared + page.read
            after, left = page.after, left - max(page.read, 1)
            if after is None or left <= 0:
                break
        result = SegmentCount(people=people, compared=compared, exact=after is None)
        if after is None:
            return Page(result)
        position = {"after": after, "people": str(people), "compared": str(compared)}
        return Page(result, listing.cursor(self.deps.seal, position))


def _permitted(caller: Caller, condition: Condition) -> Condition:
    """Return conditions whose result the caller may see. Raises Forbidden: consent has a right of its own."""
    if any(one.field.startswith(CONSENT) for one in conditions.comparisons(condition)):
        caller.require(Scope.CONSENT_READ)
    return condition


def _listing(caller: Caller, name: str, condition: Condition) -> Listing:
    return Listing(caller.company, name, (to_json(conditions.written(condition)),))


def _view_of(segment: Segment) -> SegmentView:
    return SegmentView(
        segment_id=segment.sk,
        name=segment.name,
        conditions=json.loads(segment.conditions),
        created_at=segment.created_at,
        created_by=segment.created_by,
    )
