"""
Hints of the inbox feeds: which conversations changed, merged into one message for each connection. Pages that are
closed get a push instead, if a person was notified and wants it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.sqs_fifo import to_json
from shared.inbox.entries import OF_NO_CONVERSATION
from shared.inbox.live import connections, posts
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.inbox.entries import Change
    from shared.inbox.live.items import Connection
    from shared.inbox.live.posts import Live
    from shared.inbox.live.push_starts import PushStarts

LATE_MS = 10 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcer:
    """Tells connections and browsers about changes. *key_of* returns the key that GET /inbox gives a conversation."""

    live: Live
    key_of: Callable[[Change], str]
    pushes: PushStarts

    def announce(self, changes: Sequence[Change], within_ms: int, age_ms: float = 0) -> None:
        """
        Post a hint of each change to the connections that may read its conversation. Never raises.

        The entries are written: an error here must not make Lambda repeat the batch. No post starts after *within_ms*.
        *age_ms*: of the oldest change; pages say when they are behind.
        """
        try:
            messages = self._messages(changes, is_late=age_ms > LATE_MS)
            posts.post(self.live, messages, within_ms=within_ms)
            self._start_pushes(changes)
        except Exception as failure:  # noqa: BLE001 - see above
            logger.warning("hints not posted", extra=describe(failure))
            metrics.add_metric("HintsFailed", MetricUnit.Count, len(changes))

    def _start_pushes(self, changes: Sequence[Change]) -> None:
        notified: dict[str, set[str]] = defaultdict(set)
        for change in changes:
            if change.notified:
                notified[change.company_id].update(change.notified)
        for company, owners in notified.items():
            self.pushes.start(company, owners)

    def _messages(
        self, changes: Sequence[Change], *, is_late: bool
    ) -> list[tuple[Connection, str]]:
        facts = {"late": True} if is_late else {}
        by_company: dict[str, list[Change]] = defaultdict(list)
        for change in changes:
            by_company[change.company_id].append(change)
        return [
            message
            for company, some in by_company.items()
            if (found := connections.of_company(self.live.table, company))
            for message in self._to_company(
                some, connections.with_access(self.live.keys, found), facts
            )
        ]

    def _to_company(
        self, changes: Sequence[Change], found: Sequence[Connection], facts: dict[str, bool]
    ) -> list[tuple[Connection, str]]:
        hints = [(change, self._hint(change)) for change in changes]
        messages = []
        for connection in found:
            readable = [
                hint
                for change, hint in hints
                if connection.may_read(change.company_id, change.context, change.project_id)
            ]
            if readable:
                messages.append((connection, to_json({"hints": readable, **facts})))
        return messages

    def _hint(self, change: Change) -> dict[str, Any]:
        hint: dict[str, Any] = {"context": change.context}
        if change.reference != OF_NO_CONVERSATION:
            hint |= {"key": self.key_of(change), "version": change.version}
        if change.notified:
            hint["notified"] = list(change.notified)
        if change.is_new:  # it may be of a person whose conversations a page shows
            hint["new"] = True
        return {**hint, "removed": True} if change.is_removed else hint
