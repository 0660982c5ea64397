"""Dependencies of the worker: table, bucket of mails, queues; for analysis and sending also models and SES."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.identity import keyed_hashes

if TYPE_CHECKING:
    from email_threads.store.items import Mailbox
    from shared.access.ownership.claims import Owners
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.policy.consent.records import Consents
    from shared.policy.kill_switches import KillSwitches
    from shared.providers.action_ledger import Action, Ledger
    from shared.providers.email.ses import Ses


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """
    *bucket* holds the mails, *queue* is `email-threads.fifo`.

    *media*, *conversations_inbound* and *conversations_statuses* are the bucket of files and the queues of the AI
    conversations; *consents* is the company's consent log, *owners* the companies that own addresses.
    """

    table: Table
    bucket: Bucket
    media: Bucket
    queue: FifoQueue
    conversations_inbound: FifoQueue
    conversations_statuses: FifoQueue
    consents: Consents
    owners: Owners
    region: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingResources(Resources):
    """*configuration_set* publishes SES's events, *public_url* is the address of the API, for links in mails."""

    ledger: Ledger[Action]
    ses: Ses
    models: ModelDependencies
    switches: KillSwitches
    spending: Spending
    configuration_set: str
    public_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The current delivery of an event: its function's invocation, the time left, and the number of the attempt."""

    owner: str
    remaining_ms: int
    attempt: int = 1
    is_last: bool = False


def owns(resources: Resources, mailbox: Mailbox) -> bool:
    """Whether a mailbox's company owns its address now; cached for 30 seconds."""
    return resources.owners.owner_of_email(mailbox.address) == mailbox.company_id


def token_secrets() -> tuple[bytes, ...]:
    """Return the secrets of reply tokens, the newest first: the keys of identifiers. Raises KeysUnreadable."""
    return tuple(key.secret for key in keyed_hashes.all_keys())
