"""
Routes of requests that erase or export a person in all contexts.

A request is accepted at once and runs in the background (`console.privacy.run`). By a setting of the company another
administrator confirms it first.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from console.jobs.runs import Runs
from console.privacy import archive, person
from console.privacy.inputs import PersonInput, RequestsQuery, named
from console.privacy.jobs import PersonDependencies
from console.privacy.run import job_of
from console.privacy.views import (
    ContextReceipt,
    NameView,
    PersonRequests,
    PersonRequestState,
    PersonRequestView,
)
from console.store import person_requests
from console.store.person_jobs import PersonJob
from console.store.person_requests import PersonRequest
from shared.api import principals
from shared.api.auth import Forbidden, Scope
from shared.api.cursors import Listing, Page
from shared.api.models.inputs import NoInput
from shared.api.opaque_ids import seal_of
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.secrets import JsonSecret
from shared.identity.contacts.items import Profile
from shared.privacy import jobs as stored_jobs
from shared.privacy import settings
from shared.privacy.jobs import ID_DIGITS
from shared.privacy.parts import Named, NameKind
from shared.runtime import clock

CONFIRM_DAYS: Final = 7
LINK_SECONDS: Final = 3_600
MOST_READ: Final = 300  # conversations of a dry run
_LIST: Final = "privacy requests"
_OF_CONTACTS: Final = frozenset({NameKind.CONTACT, NameKind.EXTERNAL})


class NoSuchRequest(Exception):
    """The company has no such request."""


class NoSuchPerson(Exception):
    """The company has no contact by this id."""


class TooManyOpen(Exception):
    """The company has so many requests that have not ended."""


class NotWaiting(Exception):
    """The request needs no confirmation, or not any more."""


@dataclass(frozen=True, slots=True)
class PrivacyRoutes:
    """The routes. *person*: what a request needs, for one call."""

    person: Callable[[], PersonDependencies]
    runs: Runs
    seal_secret: JsonSecret

    @route_methods.changes(
        "POST /privacy/requests", Scope.PRIVACY_ADMIN, status=HTTPStatus.ACCEPTED
    )
    def request_person(
        self, request: Request[PersonInput]
    ) -> Callable[[], PersonRequestState] | PersonRequestState:
        """Request the export or erasure of a person in all contexts; with a dry run only show who it is."""
        deps, body, company = self.person(), request.input, request.caller.company
        name = named(body.subject)
        if name.kind in _OF_CONTACTS and not person.exists(deps.sources, company, name):
            raise NoSuchPerson("no such contact")
        if body.dry_run:
            return _preview(deps, company, name)
        table, fresh = deps.tables.contacts, self._fresh(deps, request, name)
        is_known = person_requests.get(table, company, fresh.request_id) is not None
        if not is_known and person_requests.has_many_open(table, company):
            raise TooManyOpen(f"a company has at most {person_requests.MOST_OPEN} open requests")

        def requested() -> PersonRequestState:
            return self._begun(person_requests.add(table, fresh))

        return requested

    @route_methods.reads("GET /privacy/requests", Scope.PRIVACY_ADMIN)
    def list_requests(self, request: Request[RequestsQuery]) -> Page[PersonRequests]:
        """List the requests of the company, newest first."""
        table, company = self.person().tables.contacts, request.caller.company
        listing, seal = Listing(company, _LIST, ()), seal_of(self.seal_secret)
        cursor = request.input.cursor
        start = listing.position(seal, cursor) if cursor else None
        found, last = person_requests.page(table, company, request.input.limit, start)
        four_eyes = settings.settings_of(table, company).four_eyes
        result = PersonRequests(
            four_eyes=four_eyes, requests=[_view(one, [], None) for one in found]
        )
        return Page(result, listing.cursor(seal, last) if last else None)

    @route_methods.reads("GET /privacy/requests/{request_id}", Scope.PRIVACY_ADMIN)
    def get_request(self, request: Request[NoInput], request_id: str) -> PersonRequestView:
        """Return a request with its receipts, and a link to the ZIP of an export."""
        deps = self.person()
        found = self._found(deps, request.caller.company, request_id)
        link, bucket = None, deps.bucket
        if found.archive is not None and archive.is_complete(bucket, found.archive):
            link = bucket.link_to(found.archive, seconds=LINK_SECONDS, filename=archive.NAME)
        return _view(found, self._names_of(deps, found), link)

    @route_methods.changes(
        "POST /privacy/requests/{request_id}/confirm",
        Scope.PRIVACY_ADMIN,
        status=HTTPStatus.ACCEPTED,
    )
    def confirm_request(
        self, request: Request[NoInput], request_id: str
    ) -> Callable[[], PersonRequestState]:
        """Confirm the request of another administrator, which then begins."""
        deps, caller = self.person(), request.caller
        found = self._found(deps, caller.company, request_id)
        if not principals.is_person(caller.principal):
            raise Forbidden("a person confirms, no program")
        if found.requested_by == caller.principal:
            raise Forbidden("another administrator confirms")
        now = clock.to_text(clock.now_ms())
        is_confirmed = found.confirmed_by == caller.principal
        if not is_confirmed and (found.stage != "waiting" or str(found.expires_at) <= now):
            raise NotWaiting("the request does not wait for a confirmation")

        def confirmed() -> PersonRequestState:
            if is_confirmed:
                return self._begun(found)
            values = {"stage": "running", "confirmed_by": caller.principal, "begun_at": now}
            return self._begun(person_requests.replace(deps.tables.contacts, found, **values))

        return confirmed

    def _fresh(
        self, deps: PersonDependencies, request: Request[PersonInput], name: Named
    ) -> PersonRequest:
        company, body, now = request.caller.company, request.input, clock.now_ms()
        waits = settings.settings_of(deps.tables.contacts, company).four_eyes
        until = clock.to_text(now + CONFIRM_DAYS * clock.DAY_SECONDS * clock.SECOND_MS)
        request_id = request.cause[:ID_DIGITS]
        return PersonRequest(
            **PersonRequest.key_of(company, request_id),
            company_id=company,
            request_id=request_id,
            kind=body.kind,
            stage="waiting" if waits else "running",
            requested_at=clock.to_text(now),
            requested_by=request.caller.principal,
            reason=body.reason,
            reference=body.reference,
            received_on=body.received_on.isoformat() if body.received_on else None,
            given=[*name],
            begun_at=None if waits else clock.to_text(now),
            expires_at=until if waits else None,
        )

    def _begun(self, stored: PersonRequest) -> PersonRequestState:
        if stored.stage == "running":
            self.runs.start(job_of(stored.company_id, stored.request_id))
        return PersonRequestState(
            id=stored.request_id, stage=stored.stage, expires_at=stored.expires_at
        )

    def _found(self, deps: PersonDependencies, company: str, request_id: str) -> PersonRequest:
        is_id = len(request_id) == ID_DIGITS and request_id.isalnum()
        found = person_requests.get(deps.tables.contacts, company, request_id) if is_id else None
        if found is None:
            raise NoSuchRequest("no such request")
        return found

    def _names_of(self, deps: PersonDependencies, found: PersonRequest) -> list[Named]:
        """Return the names of the person of an open request: all of them once its run has found them."""
        if found.given is None:
            return []
        given = [Named(NameKind(found.given[0]), found.given[1])]
        job = (
            stored_jobs.get(deps.tables.contacts, PersonJob, found.job_id) if found.job_id else None
        )
        return list(dict.fromkeys([*given, *(job.names if job is not None else [])]))


def _preview(deps: PersonDependencies, company: str, name: Named) -> PersonRequestState:
    """Return who a request would be about; of many conversations the first ones tell."""
    budget = person.Budget(MOST_READ)
    names, ids = person.of_names(deps.sources, company, [name], budget)
    keys = [Profile.key(company, one) for one in ids]
    found = deps.tables.contacts.get_many(keys) if keys else []
    is_cut = budget.is_cut or None
    counts = dict(sorted(Counter(budget.found.values()).items()))
    return PersonRequestState(
        names=_names(names), profiles=len(found), conversations=counts, is_cut=is_cut
    )


def _names(names: list[Named]) -> list[NameView]:
    return [NameView(kind=kind, value=value) for kind, value in names]


def _view(found: PersonRequest, names: list[Named], link: str | None) -> PersonRequestView:
    fields: dict[str, Any] = found.model_dump(include=set(PersonRequestView.model_fields))
    return PersonRequestView(
        **{name: value for name, value in fields.items() if name != "receipts"},
        id=found.request_id,
        due_on=found.due_on,
        names=_names(names),
        receipts=[ContextReceipt.model_validate(one) for one in found.receipts],
        copies_left=found.left,
        link=link,
    )
