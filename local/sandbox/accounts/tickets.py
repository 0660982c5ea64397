"""The help desk's account in the sandbox: tickets with comments, tags and teams; and the seeds that create them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from local.sandbox.accounts.seeds import Seed
from local.sandbox.request_limit import Window

TEAMS = (
    "Sales Team", "Backend Team", "Technical Support Team", "Phone Support Team", "TikTok Support", "Returns Admin",
    "LiveChat Support", "Leadership Team", "Social Media Team", "Email Support Team", "Chargebacks / Disputes Team",
)  # fmt: skip
REQUESTS, SECONDS = 50, 30.0


class CommentSeed(Seed):
    """
    One message of a ticket. `sender` is its From address, if the help desk reports it.

    `is_operator` None: the help desk does not report it. `created_at` is ISO 8601; default now.
    """

    id: str | None = None
    body: str = ""
    plain_body: str | None = None
    author_id: str | None = "customer-1"
    is_operator: bool | None = False
    created_at: str | None = None
    sender: str | None = None
    attachment_ids: list[str] = Field(default_factory=list)


class OrderLinkSeed(Seed):
    """The order linked to a ticket."""

    order_id: str
    app_client_id: str = "shop-1"


class TicketSeed(Seed):
    """
    A ticket. `sender` is its From address, `recipient` its To address, `profile_email` the customer profile's.

    `spelling`: the case of the API's field names. `is_wrapped`: `{"ticket": {...}}`, or the ticket itself.
    """

    id: str
    channel: str = "email"
    subject: str = ""
    status: str = "OPEN"
    sender: str | None = None
    recipient: str | None = None
    profile_email: str | None = None
    assignee_id: str | None = None
    tags: list[str] = Field(default_factory=list)
    comments: list[CommentSeed] = Field(default_factory=list)
    order: OrderLinkSeed | None = None
    updated_at: str | None = None
    spelling: Literal["documented", "camel"] = "documented"
    is_wrapped: bool = True


class CustomerComment(Seed):
    """A message of a customer: a comment on a ticket, and the number of webhook calls for it."""

    ticket_id: str
    comment: CommentSeed
    webhooks: int = Field(default=1, ge=0, le=5)


def _source(seed: TicketSeed) -> dict[str, Any]:
    source = {"from": {"address": seed.sender}}
    return source | ({"to": {"address": seed.recipient}} if seed.recipient else {})


@dataclass
class Ticket:
    """The current state of a ticket. Times are ISO 8601 UTC."""

    seed: TicketSeed
    status: str
    assignee_id: str | None
    tags: list[str]
    created_at: str
    updated_at: str
    comments: list[dict[str, Any]] = field(default_factory=list)

    def add(self, comment: CommentSeed, now: str) -> str:
        """Append a comment and return its id."""
        written = {
            "id": comment.id or str(uuid.uuid4()),
            "author_id": comment.author_id,
            "created_at": comment.created_at or now,
            "body": comment.body,
            "plain_body": comment.plain_body,
            "type": "email" if self.seed.channel == "email" else "message",
            "isOperator": comment.is_operator,
            "attachments": [{"id": attachment} for attachment in comment.attachment_ids],
            "via": {"source": {"from": {"address": comment.sender}}} if comment.sender else None,
        }
        self.comments.append({name: value for name, value in written.items() if value is not None})
        self.updated_at = now
        return str(written["id"])

    def as_json(self, *, with_comments: bool = True) -> dict[str, Any]:
        """Return the ticket in the API's format."""
        seed = self.seed
        written: dict[str, Any] = {
            "id": seed.id,
            "status": self.status,
            "subject": seed.subject,
            "via": {"channel": seed.channel, "source": _source(seed)},
            "assignee_id": self.assignee_id,
            "tags": list(self.tags),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "customer_profile": {"email": seed.profile_email},
        }
        if with_comments:
            written["comments"] = self.comments
        return _camel(written) if seed.spelling == "camel" else written


class HelpDesk:
    """The account. `tags` maps tag names to the ids that `tag_id` makes."""

    def __init__(self) -> None:
        self.tickets: dict[str, Ticket] = {}
        self.tags: dict[str, str] = {}
        self.teams = TEAMS
        self.window = Window(REQUESTS, SECONDS)

    def seed(self, seed: TicketSeed, now: str) -> Ticket:
        """Create a ticket, or replace the one with its id."""
        ticket = Ticket(seed, seed.status, seed.assignee_id, list(seed.tags), now, now)
        for comment in seed.comments:
            ticket.add(comment, now)
        ticket.updated_at = seed.updated_at or now
        for name in seed.tags:
            self.add_tag(name)
        self.tickets[seed.id] = ticket
        return ticket

    def add_tag(self, name: str) -> str:
        """Create a tag unless it exists; return its id."""
        return self.tags.setdefault(name, tag_id(name))


def tag_id(name: str) -> str:
    """Return the id of a tag, the same in every run."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"tag:{name}"))


def _camel(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, list):
        return [_camel(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {_camel_key(key): _camel(entry) for key, entry in value.items()}


def _camel_key(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)
