"""
Shares of companies in the queue of the worker (`shared.aws.workers.fair_shares`): a model takes seconds to read a
mail, every other event some milliseconds.

An analysis above the share of its company is delayed by the queue of ingest, which passes it on. It reads the newest
mail of its thread whenever it runs, so it needs no order. A scenario of an evaluation is hidden instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.inbound.events import ANALYSE, EmailAnalyse, EmailEvaluate
from email_threads.store import threads
from email_threads.worker.dispatcher import EVENTS, Handled, Outcome
from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import Sharing, Waiting
from shared.events.record_body import parse_body

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from shared.aws.workers.fair_shares import Runs
    from shared.aws.workers.sqs_worker import Record


def of_analyses(table: Table, runs: Runs, delayed: StandardQueue) -> Sharing[Handled]:
    """Return how companies share the queue. *delayed* is the queue of ingest."""

    def waiting_of(record: Record) -> Waiting | None:
        event = parse_body(record.body, EVENTS)
        if isinstance(event, EmailEvaluate):
            return Waiting(event.company_id, record.sent_at_ms)
        if not isinstance(event, EmailAnalyse):
            return None
        thread = threads.get(table, event.conversation_id)
        return Waiting(thread.company_id, fair_shares.since_ms(record)) if thread else None

    def postpone(record: Record) -> Handled:
        if isinstance(parse_body(record.body, EVENTS), EmailEvaluate):
            raise fair_shares.hidden(record)  # the next scenario of its run waits behind it
        delayed.send([fair_shares.postponed(record.body)])
        return Handled(Outcome.POSTPONED, kind=ANALYSE)

    return Sharing(runs, waiting_of, postpone, fair_shares.LATE_MS)
