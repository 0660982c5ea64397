"""Writes the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.api.audit_log.items import PARTITION_KEY, Change
from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import count_condition, describe, logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.api.auth import Caller


@dataclass(frozen=True, kw_only=True)
class AuditedSettings(Settings):
    """The environment of a function that makes changes for people and programs."""

    audit_log_table_name: str
    audit_log_retention_days: int

    def audit_log(self, client: DynamoDBClient) -> AuditLog:
        """Return the audit log of the deployment."""
        return AuditLog(Table(client, self.audit_log_table_name), self.audit_log_retention_days)


@dataclass(slots=True, eq=False)
class AuditLog:
    """The audit log of all companies. Items expire after *keep_days*."""

    table: Table
    keep_days: int

    def record[Answer](
        self,
        make: Callable[[], Answer],
        *,
        caller: Caller,
        change: str,
        object_id: str | None,
        request_id: str,
        status_of: Callable[[Answer | Exception], int],
    ) -> Answer:
        """
        Make a change between the two writes of its item.

        Raises Transient, before the change, if its item cannot be written, and what *make* raises. A change that was
        made is answered as such also if its outcome cannot be stored: its item stays open. Both count the condition
        `AuditFailed`. *status_of* returns the HTTP status of an answer or an exception.
        """
        item = Change.begun(
            company=caller.company,
            principal=caller.principal,
            context=str(logger.service),
            change=change,
            object_id=object_id,
            request_id=request_id,
            keep_days=self.keep_days,
        )
        self._begin(item)
        try:
            answer = make()
        except Exception as error:
            self._end(item.ended(status_of(error)))
            raise
        self._end(item.ended(status_of(answer)))
        return answer

    def _begin(self, item: Change) -> None:
        attributes = item.attributes()
        try:
            self.table.put(attributes, when=Change.attr(PARTITION_KEY).not_exists())
        except ConditionFailed:
            return  # our own write, whose answer was lost: the key is random
        except (ClientError, BotoCoreError) as failure:
            count_condition("AuditFailed")
            logger.error("change refused: it cannot be recorded", extra=describe(failure))
            raise Transient("audit_log_unavailable") from None

    def _end(self, item: Change) -> None:
        try:
            self.table.put(item.attributes())
        except (ClientError, BotoCoreError, Permanent) as failure:
            count_condition("AuditFailed")
            about = {"change": item.change, "outcome": item.outcome, "request": item.request_id}
            logger.error("outcome of a change not recorded", extra=describe(failure) | about)
