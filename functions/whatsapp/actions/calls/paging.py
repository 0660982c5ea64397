"""Cursors of listings: bound to the caller, the action and its parameters, and valid for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.api.cursors import Listing
from shared.aws.sqs_fifo import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes
    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.calls.inputs import PageInput

_POSITION = "position"


def start_of(call: Call[Any]) -> Attributes | None:
    """Return the position at which the page begins; None for the first page. Raises InvalidCursor."""
    cursor = call.input.cursor
    return None if cursor is None else _listing(call).position(call.resources.seal, cursor)


def cursor_of(call: Call[Any], last: Attributes | None) -> str | None:
    """Return the cursor that continues after *last* (strings only); None if there is no more."""
    return None if not last else _listing(call).cursor(call.resources.seal, last)


def slice_of[One](
    call: Call[PageInput], found: Sequence[One], *, size: int | None = None
) -> tuple[list[One], str | None]:
    """Return one page of a list that is complete in memory, and the cursor of the next one. Raises InvalidCursor."""
    start = int((start_of(call) or {_POSITION: "0"})[_POSITION])
    end = start + (size or call.input.limit)
    return list(found[start:end]), cursor_of(
        call, {_POSITION: str(end)} if end < len(found) else None
    )


def _listing(call: Call[Any]) -> Listing:
    parameters = call.input.model_dump(mode="json", exclude={"limit", "cursor"})
    query = (call.caller.principal, to_json(parameters))
    return Listing(call.company, f"action:{call.action}", query)
