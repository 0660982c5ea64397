"""Daily bounds (UTC) on each kind of cost that outsiders cause; a test compares SECURITY.md with these figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MICROS: Final = 1_000_000  # micro-dollars in a dollar
LEAST_DOLLARS: Final = 1 / MICROS  # of a bound: amounts are counted in micro-dollars
# Of the bounds of an address and of a company; the rest is kept for known persons.
STRANGERS_PERCENT: Final = 50
# A known person may cause this many times the bound of a sender.
KNOWN_FACTOR: Final = 3


class Kind(StrEnum):
    """A kind of cost that a message of an outsider causes."""

    MAIL_ANALYSIS = (
        "mail_analysis"  # the model reads a mail and drafts the answer, which may be sent
    )
    AI_ANSWER = (
        "ai_answer"  # a turn of an AI conversation: model, document search, functions, message
    )
    NOTICE = "notice"  # a fixed text or a template that a customer's message causes
    TICKET_MODEL = "ticket_model"  # the model classifies a ticket, and verifies a reply
    ORDER_LOOKUP = "order_lookup"  # at the shop and at the shipping service, for a ticket
    MEDIA_DOWNLOAD = "media_download"  # a file of a message, from its provider into the bucket
    TRANSCRIPTION = "transcription"  # a voice note of an AI conversation, as text
    SEQUENCE_MESSAGE = (
        "sequence_message"  # a message of a sequence that a customer's first message starts
    )
    READ_RECEIPT = "read_receipt"  # the automatic mark of a WhatsApp message as read


class Scope(StrEnum):
    """Whose bound was reached."""

    SENDER = "sender"
    ADDRESS = "address"
    COMPANY = "company"


@dataclass(frozen=True, slots=True)
class Bound:
    """At most this many units and micro-dollars a day."""

    units: int
    micros: int

    def part(self, percent: int) -> Bound:
        """Return this percentage of the bound, rounded down."""
        return Bound(self.units * percent // 100, self.micros * percent // 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The bounds of one kind of cost; *address* is a mailbox or a number of the company."""

    sender: Bound
    address: Bound
    company: Bound

    def part(self, percent: int) -> Bounds:
        """Return this percentage of all bounds."""
        return Bounds(
            sender=self.sender.part(percent),
            address=self.address.part(percent),
            company=self.company.part(percent),
        )

    def of(self, *, is_known: bool) -> Bounds:
        """Return the bounds of a known person, or of a stranger."""
        if is_known:
            return Bounds(
                sender=self.sender.part(100 * KNOWN_FACTOR),
                address=self.address,
                company=self.company,
            )
        return Bounds(
            sender=self.sender,
            address=self.address.part(STRANGERS_PERCENT),
            company=self.company.part(STRANGERS_PERCENT),
        )


def _bounds(*pairs: tuple[int, float]) -> Bounds:
    """Return bounds from units and dollars of a sender, an address and a company."""
    sender, address, company = (Bound(units, round(dollars * MICROS)) for units, dollars in pairs)
    return Bounds(sender=sender, address=address, company=company)


DEFAULTS: Final[dict[Kind, Bounds]] = {
    Kind.MAIL_ANALYSIS: _bounds((10, 1.00), (80, 3.00), (160, 6.00)),
    Kind.AI_ANSWER: _bounds((40, 1.00), (200, 4.00), (400, 8.00)),
    Kind.NOTICE: _bounds((5, 0.50), (100, 2.00), (200, 4.00)),
    Kind.TICKET_MODEL: _bounds((10, 0.50), (200, 2.00), (400, 4.00)),
    Kind.ORDER_LOOKUP: _bounds((10, 0.10), (200, 0.50), (400, 1.00)),
    Kind.MEDIA_DOWNLOAD: _bounds((40, 0.20), (400, 2.00), (800, 4.00)),
    Kind.TRANSCRIPTION: _bounds((20, 0.40), (200, 2.00), (400, 4.00)),
    Kind.SEQUENCE_MESSAGE: _bounds((5, 0.50), (40, 4.00), (80, 8.00)),
    Kind.READ_RECEIPT: _bounds((50, 0.01), (1_000, 0.05), (2_000, 0.10)),
}
