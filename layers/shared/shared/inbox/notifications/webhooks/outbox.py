"""
Stores the deliveries of a feed before it writes the entry that they are about, and starts their runs after the batch.

    1 waiting deliveries -> 2 the webhook is due -> 3 the entry -> 4 a run is started

A feed that is killed before 3 does all of it again, with the same ids of events. What is due is written after the
deliveries, so a run that finds none and takes the mark away has seen all of them; a start that is lost costs time only.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.sqs_fifo import to_json
from shared.inbox.lists import partitions
from shared.inbox.live.push_starts import QUICK
from shared.inbox.notifications.webhooks import events
from shared.inbox.notifications.webhooks.items import Due, Waiting
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shared.aws.dynamodb import Table
    from shared.inbox.entries import Change
    from shared.inbox.items import Entry
    from shared.inbox.rounds import Happened

STARTED: Final = "webhook"  # in the event of a start: the company, and the id of the webhook


@dataclass(frozen=True)
class Outbox:
    """
    *table*: the live table. *inbox*: the table of the inbox, which says what webhooks want. *function*: name and alias
    of the inbox's function.
    """

    table: Table
    inbox: Table
    function: str

    @cached_property
    def client(self) -> Any:  # noqa: ANN401 - the development environment has no stubs of Lambda
        """The client of Lambda, made on first use: most companies have no webhook."""
        return boto3.client("lambda", config=QUICK)

    def of_entry(
        self, stored: Entry | None, wanted: Entry, happened: Sequence[Happened]
    ) -> tuple[str, ...]:
        """Store the deliveries of an entry that is about to be written; return the webhooks that have some."""
        webhooks = partitions.webhooks(self.inbox, wanted.company_id)
        if not webhooks:
            return ()
        found = events.of_entry(stored, wanted, happened)
        due = []
        for webhook, names in webhooks.items():
            types = [one for one in found if one in names and wanted.context in names]
            now_ms = clock.now_ms()
            for place, type_ in enumerate(types):
                waiting = Waiting.of(
                    wanted.company_id,
                    webhook,
                    at_ms=now_ms + place,
                    event=events.id_of(type_, stored, wanted),
                    type_=type_,
                    entry=wanted.pk,
                    after_version=stored.version if stored is not None else 0,
                )
                self.table.put(waiting.attributes())
            if types:
                # After the deliveries: see above.
                self.table.put(Due.of(wanted.company_id, webhook).attributes())
                due.append(webhook)
        return tuple(due)

    def start(self, changes: Iterable[Change], within_ms: int) -> None:
        """
        Start a run of each webhook with deliveries, none after *within_ms*. Never raises: the schedule starts the runs
        that are missing.
        """
        until = clock.now_ms() + within_ms
        named: dict[str, dict[str, None]] = defaultdict(dict)
        for change in changes:
            named[change.company_id].update(dict.fromkeys(change.webhooks))
        try:
            for company, webhooks in named.items():
                for webhook in webhooks:
                    if clock.now_ms() <= until:
                        self._start(company, webhook)
        except (ClientError, BotoCoreError) as failure:
            logger.warning("webhooks not started", extra=describe(failure))
            metrics.add_metric("WebhooksNotStarted", MetricUnit.Count, 1)

    def _start(self, company: str, webhook: str) -> None:
        event = to_json({STARTED: {"company": company, "webhook": webhook}}).encode()
        self.client.invoke(FunctionName=self.function, InvocationType="Event", Payload=event)
