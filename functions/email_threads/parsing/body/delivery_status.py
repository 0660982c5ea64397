"""Reads a delivery report (RFC 3464, or the text of older mail servers): the class of a bounce and its diagnostic code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from email_threads.parsing import charsets

LONGEST_DIAGNOSTIC: Final = 500  # characters
_MOST_TEXT: Final = 32 * 1024


class BounceClass(StrEnum):
    """The reason of a bounce: `hard` stays, `soft` may pass, `blocked` is a refusal of the sender, `full` the mailbox."""

    HARD = "hard"
    SOFT = "soft"
    BLOCKED = "blocked"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Bounce:
    """The class of a bounce, and the answer of the mail server, on one line; None if the report has none."""

    bounce_class: BounceClass
    diagnostic: str | None = field(default=None, repr=False)


# The enhanced status code (RFC 3463), and the older reply code of SMTP.
_ENHANCED: Final = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_REPLY: Final = re.compile(r"(?<![\d.:-])([45])[0-5]\d(?=[ \-#]|$)")
_FIELD: Final = re.compile(
    r"^(?P<name>status|action|diagnostic-code)[ \t]*:[ \t]*(?P<value>.{0,900}(?:\n[ \t]+.{0,900}){0,9})",
    re.IGNORECASE | re.MULTILINE,
)
_CODE_LINE: Final = re.compile(
    r"^.{0,200}?(?:(?<![\d.:-])[45][0-5]\d[ \-#]|(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])).{0,300}$",
    re.MULTILINE,
)
_MESSAGE_ID: Final = re.compile(
    r"^[> \t]{0,9}message-id[ \t]*:[ \t]*(?:\n[ \t]+)?<([^<>\s]{3,300})>",
    re.IGNORECASE | re.MULTILINE,
)
_FULL: Final = re.compile(
    r"mailbox (?:is )?(?:full|exceed)|quota|over ?limit|storage (?:limit|space)|insufficient (?:system )?storage|mailbox size"
    r"|inbox is full|postfach (?:ist )?voll|boîte .{0,20}pleine|buzón .{0,20}lleno|casella .{0,20}piena",
    re.IGNORECASE,
)
_BLOCKED: Final = re.compile(
    r"\bspam|block(?:ed|list)|black ?list|deny ?list|\bdnsbl|\brbl\b|spamhaus|barracuda|spamcop|reputation|unsolicited|\bpolic(?:y|ies)\b"
    r"|dmarc|\bspf\b|not (?:authori[sz]ed|permitted)|access denied|content (?:rejected|filter)|virus|banned",
    re.IGNORECASE,
)
_PASSED_ON: Final = frozenset({"delivered", "relayed", "expanded"})
_NO_ADDRESS: Final = re.compile(
    r"user (?:unknown|not found)|unknown user|no such (?:user|recipient|mailbox)|does(?:n't| not) exist|not found|no mailbox"
    r"|unknown (?:address|recipient)|address rejected|recipient rejected|invalid recipient|unrouteable|disabled|inactive",
    re.IGNORECASE,
)
_TEMPORARY: Final = re.compile(
    r"delayed|temporar|will (?:be retried|retry|keep trying)|still trying|not yet been delivered|verzögert|retardé|warning",
    re.IGNORECASE,
)


def text_of(content: bytes) -> str:
    """Return the text of a delivery status part."""
    return charsets.decode(content[:_MOST_TEXT], None)[0].replace("\r\n", "\n")


def is_no_failure(status: str) -> bool:
    """Whether every recipient of a delivery status was reached: a receipt, and no bounce."""
    actions = [
        found["value"].strip().lower()
        for found in _FIELD.finditer(status)
        if found["name"].lower() == "action"
    ]
    return bool(actions) and all(action.split(" ")[0] in _PASSED_ON for action in actions)


def has_code(text: str) -> bool:
    """Whether a text names a status code of a refusal or a delay."""
    return bool(_ENHANCED.search(text[:_MOST_TEXT])) or bool(_CODE_LINE.search(text[:_MOST_TEXT]))


def returned_ids(text: str) -> list[str]:
    """Return the Message-IDs of headers that a report copied into its text, without brackets."""
    return [found[1] for found in _MESSAGE_ID.finditer(text[:_MOST_TEXT])]


def bounce_of(status: str, text: str, subject: str) -> Bounce:
    """Classify a bounce by its delivery status, else by its text and subject."""
    fields = {
        found["name"].lower(): " ".join(found["value"].split())
        for found in reversed([*_FIELD.finditer(status)])
    }
    text = text[:_MOST_TEXT]
    line = found[0] if (found := _CODE_LINE.search(text)) else ""
    diagnostic = fields.get("diagnostic-code") or " ".join(line.split())
    code = fields.get("status") or ""
    return Bounce(
        _class_of(code, diagnostic, fields.get("action", ""), f"{subject}\n{text}"),
        diagnostic[:LONGEST_DIAGNOSTIC] or code or None,
    )


def _class_of(code: str, diagnostic: str, action: str, text: str) -> BounceClass:
    # The server's own code is more precise than the general 5.0.0 that some reports give.
    codes = [found for one in (diagnostic, code) if (found := _ENHANCED.search(one))]
    found = next((one for one in codes if one[2] != "0"), codes[0] if codes else None)
    said = diagnostic or text
    if (found and (found[2], found[3]) == ("2", "2")) or _FULL.search(said):
        return BounceClass.FULL
    is_unknown = bool(_NO_ADDRESS.search(said)) or bool(
        found and found[1] == "5" and found[2] == "1"
    )
    if not is_unknown and ((found and found[2] == "7") or _BLOCKED.search(said)):
        return BounceClass.BLOCKED
    reply = _REPLY.search(diagnostic)
    digit = found[1] if found else (reply[1] if reply else None)
    if digit is not None and not action.lower().startswith("delayed"):
        return BounceClass.HARD if digit == "5" else BounceClass.SOFT
    is_temporary = action.lower().startswith("delayed") or _TEMPORARY.search(text)
    return BounceClass.SOFT if is_temporary else BounceClass.HARD
