"""
Posts messages to open connections: at most MOST_AT_ONCE at a time, each once, within a limit of time. Closes the
connections of a caller.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.inbox.live import connections, subscriptions
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_apigatewaymanagementapi import ApiGatewayManagementApiClient

    from shared.aws.dynamodb import Table
    from shared.inbox.live.items import Connection

MOST_AT_ONCE = 16
# No retries: a lost hint costs a client a later look, a slow one holds up hints of others.
QUICK = Config(
    connect_timeout=1,
    read_timeout=2,
    retries={"total_max_attempts": 1},
    max_pool_connections=MOST_AT_ONCE,
)
# API Gateway answers 410 to posts until it has accepted a connection, which is after $connect has stored it.
SETTLED_MS = 60 * clock.SECOND_MS


class _Outcome(StrEnum):
    POSTED = "posted"
    GONE = "gone"
    FAILED = "failed"
    LATE = "late"  # not tried within the limit


@dataclass(frozen=True)
class Live:
    """
    The table of connections, the table of API keys with the revocations, and the address of the API that posts to
    connections and closes them.
    """

    table: Table
    keys: Table
    endpoint: str

    @cached_property
    def client(self) -> ApiGatewayManagementApiClient:
        """The client of API Gateway's management API, made on first use."""
        return boto3.client("apigatewaymanagementapi", endpoint_url=self.endpoint, config=QUICK)


def post(live: Live, messages: Sequence[tuple[Connection, str]], *, within_ms: int) -> None:
    """
    Post each message to its connection, in random order, and remove the connections that are gone.

    After *within_ms* no further post starts; the last ones may take 3 s more. Failures are counted, not raised.
    """
    if not messages:
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - most batches have no receiver

    live.client  # noqa: B018 - made here, once: the threads would each make one
    deadline = clock.now_ms() + within_ms
    # The limit must not always leave out the same connections.
    shuffled = random.sample(messages, len(messages))
    with ThreadPoolExecutor(min(MOST_AT_ONCE, len(shuffled))) as pool:
        outcomes = Counter(pool.map(lambda one: _post(live, one[0], one[1], deadline), shuffled))
    for name, counted in (
        ("HintsPosted", outcomes[_Outcome.POSTED]),
        ("HintsFailed", outcomes[_Outcome.FAILED] + outcomes[_Outcome.LATE]),
    ):
        if counted:
            metrics.add_metric(name, MetricUnit.Count, counted)
    logger.info("hints posted", extra={"outcomes": {str(n): c for n, c in outcomes.items()}})


def close_all(live: Live, principal: str) -> int:
    """
    Close the connections of a caller, in all companies, and return how many may still be open; their browsers get no
    pushes any more. Safe to repeat.

    A revocation comes first: without it the client would connect again, and hints would go to a connection that is
    left open here.
    """
    left = 0
    for connection in connections.of_principal(live.table, principal):
        try:
            live.client.delete_connection(ConnectionId=connection.connection_id)
        except ClientError as refusal:
            if _is_gone(refusal):
                _forget(live, connection)
                continue
            left += 1
            logger.warning("connection not closed", extra=describe(refusal))
        except BotoCoreError as failure:
            left += 1
            logger.warning("connection not closed", extra=describe(failure))
        else:
            connections.remove(live.table, connection.own_key)
    for browser in subscriptions.of_principal(live.table, principal):
        subscriptions.remove(live.table, browser.own_key)
    return left


def _is_gone(refusal: ClientError) -> bool:
    return refusal.response["ResponseMetadata"].get("HTTPStatusCode") == HTTPStatus.GONE


def _post(live: Live, connection: Connection, text: str, deadline: int) -> _Outcome:
    if clock.now_ms() >= deadline:
        return _Outcome.LATE
    try:
        live.client.post_to_connection(ConnectionId=connection.connection_id, Data=text.encode())
    except ClientError as refusal:
        if _is_gone(refusal):
            return _forget(live, connection)
        logger.warning("hint not posted", extra=describe(refusal))
        return _Outcome.FAILED
    except BotoCoreError as failure:
        logger.warning("hint not posted", extra=describe(failure))
        return _Outcome.FAILED
    return _Outcome.POSTED


def _forget(live: Live, connection: Connection) -> _Outcome:
    """Remove a connection that is gone, unless API Gateway may be about to accept it."""
    if clock.now_ms() - connection.connected_at < SETTLED_MS:
        return _Outcome.GONE
    try:
        connections.remove(live.table, connection.own_key)
    except (ClientError, BotoCoreError) as failure:  # the next post finds it gone again
        logger.warning("connection not removed", extra=describe(failure))
    return _Outcome.GONE
