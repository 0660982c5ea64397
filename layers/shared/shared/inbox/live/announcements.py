"""
Announces that people were notified, for functions that write notifications and have no access to connections and
browsers: the inbox's function posts the hint and starts the pushes. It is not waited for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, ConfigDict

from shared.aws.sqs_fifo import to_json
from shared.inbox.entries import OF_NO_CONVERSATION, Change
from shared.inbox.items import Context
from shared.inbox.live.push_starts import QUICK
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from shared.inbox.live.hints import Announcer

ANNOUNCED: Final = "announced"  # in the event
WITHIN_MS: Final = 3_000


class Announced(BaseModel):
    """The event: who may read *context* of the company may get a hint; *notified* are people and teams."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    company: str
    context: Context
    notified: tuple[str, ...]


@dataclass(frozen=True)
class Announcements:
    """*function*: name and alias of the inbox's function."""

    function: str

    @cached_property
    def client(self) -> Any:  # noqa: ANN401 - the development environment has no stubs of Lambda
        """The client of Lambda, made on first use: most runs notify no one."""
        return boto3.client("lambda", config=QUICK)

    def send(self, announced: Announced) -> None:
        """Announce notifications that are stored. Never raises: without it pages show them at their next look."""
        payload = to_json({ANNOUNCED: announced.model_dump(mode="json")}).encode()
        try:
            self.client.invoke(FunctionName=self.function, InvocationType="Event", Payload=payload)
        except (ClientError, BotoCoreError) as failure:
            logger.warning("notifications not announced", extra=describe(failure))
            metrics.add_metric("HintsFailed", MetricUnit.Count, 1)


def take(announcer: Announcer, event: dict[str, Any]) -> None:
    """Post the hint of an announcement, and start the pushes. Twice it posts a second hint, and no second push."""
    announced = Announced.model_validate(event)
    change = Change(
        company_id=announced.company,
        context=announced.context,
        reference=OF_NO_CONVERSATION,
        project_id=None,
        version=0,
        is_removed=False,
        notified=announced.notified,
    )
    announcer.announce([change], WITHIN_MS)
