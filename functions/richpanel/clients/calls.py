"""Single requests to a provider: time budget, mapping of HTTP statuses, and one retry."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_CALL_MS = 10 * clock.SECOND_MS
# Reserved for recording the result after a call.
RESERVED_MS = 2 * clock.SECOND_MS
SHORTEST_CALL_MS = 500
PAUSE_MS = (500, 2_000)  # before the only retry, with jitter

_NO_CONTENT = 204
_REDIRECTS = 300
_CLIENT_ERRORS = 400
_TOO_MANY = 429
_SERVER_ERRORS = 500
# Certainly not processed, and may succeed later: request timeout, too early, too many requests. Also a wrong or
# unauthorised key, which is no fault of the event: it waits until an operator has corrected the key.
_NOT_ACTED_ON = frozenset({401, 403, 408, 425, _TOO_MANY})


class BadAnswer(Transient):
    """
    The provider returned a success status without JSON, or with JSON of another shape: a proxy's page or a broken API.

    It may be temporary. If retries are exhausted, the event is parked with this reason.
    """

    def __init__(self) -> None:
        super().__init__("bad_provider_answer")


def attempt(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    deadline_ms: int,
    body: Mapping[str, Any] | None = None,
) -> http.Answer:
    """
    Send one HTTP request that completes before *deadline_ms*, the end of the invocation. Raises NotSent or InDoubt.

    Responses of every status are returned; see `refusal`.
    """
    within_ms = min(LONGEST_CALL_MS, deadline_ms - clock.now_ms() - RESERVED_MS)
    if within_ms < SHORTEST_CALL_MS:
        raise NotSent("no_time_left")
    return http.call(
        method,
        url,
        headers={"Accept": "application/json", **headers},
        json=body,
        within_ms=within_ms,
    )


def refusal(provider: str, status: int) -> Refused | NotSent | InDoubt | None:
    """Map an HTTP status to the outcome of a request; None if it was accepted."""
    code = f"{provider}_{status}"
    if status in _NOT_ACTED_ON:
        return NotSent(code)
    if status >= _SERVER_ERRORS:
        return InDoubt(code)
    if status >= _CLIENT_ERRORS:
        return Refused(code)
    # Redirects are not followed: the request was neither processed nor refused.
    return InDoubt(code) if status >= _REDIRECTS else None


def repeatable(once: Callable[[], http.Answer], deadline_ms: int) -> http.Answer:
    """
    Send an idempotent request, with one retry after a pause if the first attempt fails temporarily.

    *once* makes one attempt and raises Refused, NotSent or InDoubt. Raises Permanent or Transient.
    """
    try:
        return once()
    except Refused as refused:
        raise Permanent(refused.code) from None
    except (NotSent, InDoubt) as failure:
        pause_ms = random.randint(*PAUSE_MS)  # noqa: S311 - spreads load; not used for security
        if clock.now_ms() + pause_ms + RESERVED_MS + SHORTEST_CALL_MS > deadline_ms:
            raise Transient(failure.code) from None
        clock.sleep_ms(pause_ms)
    return single(once)


def single(once: Callable[[], http.Answer]) -> http.Answer:
    """Send a request as `repeatable` does, without a retry."""
    try:
        return once()
    except Refused as refused:
        raise Permanent(refused.code) from None
    except (NotSent, InDoubt) as failure:
        raise Transient(failure.code) from None


def content(answer: http.Answer) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON of a successful response; None for status 204. Raises BadAnswer."""
    if answer.status == _NO_CONTENT:
        return None
    try:
        return json.loads(answer.data)
    except (ValueError, RecursionError):
        raise BadAnswer from None
