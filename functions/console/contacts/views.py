"""Response models of contacts."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from console.api.views import InboxRow  # noqa: TC001 - field of a model
from shared.api.models import views
from shared.identity.contacts.attributes import Kind  # noqa: TC001 - field of a model
from shared.identity.contacts.claims import Proof  # noqa: TC001 - field of a model
from shared.identity.contacts.items import What  # noqa: TC001 - field of a model
from shared.identity.identifiers import IdentifierKind  # noqa: TC001 - field of a model
from shared.inbox.items import Channel  # noqa: TC001 - field of models
from shared.policy.consent.items import Source, State  # noqa: TC001 - fields of a model
from shared.policy.consent.unreachable import LiftReason  # noqa: TC001 - field of a model


class ContactHandle(views.View):
    """A number, address or user name of a person on a channel; `text` is how people write it."""

    channel: Channel
    handle: str
    text: str


class ContactIdentifier(views.View):
    """An identifier that people of the company have named as a person's; `text` is how people write it."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    identifier_id: str
    kind: IdentifierKind
    value: str
    text: str
    proof: Proof


class ContactView(views.View):
    """
    A person, by the newest of the conversations that the caller may read and by what people have stored. `contactId`
    may be less after a merge; the earlier one still leads to the contact. `version` differs after every change.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    contact_id: str
    name: str | None
    given_names: str | None
    language: str | None
    zone: str | None
    organisation: str | None
    labels: list[str]
    owner: str | None
    attributes: dict[str, str | bool | int | float]
    handles: list[ContactHandle]
    identifiers: list[ContactIdentifier]
    last_activity_at: str | None
    version: int


class ContactMerge(views.View):
    """
    A merge of two contacts, as they were before it: both are `kept` from then on. `mergeId` undoes it, until
    `undoableUntil`; a dry run has neither.

    `conversations` is how many conversations come to the contact that is kept, `more` whether there are more.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    merge_id: str | None
    undoable_until: str | None
    kept: ContactView
    merged: ContactView
    conversations: int
    more: bool


class SeparatedContacts(views.View):
    """The two people after an undo; a contact without a conversation that the caller may read is left out."""

    contacts: list[ContactView]


class ContactNote(views.View):
    """A note about a person. `version` counts its changes."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    note_id: str
    text: str
    by: str
    at: str
    edited_by: str | None
    edited_at: str | None
    version: int


class ContactNotes(views.View):
    """A page of the notes about a person, newest first."""

    notes: list[ContactNote]


class RemovedNote(views.View):
    """The id of a note that was removed."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    note_id: str


class ContactTicket(views.View):
    """A ticket of the help desk that the person has opened, and when it had its newest message."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    ticket_id: str
    last_activity_at: str


class ContactTickets(views.View):
    """The tickets of a person, newest first: the last 90 days, at most 100 of each contact that was merged."""

    tickets: list[ContactTicket]


class ContactChange(views.View):
    """A change of a person's record: who made it, and the names of the changed fields."""

    what: What
    by: str
    at: str
    fields: list[str]


class ContactChanges(views.View):
    """A page of the changes of a person's record, newest first."""

    changes: list[ContactChange]


class AttributeDefinition(views.View):
    """An attribute that the company defines for contacts."""

    name: str
    kind: Kind
    title: str
    choices: list[str]
    filterable: bool


class AttributeDefinitions(views.View):
    """The attributes of the company's contacts, by name."""

    attributes: list[AttributeDefinition]


class UnreachableIdentifier(views.View):
    """
    The provider's newest report that a channel does not reach an identifier: its code, and when. Nothing is sent to it
    unless people have lifted the report.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    reason: str
    since: str
    lifted_at: str | None
    lift_reason: LiftReason | None
    lift_evidence: str | None


class IdentifierConsent(views.View):
    """
    The newest choice that applies to an identifier on a channel; without `state` there is none. `saidBy` is the channel
    of the person's message, `recordedBy` who recorded the choice. `unreachable`: a mail or message did not arrive.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    kind: IdentifierKind
    value: str
    text: str  # as people write it
    state: State | None
    at: str | None
    source: Source | None
    evidence: str | None
    said_by: str | None
    recorded_by: str | None
    unreachable: UnreachableIdentifier | None


class ChannelConsent(views.View):
    """The consent of a person on a channel, for each identifier that it reaches and that the caller may see."""

    channel: Channel
    identifiers: list[IdentifierConsent]


class ContactConsents(views.View):
    """
    The consent of a person on all channels. Without `complete` the person has more identifiers than these: more than
    20, or some that the newest 500 conversations do not show.
    """

    channels: list[ChannelConsent]
    complete: bool


class Contacts(views.View):
    """A page of contacts that a search found. With a cursor there may be more, even if the page is empty."""

    contacts: list[ContactView]


class ContactConversations(views.View):
    """A page of a contact's conversations, as in the inbox, in all statuses."""

    conversations: list[InboxRow]
