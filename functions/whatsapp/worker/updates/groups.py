"""
Groups that the business manages: creation, renaming, suspension, deletion, and participants.

Every fact only moves forward in the provider's time, separately from the others, so that any order of events has the
same result. A deleted group stays deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shared.runtime import clock
from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import content
from whatsapp.inbound.event import LONGEST_ID, Event, Outcome
from whatsapp.recovery import parking
from whatsapp.store import ordering
from whatsapp.store.items import Phone
from whatsapp.store.items.conversations.groups import Group, GroupParticipant, GroupRequest
from whatsapp.worker import contacts
from whatsapp.worker.messages import intake, statuses

MOST_LISTED = 256
MOST_MOVED = 256  # of one event; the provider allows 8 in a group
DELETED: Literal["deleted"] = "deleted"
GROUP = "group"  # in the contract's `lastType`
_LONGEST_TEXT = 2_048
_STATES: Mapping[str, Literal["active", "suspended", "deleted"]] = {
    "group_create": "active",
    "group_suspend": "suspended",
    "group_suspend_cleared": "active",
    "group_delete": DELETED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _GroupEvent:
    """A parsed group event. *joined* and *left*: the provider's participant entries."""

    at: str
    group_id: str
    request_id: str
    state: Literal["active", "suspended", "deleted"] | None
    is_creation: bool
    name: str | None
    description: str | None
    invite_link: str | None
    reason: str | None
    joined: list[dict[str, Any]]
    left: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    has_unhandled_parts: bool


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Process an event of a group; parts that do not concern the group item are stored as received.

    Raises Permanent (`no_group`, `foreign_group`, `too_many_participants`).
    """
    group_event = _parse(event)
    if group_event.request_id and group_event.is_creation:
        _complete_request(resources, group_event, phone)
    outcome = Outcome.DUPLICATE
    if group_event.group_id and not (group_event.is_creation and group_event.errors):
        outcome = _update(resources, group_event, phone)
    elif not group_event.errors:
        raise Permanent("no_group")
    if group_event.has_unhandled_parts or group_event.errors:
        stored_outcome = parking.keep(resources, event, phone)
        return stored_outcome if outcome is Outcome.DUPLICATE else outcome
    return outcome


def _complete_request(resources: Resources, group_event: _GroupEvent, phone: Phone) -> None:
    request = GroupRequest(
        pk=GroupRequest.key(group_event.request_id),
        company=phone.company,
        group=group_event.group_id if not group_event.errors else None,
        state="failed" if group_event.errors else "created",
    )
    store.groups.settle_request(resources.table, request)


def _update(resources: Resources, group_event: _GroupEvent, phone: Phone) -> Outcome:
    """Read the group, write the participants, then the group: a concurrent worker finds another revision."""
    stored = store.groups.get(resources.table, Group.key(group_event.group_id))
    if stored is not None and (stored.company, stored.phone) != (phone.company, phone.phone):
        raise Permanent("foreign_group")
    before = stored or Group(
        pk=Group.key(group_event.group_id),
        company=phone.company,
        group_id=group_event.group_id,
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )
    present = set(before.participants)
    moves = [(entry, True) for entry in group_event.joined]
    moves += [(entry, False) for entry in group_event.left]
    for entry, is_present in moves:
        participant = _move(resources, group_event, phone, entry, is_present=is_present)
        if participant is not None:
            (present.add if participant.present else present.discard)(participant.participant)
    group = _merged(before, group_event, phone)
    group = group.model_copy(update={"participants": sorted(present)[:MOST_LISTED]})
    is_new = stored is None or group != stored
    if is_new:
        group = group.model_copy(update={"revision": group.revision + 1})
        store.groups.replace(resources.table, group)
    _show(resources, group, phone)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def _show(resources: Resources, group: Group, phone: Phone) -> None:
    """
    Show a stored group in its conversation, with its newest own change; members coming and going are not shown.

    Safe to repeat, in any order of events.
    """
    shown = shown_change(group)
    if shown is None:
        return
    at, preview = shown
    entry = intake.head_entry(
        phone,
        conversation_pk=intake.conversation_pk(phone, group.group_id),
        item_pk=group.pk,
        customer=group.group_id,
        at=at,
        shown_as=(GROUP, preview),
        sender={},
    )
    store.heads.show_group(resources.table, entry, group.name, group.revision)


def shown_change(group: Group) -> tuple[str, str] | None:
    """Return the time and the preview of a group's newest change; of several in a second, the most important one."""
    renewed = "[group is active again]" if group.state_at != group.created_at else "[group created]"
    states = {"active": renewed, "suspended": "[group suspended]", DELETED: "[group deleted]"}
    changes = [
        (group.name_at, 0, "[group renamed]"),
        (group.created_at, 1, "[group created]"),
        (group.state_at, 2, states[group.state]),
    ]
    at, _, preview = max((at or "", rank, preview) for at, rank, preview in changes)
    return (at, preview) if at else None


def _move(
    resources: Resources,
    group_event: _GroupEvent,
    phone: Phone,
    entry: Mapping[str, Any],
    *,
    is_present: bool,
) -> GroupParticipant | None:
    """Return a participant's state after this event; None if the event does not identify the participant."""
    key = _contact_key(resources, phone, entry, group_event.at)
    if not key:
        return None
    return store.groups.move(
        resources.table,
        GroupParticipant(
            pk=GroupParticipant.key(group_event.group_id, key),
            company=phone.company,
            participant=key,
            present=is_present,
            changed_at=group_event.at,
            reason=group_event.reason,
        ),
    )


