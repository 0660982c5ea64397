"""Resources of the deployed stack that the workers of this context use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conversations.configuration.projects import Companies
    from conversations.store.items.conversation import ChannelMethod
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.providers.action_ledger import Action, Ledger


@dataclass(slots=True, kw_only=True, eq=False)
class Resources:
    """
    Clients, created once per Lambda environment by a handler, or by tests.

    `channels` are the processors' queues, `agents` is the queue of what people send and release.
    """

    table: Table
    log: Table
    companies: Companies
    channels: Mapping[ChannelMethod, FifoQueue]
    replies: FifoQueue
    agents: FifoQueue
    bucket: Bucket
    ledger: Ledger[Action]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The tables of the company's contacts, and of the inbox that lists their conversations."""

    contacts: Table
    inbox: Table


@dataclass(frozen=True, slots=True)
class Run:
    """
    One delivery of a record: the owner of its claims, the attempt number and the worker's remaining time.

    *sent_at_ms* is the time when the record was enqueued: the same at every delivery.
    """

    owner: str
    sent_at_ms: int
    attempt: int
    is_last: bool
    remaining_ms: Callable[[], int]
