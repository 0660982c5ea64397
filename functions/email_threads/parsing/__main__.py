"""
Prints the parsed form of a mail: `python -m email_threads.parsing FILE.eml`.

One line of JSON for each file. `text` is the readable body, `reply_text` the part that the sender wrote, `html` is
sanitised; ids are without brackets, addresses in lower case, the date in UTC. A mail over a cap is printed with its
headers and the reason in brackets as its text. Without AWS and network.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from email_threads.parsing.mail import ParsedMail, parse

USAGE = "usage: python -m email_threads.parsing FILE.eml ..."


class AttachmentView(BaseModel):
    """A file: declared type, bytes and hash of the decoded content."""

    filename: str
    content_type: str
    size: int
    sha256: str


class MailView(BaseModel):
    """A parsed mail as it is printed."""

    message_id: str
    in_reply_to: str | None
    references: list[str]
    sender: Annotated[str | None, Field(serialization_alias="from")]
    to: list[str]
    cc: list[str]
    subject: str
    date: str | None
    text: str
    html: str | None
    reply_text: str
    attachments: list[AttachmentView]
    auto_submitted: bool
    bounce: bool
    is_list: Annotated[bool, Field(serialization_alias="list")]


def view(mail: ParsedMail) -> MailView:
    """Return the printed view of a mail. Of several In-Reply-To ids, the last is the one that it answers."""
    return MailView(
        message_id=mail.message_id,
        in_reply_to=mail.in_reply_to[-1] if mail.in_reply_to else None,
        references=list(mail.references),
        sender=mail.sender,
        to=list(mail.to),
        cc=list(mail.cc),
        subject=mail.subject,
        date=mail.date.isoformat(timespec="seconds").replace("+00:00", "Z") if mail.date else None,
        text=mail.text,
        html=mail.html,
        reply_text=mail.new_text,
        attachments=[
            AttachmentView(
                filename=attachment.filename,
                content_type=attachment.content_type,
                size=attachment.size,
                sha256=attachment.sha256,
            )
            for attachment in mail.attachments
        ],
        auto_submitted=mail.is_automatic,
        bounce=mail.bounce is not None,
        is_list=mail.is_list,
    )


def main(names: list[str]) -> int:
    """Print each file; return the exit status: 0, or 2 if a file cannot be read."""
    if not names or names[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    for name in names:
        try:
            raw = Path(name).read_bytes()
        except OSError as fault:
            print(f"{name}: {fault.strerror}", file=sys.stderr)
            return 2
        print(view(parse(raw)).model_dump_json(by_alias=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
