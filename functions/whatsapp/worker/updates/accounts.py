"""
Updates of accounts and their numbers: bans and restrictions, limits, approved names, alerts.

Sending limits and blocks are written on the number, and only on registered numbers. (Meta, "Webhooks reference":
account_update and related fields.)
"""

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import Account
from whatsapp.recovery import parking
from whatsapp.store.items import Phone
from whatsapp.worker.updates import quality
from whatsapp.worker.updates.moments import moment_of

_LONGEST_TEXT = 256
# Worst first. Other restrictions stop calls, new numbers or new templates, not messages being sent today.
_SENDING_RESTRICTIONS = (
    "RESTRICTED_CUSTOMER_INITIATED_MESSAGING",
    "RESTRICTED_BIZ_INITIATED_MESSAGING",
)
_ALERT_EVENTS = frozenset(
    {
        "ACCOUNT_DELETED",
        "ACCOUNT_OFFBOARDED",
        "DISABLED_UPDATE",
        "ACCOUNT_RESTRICTION",
        "ACCOUNT_VIOLATION",
        "PARTNER_REMOVED",
        "PARTNER_APP_UNINSTALLED",
    }
)
_ALERT_SEVERITIES = frozenset({"CRITICAL", "WARNING"})
_UNLIMITED = -1
_TIERS = {
    50: "TIER_50",
    250: "TIER_250",
    1_000: "TIER_1K",
    2_000: "TIER_2K",
    10_000: "TIER_10K",
    100_000: "TIER_100K",
    _UNLIMITED: "TIER_UNLIMITED",
}


def update(resources: Resources, event: Event, account: Account) -> Outcome:
    """Apply the event to the account's numbers, then store it. Unknown fields and values are only stored."""
    if _needs_operator(event):
        metrics.add_metric("AccountAlert", MetricUnit.Count, 1)
    apply = _FIELDS.get(event.field)
    if apply is not None:
        apply(resources, event, account)
    return parking.keep(resources, event, account)


def _needs_operator(event: Event) -> bool:
    """Whether an operator must read this event; counted on every delivery, because the first one may crash."""
    payload = event.payload or {}
    # Newer alerts have the severity inside `alert_info`.
    severity = _text((_part(payload, "alert_info") or payload).get("alert_severity"))
    ban = _part(payload, "ban_info").get("waba_ban_state")
    return (
        (_text(payload.get("event")) in _ALERT_EVENTS and ban != "REINSTATE")
        or severity in _ALERT_SEVERITIES
        or (event.field == "account_review_update" and payload.get("decision") == "REJECTED")
    )


def _account_update(resources: Resources, event: Event, account: Account) -> None:
    payload = event.payload or {}
    event_name = _text(payload.get("event"))
    ban = _text(_part(payload, "ban_info").get("waba_ban_state"))
    if event_name == "ACCOUNT_DELETED":
        _block(resources, event, account, "ban", event_name)
    elif event_name in {"ACCOUNT_OFFBOARDED", "ACCOUNT_RECONNECTED"}:
        is_disconnected = event_name == "ACCOUNT_OFFBOARDED"
        _block(resources, event, account, "connection", event_name if is_disconnected else None)
    elif event_name == "DISABLED_UPDATE" and ban in {"DISABLE", "REINSTATE"}:
        # SCHEDULE_FOR_DISABLE: sending still works. The alert is for operators who can appeal.
        _block(resources, event, account, "ban", "DISABLE" if ban == "DISABLE" else None)
    elif event_name == "ACCOUNT_RESTRICTION":
        restrictions = payload.get("restriction_info")
        expirations = {
            restriction.get("restriction_type"): restriction.get("expiration")
            for restriction in (restrictions if isinstance(restrictions, list) else [])
            if isinstance(restriction, dict)
            and isinstance(restriction.get("restriction_type"), str)
        }
        if reason := next((kind for kind in _SENDING_RESTRICTIONS if kind in expirations), None):
            _block(
                resources, event, account, "restriction", reason, until=_time(expirations[reason])
            )


def _block(
    resources: Resources,
    event: Event,
    account: Account,
    cause: str,
    reason: str | None,
    *,
    until: str | None = None,
) -> None:
    """Write why none of the account's numbers may send; without a *reason*, that this cause ended."""
    moment = moment_of(event)
    block = {"order": moment.order, "at": moment.at, "reason": reason, "until": until}
    fields = {name: value for name, value in block.items() if value is not None}
    for phone in account.phones:
        store.phones.block_sending(resources.table, phone.phone, cause, fields)


def _capability_update(resources: Resources, event: Event, account: Account) -> None:
    if limit := _limit(event.payload or {}):
        for phone in account.phones:
            _note_limit(resources, event, phone, limit)


def _name_update(resources: Resources, event: Event, account: Account) -> None:
    payload = event.payload or {}
    phone = account.number_with(payload.get("display_phone_number"))
    name = _text(payload.get("requested_verified_name"))
    if phone and name and payload.get("decision") == "APPROVED":
        store.phones.report(
            resources.table, phone.phone, moment_of(event).order, verified_name=name
        )


def _quality_update(resources: Resources, event: Event, account: Account) -> None:
    payload = event.payload or {}
    phone = account.number_with(payload.get("display_phone_number"))
    if phone is None:
        return
    if limit := _limit(payload):
        _note_limit(resources, event, phone, limit)
    quality.rate(resources, event, phone)


def _note_limit(resources: Resources, event: Event, phone: Phone, limit: str) -> None:
    moment = moment_of(event)
    store.phones.report(resources.table, phone.phone, moment.order, messaging_limit=limit)
    quality.record_limit(resources, phone, limit, moment.at)


def _limit(payload: Mapping[str, Any]) -> str:
    """Return the messaging limit as the provider's value, also sent as a number under several names. Empty: absent."""
    fields = (
        "max_daily_conversations_per_business",
        "max_daily_conversation_per_phone",
        "current_limit",
    )
    value = next((payload[name] for name in fields if payload.get(name)), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return _TIERS.get(value, str(value))
    return _text(value)


def _time(value: object) -> str | None:
    """Convert a provider's time, in seconds or as text, to our format; None: no end, or unreadable."""
    try:
        if isinstance(value, str) and not value.isdecimal():
            return clock.to_text(clock.from_text(value))
        return clock.to_text(int(value) * 1_000) if isinstance(value, int | str) else None
    except (ValueError, OverflowError):
        return None


def _part(payload: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = payload.get(name)
    return part if isinstance(part, dict) else {}


def _text(value: object) -> str:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""


_FIELDS: Mapping[str, Callable[[Resources, Event, Account], None]] = {
    "account_update": _account_update,
    "business_capability_update": _capability_update,
    "phone_number_name_update": _name_update,
    "phone_number_quality_update": _quality_update,
}
