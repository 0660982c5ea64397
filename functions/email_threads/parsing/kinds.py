"""
Recognises mail that was written by programs: bounces, automatic replies, lists.

Only headers and MIME types count. Words of the body never do: "vacation" and "bounce" are ordinary words.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from email_threads.parsing.headers import Headers


class Kind(StrEnum):
    """The kind of a mail by its headers. `held` is decided by the caps."""

    BOUNCE = "bounce"
    COMPLAINT = "complaint"
    RECEIPT = "receipt"
    AUTO_REPLY = "auto_reply"
    LIST = "list"
    CALENDAR_REPLY = "calendar_reply"
    HELD = "held"
    MAIL = "mail"


# About another mail, which they name.
REPORTS: Final = frozenset({Kind.BOUNCE, Kind.COMPLAINT})
_REPORT_TYPES: Final = {
    "delivery-status": Kind.BOUNCE,
    "feedback-report": Kind.COMPLAINT,
    "disposition-notification": Kind.RECEIPT,
}
_LIST_FIELDS: Final = ("list-id", "list-post", "list-unsubscribe", "feedback-id")
_AUTO_FIELDS: Final = ("x-autoreply", "x-autorespond")
_ROBOTS: Final = frozenset({"mailer-daemon", "postmaster"})


def of(
    headers: Headers, sender: str | None, calendar_method: str | None, *, is_null_sender: bool
) -> Kind:
    """Return the kind of a mail; the first that matches. *is_null_sender*: SES saw an envelope without sender."""
    if report := report_kind(headers, sender):
        return report
    if is_automatic(headers) or is_null_sender:
        return Kind.AUTO_REPLY
    if is_list(headers):
        return Kind.LIST
    return Kind.CALENDAR_REPLY if calendar_method == "REPLY" else Kind.MAIL


def report_kind(headers: Headers, sender: str | None) -> Kind | None:
    """Return the kind of a report about another mail, None if this is none."""
    declared = (headers.first("content-type") or "").lower()
    if declared.startswith("multipart/report"):
        for name, kind in _REPORT_TYPES.items():
            if name in declared:
                return kind
    if headers.first("x-failed-recipients") is not None:
        return Kind.BOUNCE
    name = (sender or "").partition("@")[0]
    # Archived mail has often lost its Return-Path. No person writes as mailer-daemon.
    is_lost = name == "mailer-daemon" and headers.first("return-path") is None
    return Kind.BOUNCE if is_lost or (name in _ROBOTS and is_null_return_path(headers)) else None


def is_automatic(headers: Headers) -> bool:
    """Whether a program sent this, as an out-of-office reply (RFC 3834 and older fields)."""
    submitted = (headers.first("auto-submitted") or "no").partition(";")[0].strip().lower()
    return (
        submitted != "no"
        or any(headers.first(name) is not None for name in _AUTO_FIELDS)
        or _precedence(headers) == "auto_reply"
    )


def is_list(headers: Headers) -> bool:
    """Whether this came by a mailing list or is bulk mail."""
    return any(headers.first(name) is not None for name in _LIST_FIELDS) or (
        _precedence(headers) in {"list", "bulk", "junk"}
    )


def is_null_return_path(headers: Headers) -> bool:
    """Whether the first Return-Path is `<>`: no answer to this mail is wanted."""
    return (headers.first("return-path") or "").strip() == "<>"


def _precedence(headers: Headers) -> str:
    return (headers.first("precedence") or "").strip().lower()
