"""Response models of the inbox and of live updates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from console.api.inputs import ViewFilters  # noqa: TC001 - field of a model
from shared.access.groups import Role  # noqa: TC001 - field of a model
from shared.api.models import views
from shared.identity.addresses import displayed
from shared.identity.contacts.attributes import Kind  # noqa: TC001 - field of a model
from shared.identity.contacts.claims import Proof  # noqa: TC001 - field of a model
from shared.identity.contacts.items import What  # noqa: TC001 - field of a model
from shared.identity.identifiers import IdentifierKind  # noqa: TC001 - field of a model
from shared.inbox.items import Channel, Context, DueFor, Status  # noqa: TC001 - fields of models
from shared.policy.consent.records import Source, State  # noqa: TC001 - fields of a model

if TYPE_CHECKING:
    from shared.inbox.items import Entry

_MOMENT_CHARACTERS = len("2026-01-31T12:00:00.000")


class InboxRow(views.View):
    """
    A conversation in the inbox. `key` is its key in the API of its `context`: `/whatsapp/conversations/{key}`,
    `/conversations/{key}` or `/email-threads/{key}`.

    `contextStatus` is the status in the words of the context, if it differs. `preview` is the beginning of the newest
    message. `version` is larger after every change of the row.

    `contactId` leads to the person (`GET /contacts/{contactId}`), if the conversation proves who it is.

    `dueAt` is when the next target of a thread, `dueFor`, is due; the alarm before it is at `atRiskAt`. `waitingSince`
    is the time of the customer's first message without an answer, of AI conversations their newest one.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    context: Context
    key: str
    channel: Channel
    address: str
    project_id: str | None
    contact: str | None
    contact_id: str | None
    handle: str | None
    handle_text: str | None  # as people write it: `+44 7700 900101`
    subject: str | None
    preview: str | None
    last_activity_at: str
    status: Status
    context_status: str | None
    snoozed_until: str | None
    assignee: str | None
    due_at: str | None
    due_for: DueFor | None
    at_risk_at: str | None
    waiting_since: str | None
    labels: list[str]
    unread: bool
    unread_count: int
    version: int


class Inbox(views.View):
    """
    A page of the inbox, newest activity first.

    `lookedAt` conversations were compared with filters and words, the last of them with activity at `lookedBackTo`
    (absent without any), for about `readUnits` read units. Without a cursor these were all there are.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    conversations: list[InboxRow]
    looked_at: int
    looked_back_to: str | None
    read_units: int


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


class IdentifierConsent(views.View):
    """
    The newest choice that applies to an identifier on a channel; without `state` there is none. `saidBy` is the channel
    of the person's message, `recordedBy` who recorded the choice.
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


class LiveTicket(views.View):
    """Opens one connection, before `expiresAt`: `{url}?ticket={ticket}`. Each connection needs another ticket."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    ticket: str
    url: str
    expires_in_seconds: int
    expires_at: str


class SignedOut(views.View):
    """
    The person's access tokens no longer count. `openConnections`: live connections that API Gateway has not closed,
    which get no more hints.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    open_connections: int


class PersonView(views.View):
    """
    A person with a role in the company. Conversations are assigned to the `principal`.

    `name`: as the login provider has it, else the part of the address before the @; absent without both.
    """

    principal: str
    name: str | None
    roles: list[Role]
    teams: list[str]


class CompanyPeople(views.View):
    """
    The people of a company and the teams in which they are. A conversation of a team is assigned to `team:{name}`.

    `complete` is false if the company has more people than one call reads.
    """

    people: list[PersonView]
    teams: list[str]
    complete: bool


def row(entry: Entry, *, key: str, now: str) -> InboxRow:
    """Return the row of an entry at the time *now*; *key* addresses it in its context."""
    status = entry.state(now)
    same = entry.model_dump(include=set(InboxRow.model_fields) - {"labels", "status"})
    return InboxRow(
        **same
        | {
            "key": key,
            "handle_text": displayed(entry.handle) if entry.handle else None,
            "last_activity_at": activity_of(entry),
            "status": status,
            "snoozed_until": entry.snoozed_until if status == "snoozed" else None,
            "labels": sorted(entry.labels),
            "unread": entry.unread_count > 0,
        }
    )


def activity_of(entry: Entry) -> str:
    """Return the time of the newest message of an entry, as answers have it."""
    return f"{entry.last_activity_at[:_MOMENT_CHARACTERS]}Z"


class SavedView(views.View):
    """
    A view with its filters, and how many conversations fit. Without `isExact` there may be more: at most 99 are
    counted, among the newest 300 that are compared.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    name: str
    filters: ViewFilters
    count: int
    is_exact: bool


class OwnedViews(views.View):
    """The views of a person or a team."""

    owner: str
    views: list[SavedView]


class SavedViews(views.View):
    """`presets` are views of everyone: `unassigned`, `unread`, `at_risk`. `owners`: the caller first, then teams."""

    presets: list[SavedView]
    owners: list[OwnedViews]


class SavedViewState(views.View):
    """Whose views were changed; `revision` counts their changes."""

    owner: str
    revision: int
