"""
A simulated help desk: the real webhook and worker over moto, two in-memory queues, the provider sandbox, one clock.

A test sends messages, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import copy
import json
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from richpanel.classification.taxonomy import HANDED_BACK_TAG, ControlTag, Intent, Team
from richpanel.configuration.account_settings import Account
from richpanel.decisions.routing import ROUTE_TAGS, intent_tags
from richpanel.decisions.templates.catalogue import templates
from shared.aws.dynamodb import Table
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from tests import keyring, template
from tests.simulation import processes, simulated_system
from tests.simulation.invocations import Invocation, SandboxClock
from tests.simulation.kernel import Parts
from tests.simulation.processes import quiet
from tests.simulation.queues.workers import Workers
from tests.simulation.simulated_system import Key, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.sandbox.accounts.tickets import HelpDesk
    from tests.simulation.queues.fifo_queues import FifoQueues

TOKEN = "the token of the simulated help desk"
LONGEST_LIFE_MS = 60_000
# All tags of the account: a missing one is created, which is a separate scenario.
TAGS = (
    HANDED_BACK_TAG,
    *ROUTE_TAGS,
    *ControlTag,
    *(tag for intent in Intent for tag in intent_tags(intent)),
)
BOT = "bot-1"
ACCOUNT = {
    "support_signature": "The Acme team",
    "bot_author_id": BOT,
    # The author that the help desk sets for comments created over the API: comments of chats take no author.
    "automation_author_ids": ["operator-of-the-key"],
}

# Table (idempotency, state, audit, spending) and key.
type Rows = dict[Key, dict[str, Any]]
type Snapshot = simulated_system.Snapshot[FifoQueues]


@dataclass(frozen=True)
class _CachedAccount:
    """A cached account: a worker that crashes while it reads the account has not started its work."""

    account: Account

    def value(self) -> Account:
        return self.account

    def deployed(self) -> Account:
        return self.account


@dataclass(kw_only=True)
class System(Workers):
    """
    Everything a handler can reach, and the handlers. *log* is the table of the conversations context with its opt-outs.
    """

    parts: ClassVar = Parts(
        functions=("RichpanelWebhook", "RichpanelWorker"),
        queues=("RichpanelQueue", "RichpanelLiveQueue"),
        tables={
            "idempotency": "RichpanelIdempotencyTable",
            "state": "RichpanelConversationStateTable",
            "audit": "RichpanelAuditActionsTable",
            "spending": "SpendingTable",
            "log": "ConversationLogTable",
            "contacts": "ContactsTable",
        },
        secrets={
            "RichpanelWebhookSecret": {"active_tokens": [TOKEN], "active_hmac_keys": []},
            "RichpanelKeys": {
                "richpanel": "a key",
                "shopify": "a token",
                "salt": "of the simulation",
            },
            "IdentifierKeysSecret": keyring.SECRET,
        },
        parameters={"RichpanelAccount": json.dumps(ACCOUNT), "ShopifyVersion": "2026-01"},
        switches_at="/parley/local/richpanel",
        switches={
            "safe_mode": "false",
            "automation_enabled": "true",
            "automation_enabled_channels": "email,livechat",
            "template_enabled": json.dumps(
                {name: one.tier is not None for name, one in templates.items()}
            ),
            "tier2_channels": "email",
            "tier2_paths": "linked,number",
            "auto_close_enabled": "true",
            "outbound_scope": "all",
        },
    )

    timeout_ms: int = LONGEST_LIFE_MS

    def __post_init__(self) -> None:
        super().__post_init__()
        template.put_parameter(self.ssm, "RichpanelAccountSettings", **self.given)
        self.webhook, self.worker = self.functions.values()
        self.log = self.tables["log"]
        self.consents = Consents(Table(self.dynamodb, self.log))

    def reset(self) -> Self:
        """Reset to the initial state: no ticket, no row, all switches as for automatic replies."""
        self.assign({})
        self.set_company(None)
        return super().reset()

    def prepare(self) -> None:
        for name in TAGS:
            self.sandbox.help_desk.add_tag(name)

    def new_process(self) -> None:
        super().new_process()
        self.forget_switches()
        self.worker.resources.limiter._last_seen = 0
        for secret in (self.webhook.secret, self.worker.resources.keys):
            secret._value = None

    def forget_switches(self) -> None:
        processes.forget_switches(self.worker.resources.switchboard)

    def own_state(self) -> tuple[HelpDesk, dict[str, Any]]:
        self.sandbox.forget_sent()
        return copy.deepcopy(self.sandbox.help_desk), dict(self.sandbox.shop.orders)

    def restore_own(self, own: tuple[HelpDesk, dict[str, Any]]) -> None:
        self.sandbox.clock = SandboxClock(self.clock)
        self.sandbox.help_desk = copy.deepcopy(own[0])
        self.sandbox.shop.orders = dict(own[1])

    # People

    def call(self, *entries: Mapping[str, Any]) -> None:
        """The help desk calls the webhook, which must accept the call, with one entry or several."""
        body = json.dumps(entries[0] if len(entries) == 1 else entries)
        event = {
            "requestContext": {"requestId": str(uuid.uuid4())},
            "headers": {"Content-Type": "application/json", "X-Middleware-Token": TOKEN},
            "body": body,
            "isBase64Encoded": False,
        }
        with quiet():
            answer = self.webhook.handler(event, Invocation(self.clock, lasts_ms=LONGEST_LIFE_MS))
        assert answer["statusCode"] == 200, answer

    def assign(self, assignees: Mapping[Team, str]) -> None:
        """Configure the assignees of each team."""
        self._set_up(assignees=assignees)

    def set_company(self, company: str | None) -> None:
        """Configure the company whose opt-outs apply."""
        self._set_up(company=company)
        self.interceptor.observer = lambda *_: None

    def _set_up(self, **changes: Any) -> None:
        resources = self.worker.resources
        known = _CachedAccount(replace(resources.account, **changes))
        self.worker.resources = replace(resources, stored_account=known)  # type: ignore[attr-defined]

    def opt_out(self, address: str) -> None:
        """Opt a customer out in a conversation on another channel."""
        company = self.worker.resources.account.company
        said = Statement(source=Source.WORD, at_ms=self.clock.ms, evidence="a word", channel="sms")
        self.consents.record_opt_out(company, [address], said)

    # Final state

    def rows(self) -> Rows:
        """All rows of the help desk's tables by table and key, as plain values."""
        return {key: plain(item) for key, item in self.stored().items() if key[0] != "log"}

    def row(self, key: str) -> dict[str, Any]:
        """One row of events and actions; empty where there is none."""
        return self.rows().get(("idempotency", key), {})
