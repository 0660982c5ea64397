"""Changes groups, and handles their invite links and join requests."""

import secrets
from typing import Annotated, Any, Self
from urllib.parse import quote

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from whatsapp.actions.accounts.numbers import deletion
from whatsapp.actions.accounts.numbers.profiles import pictures
from whatsapp.actions.calls import paging, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import PageInput, S3Key, Text
from whatsapp.actions.calls.remote import GraphAccount
from whatsapp.actions.calls.views import Done
from whatsapp.actions.dispatch.registration import Group as ActionGroup
from whatsapp.actions.groups_and_calls import known_groups
from whatsapp.actions.groups_and_calls.groups import GroupId, GroupInput
from whatsapp.sending.views import View
from whatsapp.store.items.conversations.groups import Group

EXTRA = ActionGroup("groups_extra")
_PRODUCT = {"messaging_product": "whatsapp"}
_REQUESTS = "join_requests"
_LINK = "invite_link"


class UpdateGroup(GroupInput):
    """Given values are changed; the picture is a JPEG or PNG of at most 5 MB in the media bucket."""

    subject: Annotated[Text, Field(max_length=128)] | None = None
    description: Annotated[Text, Field(max_length=2_048)] | None = None
    profile_picture_s3_key: S3Key | None = Field(default=None, alias="profilePictureS3Key")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not (self.subject or self.description or self.profile_picture_s3_key):
            raise PydanticCustomError(
                "change", "must have at least one of subject, description, profilePictureS3Key"
            )
        return self


class GetRequests(PageInput):
    """A group."""

    group_id: GroupId


class DecideRequests(GroupInput):
    """Ids of join requests, as `get_group_join_requests` lists them."""

    join_request_ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(min_length=1, max_length=100),
    ]


class InviteLink(View):
    """A link with which people join the group."""

    invite_link: str


class JoinRequest(View):
    """A request to join the group; *from_* is the person's number in digits."""

    join_request_id: str
    from_: str = Field(alias="from")
    created_at: str | None = None


class JoinRequests(View):
    """A page of open requests."""

    join_requests: list[JoinRequest]


class Undecided(View):
    """A request that the provider did not decide, with its error code."""

    join_request_id: str
    code: str | None = None


class Decided(View):
    """The outcome of each request."""

    decided: list[str]
    failed: list[Undecided]


@EXTRA.changes("remote_graph", Scope.WHATSAPP_GROUPS)
def update_group(call: Call[UpdateGroup]) -> Done:
    """
    Change the subject, the description or the picture of a group at the provider. The stored group follows with the
    provider's event, which also says if a part failed.
    """
    group, phone = known_groups.find_active(call, call.input.group_id)
    picture = call.input.profile_picture_s3_key
    if picture is not None:
        pictures.check(call.resources.bucket, call.company, picture, "profilePictureS3Key")
    graph = remote.graph_of(call, phone)
    texts = {"subject": call.input.subject, "description": call.input.description}
    changes = {name: value for name, value in texts.items() if value}
    if changes:
        graph.post(group.group_id, body={**_PRODUCT, **changes})
    if picture is not None:
        _set_picture(call, graph, group, picture)
    return Done()


@EXTRA.changes("remote_graph", Scope.WHATSAPP_GROUPS)
def delete_group(call: Call[GroupInput]) -> Done:
    """Delete a group at the provider; all participants lose it. The stored group follows with the provider's event."""
    group, phone = known_groups.find_active(call, call.input.group_id)
    graph = remote.graph_of(call, phone)
    deletion.delete(
        lambda: graph.attempt("DELETE", group.group_id),
        lambda: deletion.is_unknown(lambda: graph.get(group.group_id, fields="subject")),
    )
    return Done()


@EXTRA.reads("remote_graph", Scope.WHATSAPP_GROUPS)
def get_group_invite_link(call: Call[GroupInput]) -> InviteLink:
    """Show the group's invite link."""
    group, phone = known_groups.find_active(call, call.input.group_id)
    graph = remote.graph_of(call, phone)
    return InviteLink(invite_link=known_groups.invite_link(graph, group.group_id))


