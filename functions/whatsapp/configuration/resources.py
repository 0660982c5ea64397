"""Dependencies of this context from the deployed stack: storage, queues, providers and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.aws.sqs_standard import StandardQueue
    from shared.providers.action_ledger import Action, Ledger
    from shared.providers.whatsapp.aws_eum import Eum
    from shared.providers.whatsapp.meta_graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingResources:
    """Dependencies for sending a message and showing it in the inbox."""

    table: Table
    bucket: Bucket
    conversation_inbound: FifoQueue  # Messages at automated numbers are forwarded to this queue.
    ledger: Ledger[Action]
    graph: Graph
    eum: Eum
    tokens: JsonSecret  # {token reference: Graph access token}
    message_ttl_days: int  # 0: messages are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResources(SendingResources):
    """Also the dependencies of media downloads. *media_origins*: the hosts that Graph's download links may name."""

    media_origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources(FileResources):
    """Created once per function environment by the handlers of the workers, and by tests."""

    queue: FifoQueue
    files: StandardQueue  # Downloads of media files are sent to this queue.
    conversation_statuses: FifoQueue  # Statuses at automated numbers are forwarded to this queue.
    spending: Spending  # bounds what customers cause
    keep_revoked_content: bool
    log_all_events: bool
