"""The errors with which DynamoDB refuses calls."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A call is refused with a code of DynamoDB. *more* are the other fields of the answer."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.more = code, message, more


class Invalid(Refused):
    """The parameters of a call are not possible."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


class Impossible(Invalid):
    """A change is not possible for what an item contains: in a transaction, the reason of its cancellation."""


class Malformed(Exception):
    """A parameter has not the shape that the SDK requires; it says so itself."""


class ConditionFailed(Refused):
    """A condition does not hold; with the *existing* item if the call asked for it."""

    def __init__(self, existing: dict[str, Any] | None) -> None:
        more = {} if existing is None else {"Item": existing}
        super().__init__(
            "ConditionalCheckFailedException", "The conditional request failed", **more
        )


def cancelled(reasons: list[dict[str, Any]]) -> Refused:
    """Return the failure of a transaction, with a reason for each of its writes."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    message = (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    )
    return Refused(
        "TransactionCanceledException", message, Message=message, CancellationReasons=reasons
    )
