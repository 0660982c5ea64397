"""
Receives a mail: finds its mailbox, reads and parses it, stores it in its thread, and hands it on.

    1 raw mail          read from the bucket                      gone: nothing is left to store
    2 mailbox           of the key, else of the headers           unknown: parked
    3 append            objects, thread, mail (`append`)          a repeat is a duplicate
    4 merge             queued, if the mail names two threads     repeated
    5 consent           STOP, START, address in use               repeated
    6 analysis          queued, if this context drafts answers    repeated
      conversations     queued, if they answer this mailbox       repeated; they deduplicate
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from email_threads.configuration.resources import owns, token_secrets
from email_threads.inbound import events
from email_threads.inbound.events import EmailAnalyse, EmailMerge
from email_threads.parsing import mail as mails
from email_threads.parsing.caps import MOST_BYTES, MOST_HEADER_BYTES, SYNTHETIC_DOMAIN, HoldReason
from email_threads.parsing.headers import addresses
from email_threads.parsing.kinds import REPORTS, Kind
from email_threads.parsing.trust import Trust
from email_threads.parsing.verification.verification import is_verification
from email_threads.recovery import parking
from email_threads.store import objects
from email_threads.store.configuration import mailboxes
from email_threads.store.items.parked import ParkReason
from email_threads.store.items.threads.thread import Automation, Direction
from email_threads.threading import tombstones
from email_threads.threading.append import append
from email_threads.threading.evidence import reply_tokens
from email_threads.threading.head.service_level import targets_of
from email_threads.threading.incoming_mail import Incoming
from email_threads.worker import consent, forwarder, quoted_mail
from shared.access.ownership import claims
from shared.identity.addresses import without_label
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.inbound.events import EmailReceived
    from email_threads.parsing.mail import ParsedMail
    from email_threads.store.items import Mailbox
    from email_threads.threading.append import Appended

LOOP_HEADER: Final = "x-parley-loop"  # written by `replies.delivery.mail_content`
MOST_OTHERS: Final = 40  # further addresses
MOST_CANDIDATES: Final = 50  # recipients of a mail that are looked up as mailboxes


@dataclass(frozen=True, slots=True)
class Received:
    """The thread and the number under which a mail was stored."""

    conversation_id: str
    company_id: str
    kind: Kind
    is_duplicate: bool


def receive(resources: Resources, event: EmailReceived) -> Received | None:
    """
    Store a mail and hand it on. Idempotent. None if the raw mail is gone, or is a copy of a mail that Parley sent.

    Raises Permanent (`ParkReason`) and Transient.
    """
    mail = _read(resources, event)
    if mail is None:
        return None
    has_author = mail.headers.first("from") is not None or mail.kind in REPORTS
    if not mail.headers.fields or not has_author:
        raise Permanent(ParkReason.UNREADABLE)
    found = _mailboxes(resources, event.key, mail)
    mark = mail.headers.first(LOOP_HEADER)
    if mark is not None and reply_tokens.is_mark(mark, found.mailbox.company_id, token_secrets()):
        return None
    if event.is_released:  # A person accepted another mail with a stored Message-ID.
        mail = replace(mail, message_id=f"{mail.fingerprint}@{SYNTHETIC_DOMAIN}")
    mail = quoted_mail.without_it(resources.table, found.mailbox.company_id, mail)
    incoming = _incoming(event, mail, found)
    if _is_erased(resources, incoming, found):
        resources.bucket.delete(event.key)
        return None
    try:
        appended = append(resources.table, resources.bucket, incoming)
    except Permanent as refusal:
        raise parking.CompanyRefusal(refusal.reason, incoming.company_id) from None
    if appended.is_erased:  # Another copy of a mail of an erased person.
        resources.bucket.delete(event.key)
    request_merge(resources, appended)
    _hand_on(resources, incoming, appended)
    return Received(
        appended.conversation_id,
        incoming.company_id,
        incoming.mail.kind,
        appended.is_duplicate,
    )


def _is_erased(resources: Resources, incoming: Incoming, found: _Mailboxes) -> bool:
    """Whether the one person who wrote a mail, or to whom alone it was sent, was erased after it was received."""
    mail = incoming.mail
    people = {mail.sender} if incoming.direction is Direction.INBOUND else {*mail.to, *mail.cc}
    outside = [one for one in people if one is not None and one not in found.own]
    return len(outside) == 1 and tombstones.covers(
        resources.table, incoming.company_id, outside, incoming.received_ms
    )


def _hand_on(resources: Resources, incoming: Incoming, appended: Appended) -> None:
    """Pass a stored mail to the context that answers the thread. Idempotent."""
    if appended.automation is Automation.CONVERSATIONS:
        forwarder.forward(resources, incoming, appended)
        return
    keyword = consent.note(resources, incoming, appended)
    is_news = appended.counts and incoming.direction is Direction.INBOUND
    if appended.automation is Automation.EMAIL_THREADS and is_news and keyword is None:
        event = EmailAnalyse(conversation_id=appended.conversation_id, n=appended.n)
        resources.queue.send([events.entry(event)])


def request_merge(resources: Resources, appended: Appended) -> None:
    """Queue the merge of two threads, if a mail showed that they are one. Idempotent."""
    if appended.merges is not None:
        merge = EmailMerge(loser=appended.merges, winner=appended.conversation_id)
        resources.queue.send([events.entry(merge)])


@dataclass(frozen=True, slots=True)
class _Mailboxes:
    """The mailbox of a mail, and the other addresses of its company among sender and recipients."""

    mailbox: Mailbox
    own: frozenset[str]


def _read(resources: Resources, event: EmailReceived) -> ParsedMail | None:
    """Parse a raw mail: over the cap only its headers. None if it is gone."""
    try:
        if event.size > MOST_BYTES:
            block = resources.bucket.first_bytes(event.key, MOST_HEADER_BYTES)
            return mails.parse_headers(block, HoldReason.TOO_LARGE)
        raw = resources.bucket.get(event.key)
    except ClientError as error:
        if resources.bucket.is_missing(event.key, error):
            return None
        raise
    return mails.parse(raw)


def _mailboxes(resources: Resources, key: str, mail: ParsedMail) -> _Mailboxes:
    """
    Return the mailbox of a mail. Raises Permanent (`unknown_mailbox`).

    A mailbox whose address its company does not own counts as unknown.
    """
    named = key.removeprefix(objects.RAW).partition("/")[0]
    candidates = [named] if named != objects.ANY_MAILBOX else _recipients(mail)
    sender = [mail.sender] if mail.sender is not None else []
    others = _others(mail) if mail.reply_to else []
    registered = mailboxes.get_many(resources.table, [*candidates, *sender, *others])
    known = {one: mailbox for one, mailbox in registered.items() if owns(resources, mailbox)}
    found = next((known[one] for one in candidates if one in known and known[one].enabled), None)
    if found is None:
        company_id = claims.owner_of_first_domain(resources.owners.table, candidates)
        if company_id is None:
            raise Permanent(ParkReason.UNKNOWN_MAILBOX)
        raise parking.CompanyRefusal(ParkReason.UNKNOWN_MAILBOX, company_id)
    own = {one.address for one in known.values() if one.company_id == found.company_id}
    return _Mailboxes(found, frozenset(own))


def _others(mail: ParsedMail) -> list[str]:
    """Return the addresses that decide whether a mail of our own mailbox is a contact form's."""
    sender = [mail.sender] if mail.sender is not None else []
    return [without_label(one) for one in (*sender, *mail.to, *mail.cc, *mail.reply_to)][
        :MOST_OTHERS
    ]


