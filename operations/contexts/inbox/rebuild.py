"""
Makes the entries of the inbox, or the contacts of their customers, again from the heads of the contexts, as their feeds
do.

    entries     heads      each head of the context's table is shown
                entries    entries without a head are removed
                parked     heads that the feed could not show are forgotten if they are shown by now
    contacts    contacts   the claims of each head are resolved, also if its entry has their contact
                           (tickets of the help desk: `tickets.py`)

Each head is refreshed as a feed refreshes it, so a rebuild may run while feeds and agents work. Scans are cut
into segments, which run in parallel. Each segment records its position after each page: an interrupted rebuild repeats
at most one page of each.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError

from shared.inbox import entries
from shared.inbox.items import (
    CONTACT_PHASES,
    ENTRY_PHASES,
    PARTITION_KEY,
    REBUILD_DAYS,
    Entry,
    Phase,
    Rebuild,
    pk,
)
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Attributes
    from shared.inbox.entries import Heads, Tables

ITEMS_PER_PAGE = 500
SEGMENTS = 16  # A head takes three to four calls in turn: more threads than these only wait for the processor.
SHOWN, REMOVED, UNCHANGED, FAILED = "shown", "removed", "unchanged", "failed"

_serialize, _deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The heads of a context, and the table with an item for each of them."""

    heads: Heads
    table: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """
    One scan. *references_in* returns the references of the heads that a page of keys belongs to, *refresh* handles one
    of them and returns the outcome.
    """

    context: str
    phase: Phase
    table: str
    references_in: Callable[[Sequence[Attributes]], Iterable[str]]
    refresh: Callable[[str], str]
    prefix: str | None = None  # of the keys


