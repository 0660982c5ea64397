"""
Voice calls, merged by content, not by order of arrival.

Every event of a call names a step. The furthest step sets the status; times are the earliest reported ones. So any
order of events has the same result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from shared import clock
from shared.failures import Permanent
from whatsapp import contacts, ordering, store
from whatsapp.event import Event
from whatsapp.messages import intake, statuses
from whatsapp.outcomes import Outcome
from whatsapp.resources import Resources
from whatsapp.store.items import Phone
from whatsapp.store.items.groups import Call, CallStatus

CONNECT = "connect"
TERMINATE = "terminate"
BY_CUSTOMER: Literal["USER_INITIATED"] = "USER_INITIATED"
BY_BUSINESS: Literal["BUSINESS_INITIATED"] = "BUSINESS_INITIATED"
# (Meta, "Calling API webhooks": event `connect`, statuses, event `terminate` with its status.) A rejection is followed
# by a less specific end event, so it ranks above it.
_WORDS: Mapping[str, tuple[int, CallStatus]] = {
    CONNECT: (1, "initiated"),
    "RINGING": (2, "ringing"),
    "ACCEPTED": (3, "answered"),
    TERMINATE: (4, "ended"),  # without a status
    "COMPLETED": (5, "ended"),
    "FAILED": (6, "failed"),
    "REJECTED": (7, "ended"),
}
_ENDS = frozenset({TERMINATE, "COMPLETED", "FAILED", "REJECTED"})
_LONGEST_SECONDS = 11  # digits: a time before the year 5138, representable as text
_LONGEST_CALLBACK = 512  # characters that Meta accepts
_LONGEST_CALL = 10 * clock.DAY_SECONDS


@dataclass(frozen=True, slots=True)
class _Told:
    """The parsed content of one call event."""

    word: str
    at: str
    direction: Literal["USER_INITIATED", "BUSINESS_INITIATED"]


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Process an event of a call. A customer's call opens the window for free-form answers.

    The conversation's head shows messages only: a call changes neither its preview nor the unread count. Raises
    Permanent (`unknown_call_event`, `no_customer`, `foreign_call`).
    """
    told = _told(event, phone)
    directed = replace(event, payload={**(event.payload or {}), "direction": told.direction})
    known = contacts.look_up(resources.table, directed, phone)
    stored = store.calls.get(resources.table, Call.key(event.id))
    if stored is not None and (stored.company, stored.phone) != (phone.company, phone.phone):
        raise Permanent("foreign_call")
    if stored is None and known is None:
        raise Permanent("no_customer")
    before = stored or _begun(event, phone, told, known.customer.contact_key if known else "")
    call = _merged(before, event.payload or {}, told)
    is_new = stored is None or call != stored
    if is_new:
        store.calls.replace(
            resources.table, call.model_copy(update={"revision": call.revision + 1})
        )
    if told.word == CONNECT and call.call_direction == BY_CUSTOMER:
        store.heads.open_window(
            resources.table, call.conversation_pk, told.at, phone.company, phone.phone
        )
    if known is not None:
        contacts.remember(resources.table, known.customer, phone)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def _told(event: Event, phone: Phone) -> _Told:
    payload = event.payload or {}
    word = payload.get("event") or payload.get("status")
    if word == TERMINATE and payload.get("status"):
        word = payload["status"]
    if isinstance(word, list) and word:
        word = word[0]  # Meta's reference has a list in this field.
    if word not in _WORDS:
        raise Permanent("unknown_call_event")
    at = ordering.received_at_ms(event.at, 0, event.accepted_at)
    return _Told(str(word), clock.to_text(at), _direction(payload, phone))


def _direction(
    payload: Mapping[str, Any], phone: Phone
) -> Literal["USER_INITIATED", "BUSINESS_INITIATED"]:
    """
    Return who initiated the call. Statuses do not state it: they exist only for the business's calls and name the
    callee.
    """
    said = payload.get("direction")
    caller = str(payload.get("from") or "").removeprefix("+")
    is_ours = "recipient_id" in payload or "recipient_user_id" in payload
    if said == BY_BUSINESS or (said != BY_CUSTOMER and (is_ours or caller == phone.display_phone)):
        return BY_BUSINESS
    return BY_CUSTOMER


def _begun(event: Event, phone: Phone, told: _Told, contact_key: str) -> Call:
    """Return the call according to its first event."""
    ends = (contact_key, phone.display_phone)
    caller, called = ends if told.direction == BY_CUSTOMER else reversed(ends)
    rank, status = _WORDS[told.word]
    return Call(
        pk=Call.key(event.id),
        company=phone.company,
        call_id=event.id,
        waba_meta_id=phone.waba_meta_id,
        from_=caller,
        from_pk=caller,
        to=called,
        status=status,
        status_rank=rank,
        started_at=told.at,
        received_at=told.at,
        conversation_pk=intake.conversation_pk(phone, contact_key),
        inbox_pk=phone.phone_arn,
        phone=phone.phone,
        call_direction=told.direction,
    )


def _merged(call: Call, payload: Mapping[str, Any], told: _Told) -> Call:
    """Return the call with this event merged in; equal to *call* if the event adds nothing."""
    rank, status = _WORDS[told.word]
    connected, ended = _time(payload.get("start_time")), _time(payload.get("end_time"))
    is_end = told.word in _ENDS
    began = _earliest(call.started_at, told.at, connected)
    changes: dict[str, Any] = {
        "started_at": began,
        "received_at": began,
        "answered_at": _earliest(
            call.answered_at, connected, told.at if told.word == "ACCEPTED" else None
        ),
        "ended_at": _earliest(call.ended_at, ended or told.at) if is_end else call.ended_at,
    }
    if rank >= call.status_rank:
        changes |= {"status": status, "status_rank": rank}
        changes["end_reason"] = told.word if is_end else None
    seconds = payload.get("duration")
    if isinstance(seconds, int) and not isinstance(seconds, bool) and 0 <= seconds <= _LONGEST_CALL:
        changes["duration"] = max(seconds, call.duration or 0)
    action_id = payload.get("biz_opaque_callback_data")
    if isinstance(action_id, str) and action_id:
        changes["action_id"] = call.action_id or action_id[:_LONGEST_CALLBACK]
    errors = statuses.errors_of(payload.get("errors"))
    return call.model_copy(update=changes | ({"errors": errors} if errors else {}))


def _earliest(*times: str | None) -> str | None:
    return min((time for time in times if time), default=None)


def _time(seconds: object) -> str | None:
    """Convert a provider's time, epoch seconds as text or number, to our format; None if invalid."""
    text = str(seconds) if isinstance(seconds, str | int) else ""
    is_time = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_SECONDS
    return clock.to_text(int(text) * 1_000) if is_time else None
