"""Creates and shows groups of the business, and changes their participants."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.aws.sqs_fifo import digest
from shared.identity import addresses
from whatsapp import store
from whatsapp.actions.accounts.numbers import deletion
from whatsapp.actions.calls import delivery, paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import (
    Flag,
    Input,
    PageInput,
    PhoneOrUserId,
    SenderInput,
    Text,
)
from whatsapp.actions.calls.views import Done
from whatsapp.actions.dispatch.registration import Group as ActionGroup
from whatsapp.actions.groups_and_calls import known_groups
from whatsapp.api.queries import NotFound
from whatsapp.sending.payloads import of_text
from whatsapp.sending.views import View
from whatsapp.store.items.conversations.groups import Group, GroupRequest

GROUPS = ActionGroup("groups")
_FIELDS = (
    "subject,description,participants,suspended,total_participant_count,creation_timestamp,"
    "join_approval_mode"
)

_IDS = ("wa_id", "user_id")

type GroupId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@=:+-]{1,200}$")]


class CreateGroup(SenderInput):
    """*participants*: up to 8 people who shall be invited."""

    group_name: Annotated[Text, Field(max_length=128)]
    group_description: Annotated[Text, Field(max_length=2_048)] | None = None
    participants: Annotated[list[PhoneOrUserId], Field(max_length=8)] = Field(default_factory=list)
    join_approval_mode: Literal["auto_approve", "approval_required"] = "auto_approve"


class GroupInput(Input):
    """A group."""

    group_id: GroupId


class ParticipantInput(GroupInput):
    """A group, and a person by number or user id."""

    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "participant"))


class GetGroup(GroupInput):
    """*refresh*: ask the provider; else the stored group is shown."""

    refresh: Flag = True


class GetGroups(SenderInput, PageInput):
    """`stored` shows the account's groups that are known here, `remote` asks the provider for the number's groups."""

    source: Literal["remote", "stored"] = "stored"


class GroupRequested(View):
    """
    A request for a group: `pending` until the provider reports its outcome, `created` with *group_id*, or `failed`.

    *to_invite*: people to be invited with `add_group_participant` once the group exists.
    """

    request_id: str
    state: Literal["pending", "created", "failed"]
    group_id: str | None = None
    to_invite: list[str]

    @property
    def goes_on(self) -> bool:
        """Whether the provider has not finished yet, which answers with 202."""
        return self.state == "pending"


class Invitation(View):
    """
    The outcome of an invitation. invited: the link was sent; the person joins by opening it. participant: already in
    the group, so nothing was sent. in_doubt, unknown: as of any message.
    """

    state: Literal["invited", "participant", "in_doubt", "unknown"]
    participant: str
    action_id: str | None = None
    message_id: str | None = None
    conversation_pk: str | None = None


class GroupView(View):
    """A group; *participants* are numbers in digits, or user ids. *participant_count* is the provider's."""

    group_id: str
    waba_meta_id: str | None = None
    phone: str | None = None
    name: str | None = None
    description: str | None = None
    state: Literal["active", "suspended", "deleted"]
    participants: list[str]
    admins: list[str]
    created_at: str | None = None
    updated_at: str | None = None
    participant_count: int | None = None
    join_approval_mode: str | None = None


class Groups(View):
    """A page of groups."""

    groups: list[GroupView]


@GROUPS.changes("remote_graph", Scope.WHATSAPP_GROUPS, idempotent=False)
def create_group(call: Call[CreateGroup]) -> GroupRequested:
    """
    Ask the provider for a group. The answer is pending; the group is stored when the provider's event names it.

    A group is joined by invitation only, and none is sent before the group exists: `toInvite` names the people to
    invite with `add_group_participant` then.
    """
    phone = participants.sender_of(call)
    graph = remote.graph_of(call, phone)
    invited = [
        participants.contact_of(call, phone, who, f"participants.{index}")[0]
        for index, who in enumerate(call.input.participants)
    ]
    body = _creation_of(call.input)

    def attempt() -> str:
        return str(graph.attempt("POST", phone.phone, "groups", body=body)["request_id"])

    find = "get_groups with source remote lists the groups of the number"
    request_id = remote.once(call, phone, find, attempt)
    request = GroupRequest(
        pk=GroupRequest.key(request_id), company=phone.company, phone=phone.phone
    )
    store.groups.note_request(call.table, request)
    # The event may have been faster.
    known = store.groups.get_request(call.table, request_id) or request
    if known.company != call.company:
        raise NotFound("the request belongs to another company")
    return GroupRequested(
        request_id=request_id, state=known.state, group_id=known.group, to_invite=invited
    )


