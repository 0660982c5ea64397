"""
Translates SES's events about sent mails, as its topic delivers them to the queue: the bare JSON.

Event publishing writes `eventType` and the tags of the request, notifications of an identity `notificationType` without
tags. Sources: SES Developer Guide, "Contents of event data that Amazon SES publishes to Amazon SNS"; "Amazon SNS
notification contents for Amazon SES".
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from email_threads.inbound.events import EmailFeedback
from shared.events.issue_feedback import ISSUE
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

# The part of an event with its details, and in it the list of its recipients.
_PARTS: Final = {
    "Bounce": ("bounce", "bouncedRecipients"),
    "Complaint": ("complaint", "complainedRecipients"),
    "DeliveryDelay": ("deliveryDelay", "delayedRecipients"),
    "Delivery": ("delivery", "recipients"),
    "Click": ("click", ""),
    "Reject": ("reject", ""),
    "Rendering Failure": ("failure", ""),
}
# Codes only: SES's texts may contain addresses.
_DETAILS: Final = (
    "bounceType",
    "bounceSubType",
    "complaintFeedbackType",
    "complaintSubType",
    "delayType",
)
_SET_TAG: Final = "ses:configuration-set"
# Of a visit, not of the delivery. Newsletters count clicks.
_IGNORED: Final = frozenset({"Open", "Click", "Subscription"})


def is_event(fields: Mapping[str, Any]) -> bool:
    """Whether this is an event or a notification of SES about a sent mail."""
    return _name(fields) is not None and bool(_part(fields, "mail").get("messageId"))


def event_of(fields: Mapping[str, Any]) -> EmailFeedback | None:
    """Translate an event; None for one that is not about the delivery, apart from a click in a newsletter."""
    name, mail = str(_name(fields)), _part(fields, "mail")
    tags = _tags(mail.get("tags"))
    if name in _IGNORED and not (name == "Click" and ISSUE in tags):
        return None
    part_name, list_name = _PARTS.get(name, ("send", ""))
    part = _part(fields, part_name)
    return EmailFeedback(
        event=name,
        ses_id=str(mail["messageId"]),
        at=_time(part.get("timestamp")) or _time(mail.get("timestamp")) or _now(),
        source=_address(str(mail.get("source") or "")),
        recipients=_recipients(part.get(list_name)),
        tags=tags,
        detail={key: str(part[key]) for key in _DETAILS if part.get(key)},
    )


def configuration_set_of(fields: Mapping[str, Any]) -> str | None:
    """Return the configuration set of a mail, which SES adds to its tags; None for a notification without it."""
    tags = _part(fields, "mail").get("tags")
    named = tags.get(_SET_TAG) if isinstance(tags, dict) else None
    return str(named[0]) if isinstance(named, list) and named else None


def _name(fields: Mapping[str, Any]) -> str | None:
    name = fields.get("eventType") or fields.get("notificationType")
    return name if isinstance(name, str) else None


def _part(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _recipients(listed: Any) -> list[str]:  # noqa: ANN401 - unchecked JSON
    """Return the addresses of a list of texts, or of objects with `emailAddress`."""
    entries = listed if isinstance(listed, list) else []
    texts = [one.get("emailAddress") if isinstance(one, dict) else one for one in entries]
    return [_address(one) for one in texts if isinstance(one, str) and "@" in one]


def _address(text: str) -> str:
    """Return the address in `Name <address>` or in a bare one, in lower case."""
    _, opened, rest = text.rpartition("<")
    return (rest.partition(">")[0] if opened else text).strip().casefold()


def _tags(tags: Any) -> dict[str, str]:  # noqa: ANN401 - unchecked JSON
    """Return the first value of each of Parley's tags: SES lists values, and adds tags with a colon in the name."""
    found = tags if isinstance(tags, dict) else {}
    return {
        str(name): str(values[0])
        for name, values in found.items()
        if isinstance(values, list) and values and ":" not in str(name)
    }


def _time(text: Any) -> str | None:  # noqa: ANN401 - unchecked JSON
    with suppress(ValueError, TypeError):
        return clock.to_text(clock.from_text(text))
    return None


def _now() -> str:
    return clock.to_text(clock.now_ms())
