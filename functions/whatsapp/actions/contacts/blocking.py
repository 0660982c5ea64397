"""Blocks and unblocks users, who then cannot write to a number of the business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.providers.outcomes import Refused
from whatsapp import store
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import PageInput, PhoneOrUserId, SenderInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whatsapp.store.items import Phone

BLOCKING = Group("blocking")
MOST_USERS = 1_000
_SOME_FAILED = "graph_139100"


class Users(SenderInput):
    """Up to 1,000 customers, by number or user id."""

    users: Annotated[list[PhoneOrUserId], Field(min_length=1, max_length=MOST_USERS)]


class BlockedPage(PageInput, SenderInput):
    """A page of the blocked users of the business's number."""


class UserOutcome(View):
    """The provider's outcome for one user, with its *code* and *reason*. unknown: its answer does not name the user."""

    user: str
    outcome: Literal["blocked", "unblocked", "failed", "unknown"]
    code: int | None = None
    reason: str | None = None


class Outcomes(View):
    """The outcome of each user, in the order of the call."""

    users: list[UserOutcome]


class BlockedUsers(View):
    """A page of blocked users, by WhatsApp id."""

    users: list[str]


@BLOCKING.changes("remote_graph", Scope.WHATSAPP_CONTACTS)
def block_users(call: Call[Users]) -> Outcomes:
    """
    Block customers who wrote to the number in the last 24 hours. The answer has an outcome for each user.

    Not confirmed by our own traffic: that the provider takes user ids as well as numbers.
    """
    return _changed(call, "POST", "added_users", "blocked")


@BLOCKING.changes("remote_graph", Scope.WHATSAPP_CONTACTS)
def unblock_users(call: Call[Users]) -> Outcomes:
    """Unblock customers. The answer has an outcome for each user."""
    return _changed(call, "DELETE", "removed_users", "unblocked")


@BLOCKING.reads("remote_graph", Scope.WHATSAPP_CONTACTS)
def get_blocked_users(call: Call[BlockedPage]) -> Page[BlockedUsers]:
    """List the blocked users of a number, as the provider has them."""
    phone = participants.sender_of(call)
    start = paging.start_of(call)
    after = {"after": str(start["after"])} if start else {}
    answer = remote.graph_of(call, phone).get(
        phone.phone, "block_users", limit=str(call.input.limit), **after
    )
    paged = answer.get("paging") or {}
    following = (paged.get("cursors") or {}).get("after") if paged.get("next") else None
    users = [str(each["wa_id"]) for each in answer.get("data", []) if each.get("wa_id")]
    return Page(
        BlockedUsers(users=users),
        paging.cursor_of(call, {"after": following} if following else None),
    )


def _changed(
    call: Call[Users],
    method: Literal["POST", "DELETE"],
    done: str,
    word: Literal["blocked", "unblocked"],
) -> Outcomes:
    """Change the list at the provider, then the conversations of the users whose change it confirmed."""
    phone = participants.sender_of(call)
    account = remote.graph_of(call, phone)
    contacts = [
        participants.contact_of(call, phone, user, f"users.{n}")
        for n, user in enumerate(call.input.users)
    ]
    named = [f"+{digits}" if digits else str(user_id) for _, digits, user_id in contacts]
    body = {
        "messaging_product": "whatsapp",
        "block_users": [{"user": each} for each in dict.fromkeys(named)],
    }
    lists = remote.answered(lambda: _attempt(account, method, phone, body)).get("block_users", {})
    succeeded = {_digits(name) for each in lists.get(done, []) for name in _names(each)}
    failed = {_digits(n): each for each in lists.get("failed_users", []) for n in _names(each)}
    outcomes = []
    for (contact, _, _), given, user in zip(contacts, call.input.users, named, strict=True):
        key = _digits(user)
        if key in succeeded:
            conversation_pk = Conversation.key(phone.arn_suffix, contact)
            store.customer_facts.note_blocked(
                call.table, conversation_pk, is_blocked=word == "blocked"
            )
            outcomes.append(UserOutcome(user=given, outcome=word))
        else:
            outcomes.append(_failure(given, failed.get(key)))
    return Outcomes(users=outcomes)


def _attempt(
    account: remote.GraphAccount, method: str, phone: Phone, body: Mapping[str, Any]
) -> dict[str, Any]:
    """Make one attempt. A call that failed for some users is refused as a whole, with the lists in the answer."""
    try:
        return account.attempt(method, phone.phone, "block_users", body=body)
    except Refused as refusal:
        if refusal.code == _SOME_FAILED and refusal.answer and "block_users" in refusal.answer:
            return dict(refusal.answer)
        raise


def _failure(given: str, failed: Mapping[str, Any] | None) -> UserOutcome:
    if failed is None:
        return UserOutcome(user=given, outcome="unknown")
    error: Mapping[str, Any] = next(iter(failed.get("errors") or []), {})
    code = str(error.get("code", ""))
    return UserOutcome(
        user=given,
        outcome="failed",
        code=int(code) if code.isdecimal() else None,
        reason=str(error.get("message") or "") or None,
    )


def _names(each: Mapping[str, Any]) -> list[str]:
    return [str(each[name]) for name in ("input", "wa_id") if each.get(name)]


def _digits(name: str) -> str:
    return name.removeprefix("+")
