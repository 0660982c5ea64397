"""
Groups that the business manages: made, renamed, suspended, deleted, and who is in them.

Everything moves forward in the provider's time only, each fact by a time of its own, so that the same is left in
whatever order the events come. A deleted group stays deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shared import clock
from shared.failures import Permanent
from whatsapp import ordering, store
from whatsapp.event import LONGEST_ID, Event
from whatsapp.messages import statuses
from whatsapp.outcomes import Outcome
from whatsapp.recovery import parking
from whatsapp.resources import Resources
from whatsapp.store.items import Alias, Phone
from whatsapp.store.items.groups import Group, GroupParticipant, GroupRequest

MOST_LISTED = 256
MOST_MOVED = 256  # of one event; the provider allows 8 in a group
DELETED: Literal["deleted"] = "deleted"
_LONGEST_TEXT = 2_048
_STATES: Mapping[str, Literal["active", "suspended", "deleted"]] = {
    "group_create": "active",
    "group_suspend": "suspended",
    "group_suspend_cleared": "active",
    "group_delete": DELETED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What an event says. *came* and *went* are the provider's entries of people, *rest* is what has no place here."""

    at: str
    group_id: str
    request_id: str
    state: Literal["active", "suspended", "deleted"] | None
    is_creation: bool
    name: str | None
    description: str | None
    invite_link: str | None
    reason: str | None
    came: list[dict[str, Any]]
    went: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    has_rest: bool


