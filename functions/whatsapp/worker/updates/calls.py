"""
Voice calls, merged by content, not by order of arrival.

Every event of a call names a step. The furthest step sets the status; times are the earliest reported ones. So any
order of events has the same result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import content, senders
from whatsapp.inbound.event import Event, Outcome
from whatsapp.recovery import parking
from whatsapp.store import ordering
from whatsapp.store.items import Phone
from whatsapp.store.items.conversations.groups import Call, CallStatus
from whatsapp.worker import contacts
from whatsapp.worker.messages import intake, statuses
from whatsapp.worker.updates import call_files

CALL = "call"  # in the contract's `lastType`
CONNECT = "connect"
TERMINATE = "terminate"
BY_CUSTOMER: Literal["USER_INITIATED"] = "USER_INITIATED"
BY_BUSINESS: Literal["BUSINESS_INITIATED"] = "BUSINESS_INITIATED"
# (Meta, "Calling API webhooks": event `connect`, statuses, event `terminate` with its status.) A rejection is followed
# by a less specific end event, so it ranks above it.
_STEPS: Mapping[str, tuple[int, CallStatus]] = {
    CONNECT: (1, "initiated"),
    "RINGING": (2, "ringing"),
    "ACCEPTED": (3, "answered"),
    TERMINATE: (4, "ended"),  # without a status
    "COMPLETED": (5, "ended"),
    "FAILED": (6, "failed"),
    "REJECTED": (7, "ended"),
}
# Represented by the item.
_FIELDS = (
    "id", "from", "to", "from_user_id", "to_user_id", "recipient_id", "recipient_user_id", "direction", "event",
    "status", "type", "timestamp", "start_time", "end_time", "duration", "biz_opaque_callback_data",
)  # fmt: skip
# Any other word, such as `call_recording_available`, moves no status.
_UNKNOWN: tuple[int, CallStatus] = (0, "initiated")
_LONGEST_STEP = 64
_ENDS = frozenset({TERMINATE, "COMPLETED", "FAILED", "REJECTED"})
_LONGEST_SECONDS = 11  # digits: a time before the year 5138, representable as text
_LONGEST_CALLBACK = 512  # characters that Meta accepts
_LONGEST_CALL = 10 * clock.DAY_SECONDS


@dataclass(frozen=True, slots=True)
class _CallEvent:
    """The parsed content of one call event."""

    step: str
    at: str
    direction: Literal["USER_INITIATED", "BUSINESS_INITIATED"]


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Process an event of a call. A customer's call opens the window for free-form answers.

    The conversation's head shows a call at the time of its newest event, and counts a missed call like a message: an
    agent has to call back. An event with a word that is not known here is one of the call's steps, and stored as
    received. Raises Permanent (`unknown_call_event` without any word, `no_customer`, `foreign_call`).
    """
    call_event = _parse(event, phone)
    directed = replace(event, payload={**(event.payload or {}), "direction": call_event.direction})
    lookup = contacts.look_up(resources.table, directed, phone)
    stored = store.groups.get_call(resources.table, Call.key(event.id))
    if stored is not None and (stored.company, stored.phone) != (phone.company, phone.phone):
        raise Permanent("foreign_call")
    if stored is not None and stored.erased:
        metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
        return Outcome.DUPLICATE
    if stored is None and lookup is None:
        raise Permanent("no_customer")
    before = stored or _new_call(
        event, phone, call_event, lookup.customer.contact_key if lookup else ""
    )
    call = _merged(before, event.payload or {}, call_event)
    call = call.model_copy(
        update={"sender_name": senders.name_of(event.contact) or call.sender_name}
    )
    is_new = stored is None or call != stored
    if is_new:
        store.groups.replace_call(
            resources.table, call.model_copy(update={"revision": call.revision + 1})
        )
    _show(resources, event, call, phone)
    call_files.request(resources, event, phone, call)
    if call_event.step == CONNECT and call.call_direction == BY_CUSTOMER:
        store.customer_facts.open_window(
            resources.table, call.conversation_pk, call_event.at, phone.company, phone.phone
        )
    if lookup is not None:
        contacts.remember(resources, directed, lookup.customer, phone)
    if _has_other_fields(event):
        parking.keep(resources, event, phone)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def advanced(call: Call, step: str, at: str) -> Call:
    """
    Return a call after a step of Parley at time *at*: ACCEPTED, `terminate`, REJECTED. An event of the same step merges
    with it.
    """
    return _merged(call, {}, _CallEvent(step, at, call.call_direction))


def _show(resources: Resources, event: Event, call: Call, phone: Phone) -> None:
    """Show a stored call in its conversation, and count it if it was missed. Safe to repeat, in any order of events."""
    shown_at = call.missed_at or call.last_event_at or call.started_at
    entry = intake.head_entry(
        phone,
        conversation_pk=call.conversation_pk,
        item_pk=call.pk,
        customer=call.from_ if call.call_direction == BY_CUSTOMER else call.to or "",
        at=shown_at,
        shown_as=(CALL, preview_of(call)),
        sender=intake.sender_of(event) if call.call_direction == BY_CUSTOMER else {},
    )
    if call.missed_at is not None:
        store.heads.count_inbound(resources.table, entry)
    else:
        store.heads.show_uncounted(resources.table, entry)