@dataclass(slots=True, kw_only=True)
class Run:
    """One rebuild. After each page *report* gets the number of heads so far by outcome; its calls do not overlap."""

    client: DynamoDBClient
    tables: Tables
    report: Callable[[str, Counter[str]], None]
    counts: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def rebuild(self, source: Source, *, restart: bool = False) -> None:
        """
        Rebuild the entries of a context. Goes on after an interrupted run, unless *restart*.

        Heads that cannot be shown are counted as failed and parked, as by a feed.
        """
        heads = source.heads
        scans = (
            self._of_heads(source, "heads"),
            Scan(
                context=heads.context,
                phase="entries",
                table=self.tables.inbox.name,
                references_in=self._shown_in,
                refresh=partial(self._refresh, heads),
                prefix=Entry.pk_pattern.partition("{id}")[0].format(context=heads.context),
            ),
        )
        if restart:
            self._forget(heads.context, ENTRY_PHASES)
        for scan in scans:
            self._in_parallel(scan)
        for parked in list(entries.parked(self.tables.inbox, heads.context)):
            outcome = self._refresh(heads, parked.reference)
            self._count(outcome)
            if outcome != FAILED:
                entries.unpark(self.tables.inbox, heads.context, parked.reference)
        self._forget(heads.context, ENTRY_PHASES)
        with self._lock:
            self.report(heads.context, self.counts)

    def rebuild_contacts(self, source: Source, *, restart: bool = False) -> None:
        """
        Resolve the claims of all heads of a context, and show the contacts in its entries. Otherwise like `rebuild`.

        The contacts are the same as before they were lost, with the same ids, as far as heads still exist.
        """
        self.run(self._of_heads(source, "contacts"), restart=restart)

    def run(self, scan: Scan, *, restart: bool = False) -> None:
        """Run one scan to its end. Goes on after an interrupted run, unless *restart*."""
        if restart:
            self._forget(scan.context, [scan.phase])
        self._in_parallel(scan)
        self._forget(scan.context, [scan.phase])
        with self._lock:
            self.report(scan.context, self.counts)

    def _in_parallel(self, scan: Scan) -> None:
        """Run all segments of a scan. After a failure of one the others end with their page, and it is raised."""
        stop = Event()
        with ThreadPoolExecutor(SEGMENTS) as pool:
            try:
                running = [
                    pool.submit(self._run_segment, scan, segment, stop)
                    for segment in range(SEGMENTS)
                ]
                wait(running, return_when=FIRST_EXCEPTION)
            finally:  # Also if an operator interrupts the command.
                stop.set()
        for segment in running:
            segment.result()

    def _run_segment(self, scan: Scan, segment: int, stop: Event) -> None:
        progress = self._progress(scan, segment)
        if progress.is_done:
            return
        for keys, position in self._pages(scan, segment, progress.position):
            for reference in scan.references_in(keys):
                self._count(scan.refresh(reference))
            self._keep(progress, position)
            with self._lock:
                self.report(scan.context, self.counts)
            if stop.is_set():
                return

    def _shown_in(self, keys: Sequence[Attributes]) -> Iterator[str]:
        stored = self.tables.inbox.get_many([pk(str(key[PARTITION_KEY])) for key in keys])
        return (entry.reference for entry in map(Entry.read, stored))

    def _of_heads(self, source: Source, phase: Phase) -> Scan:
        reference_of = source.heads.reference_of
        return Scan(
            context=source.heads.context,
            phase=phase,
            table=source.table,
            references_in=lambda keys: filter(None, map(reference_of, keys)),
            refresh=partial(self._refresh, source.heads, resolves_again=phase in CONTACT_PHASES),
        )

    def _refresh(self, heads: Heads, reference: str, *, resolves_again: bool = False) -> str:
        """Refresh an entry and return the outcome; FAILED if its head cannot be shown."""
        try:
            change = entries.refresh(
                self.tables, heads, reference, resolves_again=resolves_again, counts_new=False
            )
        except (ClientError, BotoCoreError):  # Some of them are ValueErrors.
            raise
        except (Permanent, TypeError, ValueError, LookupError, AttributeError) as failure:
            reason = failure.reason if isinstance(failure, Permanent) else "internal_error"
            entries.park(self.tables.inbox, heads.context, reference, reason)
            return FAILED
        return UNCHANGED if change is None else REMOVED if change.is_removed else SHOWN

    def _count(self, outcome: str) -> None:
        with self._lock:
            self.counts[outcome] += 1

    def _pages(
        self, scan: Scan, segment: int, start: dict[str, str] | None
    ) -> Iterator[tuple[Sequence[Attributes], dict[str, str] | None]]:
        """Yield the keys of a segment page by page, each with the position after it, None at the end."""
        schema = self.client.describe_table(TableName=scan.table)["Table"]["KeySchema"]
        names = [part["AttributeName"] for part in schema]
        options: dict[str, Any] = {
            "TableName": scan.table,
            "ConsistentRead": True,
            "Limit": ITEMS_PER_PAGE,
            "Segment": segment,
            "TotalSegments": SEGMENTS,
            "ProjectionExpression": ", ".join(f"#k{n}" for n in range(len(names))),
            "ExpressionAttributeNames": {f"#k{n}": name for n, name in enumerate(names)},
        }
        if scan.prefix is not None:
            options["FilterExpression"] = "begins_with(#k0, :prefix)"
            options["ExpressionAttributeValues"] = {":prefix": {"S": scan.prefix}}
        position = start
        while True:
            if position is not None:
                options["ExclusiveStartKey"] = {n: _serialize(v) for n, v in position.items()}
            page = self.client.scan(**options)
            last = page.get("LastEvaluatedKey")
            position = {n: str(_deserialize(v)) for n, v in last.items()} if last else None
            yield (
                [{n: _deserialize(v) for n, v in item.items()} for item in page["Items"]],
                position,
            )
            if position is None:
                return

    def _progress(self, scan: Scan, segment: int) -> Rebuild:
        """Return how far a segment is. A position is of one table, and of a release with as many segments."""
        fresh = Rebuild(
            pk=Rebuild.key(scan.context, scan.phase, segment),
            table=scan.table,
            segments=SEGMENTS,
            ttl=clock.expires_in(REBUILD_DAYS * clock.DAY_SECONDS),
        )
        item = self.tables.inbox.get(pk(fresh.pk))
        found = Rebuild.read(item) if item else fresh
        is_same = (found.table, found.segments) == (fresh.table, fresh.segments)
        return found if is_same else fresh

    def _keep(self, progress: Rebuild, position: dict[str, str] | None) -> None:
        after = progress.model_copy(update={"position": position, "is_done": position is None})
        self.tables.inbox.put(after.attributes())

    def _forget(self, context: str, phases: Sequence[Phase]) -> None:
        for phase, segment in product(phases, range(SEGMENTS)):
            self.tables.inbox.delete(pk(Rebuild.key(context, phase, segment)))