def receive(here: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Take an event of a group in; what it says beside the group itself is kept as it came.

    Raises Permanent (`no_group`, `foreign_group`, `too_many_participants`).
    """
    told = _told(event)
    if told.request_id and told.is_creation:
        _settle(here, told, phone)
    outcome = Outcome.DUPLICATE
    if told.group_id and not (told.is_creation and told.errors):
        outcome = _update(here, told, phone)
    elif not told.errors:
        raise Permanent("no_group")
    if told.has_rest or told.errors:
        kept = parking.keep(here, event, phone)
        return kept if outcome is Outcome.DUPLICATE else outcome
    return outcome


def _settle(here: Resources, told: _Told, phone: Phone) -> None:
    request = GroupRequest(
        pk=GroupRequest.key(told.request_id),
        company=phone.company,
        group=told.group_id if not told.errors else None,
        state="failed" if told.errors else "created",
    )
    store.groups.settle_request(here.table, request)


def _update(here: Resources, told: _Told, phone: Phone) -> Outcome:
    """The group first read, then those who moved, then the group written: whoever is late finds another revision."""
    stored = store.groups.get(here.table, Group.key(told.group_id))
    if stored is not None and (stored.company, stored.phone) != (phone.company, phone.phone):
        raise Permanent("foreign_group")
    before = stored or Group(
        pk=Group.key(told.group_id),
        company=phone.company,
        group_id=told.group_id,
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )
    present = set(before.participants)
    for person, is_here in [(p, True) for p in told.came] + [(p, False) for p in told.went]:
        known = _move(here, told, phone, person, is_here=is_here)
        if known is not None:
            (present.add if known.present else present.discard)(known.participant)
    group = _merged(before, told, phone)
    group = group.model_copy(update={"participants": sorted(present)[:MOST_LISTED]})
    if stored is not None and group == stored:
        return Outcome.DUPLICATE
    store.groups.replace(here.table, group.model_copy(update={"revision": group.revision + 1}))
    return Outcome.PERSISTED


def _move(
    here: Resources, told: _Told, phone: Phone, person: Mapping[str, Any], *, is_here: bool
) -> GroupParticipant | None:
    """What is known of a person once this event is taken in; None where it does not say who it is."""
    key = _contact_key(here, phone, person)
    if not key:
        return None
    return store.groups.move(
        here.table,
        GroupParticipant(
            pk=GroupParticipant.key(told.group_id, key),
            company=phone.company,
            participant=key,
            present=is_here,
            changed_at=told.at,
            reason=told.reason,
        ),
    )


def _contact_key(here: Resources, phone: Phone, person: Mapping[str, Any]) -> str:
    """The contact key of a person: what an id of theirs stands for, else their digits, else their user id."""
    digits = _text(person.get("wa_id")) or _text(person.get("input")) or ""
    digits = "".join(c for c in digits if c in "0123456789") if "." not in digits else ""
    user_id = _text(person.get("user_id")) or ""
    aliases = [Alias.of_phone(phone.phone, digits)] if digits else []
    aliases += [Alias.of_user(phone.phone, user_id)] if user_id else []
    targets = (store.aliases.target_of(here.table, alias) for alias in aliases)
    return next((target for target in targets if target), digits or user_id)


def _merged(group: Group, told: _Told, phone: Phone) -> Group:
    """The group with what this event says; equal to *group* where that is older than what is known."""
    changes: dict[str, Any] = {"updated_at": max(told.at, group.updated_at or "")}
    if told.state and _is_further(group, told):
        changes |= {"state": told.state, "state_at": told.at}
    if told.is_creation:
        # The number that makes a group is its admin; no event tells of others.
        changes |= {"created_at": told.at, "admins": [phone.display_phone]}
        changes |= {"invite_link": told.invite_link} if told.invite_link else {}
    for field, text in (("name", told.name), ("description", told.description)):
        known_at = getattr(group, f"{field}_at") or ""
        if text is not None and (told.at, text) > (known_at, getattr(group, field) or ""):
            changes |= {field: text, f"{field}_at": told.at}
    if told.errors and told.at >= (group.errors_at or ""):
        changes |= {"errors": told.errors, "errors_at": told.at}
    return group.model_copy(update=changes)


def _is_further(group: Group, told: _Told) -> bool:
    if DELETED in (group.state, told.state):
        return group.state != DELETED
    # The words in the order of the alphabet settle what happened in one second: suspended is kept.
    return (told.at, str(told.state)) > (group.state_at or "", group.state)


def _told(event: Event) -> _Told:
    """
    What a group event says. (Meta, "Webhooks for Groups API"; not confirmed by traffic of ours.)

    By the parts that are there, since the types of participants' events are printed in two ways. Parts that failed say
    `update_successful` false, or have `errors` of their own.
    """
    payload = event.payload or {}
    kind = str(payload.get("type") or "")
    came, went = _people(payload, "added_participants"), _people(payload, "removed_participants")
    if len(came) + len(went) > MOST_MOVED:
        raise Permanent("too_many_participants")
    errors = statuses.errors_of(payload.get("errors"))
    state = _STATES.get(kind) if not errors else None
    name, description = _setting(payload, "subject"), _setting(payload, "description")
    return _Told(
        at=clock.to_text(ordering.received_at_ms(event.at, 0, event.accepted_at)),
        group_id=_text(payload.get("group_id")) or "",
        request_id=_text(payload.get("request_id")) or "",
        state=state,
        is_creation=kind == "group_create",
        name=name,
        description=description,
        invite_link=_text(payload.get("invite_link")),
        reason=_text(payload.get("reason")) or _text(payload.get("initiated_by")),
        came=came,
        went=went,
        errors=errors,
        has_rest="failed_participants" in payload
        or "profile_picture" in payload
        or not (state or came or went or name is not None or description is not None),
    )


def _people(payload: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    entries = payload.get(name)
    people = entries if isinstance(entries, list) else []
    return [person for person in people if isinstance(person, dict) and not person.get("errors")]


def _setting(payload: Mapping[str, Any], name: str) -> str | None:
    """The new text of a setting, in either of the shapes that the provider prints; None where it did not change."""
    part = payload.get(f"group_{name}", payload.get(name))
    if isinstance(part, dict):
        part = part.get("text") if part.get("update_successful") is not False else None
    elif payload.get("errors"):
        part = None
    return part[:_LONGEST_TEXT] if isinstance(part, str) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_ID // 2 else None
