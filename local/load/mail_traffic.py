"""The mails of a load run, generated from one seed, so that a run can be repeated."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Final

from local.load.traffic import INVALID, REPEATED, SENDERS
from local.mail.receipt import Verdicts, received

DOMAIN: Final = "load.example"
PEOPLE: Final = f"people@{DOMAIN}"  # only people answer
DESK: Final = f"desk@{DOMAIN}"  # a model drafts, people approve
ROBOT: Final = f"robot@{DOMAIN}"  # answered automatically
MAILBOXES: Final = (*([PEOPLE] * 6), DESK, DESK, ROBOT, ROBOT)
UNREGISTERED: Final = f"unregistered@{DOMAIN}"
EARLY: Final = 0.1  # of the replies come before the mail that they answer
NEWEST_REFERENCES: Final = 10

_BOUNCE: Final = """\
--r
Content-Type: text/plain

Not delivered.
--r
Content-Type: message/delivery-status

Action: failed

--r
Content-Type: text/rfc822-headers

Message-ID: <unknown-{id}>

--r--
"""


@dataclass(frozen=True, slots=True)
class Sent:
    """A mail that must be stored once, in the thread that the *root* names; ids without brackets."""

    message_id: str
    root: str
    thread: int
    mailbox: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """An object that SES stores. *is_told_twice*: S3 notifies twice."""

    mailbox: str
    raw: bytes = field(repr=False)
    is_told_twice: bool = False


@dataclass(slots=True)
class MailTraffic:
    """The whole run: the arrivals of each sender in order, and the expected result."""

    run: str  # part of every Message-ID
    by_sender: list[list[Arrival]]
    mails: list[Sent] = field(default_factory=list)
    early: int = 0
    repeats: int = 0
    invalid: Counter[str] = field(default_factory=Counter)  # reason -> mails

    @property
    def events(self) -> int:
        """The number of all notifications, including repeats and invalid mails."""
        return len(self.mails) + self.repeats + self.invalid.total()


def mail_traffic(seed: int, events: int, threads: int, run: str) -> MailTraffic:
    """Generate *events* in *threads*: 5 % repeats, 1 % invalid, a tenth of the replies before what they answer."""
    random = Random(seed)  # noqa: S311 - it makes samples, no secrets
    result = MailTraffic(run, [[] for _ in range(SENDERS)])
    known: dict[int, list[Sent]] = {number: [] for number in range(threads)}
    while result.events < events:
        thread = random.randrange(threads)
        arrivals = result.by_sender[thread % SENDERS]
        before = known[thread]
        draw = random.random()
        if draw < REPEATED and before:
            result.repeats += 1
            arrivals.append(_repeated(random, result, before))
            continue
        if draw < REPEATED + INVALID and before:
            invalid = random.choice([_reused, _to_nobody, _bounce])
            arrivals.append(invalid(result, before[-1]))
            continue
        arrivals.append(_arrival(result, _next(result, before, thread), before))
        if result.events < events and random.random() < EARLY:  # The next mail overtakes this one.
            late = arrivals.pop()
            arrivals += [_arrival(result, _next(result, before, thread), before), late]
            result.early += 1
    return result


def _next(result: MailTraffic, before: list[Sent], thread: int) -> Sent:
    name = f"{result.run}.{thread}.{len(before) + 1}@customer.example"
    root = before[0].root if before else name
    mail = Sent(name, root, thread, MAILBOXES[thread % len(MAILBOXES)])
    before.append(mail)
    result.mails.append(mail)
    return mail


def _arrival(result: MailTraffic, mail: Sent, thread: list[Sent]) -> Arrival:
    return Arrival(mail.mailbox, _raw(result, mail, thread))


def _repeated(random: Random, result: MailTraffic, before: list[Sent]) -> Arrival:
    """Return a new mail about which S3 tells twice, or one that SES stores a second time under another key."""
    is_told_twice = random.choice([True, False])
    mail = _next(result, before, before[0].thread) if is_told_twice else random.choice(before)
    return Arrival(mail.mailbox, _raw(result, mail, before), is_told_twice=is_told_twice)


def _raw(result: MailTraffic, mail: Sent, thread: list[Sent], text: str = "") -> bytes:
    """Return the mail as SES stores it: the same at every call, but for SES's own fields."""
    position = next(at for at, one in enumerate(thread) if one.message_id == mail.message_id)
    earlier = [one.message_id for one in thread[:position]]
    references = [*earlier[:1], *earlier[1:][-NEWEST_REFERENCES:]]
    fields = [
        f"From: {_customer(result, mail.thread)}",
        f"To: {mail.mailbox}",
        f"Subject: {'Re: ' if earlier else ''}Order {mail.thread}",
        f"Message-ID: <{mail.message_id}>",
    ]
    if earlier:
        fields.append(f"In-Reply-To: <{earlier[-1]}>")
        fields.append("References: " + " ".join(f"<{one}>" for one in references))
    body = text or f"Mail {position + 1} of thread {mail.thread}. Do you have chairs?"
    return _stored(fields, body, mail.mailbox)


def _reused(result: MailTraffic, last: Sent) -> Arrival:
    result.invalid["message_id_reused"] += 1
    text = f"another text, {result.invalid.total()}"
    fields = [
        f"From: {_customer(result, last.thread)}",
        f"To: {last.mailbox}",
        f"Subject: Order {last.thread}",
        f"Message-ID: <{last.message_id}>",
        f"References: <{last.root}>",
    ]
    return Arrival(last.mailbox, _stored(fields, text, last.mailbox))


def _to_nobody(result: MailTraffic, last: Sent) -> Arrival:
    result.invalid["unknown_mailbox"] += 1
    fields = [f"From: {_customer(result, last.thread)}", f"To: {UNREGISTERED}", _invalid_id(result)]
    return Arrival(UNREGISTERED, _stored(fields, "Hello.", UNREGISTERED))


def _bounce(result: MailTraffic, last: Sent) -> Arrival:
    result.invalid["unknown_reference"] += 1
    fields = [
        "From: mailer-daemon@customer.example",
        f"To: {last.mailbox}",
        _invalid_id(result),
        'Content-Type: multipart/report; report-type=delivery-status; boundary="r"',
    ]
    body = _BOUNCE.format(id=f"{result.run}.{result.invalid.total()}@customer.example")
    return Arrival(last.mailbox, _stored(fields, body, last.mailbox))


def _invalid_id(result: MailTraffic) -> str:
    return f"Message-ID: <{result.run}.invalid.{result.invalid.total()}@customer.example>"


def _customer(result: MailTraffic, thread: int) -> str:
    return f"c{thread}.{result.run}@customer.example"


def _stored(fields: list[str], body: str, mailbox: str) -> bytes:
    raw = "\r\n".join(["MIME-Version: 1.0", *fields, "", body.replace("\n", "\r\n")])
    return received(raw.encode(), mailbox, Verdicts())
