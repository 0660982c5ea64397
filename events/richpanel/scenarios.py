"""
Scenes at acme's help desk: messages of customers and the expected results.

Each run has its own tickets and customers, because a customer gets at most five automatic replies a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

TAG_ORDER_NUMBER_REQUESTED = "mw-order-lookup-needed"
TAG_ORDER_STATUS_ANSWERED = "mw-order-status-answered"

PHONE = "+1 202 555 0143"
TRACKING_NUMBER = "1Z999AA10123456784"
ORDER_NUMBER, NO_ORDER_NUMBER = "AC20841", "AC99999"


@dataclass(frozen=True, slots=True)
class Scenario:
    """
    The messages of a customer in one ticket, and the expected result.

    For the last of *messages* the help desk calls the webhook *webhooks* times; the others were written in the minutes
    before. *reply*: a text that the only reply must contain; None if there must be no reply.
    """

    name: str
    description: str
    customer: str
    messages: tuple[str, ...]
    tag: str
    """A tag that the ticket must have."""
    reply: str | None = None
    channel: str = "email"
    webhooks: int = 1


SCENARIOS = (
    Scenario(
        "tracking",
        "Jane asks about her order and names its number.",
        "jane",
        (f"Hi, where is my order #{ORDER_NUMBER}?",),
        tag=TAG_ORDER_STATUS_ANSWERED,
        reply=TRACKING_NUMBER,
    ),
    Scenario(
        "dispute",
        "Omar announces a chargeback: assigned to an operator, no automatic reply.",
        "omar",
        (f"I have told my bank to open a chargeback for this payment. Call me: {PHONE}.",),
        tag="route-chargebacks-disputes",
    ),
    Scenario(
        "called-twice",
        "The help desk calls the webhook twice for one message of Priya.",
        "priya",
        ("Hello, where is my order? I have not had any tracking yet.",),
        tag=TAG_ORDER_NUMBER_REQUESTED,
        reply="order number",
        webhooks=2,
    ),
    Scenario(
        "burst",
        "Sam writes three messages in a row.",
        "sam",
        ("Hi there", "I ordered a bell last week", "Where is my order, please?"),
        tag=TAG_ORDER_NUMBER_REQUESTED,
        reply="order number",
        webhooks=3,
    ),
    Scenario(
        "foreign-order",
        "Mallory asks about Jane's order.",
        "mallory",
        (f"Could you tell me where my order #{ORDER_NUMBER} is?",),
        tag=TAG_ORDER_NUMBER_REQUESTED,
        reply="order number",
    ),
    Scenario(
        "unknown-order",
        "Lee asks about an order that does not exist: the reply is the same.",
        "lee",
        (f"Could you tell me where my order #{NO_ORDER_NUMBER} is?",),
        tag=TAG_ORDER_NUMBER_REQUESTED,
        reply="order number",
    ),
    Scenario(
        "chat",
        "Kim asks in the chat, which has a separate queue.",
        "kim",
        ("Hi! Where is my order?",),
        tag=TAG_ORDER_NUMBER_REQUESTED,
        reply="order number",
        channel="livechat",
    ),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the scenarios; *number* makes its tickets and customers different from other runs'."""

    number: int
    at: datetime

    @classmethod
    def now(cls) -> Run:
        """Return a run that starts now."""
        at = datetime.now(UTC)
        return cls(round(at.timestamp()), at)

    def ticket_id(self, scenario: Scenario) -> str:
        """Return the ticket id of a scenario."""
        return f"{scenario.name}-{self.number}"

    def has(self, ticket_id: object) -> bool:
        """Whether this is the ticket id of one of its scenarios."""
        return ticket_id in {self.ticket_id(scenario) for scenario in SCENARIOS}

    def address(self, customer: str) -> str:
        """Return a customer's e-mail address."""
        return f"{customer}.{self.number}@example.com"

    def ticket(self, scenario: Scenario) -> dict[str, Any]:
        """Return the ticket before the last message, in the format of the sandbox (`POST /_tickets`)."""
        address, before = self.address(scenario.customer), scenario.messages[:-1]
        comments = [
            {"body": text, "created_at": self._ago(minutes=len(before) - position)}
            for position, text in enumerate(before)
        ]
        return {
            "id": self.ticket_id(scenario),
            "channel": scenario.channel,
            "sender": address,
            "profile_email": address,
            "comments": comments,
        }

    def last_message(self, scenario: Scenario) -> dict[str, Any]:
        """Return the last message of a scenario (`POST /_comments`)."""
        return {
            "ticket_id": self.ticket_id(scenario),
            "comment": {"body": scenario.messages[-1]},
            "webhooks": scenario.webhooks,
        }

    def order(self) -> dict[str, Any]:
        """Return Jane's order, which is in transit (`POST /_orders`)."""
        parcel = {"number": TRACKING_NUMBER, "company": "UPS", "created_at": self._ago(days=2)}
        return {
            "id": "6001",
            "name": f"#{ORDER_NUMBER}",
            "email": self.address("jane"),
            "created_at": self._ago(days=3),
            "shipping_method": "Standard",
            "fulfillment_status": "FULFILLED",
            "parcels": [parcel],
        }

    def _ago(self, **time: float) -> str:
        return (self.at - timedelta(**time)).isoformat(timespec="seconds").replace("+00:00", "Z")
