"""The help desk's account in the sandbox: tickets and their comments, tags, teams, and what was seeded."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from local.sandbox.request_limit import Window

TEAMS = (
    "Sales Team", "Backend Team", "Technical Support Team", "Phone Support Team", "TikTok Support", "Returns Admin",
    "LiveChat Support", "Leadership Team", "Social Media Team", "Email Support Team", "Chargebacks / Disputes Team",
)  # fmt: skip
REQUESTS, SECONDS = 50, 30.0


class Seed(BaseModel):
    """What the control routes take: nothing unknown, since a misspelt field would seed something else."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CommentSeed(Seed):
    """
    One message of a ticket. `sender` is its own From address, where the help desk tells it.

    `is_operator` None: the help desk does not say. `created_at` is ISO 8601; now unless given.
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
    """The order beside a ticket."""

    order_id: str
    app_client_id: str = "shop-1"


class TicketSeed(Seed):
    """
    A ticket. `sender` is where it came from, `profile_email` what the help desk knows the customer by.

    `spelling`: how the API writes its fields. `is_wrapped`: `{"ticket": {...}}`, or the ticket itself.
    """

    id: str
    channel: str = "email"
    subject: str = ""
    status: str = "OPEN"
    sender: str | None = None
    profile_email: str | None = None
    assignee_id: str | None = None
    tags: list[str] = Field(default_factory=list)
    comments: list[CommentSeed] = Field(default_factory=list)
    order: OrderLinkSeed | None = None
    updated_at: str | None = None
    spelling: Literal["documented", "camel"] = "documented"
    is_wrapped: bool = True


class CustomerComment(Seed):
    """A customer writes: a comment on a ticket, and as many calls of our webhook as rules fire for it."""

    ticket_id: str
    comment: CommentSeed
    webhooks: int = Field(default=1, ge=0, le=5)


@dataclass
class Ticket:
    """A ticket as it stands. Times are ISO 8601 UTC."""

    seed: TicketSeed
    status: str
    assignee_id: str | None
    tags: list[str]
    created_at: str
    updated_at: str
    comments: list[dict[str, Any]] = field(default_factory=list)

    def add(self, comment: CommentSeed, now: str) -> str:
        """Put a comment at the end; its id."""
        made = {
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
        self.comments.append({name: value for name, value in made.items() if value is not None})
        self.updated_at = now
        return str(made["id"])

    def as_json(self, *, with_comments: bool = True) -> dict[str, Any]:
        """The ticket as the API writes it."""
        seed = self.seed
        written: dict[str, Any] = {
            "id": seed.id,
            "status": self.status,
            "subject": seed.subject,
            "via": {"channel": seed.channel, "source": {"from": {"address": seed.sender}}},
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
    """The account. Tags are known by their names, and by the ids that `tag_id` makes of them."""

    def __init__(self) -> None:
        self.tickets: dict[str, Ticket] = {}
        self.tags: dict[str, str] = {}
        self.teams = TEAMS
        self.window = Window(REQUESTS, SECONDS)

    def seed(self, seed: TicketSeed, now: str) -> Ticket:
        """Put a ticket there, in place of one with its id."""
        ticket = Ticket(seed, seed.status, seed.assignee_id, list(seed.tags), now, now)
        for comment in seed.comments:
            ticket.add(comment, now)
        ticket.updated_at = seed.updated_at or now
        for name in seed.tags:
            self.know_tag(name)
        self.tickets[seed.id] = ticket
        return ticket

    def know_tag(self, name: str) -> str:
        """The id of a tag, which is made if there is none."""
        return self.tags.setdefault(name, tag_id(name))


def tag_id(name: str) -> str:
    """The id under which the sandbox knows a tag: the same in every run."""
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
