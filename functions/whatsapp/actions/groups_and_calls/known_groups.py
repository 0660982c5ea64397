"""Finds groups of the company, and stores the provider's reports about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.api.queries import NotFound
from whatsapp.store.items.conversations.groups import Group, GroupParticipant
from whatsapp.worker.updates.groups import DELETED, MOST_LISTED

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.calls.remote import GraphAccount
    from whatsapp.store.items import Phone

_EVENT = "observed"  # the reason of a participant's change that no event reported


def find(call: Call[Any], group_id: str) -> tuple[Group, Phone]:
    """Return a group and its number. Raises NotFound."""
    group = store.groups.get(call.table, Group.key(group_id))
    if group is None or group.company != call.company or group.phone is None:
        raise NotFound("groupId: group not found")
    return group, participants.phone_by_id(call, group.phone)


def find_active(call: Call[Any], group_id: str) -> tuple[Group, Phone]:
    """Return a group that has not been deleted, and its number. Raises NotFound and StateConflict."""
    group, phone = find(call, group_id)
    if group.state == DELETED:
        raise StateConflict("the group has been deleted")
    return group, phone


def invite_link(graph: GraphAccount, group_id: str) -> str:
    """
    Return a group's invite link. Raises the provider's failures, and NotFound without a link.

    Not confirmed by our own traffic: Meta's guide has this call, its document only the calls that create and delete a
    link.
    """
    link = graph.get(group_id, "invite_link").get("invite_link")
    if not isinstance(link, str) or not link:
        raise NotFound("the group has no invite link")
    return link


def keep(call: Call[Any], phone: Phone, group_id: str, answer: dict[str, Any]) -> Group:
    """
    Store the provider's report about a group, if it differs, and return the group. Safe to repeat.

    Raises Transient after a concurrent event of the group, and NotFound for another company's group.
    """
    stored = store.groups.get(call.table, Group.key(group_id))
    if stored is not None and (stored.company, stored.phone) != (phone.company, phone.phone):
        raise NotFound("groupId: group not found")
    now = clock.to_text(clock.now_ms())
    before = stored or Group(
        pk=Group.key(group_id),
        company=phone.company,
        group_id=group_id,
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )
    changes = _settings(before, answer, now) | _beginning(before, phone, answer)
    if isinstance(answer.get("participants"), list):
        present = _moved(call, phone, before, answer["participants"], now)
        if present != before.participants:
            changes["participants"] = present
    group = before.model_copy(update=changes)
    if stored is not None and not changes:
        return stored
    group = group.model_copy(update={"updated_at": now, "revision": before.revision + 1})
    store.groups.replace(call.table, group)
    return group


def _settings(group: Group, answer: dict[str, Any], now: str) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for field, word in (("name", "subject"), ("description", "description")):
        text = answer.get(word)
        if isinstance(text, str) and text and text != getattr(group, field):
            changes |= {field: text, f"{field}_at": now}
    if isinstance(answer.get("suspended"), bool) and group.state != DELETED:
        state = "suspended" if answer["suspended"] else "active"
        if state != group.state:
            changes |= {"state": state, "state_at": now}
    return changes


def _beginning(group: Group, phone: Phone, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the time and the author of the group's creation, if no event named them."""
    changes: dict[str, Any] = {}
    created = str(answer.get("creation_timestamp") or answer.get("created_at") or "")
    if group.created_at is None and created.isascii() and created.isdecimal():
        changes["created_at"] = clock.to_text(int(created) * clock.SECOND_MS)
    if not group.admins:
        # The number that creates a group is its admin; no report names other admins.
        changes["admins"] = [phone.display_phone]
    return changes


def _moved(call: Call[Any], phone: Phone, group: Group, reported: list[Any], now: str) -> list[str]:
    """Record the people who joined and left since the last report, and return the present ones."""
    present: set[str] = set()
    for entry in reported:
        if isinstance(entry, dict) and (key := _contact_of(call, phone, entry)):
            present.add(key)
    known = set(group.participants)
    for key in sorted(known ^ present):
        change = GroupParticipant(
            pk=GroupParticipant.key(group.group_id, key),
            company=phone.company,
            participant=key,
            present=key in present,
            changed_at=now,
            reason=_EVENT,
        )
        store.groups.move(call.table, change)
    return sorted(present)[:MOST_LISTED]


def _contact_of(call: Call[Any], phone: Phone, entry: dict[str, Any]) -> str:
    """Return the contact key of a reported participant; empty for the business's own number."""
    digits, user_id = str(entry.get("wa_id") or ""), str(entry.get("user_id") or "")
    who = f"+{digits}" if digits else user_id
    if not who or phone.has_number(digits):
        return ""
    try:
        return participants.contact_of(call, phone, who, "participants")[0]
    except InvalidInput:
        return digits  # Not a possible number: kept as reported.