@EXTRA.changes("remote_graph", Scope.WHATSAPP_GROUPS, idempotent=False)
def reset_group_invite_link(call: Call[GroupInput]) -> InviteLink:
    """Replace the group's invite link; the old one stops working."""
    group, phone = known_groups.find_active(call, call.input.group_id)
    graph = remote.graph_of(call, phone)
    links: list[str] = []

    def attempt() -> str:
        answer = graph.attempt("POST", group.group_id, _LINK, body=_PRODUCT)
        links.append(str(answer[_LINK]))
        return group.group_id  # The link itself is not for the ledger.

    remote.once(call, phone, "get_group_invite_link shows the link that works", attempt)
    link = links[0] if links else known_groups.invite_link(graph, group.group_id)
    return InviteLink(invite_link=link)


@EXTRA.reads("remote_graph", Scope.WHATSAPP_GROUPS)
def get_group_join_requests(call: Call[GetRequests]) -> Page[JoinRequests]:
    """List the open requests to join a group whose joining needs approval."""
    group, phone = known_groups.find_active(call, call.input.group_id)
    start = paging.start_of(call)
    after = {"after": str(start["after"])} if start else {}
    graph = remote.graph_of(call, phone)
    answer = graph.get(group.group_id, _REQUESTS, **after)
    following = answer.get("paging", {})
    is_more = "next" in following and following.get("cursors", {}).get("after")
    position = {"after": str(following["cursors"]["after"])} if is_more else None
    requests = [_request(entry) for entry in answer.get("data", [])]
    return Page(JoinRequests(join_requests=requests), paging.cursor_of(call, position))


@EXTRA.changes("remote_graph", Scope.WHATSAPP_GROUPS)
def approve_group_join_requests(call: Call[DecideRequests]) -> Decided:
    """Let people join the group; the answer has the outcome of each request."""
    return _decided(call, "approved_join_requests", "POST")


@EXTRA.changes("remote_graph", Scope.WHATSAPP_GROUPS)
def reject_group_join_requests(call: Call[DecideRequests]) -> Decided:
    """Refuse to let people join the group; the answer has the outcome of each request."""
    return _decided(call, "rejected_join_requests", "DELETE")


def _decided(call: Call[DecideRequests], field: str, method: str) -> Decided:
    group, phone = known_groups.find_active(call, call.input.group_id)
    graph = remote.graph_of(call, phone)
    body = {**_PRODUCT, _REQUESTS: call.input.join_request_ids}
    path = (group.group_id, _REQUESTS)
    answer = graph.post(*path, body=body) if method == "POST" else graph.delete(*path, body=body)
    failed = [
        Undecided(
            join_request_id=str(entry.get("join_request_id", "")),
            code=next((str(e["code"]) for e in entry.get("errors", []) if "code" in e), None),
        )
        for entry in answer.get("failed_join_requests", [])
    ]
    return Decided(decided=[str(one) for one in answer.get(field, [])], failed=failed)


def _request(entry: dict[str, Any]) -> JoinRequest:
    created = str(entry.get("creation_timestamp") or "")
    return JoinRequest(
        join_request_id=str(entry.get("join_request_id", "")),
        from_=str(entry.get("wa_id") or entry.get("user_id") or ""),
        created_at=clock.to_text(int(created) * clock.SECOND_MS) if created.isdecimal() else None,
    )


def _set_picture(call: Call[UpdateGroup], graph: GraphAccount, group: Group, key: str) -> None:
    """Upload the picture as a multipart form (Meta, "Groups API": `file`). Repeatable."""
    bucket = call.resources.bucket
    content, mime_type = bucket.get(key), bucket.content_type(key)
    boundary = secrets.token_hex(16)
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="messaging_product"\r\n\r\nwhatsapp\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="picture"\r\n'
        f"Content-Type: {mime_type}\r\n\r\n"
    )
    form = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Authorization": f"Bearer {graph.token}",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    path = quote(group.group_id, safe=":")
    remote.answered(lambda: call.resources.graph.upload(path, headers, form))