def preview_of(call: Call) -> str:
    """Return a call's preview in the inbox."""
    if call.missed_at is not None and not _was_answered(call):
        return "[missed call]"
    who = "incoming" if call.call_direction == BY_CUSTOMER else "outgoing"
    if call.ended_at is None:
        return f"[{who} call]"
    if not _was_answered(call):
        return f"[{who} call, not answered]"
    seconds = int(call.duration or 0)
    return f"[{who} call, {seconds // 60}:{seconds % 60:02d}]"


def _has_other_fields(event: Event) -> bool:
    """Whether the call's item does not represent the whole event, which is then stored as received."""
    payload = event.payload or {}
    rest = content.without(payload, *_FIELDS)
    errors = rest.pop("errors", None)
    lists = [payload[name] for name in ("event", "status") if isinstance(payload.get(name), list)]
    return bool(
        rest
        or lists
        or _word_of(payload) not in _STEPS
        or content.fields_of_contact(event.contact)
        or (errors and statuses.errors_of(errors) != errors)
    )


def _word_of(payload: Mapping[str, Any]) -> object:
    """Return the provider's word for what happened."""
    step = payload.get("event") or payload.get("status")
    if step == TERMINATE and payload.get("status"):
        step = payload["status"]
    # Meta's reference has a list in this field.
    return step[0] if isinstance(step, list) and step else step


def _parse(event: Event, phone: Phone) -> _CallEvent:
    payload = event.payload or {}
    step = _word_of(payload)
    if not isinstance(step, str) or not 0 < len(step) <= _LONGEST_STEP:
        raise Permanent("unknown_call_event")
    at = ordering.received_at_ms(event.at, 0, event.accepted_at)
    return _CallEvent(step, clock.to_text(at), _direction(payload, phone))


def _direction(
    payload: Mapping[str, Any], phone: Phone
) -> Literal["USER_INITIATED", "BUSINESS_INITIATED"]:
    """
    Return who initiated the call. Statuses do not state it: they exist only for the business's calls and name the
    callee.
    """
    direction = payload.get("direction")
    is_outbound = "recipient_id" in payload or "recipient_user_id" in payload
    if direction == BY_BUSINESS or (
        direction != BY_CUSTOMER and (is_outbound or phone.has_number(payload.get("from")))
    ):
        return BY_BUSINESS
    return BY_CUSTOMER


def _new_call(event: Event, phone: Phone, call_event: _CallEvent, contact_key: str) -> Call:
    """Return the call according to its first event."""
    ends = (contact_key, phone.display_phone)
    caller, called = ends if call_event.direction == BY_CUSTOMER else reversed(ends)
    rank, status = _STEPS.get(call_event.step, _UNKNOWN)
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
        started_at=call_event.at,
        received_at=call_event.at,
        conversation_pk=intake.conversation_pk(phone, contact_key),
        inbox_pk=phone.phone_arn,
        phone=phone.phone,
        call_direction=call_event.direction,
    )


def _merged(call: Call, payload: Mapping[str, Any], call_event: _CallEvent) -> Call:
    """Return the call with this event merged in; equal to *call* if the event adds nothing."""
    rank, status = _STEPS.get(call_event.step, _UNKNOWN)
    connected, ended = _time(payload.get("start_time")), _time(payload.get("end_time"))
    is_end = call_event.step in _ENDS
    step_at = _earliest(call.steps.get(call_event.step), call_event.at)
    started_at = _earliest(call.started_at, call_event.at, connected)
    has_room = call_event.step in call.steps or len(call.steps) < Call.most_steps
    changes: dict[str, Any] = {
        "steps": {**call.steps, call_event.step: step_at} if has_room else call.steps,
        "started_at": started_at,
        "received_at": started_at,
        "answered_at": _earliest(
            call.answered_at, connected, call_event.at if call_event.step == "ACCEPTED" else None
        ),
        "ended_at": _earliest(call.ended_at, ended or call_event.at) if is_end else call.ended_at,
        "last_event_at": max(call.last_event_at or "", call_event.at),
    }
    if rank >= call.status_rank:
        changes |= {"status": status, "status_rank": rank}
        changes["end_reason"] = call_event.step if is_end else None
    seconds = payload.get("duration")
    if isinstance(seconds, int) and not isinstance(seconds, bool) and 0 <= seconds <= _LONGEST_CALL:
        changes["duration"] = max(seconds, call.duration or 0)
    action_id = payload.get("biz_opaque_callback_data")
    if isinstance(action_id, str) and action_id:
        changes["action_id"] = call.action_id or action_id[:_LONGEST_CALLBACK]
    changes["files"] = call_files.merged(call.files, payload)
    errors = statuses.errors_of(payload.get("errors"))
    merged = call.model_copy(update=changes | ({"errors": errors} if errors else {}))
    if is_end and merged.call_direction == BY_CUSTOMER and not _was_answered(merged):
        # Set once: the conversation's head counts the call under this time.
        return merged.model_copy(update={"missed_at": call.missed_at or call_event.at})
    return merged


def _was_answered(call: Call) -> bool:
    """Whether the call was picked up: the end of such a call has a start time and a duration (Meta, "Calling API")."""
    return call.answered_at is not None or bool(call.duration)


def _earliest(*times: str | None) -> str | None:
    return min((time for time in times if time), default=None)


def _time(seconds: object) -> str | None:
    """Convert a provider's time, epoch seconds as text or number, to our format; None if invalid."""
    text = str(seconds) if isinstance(seconds, str | int) else ""
    is_time = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_SECONDS
    return clock.to_text(int(text) * 1_000) if is_time else None
