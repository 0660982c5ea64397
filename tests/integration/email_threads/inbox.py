"""A mailbox over moto: the table of the template, and mails that are parsed and appended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parseaddr
from typing import Any

import boto3
import pytest
from moto import mock_aws

from email_threads.parsing.mail import parse
from email_threads.store import threads
from email_threads.store.items import Mail, Thread
from email_threads.threading.append import Appended, append
from email_threads.threading.incoming_mail import Incoming
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.runtime import clock
from tests.template import create_table

COMPANY = "acme"
SECRETS = (b"new", b"old")
BUCKET = "mails"
MAILBOX = "support@shop.example"
NOW = 1_793_620_800_000  # 2026-11-02T12:00:00Z

_VERDICTS = """Return-Path: <{sender}>
Received: from mail by inbound-smtp.eu-west-1.amazonaws.com with SMTP id 1
X-SES-Spam-Verdict: PASS
X-SES-Virus-Verdict: {virus}
Authentication-Results: amazonses.com; spf=pass; dmarc={dmarc} header.from={domain}
X-SES-RECEIPT: AE
"""


@dataclass
class Inbox:
    """A mailbox whose mails are parsed and appended, and the table that they are stored in."""

    table: Table
    client: Any
    bucket: Bucket

    def receive(
        self,
        message_id: str,
        *,
        sender: str = "ann@orchard.example",
        subject: str = "Chairs",
        in_reply_to: str = "",
        references: str = "",
        body: str = "Hello.",
        dmarc: str = "pass",
        virus: str = "PASS",
        verified: bool = True,
        company: str = COMPANY,
        more: str = "",
        to: str = MAILBOX,
    ) -> Appended:
        """Append a mail; ids are given without brackets, several separated by spaces."""
        address = parseaddr(sender)[1]
        fields = [
            _VERDICTS.format(
                sender=address, domain=address.partition("@")[2], dmarc=dmarc, virus=virus
            ).rstrip("\n")
            if verified
            else "",
            f"From: {sender}",
            f"To: {to}",
            f"Subject: {subject}",
            f"Message-ID: <{message_id}>",
            f"In-Reply-To: {_bracketed(in_reply_to)}" if in_reply_to else "",
            f"References: {_bracketed(references)}" if references else "",
            more,
        ]
        raw = "\n".join(filter(None, fields)) + f"\n\n{body}"
        return append(
            self.table,
            self.bucket,
            Incoming(
                company_id=company,
                mailbox=MAILBOX,
                mail=parse(raw.encode()),
                received_ms=clock.now_ms(),
                token_secrets=SECRETS,
            ),
        )

    def thread(self, conversation_id: str) -> Thread:
        found = threads.get(self.table, conversation_id)
        assert found is not None
        return found

    def mails(self, conversation_id: str) -> list[Mail]:
        return threads.mails(self.table, conversation_id, range(1, 60))

    def items(self) -> list[dict[str, Any]]:
        return list(self.client.scan(TableName=self.table.name)["Items"])


@contextmanager
def opened() -> Iterator[Inbox]:
    """An empty table at a fixed time."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setattr(clock, "now_ms", lambda: NOW)
        patch.setattr(clock, "sleep_ms", lambda _: None)
        client = boto3.client("dynamodb")
        storage = boto3.client("s3")
        storage.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        yield Inbox(
            Table(client, create_table(client, "EmailThreadsTable")),
            client,
            Bucket(lambda: storage, BUCKET),
        )


def _bracketed(ids: str) -> str:
    return " ".join(f"<{name}>" for name in ids.split())
