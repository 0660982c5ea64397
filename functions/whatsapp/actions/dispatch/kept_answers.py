"""
The answers that are kept for a day, for calls with the same idempotency key.

An answer may hold addresses, names and texts, and the key of a conversation has the customer's number. The item
therefore has the status, the state and the ledger's id as they are, and the whole answer sealed. All of it has at most
4 KB: of a longer result the largest parts are omitted, such as the components of a template.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shared.api.opaque_ids import NotOurs
from shared.aws.sqs_fifo import to_json

if TYPE_CHECKING:
    from shared.api.opaque_ids import Seal

# Sealed it is a third longer: with the rest at most 4 KB.
LARGEST_BYTES = 2_900
_PLAIN = ("actionId", "state")
_SEALED, _RESULT, _STATUS, _SHORTENED = "sealed", "result", "statusCode", "isShortened"


def kept(seal: Seal, cause: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the item of a call that has its answer."""
    result = content[_RESULT]
    plain = {name: result[name] for name in _PLAIN if isinstance(result.get(name), str)}
    sealed = seal.seal(to_json(_fitting(content)), bound_to=_use(cause))
    return {_STATUS: content[_STATUS], _RESULT: plain, _SEALED: sealed}


def opened(seal: Seal, cause: str, item: dict[str, Any]) -> dict[str, Any]:
    """Return a kept answer, with `isShortened` if it was too long; only its plain part if its seal's secret is gone."""
    try:
        content: dict[str, Any] = json.loads(seal.open(str(item[_SEALED]), bound_to=_use(cause)))
    except NotOurs:
        return {_STATUS: item[_STATUS], _RESULT: {**item[_RESULT], _SHORTENED: True}}
    return content


def _fitting(content: dict[str, Any]) -> dict[str, Any]:
    """Return an answer; of one that is too long the smallest parts of its result, in their order."""
    if _size(content) <= LARGEST_BYTES:
        return content
    result = content[_RESULT]
    fitting: dict[str, Any] = {_SHORTENED: True}
    for name in sorted(result, key=lambda name: _size(result[name])):
        more = {**fitting, name: result[name]}
        if _size({**content, _RESULT: more}) > LARGEST_BYTES:
            break
        fitting = more
    return {
        **content,
        _RESULT: {name: fitting[name] for name in [*result, _SHORTENED] if name in fitting},
    }


def _size(part: object) -> int:
    return len(to_json(part).encode())


def _use(cause: str) -> str:
    return f"answer {cause}"
