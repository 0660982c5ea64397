"""
Scenes at acme's help desk: customers who write, and what has to become of it.

Each run has tickets and customers of its own, since one customer is answered at most five times a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

ASKED_FOR_NUMBER = "mw-order-lookup-needed"
ANSWERED = "mw-order-status-answered"

PHONE = "+1 202 555 0143"
TRACKING_NUMBER = "1Z999AA10123456784"
ORDER_NUMBER, NO_ORDER_NUMBER = "AC20841", "AC99999"


@dataclass(frozen=True, slots=True)
class Scene:
    """
    What a customer writes in a ticket of their own.

    The last of *messages* is what the rules of the help desk fire for, *webhooks* times; those before it were written
    in the minutes before. *reply* is what has to be in the one reply, None where there must be none.
    """

    name: str
    description: str
    customer: str
    messages: tuple[str, ...]
    tag: str
    """Has to be on the ticket."""
    reply: str | None = None
    channel: str = "email"
    webhooks: int = 1


SCENES = (
    Scene(
        "tracking",
        "Jane asks for her order by its number.",
        "jane",
        (f"Hi, where is my order #{ORDER_NUMBER}?",),
        tag=ANSWERED,
        reply=TRACKING_NUMBER,
    ),
    Scene(
        "dispute",
        "Omar threatens with a chargeback: for people, never for a machine.",
        "omar",
        (f"I have told my bank to open a chargeback for this payment. Call me: {PHONE}.",),
        tag="route-chargebacks-disputes",
    ),
    Scene(
        "told-twice",
        "Two rules fire for one message of Priya's.",
        "priya",
        ("Hello, where is my order? I have not had any tracking yet.",),
        tag=ASKED_FOR_NUMBER,
        reply="order number",
        webhooks=2,
    ),
    Scene(
        "burst",
        "Sam writes three messages in a row.",
        "sam",
        ("Hi there", "I ordered a bell last week", "Where is my order, please?"),
        tag=ASKED_FOR_NUMBER,
        reply="order number",
        webhooks=3,
    ),
    Scene(
        "not-hers",
        "Mallory asks for Jane's order,",
        "mallory",
        (f"Could you tell me where my order #{ORDER_NUMBER} is?",),
        tag=ASKED_FOR_NUMBER,
        reply="order number",
    ),
    Scene(
        "not-there",
        "and Lee for one that does not exist: both get the same words.",
        "lee",
        (f"Could you tell me where my order #{NO_ORDER_NUMBER} is?",),
        tag=ASKED_FOR_NUMBER,
        reply="order number",
    ),
    Scene(
        "chat",
        "Kim asks in the chat, which has a lane of its own.",
        "kim",
        ("Hi! Where is my order?",),
        tag=ASKED_FOR_NUMBER,
        reply="order number",
        channel="livechat",
    ),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the scenes; *number* tells its tickets and customers from those of other runs."""

    number: int
    at: datetime

    @classmethod
    def now(cls) -> Run:
        """A run that begins now."""
        at = datetime.now(UTC)
        return cls(round(at.timestamp()), at)

    def ticket_id(self, scene: Scene) -> str:
        """The ticket of a scene."""
        return f"{scene.name}-{self.number}"

    def has(self, ticket_id: object) -> bool:
        """Whether this is the ticket of one of its scenes."""
        return ticket_id in {self.ticket_id(scene) for scene in SCENES}

    def address(self, customer: str) -> str:
        """A customer's mail address."""
        return f"{customer}.{self.number}@example.com"

    def ticket(self, scene: Scene) -> dict[str, Any]:
        """The ticket before the last message, as the sandbox takes it (`POST /_tickets`)."""
        address, before = self.address(scene.customer), scene.messages[:-1]
        comments = [
            {"body": text, "created_at": self._ago(minutes=len(before) - place)}
            for place, text in enumerate(before)
        ]
        return {
            "id": self.ticket_id(scene),
            "channel": scene.channel,
            "sender": address,
            "profile_email": address,
            "comments": comments,
        }

    def last_message(self, scene: Scene) -> dict[str, Any]:
        """The message that the rules fire for (`POST /_comments`)."""
        return {
            "ticket_id": self.ticket_id(scene),
            "comment": {"body": scene.messages[-1]},
            "webhooks": scene.webhooks,
        }

    def order(self) -> dict[str, Any]:
        """Jane's order (`POST /_orders`), which is on its way."""
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
