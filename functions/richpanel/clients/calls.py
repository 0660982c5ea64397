"""One request to a provider: in the time that is left, and what its answer means."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from shared import clock
from shared.failures import Permanent, Transient
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_CALL_MS = 10 * clock.SECOND_MS
# Kept for what follows a call: writing down what came of it.
KEPT_MS = 2 * clock.SECOND_MS
SHORTEST_CALL_MS = 500
PAUSE_MS = (500, 2_000)  # before the one retry: full jitter

_NO_CONTENT = 204
_REDIRECTS = 300
_CLIENT_ERRORS = 400
_TOO_MANY = 429
_SERVER_ERRORS = 500
# Refused now, perhaps not later, and certainly not acted on: request timeout, too early, too many; and a key that is
# wrong or not allowed to, which says nothing about the event: it waits until people have put the right one in.
_NOT_ACTED_ON = frozenset({401, 403, 408, 425, _TOO_MANY})


class BadAnswer(Transient):
    """
    The provider said that all is well, and then no JSON, or JSON of another shape: a proxy's page, or a broken API.

    It may pass. When it comes again and again, the event is parked under this very reason.
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
    One request on the wire, over before *deadline_ms*, the end of the invocation. Raises NotSent or InDoubt.

    Answers of every status come back; see `refusal`.
    """
    within_ms = min(LONGEST_CALL_MS, deadline_ms - clock.now_ms() - KEPT_MS)
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
    """What an HTTP status says about a request, as a reply's outcome; None when it was taken."""
    code = f"{provider}_{status}"
    if status in _NOT_ACTED_ON:
        return NotSent(code)
    if status >= _SERVER_ERRORS:
        return InDoubt(code)
    if status >= _CLIENT_ERRORS:
        return Refused(code)
    # A redirect is not followed: neither done nor refused by whom we asked.
    return InDoubt(code) if status >= _REDIRECTS else None


def repeatable(once: Callable[[], http.Answer], deadline_ms: int) -> http.Answer:
    """
    The answer to a request that may come twice: tried again once, after a pause, when it fails in a way that passes.

    *once* makes one attempt and raises Refused, NotSent or InDoubt. Raises Permanent or Transient.
    """
    try:
        return once()
    except Refused as refused:
        raise Permanent(refused.code) from None
    except (NotSent, InDoubt) as failure:
        pause_ms = random.randint(*PAUSE_MS)  # noqa: S311 - spreads load; nothing is kept secret by it
        if clock.now_ms() + pause_ms + KEPT_MS + SHORTEST_CALL_MS > deadline_ms:
            raise Transient(failure.code) from None
        clock.sleep_ms(pause_ms)
    return single(once)


def single(once: Callable[[], http.Answer]) -> http.Answer:
    """As `repeatable`, without the second attempt."""
    try:
        return once()
    except Refused as refused:
        raise Permanent(refused.code) from None
    except (NotSent, InDoubt) as failure:
        raise Transient(failure.code) from None


def content(answer: http.Answer) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON of an answer that was taken; None for one that has no content by its status. Raises BadAnswer."""
    if answer.status == _NO_CONTENT:
        return None
    try:
        return json.loads(answer.data)
    except (ValueError, RecursionError):
        raise BadAnswer from None
