"""The recipients that an answer has unless a person names others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from email_threads.parsing import answer_rules
from email_threads.parsing.kinds import Kind
from email_threads.store.configuration import mailboxes
from email_threads.store.items.threads.thread import Direction
from shared.identity.addresses import without_label

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Mail, Thread
    from shared.aws.dynamodb import Table

MOST_COPIES: Final = 49  # with the recipient of the answer as many as SES takes
LONGEST_LOCAL_PART: Final = 64  # of an address (RFC 5321, 4.5.3.1.1)
# Addresses of mailing lists, by the names that list programs and hosts give them.
_LIST: Final = re.compile(
    r".+-(?:list|request|announce|users|discuss)@.+|owner-.+@.+|.+@(?:lists?|groups|mailman)\..+|.+@(?:googlegroups\.com|groups\.io)"
)


def is_sendable(address: str) -> bool:
    """Whether SES takes an address: the domain of one in normal form is in ASCII."""
    name = address.rpartition("@")[0]
    return name.isascii() and len(name) <= LONGEST_LOCAL_PART


def answer_address(mail: Mail) -> str | None:
    """Return the address that an answer to a received mail goes to: its Reply-To, else its sender."""
    return mail.other_reply_to or mail.reply_to or mail.sender


def author_behind(mail: Mail) -> str | None:
    """Return the sender of a mail whose answer goes to another address."""
    return mail.sender if answer_address(mail) != mail.sender else None


def copies_of(table: Table, mail: Mail) -> list[str]:
    """
    Return a received mail's Cc without its sender, the recipient of the answer, our mailboxes, robots, lists, and
    addresses that SES does not take.
    """
    if mail.direction is Direction.OUTBOUND or mail.kind is not Kind.MAIL:
        return []
    named = [
        one
        for one in dict.fromkeys(mail.cc)
        if one not in {answer_address(mail), mail.sender}
        and not answer_rules.is_robot(one)
        and not _LIST.fullmatch(one)
        and is_sendable(one)
    ][:MOST_COPIES]
    own = mailboxes.get_many(table, [without_label(one) for one in named]) if named else {}
    ours = {address for address, one in own.items() if one.company_id == mail.company_id}
    return [one for one in named if without_label(one) not in ours]


def unknown(thread: Thread, draft: Draft) -> list[str]:
    """Return the recipients of a draft that are no participants of its thread."""
    known = {*thread.participants, thread.participant}
    return [one for one in dict.fromkeys((*draft.to, *draft.cc, *draft.bcc)) if one not in known]
