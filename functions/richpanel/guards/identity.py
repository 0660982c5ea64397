"""Identity of the sender, proved only by the address an e-mail was sent from, never by text in the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.identity.addresses import EmailInvalid, email_address

if TYPE_CHECKING:
    from richpanel.clients.tickets import Comment, Ticket


def normal_address(text: str | None) -> str | None:
    """
    Return an e-mail address in its normal form for comparison (`shared.identity.addresses`); None if *text* is not
    exactly one address.
    """
    try:
        return email_address(text or "")
    except EmailInvalid:
        return None


def sender_of(ticket: Ticket, target: Comment) -> str | None:
    """
    Return the address that the e-mail *target* was sent from and that receives a reply; None if that is not certain.

    The help desk gives the sender of a ticket, which is the sender of its first message. Recipients in copy may write
    in the same ticket, but a reply goes to the customer who opened it: their messages prove no identity.
    """
    ticket_sender = _normal_address_of(ticket.via.sender if ticket.via else None)
    if ticket_sender is None and ticket.customer_profile:
        ticket_sender = _normal_address_of(ticket.customer_profile.email)
    if ticket_sender is None or not _opened_by(ticket, target):
        return None
    comment_sender = target.via.sender if target.via else None
    if comment_sender is not None and normal_address(comment_sender) != ticket_sender:
        return None
    return ticket_sender


def reached_by(ticket: Ticket, target: Comment | None) -> tuple[str, ...]:
    """
    Return the addresses that a reply to *target* may reach, as far as the help desk gives them; the recipient first.

    They prove no identity. The sender of *target* is included even if the reply goes to another address.
    """
    named = (
        ticket.via.sender if ticket.via else None,
        ticket.customer_profile.email if ticket.customer_profile else None,
        target.via.sender if target and target.via else None,
    )
    return tuple(dict.fromkeys(filter(None, map(_normal_address_of, named))))


def _normal_address_of(text: str | None) -> str | None:
    return normal_address(text) if text else None


def _opened_by(ticket: Ticket, target: Comment) -> bool:
    """Return whether *target* was written by the customer who wrote the ticket's first message."""
    by_customers = [comment for comment in ticket.in_order if comment.is_operator is False]
    if target.is_operator is not False or not by_customers:
        return False
    first = by_customers[0]
    return first == target or (first.author_id is not None and first.author_id == target.author_id)
