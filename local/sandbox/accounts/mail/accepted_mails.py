"""The MIME form of an e-mail that SES accepted: what its recipients get, without the trace of the transport."""

from __future__ import annotations

from dataclasses import dataclass
from email import encoders
from email.charset import QP, Charset
from email.header import Header, decode_header, make_header
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from local.sandbox.accounts.mail.attachments import Attachment
    from local.sandbox.accounts.mail.send_request import Parts, SendRequest

# Unlike the newer policies this one never encodes long Message-IDs. A field is one line of up to 998 characters.
_WRITTEN = compat32.clone(linesep="\r\n", mangle_from_=False, max_line_length=998)
_UTF8 = Charset("utf-8")
_UTF8.body_encoding = QP


@dataclass(frozen=True)
class AcceptedMail:
    """An e-mail that SES accepted from *region* under its id *ses_id*."""

    request: SendRequest
    ses_id: str
    region: str
    sent_at: datetime

    @property
    def message_id(self) -> str:
        """The value of the Message-ID field, whose host depends on the region."""
        host = "email" if self.region == "us-east-1" else self.region
        return f"<{self.ses_id}@{host}.amazonses.com>"

    @cached_property
    def message(self) -> Message:
        """The mail, with all fields."""
        simple, to = self.request.Content.Simple, self.request.Destination
        message = _body(simple.Body)
        if simple.Attachments:
            content, message = message, MIMEMultipart("mixed")
            for part in (content, *map(_file, simple.Attachments)):
                message.attach(part)
        listed = {
            "From": self.request.FromEmailAddress,
            "To": ", ".join(to.ToAddresses),
            "Cc": ", ".join(to.CcAddresses),
            "Reply-To": ", ".join(self.request.ReplyToAddresses),
            "Subject": encoded(simple.Subject.Data),
            "Date": format_datetime(self.sent_at),
            "Message-ID": self.message_id,
        }
        for name, value in [*listed.items(), *((h.Name, h.Value) for h in simple.Headers)]:
            if value:
                message[name] = value
        return message

    @cached_property
    def raw(self) -> bytes:
        """The mail as it is transferred."""
        return written(self.message)


def text_part(text: str, subtype: str = "plain") -> MIMEText:
    """Return a part of text in UTF-8."""
    return MIMEText(text, subtype, _UTF8)  # type: ignore[arg-type] # the stub lacks Charset, which it accepts


def encoded(text: str) -> str:
    """Return a text for a header field; encoded (RFC 2047) if not ASCII."""
    return text if text.isascii() else Header(text, "utf-8").encode(linesep="")


def decoded(value: str) -> str:
    """Return the text of a header field."""
    return str(make_header(decode_header(value)))


def written(message: Message) -> bytes:
    """Return the bytes of a mail, with CRLF."""
    return message.as_bytes(policy=_WRITTEN)


def _body(parts: Parts) -> Message:
    written_parts = [
        text_part(part.Data, subtype)
        for part, subtype in ((parts.Text, "plain"), (parts.Html, "html"))
        if part is not None
    ]
    if len(written_parts) == 1:
        return written_parts[0]
    return MIMEMultipart("alternative", _subparts=written_parts)


def _file(attachment: Attachment) -> Message:
    part = Message()
    part["Content-Type"] = attachment.ContentType
    name = attachment.FileName
    part.add_header(
        "Content-Disposition",
        attachment.ContentDisposition.lower(),
        filename=name if name.isascii() else ("utf-8", "", name),
    )
    if attachment.ContentId is not None:
        part["Content-ID"] = f"<{attachment.ContentId.strip('<>')}>"
    if attachment.ContentDescription is not None:
        part["Content-Description"] = encoded(attachment.ContentDescription)
    part.set_payload(attachment.RawContent)
    match attachment.ContentTransferEncoding:
        case "BASE64":
            encoders.encode_base64(part)
        case "QUOTED_PRINTABLE":
            encoders.encode_quopri(part)
        case "SEVEN_BIT":
            encoders.encode_7or8bit(part)
    return part
