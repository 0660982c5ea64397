"""Failures of writes: conditions, conflicts of transactions, and the SDK's errors that mean one of them."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from shared.aws.dynamodb.values import Attributes, decoded
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import count_condition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CONFLICT_WAIT_MS = 25
_MOST_WAIT_MS = 200
_CONFLICTS_WITHIN_MS = 3_000
# Reasons of a cancelled transaction that a retry may pass. The writes without a fault have the reason "None".
_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
_THROTTLED = frozenset(
    {"ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"}
)
_HOT_INDEX = "IndexWriteKeyRangeThroughputExceeded"
_SERVER_ERROR = 500
# "Item size has exceeded the maximum allowed size", "Size of hashkey has exceeded the maximum size limit of2048 bytes"
_TOO_LARGE = re.compile(r"size (?:has exceeded|to update has exceeded)|size limit", re.IGNORECASE)


class ConditionFailed(Exception):
    """The write's condition did not hold. *existing* is the stored item, None if there is none."""

    def __init__(self, existing: Attributes | None) -> None:
        super().__init__("condition failed")
        self.existing = existing


class TransactionRefused(Exception):
    """A transaction changed nothing: the conditions of its writes at these *positions* did not hold."""

    def __init__(self, positions: frozenset[int]) -> None:
        super().__init__("condition failed")
        self.positions = positions


class TransactionConflict(Transient):
    """A transaction changed nothing: another write to one of its items was under way, or it was throttled."""

    def __init__(self) -> None:
        super().__init__("transaction_conflict")


def repeated[Answer](attempt: Callable[[], Answer]) -> Answer:
    """Return the answer of an attempt; while it raises TransactionConflict, repeat it for 3 s with random waits."""
    waited_ms = 0
    most_ms = _CONFLICT_WAIT_MS
    while True:
        try:
            return attempt()
        except TransactionConflict:
            if waited_ms >= _CONFLICTS_WITHIN_MS:
                raise
        wait_ms = random.randint(most_ms // 2, most_ms)  # noqa: S311 - spreads retries
        clock.sleep_ms(wait_ms)
        waited_ms += wait_ms
        most_ms = min(2 * most_ms, _MOST_WAIT_MS)


def call[Answer](operation: Callable[..., Answer], **arguments: Any) -> Answer:  # noqa: ANN401 - the SDK's
    """Call the SDK and translate its errors."""
    try:
        return operation(**arguments)
    except ClientError as error:
        raise _refusal(error) from None


def check_retry(error: ClientError) -> None:
    """Return if a repeated transaction may pass; otherwise raise the translated *error*."""
    code = error.response["Error"]["Code"]
    if code == "TransactionInProgressException":
        return  # A retry of the SDK met its own first attempt.
    if code != "TransactionCanceledException":
        raise _refusal(error) from None
    reasons: list[Mapping[str, Any]] = error.response.get("CancellationReasons") or []  # type: ignore[assignment]  # not in the SDK's types of an error
    codes = [reason.get("Code", "None") for reason in reasons]
    failed = [at for at, reason in enumerate(codes) if reason == "ConditionalCheckFailed"]
    if failed:
        raise TransactionRefused(frozenset(failed)) from None
    if any(_TOO_LARGE.search(reason.get("Message") or "") for reason in reasons):
        raise Permanent("too_large") from None
    if not codes or not set(codes) <= _PASSING | {"None"}:
        raise error from None


def has_hot_partition(error: ClientError, index: str) -> bool:
    """Whether a write was throttled because it met the throughput limit of one partition of an index."""
    reasons: list[Mapping[str, Any]] = error.response.get("ThrottlingReasons") or []  # type: ignore[assignment]  # not in the SDK's types of an error
    return any(
        reason.get("reason") == _HOT_INDEX
        and str(reason.get("resource", "")).endswith(f"/index/{index}")
        for reason in reasons
    )


def count_failed_attempt(response: tuple[Any, dict[str, Any]] | None = None, **_: object) -> None:
    """Count a throttled attempt, and one that DynamoDB answered with a server error. *response* is None without any."""
    if response is None:
        return
    http, parsed = response
    if parsed.get("Error", {}).get("Code") in _THROTTLED:
        count_condition("TableThrottled")
    elif http.status_code >= _SERVER_ERROR:
        count_condition("TableFailed")


def _refusal(error: ClientError) -> Exception:
    """
    Translate a ClientError: ConditionFailed; Permanent (`too_large`) for an item or key above DynamoDB's limits, since
    a retry cannot succeed; otherwise the error itself.
    """
    details = error.response["Error"]
    if details["Code"] == "ConditionalCheckFailedException":
        existing: Any = error.response.get("Item")
        return ConditionFailed(decoded(existing) if existing else None)
    if details["Code"] == "ValidationException" and _TOO_LARGE.search(details["Message"]):
        return Permanent("too_large")
    return error
