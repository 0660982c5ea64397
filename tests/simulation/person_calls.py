"""Calls of requests about a person, as the inbox's function makes them of the functions of the contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.privacy import PART

if TYPE_CHECKING:
    from collections.abc import Callable

AT = "2020-01-01T00:00:00.000Z"


def ask_part(handler: Callable[..., Any], context: Any, call: str, **fields: Any) -> Any:
    """The answer of a function to a call; None while it waits."""
    answer = handler({PART: {"call": call, **fields}}, context)
    assert answer.keys() & {"answer", "waits"}, answer
    return answer.get("answer")


def asked_for(kind: str, company: str, at: str = AT) -> dict[str, str]:
    """A request of this time, as parts know it."""
    return {"kind": kind, "company": company, "requested_at": at, "requested_by": "user:kim"}
