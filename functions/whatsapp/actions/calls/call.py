"""One call of an action, and the resources of the function that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.api.opaque_ids import Seal, seal_of
from whatsapp import transmission
from whatsapp.configuration.resources import FileResources

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from aws_lambda_powertools.utilities.parameters import SSMProvider

    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.aws.sqs_standard import StandardQueue
    from shared.contacts.person import Sources
    from shared.policy.consent.records import Consents
    from whatsapp.sending.gate import Gate
    from whatsapp.store.accounts.numbers.ownership import Ownership


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """
    Facts of this stack. *social_topics* are the SNS topics that the social function reads; *sns* makes a client.

    *vpc_endpoint* and *service_linked_role* are the template's; empty if it has none.
    """

    sns: Callable[[], Any]
    social_topics: tuple[str, ...] = ()
    vpc_endpoint: str = ""
    service_linked_role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResources(FileResources):
    """
    Resources of actions: the resources of sending, and more.

    *queue* takes events of webhooks, *jobs* work without an order: files, steps of sequences, exports. *campaigns*
    takes lists and pages of campaigns.
    """

    gate: Gate
    consents: Consents
    people: Sources
    queue: FifoQueue
    jobs: StandardQueue
    campaigns: StandardQueue
    seal_secret: JsonSecret
    webhook_secrets: JsonSecret
    ownership: Ownership
    parameters: Callable[[], SSMProvider]
    flow_keys_path: str  # of the parameters with the private keys of forms
    deployment: Deployment

    @property
    def seal(self) -> Seal:
        """The seal of cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call[Input]:
    """
    An authorised call: *input* is validated, *id* is the request's id, *remaining_ms* the time until the function ends.

    *api_url* is the address of this deployment's API, without a trailing slash; None for direct invocations.

    *cause* is a hash of the caller, the action and the idempotency key: a retry with the same key has the same cause,
    which makes the effects of the action safe to repeat.
    """

    action: str
    caller: Caller
    input: Input
    id: str
    cause: str
    remaining_ms: Callable[[], int]
    resources: ActionResources
    api_url: str | None = None

    @property
    def company(self) -> str:
        """The caller's company: all that a call reads or changes must belong to it."""
        return self.caller.company

    @property
    def table(self) -> Table:
        """The table of this context."""
        return self.resources.table

    def action_id(self, *parts: str) -> str:
        """Return the ledger's id of a side effect of this call; *parts* tell several effects apart."""
        return transmission.action_id(self.resources, "action", self.company, self.cause, *parts)
