"""Models of the help desk's data: tickets, comments, linked orders, tags and teams."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from richpanel.clients.shapes import First, Flag, Id, Moment, ProviderModel, Some


class Address(ProviderModel):
    """The origin or destination of a message: `address` for e-mail, `id` on other channels."""

    address: str | None = Field(default=None, repr=False)
    id: Id | None = Field(default=None, repr=False)


class Source(ProviderModel):
    """
    The origin and the destination of a message. `from_` has an underscore because `from` is a Python keyword.

    `to` is documented for the creation of a ticket; whether all channels give it is not (check).
    """

    from_: Address | None = None
    to: First[Address] = None


class Via(ProviderModel):
    """The channel of a ticket or a comment. `channel` is the help desk's own name: email, messenger, aircall, ..."""

    channel: str | None = None
    source: Source | None = None

    @property
    def sender(self) -> str | None:
        """The `From` address, or None."""
        return self.source.from_.address if self.source and self.source.from_ else None

    @property
    def recipient(self) -> str | None:
        """The first `To` address, or None."""
        return self.source.to.address if self.source and self.source.to else None


class Profile(ProviderModel):
    """The help desk's customer profile. Only `email` is read: names and phone numbers prove no identity."""

    email: str | None = Field(default=None, repr=False)


class Attachment(ProviderModel):
    """An attachment of a comment; only its id is used."""

    id: Id | None = None


class Comment(ProviderModel):
    """
    One message of a ticket. `is_operator` is None if the help desk does not give the kind of author.

    `created_at` is in milliseconds since 1970. `author_id` is the help desk's id of the author.
    """

    id: Id | None = None
    author_id: Id | None = None
    created_at: Moment = None
    body: str | None = Field(default=None, repr=False)
    plain_body: str | None = Field(default=None, repr=False)
    type: str | None = None
    is_operator: Flag = None
    attachments: Some[Attachment] = Field(default_factory=list)
    via: Via | None = None

    @property
    def text(self) -> str:
        """The text of the comment: plain if available, else HTML."""
        return self.plain_body or self.body or ""


class Ticket(ProviderModel):
    """
    A ticket, which is one conversation. `comments` are in any order and may be missing in a list of tickets.

    `tags` are names or ids, see `HelpDesk.tag_names`. `updated_at` is in milliseconds since 1970.
    """

    id: Id
    status: str | None = None
    subject: str | None = Field(default=None, repr=False)
    via: Via | None = None
    assignee_id: Id | None = None
    tags: Some[Id] = Field(default_factory=list)
    created_at: Moment = None
    updated_at: Moment = None
    comments: Some[Comment] = Field(default_factory=list)
    customer_profile: Profile | None = None

    @property
    def channel(self) -> str:
        """The help desk's own name of the channel in lower case; empty if absent."""
        return ((self.via and self.via.channel) or "").strip().lower()

    @property
    def is_closed(self) -> bool:
        """Whether the ticket is closed. An unknown status counts as open, because agents review open tickets."""
        return (self.status or "").strip().upper() == "CLOSED"

    @property
    def in_order(self) -> list[Comment]:
        """The comments, oldest first; equal times are ordered by id."""
        return sorted(
            self.comments, key=lambda comment: (comment.created_at or 0, comment.id or "")
        )


@dataclass(frozen=True, slots=True)
class TicketPage:
    """One page of a list of tickets. `has_more`: the help desk reports a next page, or this page is full."""

    tickets: list[Ticket]
    has_more: bool


class OrderLink(ProviderModel):
    """The link from a ticket to an order: two ids assigned by the help desk."""

    order_id: Id | None = None
    app_client_id: Id | None = None


class ShippingLine(ProviderModel):
    """The shipping method chosen at the checkout."""

    title: str | None = None


class HelpDeskParcel(ProviderModel):
    """One shipment of an order."""

    created_at: Moment = None
    status: str | None = None
    tracking_number: str | None = Field(default=None, repr=False)
    tracking_company: str | None = None
    tracking_url: str | None = Field(default=None, repr=False)


class HelpDeskOrder(HelpDeskParcel):
    """
    The help desk's copy of an order. Its format is not documented (check): these are the field names of Shopify's older
    API, which the help desk was observed to pass on. Every field may be missing.
    """

    name: str | None = Field(default=None, repr=False)
    order_number: Id | None = Field(default=None, repr=False)
    email: str | None = Field(default=None, repr=False)
    customer_email: str | None = Field(default=None, repr=False)
    customer: Profile | None = None
    cancelled_at: Moment = None
    financial_status: str | None = None
    fulfillment_status: str | None = None
    order_status_url: str | None = Field(default=None, repr=False)
    shipping_method: str | None = None
    shipping_lines: Some[ShippingLine] = Field(default_factory=list)
    fulfillments: Some[HelpDeskParcel] = Field(default_factory=list)
    tags: Some[str] = Field(default_factory=list)


class Tag(ProviderModel):
    """A tag of the account."""

    id: Id
    name: str


class Team(ProviderModel):
    """A team of the account."""

    id: Id | None = None
    name: str
