"""Lists stored events of webhooks."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.runtime import clock
from shared.runtime.redaction import redacted
from shared.runtime.validation import patterns
from whatsapp.actions.accounts.administration.webhooks import WEBHOOKS
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Moment, PageInput, WabaId
from whatsapp.api.json_view import Json, View, plain
from whatsapp.store.accounts import account_events
from whatsapp.store.items import WebhookEvent

# Ids of the business, which contain digits. Ids of messages contain the customer's number.
_KEPT = frozenset({"message_template_id", "flow_id"})


class GetEvents(PageInput):
    """Events of a type (a webhook field), in a time range, or of an account; without both, of the only account."""

    meta_waba_id: WabaId | None = None
    event_type: (
        Annotated[
            str,
            Field(
                min_length=1, max_length=128, pattern=patterns.worded(r"^[^#]+$", "must not have #")
            ),
        ]
        | None
    ) = None
    since: Moment | None = None
    until: Moment | None = None


class StoredEvent(View):
    """A stored event; personal data in its payload is replaced."""

    event_id: str
    type: str
    kind: str
    meta_waba_id: str | None = None
    phone: str | None = None
    received_at: str
    occurred_at: str | None = None
    reason: str | None = None
    payload: Json = None


class StoredEvents(View):
    """A page of events."""

    events: list[StoredEvent]


@WEBHOOKS.reads("local", Scope.WHATSAPP_READ)
def get_webhook_events(call: Call[GetEvents]) -> Page[StoredEvents]:
    """
    List stored events: of a type, newest first; or of an account, newest first within a page.

    Messages and statuses are stored as events only if the deployment logs all events. A page may be short and have a
    cursor. Events are kept for 30 days.
    """
    asked, start = call.input, paging.start_of(call)
    since, until = _text(asked.since), _text(asked.until)
    if asked.meta_waba_id is not None:
        participants.account_of(call, asked.meta_waba_id)
    if asked.event_type is not None:
        events, last = account_events.of_type(
            call.table,
            asked.event_type,
            call.company,
            since=since,
            until=until,
            limit=asked.limit,
            start=start,
        )
        waba = asked.meta_waba_id
    else:
        waba = asked.meta_waba_id or _only_account(call)
        events, last = account_events.of_account(
            call.table, waba, call.company, limit=asked.limit, start=start
        )
    shown = [
        _event_view(event)
        for event in events
        if waba in {None, event.waba_meta_id}
        and (since or "") <= event.received_at <= (until or "~")
    ]
    return Page(StoredEvents(events=shown), paging.cursor_of(call, last))


def _only_account(call: Call[Any]) -> str:
    wabas = {phone.waba_meta_id for phone in participants.phones_of(call)}
    if len(wabas) != 1:
        problem = "is required, or eventType, as the company has not exactly one account"
        raise InvalidInput([{"field": "metaWabaId", "problem": problem}])
    return wabas.pop()


def _text(moment: datetime | None) -> str | None:
    return clock.to_text(round(moment.timestamp() * 1_000)) if moment else None


def _event_view(event: WebhookEvent) -> StoredEvent:
    return StoredEvent(
        event_id=event.event_id,
        type=event.webhook_event_type,
        kind=event.event_type,
        meta_waba_id=event.waba_meta_id,
        phone=event.phone,
        received_at=event.received_at,
        occurred_at=event.occurred_at,
        reason=event.reason,
        payload=redacted(plain(event.payload), keep=_KEPT),
    )