@GROUPS.changes("remote_graph", Scope.WHATSAPP_GROUPS)
def add_group_participant(call: Call[ParticipantInput]) -> Invitation:
    """
    Send the group's invite link to a person, as a text: the 24-hour window must be open.

    The answer never says that a person was added: the person joins, and an event reports it. The same person gets the
    same link once, also under another idempotency key; after a reset of the link there is a new one to send.
    """
    group, phone = known_groups.find_active(call, call.input.group_id)
    conversation = participants.conversation_with(call, phone, call.input.to, "to")
    contact = str(conversation.from_)
    if contact in group.participants:
        return Invitation(state="participant", participant=contact)
    link = known_groups.invite_link(remote.graph_of(call, phone), group.group_id)
    invitation = replace(
        call,
        input=call.input.model_copy(update={"to": contact}),
        cause=digest("group invitation", call.company, group.group_id, contact, link),
    )
    name = f" {group.name}" if group.name else ""
    draft = of_text(f"You are invited to the WhatsApp group{name}: {link}")
    sent = delivery.send(invitation, phone, conversation, draft)
    states: dict[str, Any] = {"sent": "invited"}
    return Invitation(
        state=states.get(sent.state, sent.state),
        participant=contact,
        action_id=sent.action_id,
        message_id=sent.message_id,
        conversation_pk=sent.conversation_pk,
    )


@GROUPS.changes("remote_graph", Scope.WHATSAPP_GROUPS)
def remove_group_participant(call: Call[ParticipantInput]) -> Done:
    """
    Remove a person from a group at the provider. The stored group follows with the provider's event.

    A person who is not in the group counts as removed.
    """
    group, phone = known_groups.find_active(call, call.input.group_id)
    text, field = call.input.to, "to"
    _, digits, user_id = participants.contact_of(call, phone, text, field)
    body = {"messaging_product": "whatsapp", "participants": [{"user": digits or user_id}]}
    graph = remote.graph_of(call, phone)

    def is_gone() -> bool:
        found = graph.get(group.group_id, fields="participants").get("participants", [])
        present = {
            addresses.normal_digits(str(entry.get(name))) for entry in found for name in _IDS
        }
        return addresses.normal_digits(str(digits or user_id)) not in present

    deletion.delete(
        lambda: graph.attempt("DELETE", group.group_id, "participants", body=body), is_gone
    )
    return Done()


@GROUPS.reads("remote_graph", Scope.WHATSAPP_GROUPS)
def get_group_info(call: Call[GetGroup]) -> GroupView:
    """Show a group. A refresh asks the provider, and stores changes: names, suspension, participants."""
    group, phone = known_groups.find(call, call.input.group_id)
    if not call.input.refresh:
        return _view(group)
    answer = remote.graph_of(call, phone).get(group.group_id, fields=_FIELDS)
    view = _view(known_groups.keep(call, phone, group.group_id, answer))
    count, mode = answer.get("total_participant_count"), answer.get("join_approval_mode")
    return view.model_copy(
        update={
            "participant_count": count if isinstance(count, int) else None,
            "join_approval_mode": mode if isinstance(mode, str) else None,
        }
    )


@GROUPS.reads("remote_graph", Scope.WHATSAPP_GROUPS)
def get_groups(call: Call[GetGroups]) -> Page[Groups]:
    """
    List groups: the account's groups that are known here, also deleted ones, or the number's active groups at the
    provider, which are stored. A page may be short and have a cursor.
    """
    phone = participants.sender_of(call)
    start, limit = paging.start_of(call), call.input.limit
    if call.input.source == "stored":
        found, last = store.groups.of_account(
            call.table, phone.waba_meta_id, call.company, limit=limit, start=start
        )
        return Page(Groups(groups=[_view(one) for one in found]), paging.cursor_of(call, last))
    after = {"after": str(start["after"])} if start else {}
    answer = remote.graph_of(call, phone).get(phone.phone, "groups", limit=str(limit), **after)
    groups = [
        _view(known_groups.keep(call, phone, str(entry["id"]), entry))
        for entry in answer.get("data", {}).get("groups", [])
    ]
    following = answer.get("paging", {})
    is_more = "next" in following and following.get("cursors", {}).get("after")
    position = {"after": str(following["cursors"]["after"])} if is_more else None
    return Page(Groups(groups=groups), paging.cursor_of(call, position))


def _creation_of(given: CreateGroup) -> dict[str, Any]:
    body = {
        "messaging_product": "whatsapp",
        "subject": given.group_name,
        "join_approval_mode": given.join_approval_mode,
    }
    described = given.group_description
    return body | ({"description": described} if described else {})


def _view(group: Group) -> GroupView:
    shared = GroupView.model_fields.keys() & Group.model_fields.keys()
    return GroupView(**group.model_dump(include=shared))
