"""Response models of the inbox and of live updates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from console.api.inputs import ViewFilters  # noqa: TC001 - field of a model
from shared.access.companies import Language  # noqa: TC001 - field of a model
from shared.access.groups import Role  # noqa: TC001 - field of a model
from shared.api.models import views
from shared.identity.addresses import displayed
from shared.inbox.items import Channel, Context, DueFor, Status  # noqa: TC001 - fields of models

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
    address_text: str | None  # as people write it; of WhatsApp, which has ids of numbers, none
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

    `complete` is false if the company has more people than one call reads. `company_name` and `language` are those that
    administrators have set; without a name it is absent.
    """

    people: list[PersonView]
    teams: list[str]
    complete: bool
    company_name: str | None = None
    language: Language


def row(entry: Entry, *, key: str, now: str) -> InboxRow:
    """Return the row of an entry at the time *now*; *key* addresses it in its context."""
    status = entry.state(now)
    same = entry.model_dump(include=set(InboxRow.model_fields) - {"labels", "status"})
    return InboxRow(
        **same
        | {
            "key": key,
            "address_text": None if entry.context == "whatsapp" else displayed(entry.address),
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
