"""
The answers that are kept for a day, for calls with the same idempotency key.

An answer may hold addresses, names and texts, and the key of a conversation has the customer's number. The item
therefore has the status, the state and the ledger's id as they are, and the whole answer sealed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shared.api.opaque_ids import NotOurs
from shared.aws.sqs_fifo import to_json

if TYPE_CHECKING:
    from shared.api.opaque_ids import Seal

# Sealed it is a third longer, which the bound of the item permits.
LARGEST_BYTES = 27_000
_PLAIN = ("actionId", "state")
_SEALED, _RESULT, _STATUS = "sealed", "result", "statusCode"


def kept(seal: Seal, cause: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the item of a call that has its answer. Of a longer answer only the plain part is kept."""
    result = content[_RESULT]
    plain = {name: result[name] for name in _PLAIN if isinstance(result.get(name), str)}
    whole = to_json(content)
    if len(whole.encode()) > LARGEST_BYTES:
        return {_STATUS: content[_STATUS], _RESULT: {**plain, "isShortened": True}}
    sealed = seal.seal(whole, bound_to=_use(cause))
    return {_STATUS: content[_STATUS], _RESULT: plain, _SEALED: sealed}


def opened(seal: Seal, cause: str, item: dict[str, Any]) -> dict[str, Any]:
    """Return a kept answer; its plain part with `isShortened` if it was too long, or its seal's secret is gone."""
    sealed = item.get(_SEALED)
    if sealed is None:
        return item
    try:
        content: dict[str, Any] = json.loads(seal.open(str(sealed), bound_to=_use(cause)))
    except NotOurs:
        return {_STATUS: item[_STATUS], _RESULT: {**item[_RESULT], "isShortened": True}}
    return content


def _use(cause: str) -> str:
    return f"answer {cause}"