def _recipients(mail: ParsedMail) -> list[str]:
    """Return the possible mailboxes of a mail to a whole domain: SES's envelope recipient, then To and Cc."""
    envelope = mail.verdicts.recipient
    first = [envelope] if envelope is not None else []
    return [without_label(one) for one in (*first, *mail.to, *mail.cc)][:MOST_CANDIDATES]


def _of_customer(mail: ParsedMail, found: _Mailboxes) -> ParsedMail:
    """
    Return the mail of a contact form with the customer as its sender; any other mail as it is.

    A form writes from our mailbox to our mailboxes, with the customer as Reply-To and perhaps with a copy. It may also
    write to others, such as the owner of the shop, but answers no mail. SES has not proven the customer's address:
    only the form states it. Its mark of automatic mail says that a program wrote it, which is true of every form.
    """
    customer = next((one for one in mail.reply_to if _is_outside(one, found)), None)
    is_own = without_label(mail.sender or "") in found.own
    if not is_own or customer is None or mail.hold_reason is not None:
        return mail
    others = {one for one in (*mail.to, *mail.cc) if without_label(one) not in found.own}
    is_to_us = any(without_label(one) in found.own for one in mail.to)
    if others - {customer} and (not is_to_us or mail.in_reply_to or mail.references):
        return mail
    return replace(
        mail,
        kind=Kind.MAIL if mail.kind is Kind.AUTO_REPLY else mail.kind,
        sender=customer,
        sender_name=addresses.display_name(mail.headers.first("reply-to") or "", customer),
        reply_to=(),
        verdicts=replace(mail.verdicts, trust=Trust.UNVERIFIED),
    )


def _is_outside(address: str, found: _Mailboxes) -> bool:
    """Whether an address is of none of the domains of the company's mailboxes that a mail names."""
    return address.rpartition("@")[2] not in {one.rpartition("@")[2] for one in found.own}


def _incoming(event: EmailReceived, mail: ParsedMail, found: _Mailboxes) -> Incoming:
    mailbox = found.mailbox
    mail = _of_customer(mail, found)
    is_ours = mail.sender in found.own
    if is_ours and mail.verdicts.trust is not Trust.VERIFIED and mail.hold_reason is None:
        mail = replace(mail, kind=Kind.HELD, hold_reason=HoldReason.FORGED_SENDER)
    is_colleague = is_ours and mail.kind is not Kind.HELD
    if not is_colleague and mail.hold_reason is None and is_verification(mail):
        mail = replace(mail, kind=Kind.HELD, hold_reason=HoldReason.VERIFICATION)
    is_held = mail.hold_reason is not None or mail.kind in REPORTS
    if not is_colleague and not is_held and mailbox.blocks(mail.sender or ""):
        mail = replace(mail, kind=Kind.HELD, hold_reason=HoldReason.BLOCKED_SENDER)
    return Incoming(
        company_id=mailbox.company_id,
        mailbox=mailbox.address,
        mail=mail,
        received_ms=clock.from_text(event.received_at),
        direction=Direction.OUTBOUND if is_colleague else Direction.INBOUND,
        automation=mailbox.automation,
        retention_days=mailbox.retention_days,
        raw_key=event.key,
        token_secrets=token_secrets(),
        targets=targets_of(mailbox),
        close_days=mailbox.auto_close_days,
        reopen_days=mailbox.reopen_days,
        ask_hours=mailbox.satisfaction_delay_hours,
    )
