"""Decides whether a mail may be answered without a person."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from email_threads.parsing.flags import Flag
from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from shared.identity.addresses import without_label
from shared.identity.public_domains import PUBLIC_DOMAINS

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail

# Addresses that no person reads.
_ROBOT: Final = re.compile(
    r"(?:.*[.+_-])?(?:no[._-]?reply|do[._-]?not[._-]?reply|mailer-daemon|postmaster|bounces?|notifications?)(?:[.+_-].*)?"
)
# Addresses that stand for a service or an office, not for a person (RFC 2142, and the usual ones of help desks).
_ROLES: Final = frozenset({
    "abuse", "accounts", "admin", "alerts", "api", "billing", "care", "contact", "customercare", "customerservice",
    "desk", "feedback", "hello", "help", "helpdesk", "hi", "hostmaster", "info", "inquiries", "invoices", "jobs",
    "kontakt", "mail", "marketing", "news", "newsletter", "office", "ops", "orders", "privacy", "sales", "security",
    "service", "services", "signup", "support", "system", "team", "ticket", "tickets", "updates", "verification",
    "verify", "webmaster", "welcome",
})  # fmt: skip
_NAME_PART: Final = re.compile(r"[._+-]")
_AUTOMATIC_SUBJECT: Final = re.compile(
    r"\s*(?:auto(?:matic|-)?\s?(?:reply|response)|automatische antwort|out of (?:the )?office|abwesenheit"
    r"|réponse automatique|respuesta automática|risposta automatica|automatisch antwoord)",
    re.IGNORECASE,
)
_DOUBTFUL: Final = frozenset({Flag.MULTIPLE_FROM, Flag.TNEF, Flag.ENCRYPTED})


class Refusal(StrEnum):
    """The reason why a mail is not answered automatically."""

    NO_MAIL = "no_mail"  # a bounce, a list, an automatic reply, a held mail
    NOT_VERIFIED = "not_verified"
    NEW_PARTICIPANT = "new_participant"
    SUPPRESSED_BY_SENDER = "suppressed_by_sender"  # X-Auto-Response-Suppress
    ROBOT = "robot"
    AUTOMATIC_SUBJECT = "automatic_subject"
    UNREADABLE_CONTENT = "unreadable_content"
    BLOCKED_ATTACHMENT = "blocked_attachment"
    NO_SENDER = "no_sender"
    OWN_ADDRESS = "own_address"  # From or Reply-To is the mailbox itself
    OTHER_REPLY_TO = "other_reply_to"  # the answer would go to an unproven address


def refusal(mail: ParsedMail, mailbox: str, *, needs_review: bool) -> Refusal | None:
    """
    Return why a mail to *mailbox* may not be answered automatically, None if it may. Words of the body never count.

    *needs_review*: its sender joined the thread on weak evidence.
    """
    stands: dict[Refusal, bool] = {
        Refusal.NO_MAIL: mail.kind is not Kind.MAIL,
        Refusal.NO_SENDER: mail.sender is None,
        Refusal.NOT_VERIFIED: mail.verdicts.trust is not Trust.VERIFIED,
        Refusal.SUPPRESSED_BY_SENDER: _is_suppressed(mail),
        Refusal.ROBOT: any(map(is_robot, (mail.sender, reply_address(mail)))),
        Refusal.AUTOMATIC_SUBJECT: bool(_AUTOMATIC_SUBJECT.match(mail.subject)),
        Refusal.UNREADABLE_CONTENT: not _DOUBTFUL.isdisjoint(mail.flags),
        Refusal.BLOCKED_ATTACHMENT: any(file.is_blocked for file in mail.attachments),
        Refusal.OWN_ADDRESS: mailbox in map(without_label, (mail.sender or "", *mail.reply_to)),
        Refusal.OTHER_REPLY_TO: _goes_to_another(mail, mailbox),
        Refusal.NEW_PARTICIPANT: needs_review,  # The last one: an admission ends it.
    }
    return next((reason for reason, is_true in stands.items() if is_true), None)


def reply_address(mail: ParsedMail) -> str | None:
    """
    Return the address that an answer goes to instead of the sender's: Reply-To, if it is of the same domain.

    At a public provider only with another label: two of its users have nothing to do with each other.
    """
    sender = mail.sender or ""
    domain = sender.rpartition("@")[2]
    same = (one for one in mail.reply_to if domain and one.rpartition("@")[2] == domain)
    return next(
        (
            one
            for one in same
            if domain not in PUBLIC_DOMAINS or without_label(one) == without_label(sender)
        ),
        None,
    )


def other_reply_address(mail: ParsedMail, mailbox: str) -> str | None:
    """Return the Reply-To address of another person or domain: people may answer to it, automatic answers never do."""
    if reply_address(mail) is not None:
        return None
    sender = without_label(mail.sender or "")
    return next(
        (
            one
            for one in mail.reply_to
            if without_label(one) not in {sender, mailbox} and not is_robot(one)
        ),
        None,
    )


def _goes_to_another(mail: ParsedMail, mailbox: str) -> bool:
    """Whether an answer goes to another address than the one that SES has proven."""
    address = reply_address(mail) or other_reply_address(mail, mailbox)
    return address is not None and without_label(address) != without_label(mail.sender or "")


def is_robot(address: str | None) -> bool:
    """Whether no person reads an address, by its name."""
    return address is not None and bool(_ROBOT.fullmatch(address.rpartition("@")[0]))


def is_service(address: str) -> bool:
    """Whether an address stands for a service or an office by its name: programs write from many of them."""
    name = address.rpartition("@")[0]
    return is_robot(address) or not _ROLES.isdisjoint(_NAME_PART.split(name))


def _is_suppressed(mail: ParsedMail) -> bool:
    """Whether the sender asks for no automatic response."""
    asked = mail.headers.first("x-auto-response-suppress") or "none"
    return asked.strip().lower() != "none"
