"""Sample mails of `events/email_threads/mails`, and mails built in a test."""

from pathlib import Path

from email_threads.parsing.mail import ParsedMail, parse

MAILS = Path(__file__).parents[3] / "events/email_threads/mails"
NAMES = sorted(path.stem for path in MAILS.glob("*.eml"))


def sample(name: str) -> ParsedMail:
    return parse((MAILS / f"{name}.eml").read_bytes())


def mail(body: str | bytes = "Hello.", **fields: str | bytes) -> ParsedMail:
    """Parse a mail with these fields; `content_type` stands for Content-Type."""
    known: dict[str, str | bytes] = {
        "from": "ann@example.com",
        "to": "support@shop.example",
        "subject": "Chairs",
        "message_id": "<1@example.com>",
        **fields,
    }
    lines = [
        name.replace("_", "-").encode() + b": " + _bytes(value) for name, value in known.items()
    ]
    return parse(b"\n".join(lines) + b"\n\n" + _bytes(body))


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
