"""
The fields that SES adds to a received mail, and the delivery of a mail to the local stack.

Source: "Email receiving concepts" in the SES developer guide. Check on AWS: the order of the fields.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from email.utils import formatdate
from typing import TYPE_CHECKING, Literal

from email_threads.parsing.headers import addresses
from email_threads.parsing.headers.fields import Headers

if TYPE_CHECKING:
    from local.stack.deployment import Stack

# They write with an empty envelope sender, so that no answer comes back.
ROBOTS = frozenset({"mailer-daemon", "postmaster"})

type Verdict = Literal["PASS", "GRAY", "FAIL", "PROCESSING_FAILED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """SES's verdicts; *dmarc* applies to the domain in From."""

    dmarc: Literal["pass", "fail", "none"] = "pass"
    spam: Verdict = "PASS"
    virus: Verdict = "PASS"


def received(raw: bytes, to: str, verdicts: Verdicts) -> bytes:
    """Return the mail with SES's block on top. *to* is the envelope recipient."""
    senders = addresses.in_field(Headers.read(raw), "from")
    sender = senders[0] if senders else ""
    domain = sender.rpartition("@")[2]
    envelope = "" if sender.partition("@")[0] in ROBOTS else sender
    block = "\r\n".join(
        [
            f"Return-Path: <{envelope}>",
            f"Received: from mail.{domain or 'unknown'} by inbound-smtp.us-east-1.amazonaws.com"
            f" with SMTP id {uuid.uuid4().hex} for {to}; {formatdate(time.time())}",
            f"X-SES-Spam-Verdict: {verdicts.spam}",
            f"X-SES-Virus-Verdict: {verdicts.virus}",
            f"Received-SPF: {verdicts.dmarc}",
            f"Authentication-Results: amazonses.com; spf={verdicts.dmarc};"
            f" dmarc={verdicts.dmarc} header.from={domain};",
            "X-SES-RECEIPT: local",
        ]
    )
    return f"{block}\r\n".encode() + raw


def deliver(stack: Stack, raw: bytes, to: str) -> str:
    """Store a raw mail in the bucket for the mailbox *to*; return its key. S3 notifies ingest."""
    key = f"raw/{to}/{uuid.uuid4().hex}"
    stack.client("s3").put_object(Bucket=stack.buckets["email"], Key=key, Body=raw)
    return key
