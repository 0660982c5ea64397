"""Mails that several suites use: one with files, a bounce, and one that AI conversations sent."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Final

from shared.events.exchange import OutboundMessage
from tests.simulation.email_threads.system import ANN, AUTOMATED, COMPANY, MAILBOX, mail

SES_ID: Final = "0102018-abc"
SENT: Final = OutboundMessage(
    provider="ses",
    provider_message_id=f"{SES_ID}@email.amazonses.com",
    action_id="action-1",
    company=COMPANY,
    account=AUTOMATED,
    business_address=AUTOMATED,
    customer_address=ANN,
    message_type="email",
    content={"subject": "Your order", "text": "Which colour?"},
    occurred_at="2026-01-01T13:00:00.000Z",
)


def with_files(message_id: str = "files@x") -> bytes:
    """A mail with HTML, an inline image, a document and a program."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = ANN, MAILBOX, "Chairs"
    message["Message-ID"] = f"<{message_id}>"
    message.set_content("A long letter. " * 600)
    message.add_alternative(
        '<p>See <img src="cid:logo"><script>alert(1)</script></p>', subtype="html"
    )
    message.get_payload()[1].add_related(  # type: ignore[union-attr,index] # a part of a multipart
        b"\x89PNG\r\n\x1a\nimage", "image", "png", cid="<logo>", filename="logo.png"
    )
    message.add_attachment(b"%PDF-1.7 order", "application", "pdf", filename="../../order.pdf")
    message.add_attachment(b"MZ program", "application", "pdf", filename="invoice.pdf.exe")
    return bytes(message)


def verified(raw: bytes) -> bytes:
    """The mail with SES's block of another one on top."""
    block = mail("-").split(b"From:")[0]
    return block + raw


def bounce(message_id: str) -> bytes:
    """A delivery-status report about a mail."""
    body = (
        "--r\nContent-Type: text/plain\n\nNot delivered.\n"
        "--r\nContent-Type: message/delivery-status\n\nAction: failed\n\n"
        f"--r\nContent-Type: text/rfc822-headers\n\nMessage-ID: <{message_id}>\n\n--r--\n"
    )
    report = 'Content-Type: multipart/report; report-type=delivery-status; boundary="r"'
    return mail("bounce@mill", body, sender="mailer-daemon@mill.example", more=report)
