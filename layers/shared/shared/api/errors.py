"""The error body of all HTTP APIs, and the errors that every API has."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


class InvalidInput(Exception):
    """The input breaks a rule; *problems* lists each as {field, problem}, without values."""

    def __init__(self, problems: list[dict[str, str]]) -> None:
        super().__init__("; ".join(f"{entry['field']}: {entry['problem']}" for entry in problems))
        self.problems = problems


class Unprocessable(InvalidInput):
    """The input is well-formed, and no mail or message can come of it, as of recipients that do not exist."""


class KeyReused(Exception):
    """The same idempotency key was used for a different change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Newer:
    """The entry after the position that a call named: the present *position*, the *id* of the entry, and its author."""

    position: str
    id: str
    by: str | None


class Outdated(Exception):
    """The caller has not seen what came after the position that it named. The text repeats no content."""

    def __init__(self, text: str, newer: Newer) -> None:
        super().__init__(text)
        self.newer = newer


class Repeatable(Exception):
    """A state that passes: the same call can succeed later."""


class StillRunning(Repeatable):
    """The same change is in progress."""


def error_body(
    code: str,
    message: str,
    request_id: str,
    *,
    retryable: bool,
    details: Sequence[dict[str, str]] = (),
    retry_after: int | None = None,
    newer: Newer | None = None,
) -> dict[str, Any]:
    """
    Build the body of an error response. *message* and *details* never repeat input.

    *details*: the invalid fields as {field, problem}. *retry_after*: seconds until a retry can succeed. *newer*:
    what the caller has to see first.
    """
    optional = {
        "details": list(details) or None,
        "retry_after": retry_after,
        "newer": asdict(newer) if newer else None,
    }
    shown = {name: value for name, value in optional.items() if value is not None}
    error = {"code": code, "message": message, "retryable": retryable, **shown}
    return {"error": error, "request_id": request_id}
