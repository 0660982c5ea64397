"""
Patch of MiniStack for functions of DynamoDB streams: each mapping has a thread, as on AWS they do not wait for each
other.

MiniStack invokes them in the one thread that polls all queues and streams: while a function of a stream starts or runs,
no function of a queue is invoked.
"""

import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from ministack.core.responses import _request_account_id, _request_region
from ministack.services import dynamodb, lambda_svc

type Mapping = tuple[str, str, dict[str, Any]]

_PAUSE_SECONDS = 1.0
_only: ContextVar[str | None] = ContextVar("only", default=None)
_all_mappings = lambda_svc._iter_all_esms
_poll = lambda_svc._poll_dynamodb_streams


def mappings() -> Iterator[Mapping]:
    """Yield all mappings, or the one of this thread."""
    only = _only.get()
    for account, region, mapping in _all_mappings():
        if only is None or mapping["UUID"] == only:
            yield account, region, mapping


def poll() -> bool:
    """Start a thread for each mapping whose stream has new records and that has none; returns whether one started."""
    has_started = False
    for account, region, mapping in _all_mappings():
        in_account, in_region = _request_account_id.set(account), _request_region.set(region)
        try:
            if _is_due(mapping):
                lambda_svc._dispatch_esm_batch(mapping["UUID"], _handle, mapping["UUID"])
                has_started = True
        finally:
            _request_account_id.reset(in_account)
            _request_region.reset(in_region)
    return has_started


def _is_due(mapping: dict[str, Any]) -> bool:
    mapping_id, source = mapping["UUID"], mapping.get("EventSourceArn", "")
    if ":dynamodb:" not in source or not mapping.get("Enabled", True):
        return False
    if lambda_svc._esm_inflight.get(mapping_id, 0):
        return False
    if lambda_svc._esm_backoff_until.get(mapping_id, 0) > time.time():
        return False
    table = source.partition("/stream/")[0].rpartition("/")[2]
    position = lambda_svc._dynamodb_stream_positions.get(mapping_id, -1)
    return bool(position < dynamodb.stream_end_position(table))


def _handle(mapping_id: str) -> None:
    """One batch of a mapping, by MiniStack's own code; after none or a failed one, nothing for a second."""
    _only.set(mapping_id)  # of this thread
    has_handled = False
    try:
        has_handled = _poll()
    finally:
        if not has_handled:
            lambda_svc._esm_backoff_until[mapping_id] = time.time() + _PAUSE_SECONDS


def install() -> None:
    """Replace MiniStack's own functions. SystemExit if there are none."""
    if not hasattr(lambda_svc, "_dispatch_esm_batch"):
        raise SystemExit(
            "this MiniStack works in another way: local/stack/emulator/ministack_streams.py has to follow"
        )
    lambda_svc._iter_all_esms = mappings
    lambda_svc._poll_dynamodb_streams = poll
