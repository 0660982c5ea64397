"""
Runs that deliver: one at a time for each webhook, oldest event first.

An attempt that is not accepted is repeated after the times of AGAIN_MS, about a day in all. Until then later events of
the conversation wait, those of others do not. A run gives up after MOST_IN_ROW failures in a row, and each such run
lets the next one wait longer; after a day without an accepted delivery, or a 410, the webhook is paused.

The schedule starts what is due; an event of the feed starts a run at once. So a repeat may come later than its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.metrics import MetricUnit

from console.jobs.runs import Job, Run
from console.notifications.webhooks import posts
from console.notifications.webhooks.pauses import pause
from console.store import webhooks as stored
from shared.aws.tables.leases import LeaseLost
from shared.inbox.items import Entry, pk
from shared.inbox.notifications.webhooks.items import KEPT_DAYS, EventType, Logged, Waiting
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from console.notifications.webhooks.posts import Attempt
    from shared.api.opaque_ids import Seal
    from shared.aws.dynamodb import Table
    from shared.inbox.notifications.webhooks.items import Due, Pause, Result, Webhook
    from shared.runtime.failures import Transient

KIND: Final = "webhook"
_MINUTE_MS: Final = 60 * clock.SECOND_MS
# Waits before the second attempt, the third one, and so on: 23.5 hours in all.
AGAIN_MS: Final = (
    *(10 * clock.SECOND_MS, _MINUTE_MS, 5 * _MINUTE_MS, 20 * _MINUTE_MS),
    *(hours * clock.HOUR_MS for hours in (1, 2, 4, 8, 8)),
)
MOST_IN_ROW: Final = 3
LONGEST_HOLD_MS: Final = clock.HOUR_MS
PAUSED_AFTER_MS: Final = 24 * clock.HOUR_MS
# A feed writes the entry after the delivery; it may need an hour for it.
LATEST_ENTRY_MS: Final = clock.HOUR_MS
_LOOK_AGAIN_MS: Final = 5 * clock.SECOND_MS
_SPARE_MS: Final = posts.WITHIN_MS + 4 * clock.SECOND_MS
_FAILED_MS: Final = 3 * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class WebhookRuns:
    """The kind of jobs of webhooks: a job is a webhook, as long as something waits. *seal*: of keys in APIs."""

    table: Table
    inbox: Table
    seal: Callable[[], Seal]
    spare_ms: int = _SPARE_MS
    most_failures: int = 3

    def opened(self) -> Iterator[Job]:
        """Yield the webhooks of all companies for which something is due."""
        now_ms = clock.now_ms()
        for due in stored.due(self.table):
            if due.due_at <= now_ms:
                yield job_of(due.company, due.webhook)

    def taken(self, job: Job, owner: str, remaining_ms: int) -> _Turn | None:
        """Take a webhook over for a run; None if it is paused, removed, or must wait. Raises Held."""
        due = stored.due_of(self.table, job.company, job.name)
        webhook = stored.get(self.table, job.company, job.name)
        if webhook is None or webhook.state != "active":
            # Feeds may not know it yet, or a change was cut off before they were to know.
            stored.publish(self.inbox, self.table, job.company)
            stored.settled(self.table, job.company, job.name, seen=due, at_ms=None)
            return None
        if webhook.hold_until > clock.now_ms():
            at_ms = webhook.hold_until
            stored.settled(self.table, job.company, job.name, seen=due, at_ms=at_ms)
            return None
        held = stored.held(self.table, webhook, owner, remaining_ms)
        until_ms = clock.now_ms() + remaining_ms - _SPARE_MS
        return _Turn(self, held, until_ms)


def first_run(started: Mapping[str, str]) -> dict[str, Any]:
    """Return the event of the first run that a feed has started."""
    job = job_of(started["company"], started["webhook"])
    return Run(job=job).model_dump(mode="json")


def job_of(company: str, webhook: str) -> Job:
    """Return the job of a webhook."""
    return Job(kind=KIND, company=company, name=webhook)


@dataclass(slots=True, eq=False)
class _Turn:
    """A webhook in the hands of a run, until *until_ms*. *in_row*: failures since the last accepted delivery."""

    runs: WebhookRuns
    webhook: Webhook
    until_ms: int
    in_row: int = 0

    def step(self) -> int | None:
        """Deliver what may be delivered now. Raises LeaseLost, and Transient."""
        seen = stored.due_of(self.runs.table, self.webhook.company, self.webhook.sk)
        has_tried, soonest_ms = self._look()
        if self.webhook.state != "active":
            return self._end(seen, None)
        if self.in_row >= MOST_IN_ROW:
            return self._end(seen, self._hold())
        if has_tried:
            return 0  # more may have come
        wait_ms = soonest_ms - clock.now_ms() if soonest_ms is not None else None
        if wait_ms is not None and wait_ms <= _MINUTE_MS:
            return max(1, wait_ms)
        return self._end(seen, soonest_ms)

    def _look(self) -> tuple[bool, int | None]:
        """
        Try the oldest deliveries, the first of each conversation before its others; return whether one was due, and
        when the first of those that wait may be tried.
        """
        blocked: set[str] = set()
        soonest_ms: int | None = None
        has_tried = False
        for one in stored.waiting(self.runs.table, self.webhook):
            conversation = one.entry or one.sk
            if conversation in blocked:
                continue
            is_due = one.next_at <= clock.now_ms()
            if is_due and (self._is_over() or not self._is_wanted()):
                return True, None
            has_tried |= is_due
            left = self._deliver(one) if is_due else one
            if left is not None:
                blocked.add(conversation)
                soonest_ms = min(soonest_ms or left.next_at, left.next_at)
        return has_tried, soonest_ms

    def _is_over(self) -> bool:
        """Whether this run must not try another delivery."""
        has_given_up = self.webhook.state != "active" or self.in_row >= MOST_IN_ROW
        return has_given_up or clock.now_ms() > self.until_ms

    def _is_wanted(self) -> bool:
        """
        Read the webhook before an attempt, since people may have changed, paused or removed it; return whether it is
        active. Raises LeaseLost if it is gone, or another run has it.
        """
        found = stored.get(self.runs.table, self.webhook.company, self.webhook.sk)
        if found is None or found.owner != self.webhook.owner:
            raise LeaseLost
        self.webhook = found
        return found.state == "active"

    def failed(self, failure: Transient) -> int:
        """Wait before the next attempt."""
        del failure
        return _FAILED_MS

    def leave(self) -> None:
        """Leave the webhook to the next run."""
        stored.release(self.runs.table, self.webhook)

    def _end(self, seen: Due | None, at_ms: int | None) -> int | None:
        """Release the webhook, then store that nothing is due; go on if a feed has stored a delivery meanwhile."""
        table = self.runs.table
        is_idle = at_ms is None and self.webhook.state == "active"
        if is_idle and self.webhook.failing_since is not None:
            # Nothing waits any more: the next failure is the first of its day.
            self.webhook = stored.note(table, self.webhook, drop=("failing_since",))
        webhook = self.webhook
        # In this order: a run of that delivery either takes the webhook, or its mark is seen here.
        stored.release(table, webhook)
        if stored.settled(table, webhook.company, webhook.sk, seen=seen, at_ms=at_ms):
            return None
        if at_ms is not None and self.in_row >= MOST_IN_ROW:
            return None  # It waits all the same: the mark stays.
        free = stored.get(table, webhook.company, webhook.sk)
        if free is None or free.state != "active":
            return None
        left_ms = self.until_ms + _SPARE_MS - clock.now_ms()
        self.webhook = stored.held(table, free, webhook.owner, max(0, left_ms))
        return 0

    def _hold(self) -> int:
        """Let the next run wait, longer after each run that gave up; return until when."""
        runs = self.webhook.failed_runs
        hold_until = clock.now_ms() + min(_MINUTE_MS << runs, LONGEST_HOLD_MS)
        self._note(failed_runs=min(runs + 1, MOST_IN_ROW * 4), hold_until=hold_until)
        return hold_until

    def _deliver(self, one: Waiting) -> Waiting | None:
        """Try a delivery; return it if it waits again."""
        if clock.is_over(one.ttl):  # the webhook was paused for days
            self._logged(one, "dropped", posts.Attempt(problem="expired"))
            return None
        entry = self._entry(one)
        if one.type is not EventType.TEST:
            is_early = clock.now_ms() - one.at_ms < LATEST_ENTRY_MS
            if is_early and (entry is None or entry.version <= one.after_version):
                return self._wait(one, _LOOK_AGAIN_MS)
            if entry is None:
                self._logged(one, "dropped", posts.Attempt(problem="conversation_gone"))
                return None
        if one.attempts > len(AGAIN_MS):  # the last run has died
            self._logged(one, "failed", posts.Attempt(problem="no_answer"))
            return None
        content = posts.content_of(self.webhook, one, entry, self.runs.seal)
        tried = self._begun(one)
        attempt = posts.post(self.webhook, one, content)
        if attempt.is_accepted:
            self._accepted(tried, attempt)
            return None
        return self._refused(tried, attempt)

    def _begun(self, one: Waiting) -> Waiting:
        """Count an attempt before it is made: a receiver whose answer never ends may outlast the run."""
        if one.attempts and self.webhook.failing_since is None:
            self._note(failing_since=clock.now_ms())
        wait_ms = AGAIN_MS[min(one.attempts, len(AGAIN_MS) - 1)]
        fields = {"attempts": one.attempts + 1, "next_at": clock.now_ms() + wait_ms}
        tried = one.model_copy(update=fields)
        self.runs.table.put(tried.attributes())
        return tried

    def _entry(self, one: Waiting) -> Entry | None:
        item = self.runs.inbox.get(pk(one.entry)) if one.entry else None
        return Entry.read(item) if item else None

    def _accepted(self, tried: Waiting, attempt: Attempt) -> None:
        self.in_row = 0
        metrics.add_metric("WebhooksDelivered", MetricUnit.Count, 1)
        self._logged(tried, "delivered", attempt)
        if self.webhook.failing_since is not None or self.webhook.hold_until:
            drop = ("failing_since", "failed_runs", "hold_until")
            self.webhook = stored.note(self.runs.table, self.webhook, drop=drop)

    def _refused(self, tried: Waiting, attempt: Attempt) -> Waiting | None:
        self.in_row += 1
        now_ms = clock.now_ms()
        metrics.add_metric("WebhookAttemptsFailed", MetricUnit.Count, 1)
        if self.webhook.failing_since is None:
            self._note(failing_since=now_ms)
        if attempt.is_gone or now_ms - (self.webhook.failing_since or now_ms) >= PAUSED_AFTER_MS:
            reason: Pause = "gone" if attempt.is_gone else "failures"
            self.webhook = pause(self.runs.table, self.runs.inbox, self.webhook, reason)
        if tried.attempts > len(AGAIN_MS):
            self._logged(tried, "failed", attempt)
            return None
        stored.log(self.runs.table, self._row(tried, "waiting", attempt))
        return tried

    def _wait(self, one: Waiting, wait_ms: int) -> Waiting:
        later = one.model_copy(update={"next_at": clock.now_ms() + wait_ms})
        self.runs.table.put(later.attributes())
        return later

    def _logged(self, one: Waiting, result: Result, attempt: Attempt) -> None:
        """End a delivery: first the log, then it waits no more. A repeat after a crash delivers it again."""
        stored.log(self.runs.table, self._row(one, result, attempt))
        self.runs.table.delete(one.own_key)
        about = {"webhook": self.webhook.sk, "event": one.event, "status": attempt.status}
        logger.info("webhook delivery ended", extra=about | {"result": result})

    def _row(self, one: Waiting, result: Result, attempt: Attempt) -> Logged:
        return Logged(
            pk=Logged.partition(self.webhook.company, self.webhook.sk),
            sk=one.sk,
            type=one.type,
            entry=one.entry,
            after_version=one.after_version,
            attempts=one.attempts,
            result=result,
            status=attempt.status,
            problem=attempt.problem,
            tried_at=clock.to_text(clock.now_ms()),
            next_at=one.next_at if result == "waiting" else None,
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )

    def _note(self, **values: int) -> None:
        self.webhook = stored.note(self.runs.table, self.webhook, put=values)
