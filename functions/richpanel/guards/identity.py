"""Who asks, as far as that can be proved: by the address that an e-mail came from, and by nothing that was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.addresses import EmailInvalid, email_address

if TYPE_CHECKING:
    from richpanel.clients.tickets import Comment, Ticket


def normal_address(text: str | None) -> str | None:
    """
    An e-mail address in the form in which two of them are compared (`shared.addresses`); None for what is not exactly
    one address.
    """
    try:
        return email_address(text or "")
    except EmailInvalid:
        return None


def sender_of(ticket: Ticket, target: Comment) -> str | None:
    """
    The address that the e-mail *target* came from, and that a reply would go to; None where that is not certain.

    The help desk names the sender of a ticket, which is that of its first message. People who are copied in answer in
    the same ticket, and a reply goes to the one who opened it: their messages prove nothing here.
    """
    of_ticket = _known(ticket.via.sender if ticket.via else None)
    if of_ticket is None and ticket.customer_profile:
        of_ticket = _known(ticket.customer_profile.email)
    if of_ticket is None or not _opened_by(ticket, target):
        return None
    own = target.via.sender if target.via else None
    if own is not None and normal_address(own) != of_ticket:
        return None
    return of_ticket


def reached_by(ticket: Ticket, target: Comment | None) -> tuple[str, ...]:
    """
    The addresses of those whom a reply to *target* reaches, as far as the help desk names them: its recipient's first.

    Nothing is proved by them. Who sent the message itself is among them, also where the reply goes to somebody else.
    """
    named = (
        ticket.via.sender if ticket.via else None,
        ticket.customer_profile.email if ticket.customer_profile else None,
        target.via.sender if target and target.via else None,
    )
    return tuple(dict.fromkeys(filter(None, map(_known, named))))


def _known(text: str | None) -> str | None:
    return normal_address(text) if text else None


def _opened_by(ticket: Ticket, target: Comment) -> bool:
    """Whether *target* is by the customer who wrote the ticket's first message."""
    by_customers = [comment for comment in ticket.in_order if comment.is_operator is False]
    if target.is_operator is not False or not by_customers:
        return False
    first = by_customers[0]
    return first == target or (first.author_id is not None and first.author_id == target.author_id)
