"""One worker of the help-desk middleware over moto and the provider sandbox, driven event by event."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.utilities.parameters import SSMProvider
from boto3.dynamodb.types import TypeDeserializer

from local.sandbox.accounts.shop import OrderSeed
from local.sandbox.accounts.tickets import CommentSeed, TicketSeed
from richpanel.configuration import account
from richpanel.configuration.resources import Endpoints, Resources
from richpanel.decisions.templates.catalogue import templates
from richpanel.guards.switches import SwitchBoard
from richpanel.inbound.channels import Channel, channel_names
from richpanel.inbound.event import RichpanelEvent, event_id_of_message
from richpanel.store.items import TTL_ATTRIBUTE, Action, key_of
from richpanel.store.lease import Lease
from richpanel.store.rate_limit import Limiter
from richpanel.worker import parking
from richpanel.worker.pipeline import Delivery, Handled, process
from shared.ai.spending.budget import Spending
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.policy.consent.records import Consents
from shared.providers.action_ledger import Ledger
from shared.runtime import clock
from shared.runtime.failures import Permanent
from tests import keyring
from tests.template import create_table

if TYPE_CHECKING:
    import pytest
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

deserialize = TypeDeserializer().deserialize
PATH = "/parley/dev/richpanel"
ACCOUNT_PARAMETER = "/parley/tests/richpanel-account"
WHERE = "Hi, where is my order? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."
BOT, AGENT = "bot-1", "agent-7"
JANE = "jane@shop.example"
ACCOUNT = {
    "support_signature": "The Acme team",
    "bot_author_id": BOT,
    "automation_author_ids": ["macro-1"],
    "trust_linked_order": False,
}
OPEN = {
    "safe_mode": "false",
    "automation_enabled": "true",
    "automation_enabled_channels": "email,livechat",
    "template_enabled": json.dumps({name: one.tier is not None for name, one in templates.items()}),
    "tier2_channels": "email",
    "tier2_paths": "linked,number",
    "auto_close_enabled": "false",
    "outbound_scope": "all",
}
TABLES = {
    "idempotency": "RichpanelIdempotencyTable",
    "state": "RichpanelConversationStateTable",
    "audit": "RichpanelAuditActionsTable",
    "contacts": "ContactsTable",
}


@dataclass
class Context:
    """The Lambda context of one run, with the fields that the code uses."""

    aws_request_id: str
    left_ms: int = 60_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


@dataclass
class Harness:
    """The worker with its dependencies."""

    resources: Resources
    sandbox: Sandbox
    time: Time
    dynamodb: DynamoDBClient
    requests: Any = field(default_factory=lambda: count(1))

    def switch(self, **switches: str) -> None:
        """Set switches; they take effect at once."""
        for name, text in switches.items():
            self.resources.switchboard.provider().client.put_parameter(
                Name=f"{PATH}/{name}", Value=text, Type="String", Overwrite=True
            )
        self.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's

    def time_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Replace the real clock again after `monkeypatch.undo`."""
        monkeypatch.setattr(clock, "now_ms", self.time.now_ms)
        monkeypatch.setattr(clock, "sleep_ms", self.time.sleep_ms)

    def ticket(self, *texts: str, ticket: str = "t-1", **facts: Any) -> list[str]:
        """Create a ticket with these messages from Jane, a minute apart, the last a minute ago; returns their ids."""
        comments = [
            {
                "id": f"m-{number}",
                "body": text,
                "created_at": self.moment(60_000 * (number - len(texts) - 1)),
            }
            for number, text in enumerate(texts, start=1)
        ]
        seed = {"id": ticket, "sender": JANE, "profile_email": JANE, "comments": comments} | facts
        self.sandbox.help_desk.seed(TicketSeed.model_validate(seed), self.moment())
        return [str(comment["id"]) for comment in comments]

    def comment(self, text: str, ticket: str = "t-1", **facts: Any) -> str:
        """Add a comment, from the customer unless *facts* set another author; returns its id."""
        seed = CommentSeed.model_validate({"body": text, "created_at": self.moment()} | facts)
        return self.sandbox.help_desk.tickets[ticket].add(seed, self.moment())

    def order(self, **facts: Any) -> None:
        """Create an order of Jane in the shop."""
        known: dict[str, Any] = {
            "id": "6001",
            "name": "#1001",
            "email": JANE,
            "created_at": "2026-02-27T15:00:00Z",
            "shipping_method": "Standard",
            "fulfillment_status": "FULFILLED",
            "parcels": [
                {
                    "number": "1Z999AA10123456784",
                    "company": "UPS",
                    "created_at": "2026-02-28T15:00:00Z",
                }
            ],
        }
        seed = OrderSeed.model_validate(known | facts)
        self.sandbox.shop.orders[seed.id] = seed

    def moment(self, after_ms: int = 0) -> str:
        """The current time plus *after_ms*, in the help desk's format."""
        at = datetime.fromtimestamp((self.time.ms + after_ms) / 1_000, UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def event(self, ticket: str = "t-1", message: str | None = None, **facts: Any) -> str:
        """The queue message of a webhook call about a ticket."""
        known: dict[str, Any] = {
            "conversation_id": ticket,
            "event_id": event_id_of_message(ticket, message) if message else None,
            "adopts": None,
            "message_id": message,
            "source": "webhook",
            "channel": Channel.EMAIL,
            "trigger": "customer_message",
            "created_at": None,
            "received_at": self.time.ms,
            "accepted_at": self.time.ms,
            "text": "",
            "attachments": 0,
        }
        return RichpanelEvent(**known | facts).to_json()

    def handle(
        self, body: str | None = None, *, receives: int = 1, left_ms: int = 60_000
    ) -> Handled:
        """Handle one delivery."""
        context: Any = Context(f"request-{next(self.requests)}", left_ms)
        self.sandbox.clock.advance(self.time.ms / 1_000 - self.sandbox.clock.now())
        text = body or self.event()
        try:
            # A handler of another function may have configured its keys in this process.
            with keyring.held(keyring.Keys(keyring.KEY)):
                return process(self.resources, Delivery(text, receives, context))
        except Permanent as refusal:
            event = parking.park(self.resources, text, refusal.reason)
            return Handled(event, "parked", refusal.reason)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table, by key."""
        name = getattr(self.resources, table).name
        found = self.dynamodb.scan(TableName=name)["Items"]
        rows = [{key: deserialize(value) for key, value in item.items()} for item in found]
        return sorted(rows, key=repr)

    def row(self, key: str) -> dict[str, Any]:
        """One row of the idempotency table; empty if there is none."""
        return self.resources.idempotency.get({"event_id": key}) or {}

    def state(self, ticket: str = "t-1") -> dict[str, Any]:
        """The stored state of a ticket; empty if there is none."""
        return self.resources.state.get({"conversation_id": ticket}) or {}

    def audit(self) -> list[tuple[str, str]]:
        """Kind and result of all audit rows but reads of the lists of decisions, in order."""
        rows = sorted(
            (row for row in self.rows("audit") if "ticket_id" not in row),
            key=lambda row: str(row["ts_action_id"]),
        )
        return [(row["action_type"], row["result"]) for row in rows]

    def decided(self) -> dict[str, Any]:
        """The content of the newest `route` row."""
        rows = [row for row in self.rows("audit") if row["action_type"] == "route"]
        newest = max(rows, key=lambda row: str(row["ts_action_id"]))
        payload: dict[str, Any] = json.loads(newest["action_payload_redacted"])
        return payload

    def tags(self, ticket: str = "t-1") -> set[str]:
        """The ticket's tags."""
        return set(self.sandbox.help_desk.tickets[ticket].tags)

    def replies(self, ticket: str = "t-1") -> list[str]:
        """The automatic replies in the ticket."""
        comments = self.sandbox.help_desk.tickets[ticket].comments
        return [str(c.get("body", "")) for c in comments if c.get("author_id") == BOT]

    def calls(self) -> Counter[str]:
        """The number of requests to the help desk by operation."""
        return Counter(sent.operation for sent in self.sandbox.sent)


def open_harness(sandbox: Sandbox, time: Time, **changes: Any) -> Harness:
    """A harness with all switches on, and empty tables; *changes* are of the account."""
    dynamodb = boto3.client("dynamodb")
    create_table(dynamodb, "AuditLogTable")
    tables = {
        name: Table(dynamodb, create_table(dynamodb, logical_id), TTL_ATTRIBUTE)
        for name, logical_id in TABLES.items()
    }
    keys = {"richpanel": "a-key", "shopify": "a-token", "salt": "of the tests"}
    boto3.client("secretsmanager").create_secret(Name="keys", SecretString=json.dumps(keys))
    parameters = SSMProvider(boto3_client=boto3.client("ssm"))
    parameters.client.put_parameter(
        Name=ACCOUNT_PARAMETER, Value=json.dumps(ACCOUNT | changes), Type="String"
    )
    resources = Resources(
        idempotency=tables["idempotency"],
        state=tables["state"],
        audit=tables["audit"],
        contacts=tables["contacts"],
        lease=Lease(tables["idempotency"]),
        ledger=Ledger(tables["idempotency"], lambda action: key_of(Action, action), Action),
        limiter=Limiter(tables["state"]),
        switchboard=SwitchBoard(lambda: parameters, PATH),
        keys=JsonSecret(lambda: boto3.client("secretsmanager"), "keys"),
        stored_account=account.StoredAccount(
            lambda: boto3.client("ssm"), ACCOUNT_PARAMETER, channel_names(()), tables["state"]
        ),
        endpoints=Endpoints(
            help_desk=f"{sandbox.url}/v1",
            shopify=sandbox.url,
            shopify_version="2026-01",
            shipstation=None,
        ),
        consents=Consents(Table(dynamodb, create_table(dynamodb, "ConversationLogTable"))),
        spending=Spending(Table(dynamodb, create_table(dynamodb, "SpendingTable")), 100, 1_000),
    )
    harness = Harness(resources, sandbox, time, dynamodb)
    harness.switch(**OPEN)
    return harness
