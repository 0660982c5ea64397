"""Dependencies of this context's functions: the store, the queues, and for the worker models and retrievers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

# Estimates of the time that a step and an export take, for the first round of a long queue.
STEP_MS, EXPORT_MS = 20_000, 5_000
ROUND_MS = 300_000  # the schedule's

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsletters.issues.delivery.allowance import SendingAccount
    from newsletters.store.bucket.objects import Store
    from shared.access.ownership.claims import Owners
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.ai.retrieval.settings import RetrievalDependencies
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue
    from shared.contacts.person import Sources
    from shared.inbox.live.announcements import Announcements
    from shared.policy.kill_switches import KillSwitches
    from shared.providers.email.ses import Ses
    from shared.providers.email.tenants import Tenants


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """*steps* is `newsletter-steps.fifo`, *exports* `newsletter-exports.fifo`."""

    store: Store
    steps: FifoQueue
    exports: FifoQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerResources(Resources):
    """The resources of the worker of `newsletter-steps.fifo`. *spending*: the counts of what models cost companies."""

    spending: Table
    models: ModelDependencies
    retrieval: RetrievalDependencies


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingResources(Resources):
    """
    The resources of the same worker for issues: their mails have *configuration_set*, or *click_configuration_set* if
    their clicks are counted, their links begin with *public_url*. *people* are the contacts and their consent, *owners*
    own the domains of senders. *ses* is loaded with the first mail, *account* is the account at SES, *tenants* those of
    companies. *live* has the notifications of people, *announcements* tell their open pages.
    """

    people: Sources
    owners: Owners
    live: Table
    announcements: Announcements
    ses: Callable[[], Ses]
    account: SendingAccount
    tenants: Callable[[], Tenants]
    switches: KillSwitches
    configuration_set: str
    click_configuration_set: str
    public_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResources(Resources):
    """The resources of the worker of `newsletter-exports.fifo`; *image_origins* are origins such as `https://a.example`."""

    image_origins: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The current delivery of an event: its function's invocation, the end of its time, and the attempt."""

    owner: str
    ends_at_ms: int  # since 1970
    is_last: bool = False
