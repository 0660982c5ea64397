"""
A change of many conversations as a job (`console.jobs`). A run holds the change by a lease.

Conversations are changed one after the other, each under an idempotency key of its own: what a run has changed and not
counted before it died is repeated without effect. Progress is stored every `SAVED_EVERY` conversations. A person who
signs out ends the change, and so do two hours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from console.api import inbox
from console.api.bulk import changes
from console.api.bulk.calls import Refused
from console.api.bulk.changes import Wanted
from console.api.bulk.counts import Counts
from console.api.inputs import InboxQuery
from console.jobs.runs import Job
from console.reading_rights import is_readable, readable
from console.store.bulk import changes as bulk_changes
from shared.access import revocations
from shared.api.auth import Caller
from shared.inbox.items import Entry, pk
from shared.inbox.references import key_of
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from console.api.bulk.calls import Call, Functions
    from console.api.bulk.changes import Ask, Made
    from console.api.inbox import InboxDependencies
    from console.jobs.runs import Runs
    from console.store.bulk.items import BulkChange, Kept, Outcome
    from shared.aws.dynamodb import Table
    from shared.inbox.items import Context

KIND: Final = "bulk"
MOST: Final = 2_000  # conversations of a change
MOST_LOOKS: Final = 40  # at the list; each compares up to 2,000 conversations
SAVED_EVERY: Final = 10
MOST_TRIES: Final = 5  # runs that fail at the same conversation
LONGEST_MS: Final = 7_200 * clock.SECOND_MS
# A call that hangs is given up after 10 s (the handler's timeout of reads); progress is stored after it.
SPARE_MS: Final = 13 * clock.SECOND_MS
BUSY_MS: Final = 3 * clock.SECOND_MS  # after the first failure; four times that after the fourth
UNAVAILABLE: Final = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkDependencies:
    """The inbox, the table of API keys, which knows revoked sessions, the functions of the contexts, and the runs."""

    inbox: InboxDependencies
    keys: Table
    functions: Functions
    runs: Runs

    @property
    def table(self) -> Table:
        """The table of the inbox."""
        return self.inbox.table


@dataclass(frozen=True, slots=True)
class BulkChanges:
    """The changes of many conversations as a kind of job, whose name is the principal of its person."""

    deps: BulkDependencies
    spare_ms: int = SPARE_MS
    most_failures: int = MOST_TRIES

    def opened(self) -> Iterator[Job]:
        """Yield the open changes of all companies."""
        for company, principal in bulk_changes.opened(self.deps.table):
            yield job_of(company, principal)

    def taken(self, job: Job, owner: str, remaining_ms: int) -> _Turn | None:
        """Take a person's change over for a run. Raises Held and Finished."""
        change = bulk_changes.get(self.deps.table, job.company, job.name)
        if change is None or change.stage == "ended":
            return None
        return _Turn(self.deps, bulk_changes.held(self.deps.table, change, owner, remaining_ms))


def job_of(company: str, principal: str) -> Job:
    """Return the job of a person's change."""
    return Job(kind=KIND, company=company, name=principal)


