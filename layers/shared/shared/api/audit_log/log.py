"""Writes the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.api.audit_log import differences
from shared.api.audit_log.items import PARTITION_KEY, Change
from shared.aws import observation
from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import count_condition, describe, logger
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.api.auth import Caller
    from shared.aws.observation import Observation


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
        kind: str | None = None,
        object_id: str | None,
        request_id: str,
        given: Mapping[str, Any] | None = None,
        status_of: Callable[[Answer | Exception], int],
    ) -> Answer:
        """
        Make a change between the two writes of its item.

        The item gets the settings that the observed call has changed, masked; if it has changed none, the fields that
        were *given*. *kind*: of the objects that it is about.

        Raises Transient, before the change, if its item cannot be written, and what *make* raises. A change that was
        made is answered as such also if its outcome cannot be stored: its item stays open. Both count the condition
        `AuditFailed`. *status_of* returns the HTTP status of an answer or an exception.
        """
        item = Change.begun(
            company=caller.company,
            principal=caller.principal,
            context=str(logger.service),
            change=change,
            kind=kind,
            object_id=object_id,
            request_id=request_id,
            keep_days=self.keep_days,
        )
        self._begin(item)
        with observation.observed() as seen:
            try:
                answer = make()
            except Exception as error:
                self._end(_with_changes(item, seen, given or {}).ended(status_of(error)))
                raise
            item = _with_changes(item, seen, given or {})
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


def _with_changes(item: Change, seen: Observation, given: Mapping[str, Any]) -> Change:
    """Return the item with what was changed. It is never the reason why a change fails."""
    try:
        if stored := differences.of_call(seen):
            return item.with_changes(stored, "stored")
        asked = differences.asked(given)
    except Exception as failure:  # noqa: BLE001 - the change is made, and a row without fields is better than none
        count_condition("AuditFailed")
        logger.error("fields of a change not compared", extra=describe(failure))
        return item
    return item.with_changes(asked, "asked") if asked else item
