"""
Retention: a person without a message in a context for some days leaves it, by a request about the person.

    schedule -> old entries of the inbox, some hundred of a company and context -> people, all of whose conversations in
    the context are as old -> a request to erase each in this context

A run reads and requests few; the next one begins where it has ended, and after the last entry with the newest old one.
The id of a request is made of the entry that it was found by: a repeated run makes no second one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from console.privacy import person
from console.privacy.run import job_of
from console.store import person_requests, retention
from console.store.person_requests import PersonRequest
from shared.api.auth import Caller
from shared.aws.sqs_fifo import digest
from shared.identity.contacts import resolution
from shared.inbox.items import Context, Status
from shared.inbox.lists import entry_lists
from shared.privacy.jobs import ID_DIGITS
from shared.privacy.parts import NameKind
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from console.jobs.runs import Runs
    from console.privacy.jobs import PersonDependencies
    from console.store.retention import Retention
    from shared.api.audit_log.log import AuditLog
    from shared.identity.contacts.items import Profile
    from shared.inbox.items import Entry

CONTEXTS: Final = tuple(Context)  # whose conversations are in the inbox
FEWEST_DAYS: Final = 30
MOST_DAYS: Final = 3_650
BY: Final = "invoke:retention"
REASON: Final = "retention: {days} days without a message"
MOST_READ: Final = 300  # entries of a company and context in a run
PERSON_READ: Final = 500  # conversations of a person
MOST_OPEN: Final = 10  # requests of a company; the others are left to its administrators
SPARE_MS: Final = 12 * clock.SECOND_MS  # of a run, for the requests that are due
_STATUSES: Final[tuple[Status, ...]] = get_args(Status.__value__)
_PAGE: Final = 50


class Idle(NamedTuple):
    """A person, all of whose conversations in a context are old, and one of these."""

    person: Profile
    entry: Entry


class Count(NamedTuple):
    """The number of people who would leave a context; *is_cut*: there are more entries than were read."""

    people: int
    is_cut: bool


def count(deps: PersonDependencies, company: str, context: Context, days: int) -> Count:
    """Return how many people would leave a context now. Changes nothing."""
    look = _Look(deps, company, context, days)
    people = {idle.person.contact_id for idle in look.idle(None)}
    return Count(len(people), look.last is not None)


def apply(
    deps: PersonDependencies,
    audit_log: AuditLog,
    runs: Runs,
    remaining_ms: Callable[[], int],
) -> None:
    """
    Request the erasure of idle people of all companies, few in a run. *runs* start the run of a new request; one that
    does not start is started by the schedule. A company that fails is looked at again by the next run.
    """
    for company in retention.all_set(deps.tables.contacts):
        if remaining_ms() < SPARE_MS:
            return
        try:
            requested = _apply(deps, audit_log, runs, company)
        except Transient as failure:
            logger.warning("retention not applied", extra=describe(failure))
            continue
        facts = {"company": company.company_id, "requests": requested}
        logger.info("retention applied", extra=facts)


def _apply(
    deps: PersonDependencies,
    audit_log: AuditLog,
    runs: Runs,
    setting: Retention,
) -> int:
    table, company = deps.tables.contacts, setting.company_id
    positions, requested = dict(setting.positions), 0
    room = MOST_OPEN - person_requests.open_requests(table, company)
    for context in CONTEXTS:
        days = setting.days.get(context)
        if days is None or room <= requested:
            continue
        look = _Look(deps, company, context, days)
        for idle in look.idle(positions.pop(str(context), None)):
            if (fresh := _requested(deps, audit_log, idle, days)) is not None:
                requested += 1
                runs.start(job_of(company, fresh))
            if requested >= room:
                look.last = idle.entry.activity
                break
        if look.last is not None:
            positions[str(context)] = look.last
    retention.note_look(table, setting, positions, clock.to_text(clock.now_ms()))
    return requested


class _Look:
    """A bounded look at the old entries of a context. `last` is where the next one begins; None at the end."""

    def __init__(self, deps: PersonDependencies, company: str, context: Context, days: int) -> None:
        self.deps = deps
        self.company = company
        self.context = context
        age_ms = days * clock.DAY_SECONDS * clock.SECOND_MS
        self.cutoff = clock.to_text(clock.now_ms() - age_ms)
        self.last: str | None = None

    def idle(self, position: str | None) -> Iterator[Idle]:
        """Yield idle people with their entries before a position, each person once, newest first."""
        inbox = self.deps.tables.inbox
        listed = entry_lists.of_company(inbox, self.company, _STATUSES, (False, True))
        before = min(position or self.cutoff, self.cutoff)
        seen: set[str] = set()
        self.last = None
        for read, entry in enumerate(
            entry_lists.entries(inbox, listed, limit=_PAGE, before=before), 1
        ):
            found = self._person_of(entry)
            if found is not None and found.contact_id not in seen:
                seen.add(found.contact_id)
                if self._is_idle(found):
                    yield Idle(found, entry)
            if read >= MOST_READ:
                self.last = entry.activity
                return

    def _person_of(self, entry: Entry) -> Profile | None:
        """Return the contact of an entry of the context; without a proven identifier there is none."""
        if entry.context is not self.context or entry.contact_id is None:
            return None
        return resolution.current(self.deps.tables.contacts, self.company, entry.contact_id)

    def _is_idle(self, found: Profile) -> bool:
        """
        Whether all conversations of a person in the context are old, also of contacts that were merged. Of more
        than PERSON_READ conversations some are unknown: the person stays.
        """
        budget = person.Budget(PERSON_READ)
        is_newer = any(
            entry.context is self.context and entry.last_activity_at >= self.cutoff
            for contact_id in (found.contact_id, *sorted(found.members))
            for page in person.conversations(self.deps.tables, contact_id, budget)
            for entry in page
        )
        return not is_newer and not budget.is_cut


def _requested(deps: PersonDependencies, audit_log: AuditLog, idle: Idle, days: int) -> str | None:
    """Make the request about an idle person, recorded in the audit log, and return its id; None if it exists."""
    table, company = deps.tables.contacts, idle.entry.company_id
    contact_id, context = idle.person.contact_id, idle.entry.context
    parts = ("retention", company, context, contact_id, idle.entry.activity)
    request_id = digest(*parts)[:ID_DIGITS]
    if person_requests.get(table, company, request_id) is not None:
        return None
    now = clock.to_text(clock.now_ms())
    fresh = PersonRequest(
        **PersonRequest.key_of(company, request_id),
        company_id=company,
        request_id=request_id,
        kind="erase",
        stage="running",
        contexts=[str(context)],
        requested_at=now,
        requested_by=BY,
        reason=REASON.format(days=days),
        given=[NameKind.CONTACT, contact_id],
        begun_at=now,
    )
    audit_log.record(
        lambda: person_requests.add(table, fresh, retention.count_request(table, company)),
        caller=Caller(company=company, scopes=frozenset(), principal=BY),
        change="request_person",
        object_id=request_id,
        request_id=request_id,
        status_of=lambda outcome: 500 if isinstance(outcome, Exception) else 202,
    )
    return request_id