@dataclass(slots=True)
class _Page:
    """A page of the conversations of a change, and the entries that are stored."""

    number: int
    keys: list[str]
    entries: dict[str, Entry]


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Keeps how the conversation at this place of the change is put back."""

    table: Table
    change: BulkChange
    at: int

    def keep(self, kept: Kept, *, is_new: bool) -> Kept:
        return bulk_changes.keep(self.table, self.change, self.at, kept, is_new=is_new)

    def forget(self) -> None:
        bulk_changes.forget(self.table, self.change, self.at)


@dataclass(slots=True)
class _Turn:
    """One run: *change* is as it was stored last, *counts* what was made since. *is_valid*: the session goes on."""

    deps: BulkDependencies
    change: BulkChange
    counts: Counts = field(default_factory=Counts)
    page: _Page | None = None
    is_valid: bool = False

    @property
    def caller(self) -> Caller:
        """The author of the change, with the access of that time."""
        change = self.change
        return Caller(
            company=change.company_id,
            scopes=frozenset(change.scopes),
            principal=change.principal,
            projects=frozenset(change.projects),
            issued_at=change.issued_at,
        )

    def step(self) -> int | None:
        """Look at the list once, or change one conversation."""
        outcome = self._outcome()
        if outcome is not None:
            self._end(outcome)
            return None
        if self.change.stage == "listing":
            self._list()
        else:
            at = self.change.at + self.counts.handled
            key = self._key(at)
            if key is None:
                self._end("done")
                return None
            self._change(self.page.entries.get(key) if self.page else None, key, at)
            if self.counts.handled >= SAVED_EVERY:
                self._save()
        return 0

    def failed(self, failure: Transient) -> int:
        """Wait for a busy context, longer after each failure; the progress is stored."""
        del failure
        return BUSY_MS * max(1, self.change.tries)

    def leave(self) -> None:
        """Store the progress and release the change."""
        self._save()
        bulk_changes.release(self.deps.table, self.change)

    def _outcome(self) -> Outcome | None:
        """Return how the change ends now; None if it goes on. Its session is looked up once in a run."""
        if not self.is_valid and (why := self._ends_early()) is not None:
            return why
        self.is_valid = True
        return "stopped" if self.change.is_stopping else None

    def _ends_early(self) -> Outcome | None:
        change = self.change
        if clock.now_ms() - clock.from_text(change.activity) > LONGEST_MS:
            return "expired"
        revoked = revocations.find(self.deps.keys, change.principal)
        return "revoked" if revoked.covers(change.issued_at) else None

    def _list(self) -> None:
        """Collect a page of the conversations that match, before the first change: changes move them in the list."""
        change = self.change
        left = MOST - change.total
        limit = min(bulk_changes.PAGE, left)
        query = InboxQuery.model_validate({**change.filters, "limit": limit})
        found = inbox.page_before(self.deps.inbox, self.caller, query, change.position, limit)
        keys = [entry.pk for entry in found.entries[:left]]
        bulk_changes.add(self.deps.table, change, keys)
        total = change.total + len(keys)
        looks = change.looks + 1
        is_end = found.is_end or found.last is None or total >= MOST or looks >= MOST_LOOKS
        self.change = bulk_changes.save(
            self.deps.table,
            change,
            looks=looks,
            total=total,
            position=found.last.activity if found.last else None,
            is_cut=is_end and not found.is_end,
            stage="changing" if is_end else "listing",
            drop=("filters",) if is_end and change.filters else (),
        )

    def _key(self, at: int) -> str | None:
        """Return the key of a conversation by its place; None behind the last one."""
        if at >= self.change.total:
            return None
        number, offset = divmod(at, bulk_changes.PAGE)
        if self.page is None or self.page.number != number:
            keys = bulk_changes.page_of(self.deps.table, self.change, number)
            self.page = _Page(number, keys, self._entries(keys[offset:]))
        # Without the key the pages have expired with their change.
        return self.page.keys[offset] if offset < len(self.page.keys) else None

    def _change(self, entry: Entry | None, key: str, at: int) -> None:
        deps, caller = self.deps, self.caller
        contexts = readable(caller)
        if entry is None or not is_readable(caller, contexts, entry):
            self.counts.refuse(key, "not_found")
            return
        seal = deps.inbox.seal
        shown = key_of(entry.context, entry.company_id, entry.reference, lambda: seal)
        wanted = Wanted(
            action=self.change.action,
            value=self.change.value,
            key=f"{self.change.change_id}-{at}",
        )
        calls = 0

        def ask(call: Call) -> dict[str, Any]:
            nonlocal calls
            calls += 1
            request_id = f"{self.change.owner}-{at}-{calls}"
            return deps.functions.call(entry.context, caller, call, request_id)

        try:
            made = self._made(ask, wanted, entry.context, shown, at)
        except Refused as refusal:
            self.counts.refuse(key, refusal.code)
        except Transient:
            self._fail(key)
        else:
            self.counts.count(made)

    def _made(self, ask: Ask, wanted: Wanted, context: Context, key: str, at: int) -> Made:
        table, change = self.deps.table, self.change
        if change.undoes is not None:
            kept = bulk_changes.kept_of(table, change, at)
            return changes.undo(ask, wanted, context, key, kept)
        return changes.make(ask, wanted, context, key, _Keeper(table, change, at))

    def _fail(self, key: str) -> None:
        """Let the next run try a conversation again; the last one that fails refuses it."""
        # Progress before it belongs to other conversations.
        tries = (self.change.tries if self.counts.handled == 0 else 0) + 1
        if tries >= MOST_TRIES:
            self.counts.refuse(key, UNAVAILABLE)
            return
        self._save(tries=tries)
        raise Transient("context_unavailable")

    def _entries(self, keys: Sequence[str]) -> dict[str, Entry]:
        found = self.deps.table.get_many([pk(key) for key in keys]) if keys else []
        return {entry.pk: entry for entry in map(Entry.read, found)}

    def _save(self, **more: Any) -> None:  # noqa: ANN401 - values of any field
        counted = self.counts.added_to(self.change)
        if self.counts.handled and "tries" not in more:
            more["tries"] = 0
        if not counted and not more:
            return
        self.change = bulk_changes.save(self.deps.table, self.change, **counted, **more)
        self.counts = Counts()

    def _end(self, outcome: Outcome) -> None:
        change = self.change
        self.change = bulk_changes.save(
            self.deps.table,
            change,
            **self.counts.added_to(change),
            stage="ended",
            outcome=outcome,
            drop=("owner", "lease_until", "list_pk", *(("filters",) if change.filters else ())),
        )
        facts = {
            "company": change.company_id,
            "principal": change.principal,
            "action": change.action,
            "is_undo": change.undoes is not None,
            "outcome": outcome,
            "count": self.change.done,
            "refused": self.change.refused,
        }
        logger.info("bulk change ended", extra=facts)
