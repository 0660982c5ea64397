"""
Authentication of a mail's sender by the verdicts of SES.

SES puts a block of fields on top of a received mail, from Return-Path down to X-SES-RECEIPT. Only that block counts:
fields of the same names below it were written by the sender. Source: "Email receiving concepts" in the SES developer
guide. Check on AWS: the order of the fields, which only `_block` depends on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from email_threads.parsing.headers.normal_form import normal

if TYPE_CHECKING:
    from email_threads.parsing.headers.fields import Headers

_LAST_FIELD: Final = "x-ses-receipt"
_RECEIVER: Final = "by inbound-smtp."
_AUTHORITY: Final = "amazonses.com"
# Read from left to right, so that neither a quote in a comment nor a comment in a quote ends the other. The sender
# chooses parts of the value, as the name of the envelope address.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\((?:[^()\\]|\\.)*\)|[^;"(]+|.', re.DOTALL)
_PROPERTY: Final = re.compile(r"([\w.-]+)\s*=\s*(\"[^\"]*\"|[^\s;]+)")
# The envelope recipient. Check on AWS: the wording.
_RECIPIENT: Final = re.compile(r"\bfor\s+<?([^\s<>;]+@[^\s<>;]+)>?")
_SCORES: Final = {"PASS": 0.0, "GRAY": 0.5, "FAIL": 1.0}


class Trust(StrEnum):
    """`verified` may be answered automatically, `unverified` only by people, a `failed` mail is held."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """
    The findings of SES about a mail; empty without its block.

    *spam_score* is 0, 0.5 or 1. *has_virus*: attachments may not be stored. *is_null_sender*: the envelope has no
    sender, so no answer is wanted. *recipient* is the address at which SES received the mail.
    """

    trust: Trust = Trust.UNVERIFIED
    spam_score: float | None = None
    has_virus: bool = False
    is_null_sender: bool = False
    client_ip: str | None = None
    recipient: str | None = field(default=None, repr=False)


def verdicts(headers: Headers, sender: str | None, *, is_ambiguous: bool = False) -> Verdicts:
    """Read SES's block. *sender* is the address of From; *is_ambiguous*: SES may have read another one there."""
    block = _block(headers)
    if block is None:
        return Verdicts()
    spam, virus = (block.get(f"x-ses-{name}-verdict", "").upper() for name in ("spam", "virus"))
    results = _results(block.get("authentication-results", ""))
    envelope = _RECIPIENT.search(block["received"])
    trust = _trust(spam, virus, results, (sender or "").rpartition("@")[2])
    return Verdicts(
        trust=Trust.UNVERIFIED if is_ambiguous and trust is Trust.VERIFIED else trust,
        spam_score=_SCORES.get(spam),
        has_virus=virus == "FAIL",
        is_null_sender=block.get("return-path", "").strip() == "<>",
        client_ip=results.get("client-ip", {}).get("client-ip"),
        recipient=normal(envelope[1]) if envelope else None,
    )


def _block(headers: Headers) -> dict[str, str] | None:
    """Return the fields of SES's block, the first of each name; None if the mail does not start with it."""
    names = [name for name, _ in headers.fields]
    if _LAST_FIELD not in names or names[:2] != ["return-path", "received"]:
        return None
    if _RECEIVER not in headers.fields[1][1]:
        return None
    fields = headers.fields[: names.index(_LAST_FIELD) + 1]
    return dict(reversed(fields))


def _results(value: str) -> dict[str, dict[str, str]]:
    """
    Parse Authentication-Results (RFC 8601): method -> result and properties, the first of each method.

    {} if another authority wrote it. The result stands under the name of the method, as SES's own properties do.
    Several results of DMARC count as none: SES writes one.
    """
    authority, *segments = _segments(value)
    if authority.strip().lower() != _AUTHORITY:
        return {}
    results: dict[str, dict[str, str]] = {}
    for segment in segments:
        pairs = [(name.lower(), text.strip('"')) for name, text in _PROPERTY.findall(segment)]
        if "dmarc" in results and pairs and pairs[0][0] == "dmarc":
            results["dmarc"] = {}
        for number, (name, _) in enumerate(pairs):
            if number == 0 or name in {"client-ip", "envelope-from"}:
                results.setdefault(name, dict(pairs))
    return results


def _segments(value: str) -> list[str]:
    """Split at semicolons outside quotes and comments; comments are left out."""
    segments = [""]
    for piece in _TOKEN.findall(value):
        if piece == ";":
            segments.append("")
        else:
            segments[-1] += " " if piece.startswith("(") else piece
    return segments


def _trust(spam: str, virus: str, results: dict[str, dict[str, str]], domain: str) -> Trust:
    dmarc = results.get("dmarc", {})
    if "FAIL" in {spam, virus} or dmarc.get("dmarc", "").lower() == "fail":
        return Trust.FAILED
    if (spam, virus) != ("PASS", "PASS") or not domain:
        return Trust.UNVERIFIED
    if dmarc.get("dmarc", "").lower() == "pass":
        is_proven = dmarc.get("header.from", "").lower() == domain
    else:
        is_proven = dmarc.get("dmarc", "").lower() == "none" and (
            _is_aligned(results, "dkim", domain) or _is_aligned(results, "spf", domain)
        )
    return Trust.VERIFIED if is_proven else Trust.UNVERIFIED


def _is_aligned(results: dict[str, dict[str, str]], method: str, domain: str) -> bool:
    """Whether a method passed for the domain of From, one above it or one below it."""
    found = results.get(method, {})
    if found.get(method, "").lower() != "pass":
        return False
    proven = found.get("header.d") or found.get("header.i", "")
    if method == "spf":
        proven = results.get("envelope-from", {}).get("envelope-from", "")
    other = proven.rpartition("@")[2].lower()
    return "." in other and (
        other == domain or domain.endswith(f".{other}") or other.endswith(f".{domain}")
    )
