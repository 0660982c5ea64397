"""
Runs of a change of many conversations: each goes on from where the one before ended, until the change is ended.

A run is started by the request or by the run before it. Lambda repeats a run that has died; the schedule finds changes
whose start was lost, and those of which enough runs have followed each other. A run holds the change by a lease.
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
from console.api.inputs import InboxQuery
from console.api.reading_rights import is_readable, readable
from console.store import bulk_changes
from shared.access import revocations
from shared.api.auth import Caller
from shared.aws.tables.leases import Finished, Held, LeaseLost
from shared.inbox.items import Entry, pk
from shared.inbox.references import key_of
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from console.api.bulk.calls import Call, Functions
    from console.api.inbox import InboxDependencies
    from console.store.bulk_items import BulkChange, Outcome
    from shared.aws.dynamodb import Table

MOST: Final = 2_000  # conversations of a change
MOST_LOOKS: Final = 40  # at the list; each compares up to 2,000 conversations
SAVED_EVERY: Final = 10
MOST_REFUSALS: Final = 20  # that are kept with their conversations
MOST_TRIES: Final = 5  # runs that fail at the same conversation
LONGEST_MS: Final = 7_200 * clock.SECOND_MS
# A call that hangs is given up after 10 s (the handler's timeout of reads); progress is stored after it.
SPARE_MS: Final = 13 * clock.SECOND_MS
BUSY_MS: Final = 3 * clock.SECOND_MS  # after the first failure; four times that after the fourth
UNAVAILABLE: Final = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkDependencies:
    """The inbox, the table of API keys, which knows revoked sessions, and the functions of the contexts."""

    inbox: InboxDependencies
    keys: Table
    functions: Functions

    @property
    def table(self) -> Table:
        """The table of the inbox."""
        return self.inbox.table


def run(
    deps: BulkDependencies,
    company: str,
    principal: str,
    owner: str,
    remaining_ms: Callable[[], int],
) -> bool:
    """
    Go on with a person's change as long as the time of this run allows. Returns whether another run is wanted at once.

    *owner* is of this run alone. Without an open change, or while another run holds it, nothing happens. After a
    failure that may pass, the run waits before the next one.
    """
    change = bulk_changes.get(deps.table, company, principal)
    if change is None or change.stage == "ended":
        return False
    try:
        change = bulk_changes.held(deps.table, change, owner, remaining_ms())
    except (Held, Finished):
        return False
    running = _Run(deps, change, remaining_ms)
    try:
        return running.go_on()
    except LeaseLost:
        return False
    except Transient as failure:
        logger.warning("bulk change waits", extra=describe(failure))
        bulk_changes.release(deps.table, running.change)
        clock.sleep_ms(BUSY_MS * max(1, running.change.tries))
        return True


@dataclass(slots=True)
class _Counts:
    """What was made since the change was stored."""

    done: int = 0
    skipped: int = 0
    refused: list[dict[str, str]] = field(default_factory=list)

    @property
    def handled(self) -> int:
        """The number of conversations."""
        return self.done + self.skipped + len(self.refused)

    def count(self, made: changes.Made) -> None:
        """Count a conversation that was not refused."""
        if made == "done":
            self.done += 1
        else:
            self.skipped += 1

    def refuse(self, entry: str, code: str) -> None:
        """Count a conversation that was refused."""
        self.refused.append({"entry": entry, "code": code})

    def added_to(self, change: BulkChange) -> dict[str, Any]:
        """Return the changed fields of a change, as they are with these counts."""
        if not self.handled:
            return {}
        return {
            "at": change.at + self.handled,
            "done": change.done + self.done,
            "skipped": change.skipped + self.skipped,
            "refused": change.refused + len(self.refused),
            "refusals": [*change.refusals, *self.refused][:MOST_REFUSALS],
        }


@dataclass(slots=True)
class _Run:
    """One run: *change* is as it was stored last, *counts* what was made since."""

    deps: BulkDependencies
    change: BulkChange
    remaining_ms: Callable[[], int]
    counts: _Counts = field(default_factory=_Counts)

    @property
    def caller(self) -> Caller:
        """Who asked for the change, with the access of that time."""
        change = self.change
        return Caller(
            company=change.company_id,
            scopes=frozenset(change.scopes),
            principal=change.principal,
            projects=frozenset(change.projects),
            issued_at=change.issued_at,
        )

    def go_on(self) -> bool:
        if (why := self._ends_early()) is not None:
            self._end(why)
            return False
        while self.change.stage == "listing":
            if self.change.is_stopping:
                self._end("stopped")
                return False
            if not self._has_time():
                return self._pause()
            self._list()
        return self._change_all()

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

    def _change_all(self) -> bool:
        at = self.change.at
        while at < self.change.total:
            number, offset = divmod(at, bulk_changes.PAGE)
            keys = bulk_changes.page_of(self.deps.table, self.change, number)
            entries = self._entries(keys[offset:])
            for key in keys[offset:]:
                if self.change.is_stopping:
                    self._end("stopped")
                    return False
                if not self._has_time():
                    return self._pause()
                self._change(entries.get(key), key, at)
                at += 1
                if self.counts.handled >= SAVED_EVERY:
                    self._save()
            if len(keys) <= offset:
                break  # the pages have expired with their change
        self._end("done")
        return False

    def _change(self, entry: Entry | None, key: str, at: int) -> None:
        deps, caller = self.deps, self.caller
        contexts = readable(caller)
        if entry is None or not is_readable(caller, contexts, entry):
            self.counts.refuse(key, "not_found")
            return
        seal = deps.inbox.seal
        shown = key_of(entry.context, entry.company_id, entry.reference, lambda: seal)
        wanted = changes.Wanted(
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
            made = changes.make(ask, wanted, entry.context, shown)
        except Refused as refusal:
            self.counts.refuse(key, refusal.code)
        except Transient:
            self._fail(key)
        else:
            self.counts.count(made)

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
        found = self.deps.table.get_many([pk(key) for key in keys])
        return {entry.pk: entry for entry in map(Entry.read, found)}

    def _has_time(self) -> bool:
        return self.remaining_ms() > SPARE_MS

    def _pause(self) -> bool:
        self._save()
        bulk_changes.release(self.deps.table, self.change)
        return True

    def _save(self, **more: Any) -> None:  # noqa: ANN401 - values of any field
        counted = self.counts.added_to(self.change)
        if self.counts.handled and "tries" not in more:
            more["tries"] = 0
        if not counted and not more:
            return
        self.change = bulk_changes.save(self.deps.table, self.change, **counted, **more)
        self.counts = _Counts()

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
            "outcome": outcome,
            "count": self.change.done,
            "refused": self.change.refused,
        }
        logger.info("bulk change ended", extra=facts)
