"""Ids of threads and mails: hashes of Message-IDs, different for each company."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from email_threads.parsing.headers.fields import root_id

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail

_THREAD_DIGITS: Final = 16  # contract, primary key
_EMAIL_DIGITS: Final = 32


def root(mail: ParsedMail) -> str:
    """Return the id that names a mail's thread (`root_id`)."""
    return root_id(mail.message_id, mail.references, mail.in_reply_to) or mail.message_id


def conversation_id(company_id: str, root_id: str) -> str:
    """Return the id of the thread with this root. Two companies that got the same mail have two threads."""
    return _digest(company_id, root_id)[:_THREAD_DIGITS]


def email_id(company_id: str, message_id: str) -> str:
    """Return the id of a mail of a company."""
    return _digest(company_id, message_id)[:_EMAIL_DIGITS]


def address_hash(address: str) -> str:
    """Return the part of a participant's key that stands for the address."""
    return hashlib.sha256(address.encode()).hexdigest()[:_THREAD_DIGITS]


def _digest(company_id: str, name: str) -> str:
    return hashlib.sha256(f"{company_id}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()
