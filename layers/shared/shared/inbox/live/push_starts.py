"""Starts pushes to the browsers of people who were notified: the inbox's function sends them, and is not waited for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config

from shared.aws.sqs_fifo import to_json
from shared.inbox.live import subscriptions
from shared.inbox.live.items import SORT_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table

STARTED: Final = "push"  # in the event: the company, and the sort keys of the browsers
MOST_AT_ONCE: Final = 100
# As for hints: the feed goes on without them.
QUICK: Final = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 1})


@dataclass(frozen=True)
class PushStarts:
    """*table*: the live table. *function*: name and alias of the inbox's function."""

    table: Table
    function: str

    @cached_property
    def client(self) -> Any:  # noqa: ANN401 - the development environment has no stubs of Lambda
        """The client of Lambda, made on first use: most companies have no browser that gets pushes."""
        return boto3.client("lambda", config=QUICK)

    def start(self, company: str, notified: Iterable[str]) -> None:
        """Start the pushes to the browsers of these people and teams. Raises ClientError and BotoCoreError."""
        owners = set(notified)
        keys = [
            str(one.own_key[SORT_KEY])
            for one in subscriptions.of_company(self.table, company)
            if not owners.isdisjoint(one.owners)
        ]
        for first in range(0, len(keys), MOST_AT_ONCE):
            some = keys[first : first + MOST_AT_ONCE]
            event = {STARTED: {"company": company, "browsers": some}}
            self.client.invoke(
                FunctionName=self.function, InvocationType="Event", Payload=to_json(event).encode()
            )