def _contact_key(resources: Resources, phone: Phone, entry: Mapping[str, Any], at: str) -> str:
    """Return a participant's contact key; empty if the event does not identify the participant."""
    digits = _text(entry.get("wa_id")) or _text(entry.get("input")) or ""
    digits = "".join(c for c in digits if c in "0123456789") if "." not in digits else ""
    user_id = _text(entry.get("user_id")) or ""
    return contacts.contact_of(resources.table, phone, digits, user_id, at)


def _merged(group: Group, group_event: _GroupEvent, phone: Phone) -> Group:
    """Return the group with this event applied; equal to *group* if the event is older than the stored state."""
    changes: dict[str, Any] = {"updated_at": max(group_event.at, group.updated_at or "")}
    if group_event.state and _is_further(group, group_event):
        changes |= {"state": group_event.state, "state_at": group_event.at}
    if group_event.is_creation:
        # The number that creates a group is its admin; no event reports other admins.
        changes |= {"created_at": group_event.at, "admins": [phone.display_phone]}
        changes |= {"invite_link": group_event.invite_link} if group_event.invite_link else {}
    for field, text in (("name", group_event.name), ("description", group_event.description)):
        stored_at = getattr(group, f"{field}_at") or ""
        if text is not None and (group_event.at, text) > (stored_at, getattr(group, field) or ""):
            changes |= {field: text, f"{field}_at": group_event.at}
    if group_event.errors and group_event.at >= (group.errors_at or ""):
        changes |= {"errors": group_event.errors, "errors_at": group_event.at}
    return group.model_copy(update=changes)


def _is_further(group: Group, group_event: _GroupEvent) -> bool:
    if DELETED in (group.state, group_event.state):
        return group.state != DELETED
    # Within the same second the alphabetical order decides: suspended wins.
    return (group_event.at, str(group_event.state)) > (group.state_at or "", group.state)


def _parse(event: Event) -> _GroupEvent:
    """
    Parse a group event. (Meta, "Webhooks for Groups API"; not confirmed by live traffic.)

    Uses the parts that are present, because the documentation gives two forms of the participant event types. Failed
    parts have `update_successful` false, or `errors`.
    """
    payload = event.payload or {}
    kind = str(payload.get("type") or "")
    joined, left = (
        _participants(payload, "added_participants"),
        _participants(payload, "removed_participants"),
    )
    if len(joined) + len(left) > MOST_MOVED:
        raise Permanent("too_many_participants")
    errors = statuses.errors_of(payload.get("errors"))
    state = _STATES.get(kind) if not errors else None
    name, description = _setting(payload, "subject"), _setting(payload, "description")
    return _GroupEvent(
        at=clock.to_text(ordering.received_at_ms(event.at, 0, event.accepted_at)),
        group_id=_text(payload.get("group_id")) or "",
        request_id=_text(payload.get("request_id")) or "",
        state=state,
        is_creation=kind == "group_create",
        name=name,
        description=description,
        invite_link=_text(payload.get("invite_link")),
        reason=_text(payload.get("reason")) or _text(payload.get("initiated_by")),
        joined=joined,
        left=left,
        errors=errors,
        has_unhandled_parts=bool(_unhandled(payload, is_moved=bool(joined or left)))
        or bool(content.fields_of_contact(event.contact))
        or not (state or joined or left or name is not None or description is not None),
    )


def _unhandled(payload: Mapping[str, Any], *, is_moved: bool) -> dict[str, Any]:
    """Return the fields that no item of the group represents."""
    rest = content.without(payload, "group_id", "timestamp", "type")
    if payload.get("type") == "group_create":
        rest = content.without(rest, "request_id", "invite_link")
    if is_moved:
        rest = content.without(rest, "reason" if _text(rest.get("reason")) else "initiated_by")
    for name in ("added_participants", "removed_participants"):
        if all(_has_one_id(entry) for entry in _participants(payload, name)):
            rest.pop(name, None)
    for name in ("subject", "description", "group_subject", "group_description"):
        if _is_whole_setting(rest.get(name)) and not payload.get("errors"):
            rest.pop(name, None)
    return rest


def _has_one_id(participant: Mapping[str, Any]) -> bool:
    """Whether a participant has one id and nothing else, which the item's contact key represents."""
    first = next(iter(participant.values()), None)
    return isinstance(first, str) and all(value == first for value in participant.values())


def _is_whole_setting(value: object) -> bool:
    if isinstance(value, dict):
        is_set = value.get("update_successful") is not False
        return (
            is_set
            and not value.keys() - {"text", "update_successful"}
            and _is_whole_setting(value.get("text"))
        )
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT


def _participants(payload: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    entries = payload.get(name)
    objects = entries if isinstance(entries, list) else []
    return [entry for entry in objects if isinstance(entry, dict) and not entry.get("errors")]


def _setting(payload: Mapping[str, Any], name: str) -> str | None:
    """Return the new text of a setting, in either of the provider's shapes; None if it did not change."""
    part = payload.get(f"group_{name}", payload.get(name))
    if isinstance(part, dict):
        part = part.get("text") if part.get("update_successful") is not False else None
    elif payload.get("errors"):
        part = None
    return part[:_LONGEST_TEXT] if isinstance(part, str) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_ID // 2 else None
