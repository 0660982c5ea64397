"""
Numbers that a customer no longer has: conversations with that customer get no more messages there, over any channel and
from any number of the company.

A number was withdrawn when another WhatsApp user id writes from it, or when its owner reports another number. A later
message of the customer from the number proves it again.
"""

from conversations.configuration.resources import Resources
from conversations.inbound import matching, number_changes
from conversations.store import routes, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.parts.state import State
from shared.events.exchange import NumberReleased
from shared.identity import addresses
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime.failures import Permanent


def take(resources: Resources, event: NumberReleased) -> str:
    """
    Note that a customer gave a number up, for the event's company and for the projects at the business address.
    Idempotent, in any order with messages. Raises Permanent.
    """
    projects = _projects(resources, event)
    try:
        customer = addresses.phone_number(event.customer_address)
    except addresses.AddressInvalid:
        raise Permanent("bad_address") from None
    record = Withdrawal.of(
        event.received_at, event.provider_message_id, event.next_user_id, event.customer_user_id
    )
    companies = {company for company, _ in projects} | ({event.company} if event.company else set())
    for company in sorted(companies):
        number_changes.record(resources, company, customer, record)
    found = _of_number(resources, event, customer) if projects else {}
    for ref, state in found.items():
        is_owned = (state.company_id, state.project_id) in projects
        is_next = bool(event.next_user_id and state.is_of(event.next_user_id))
        is_theirs = is_owned and not is_next and state.may_be_of(event.customer_user_id or "")
        if is_theirs and event.received_at > (state.number_proven_at or ""):
            states.note_withdrawal(resources.log, ref, event.received_at)
    return "released"


def _projects(resources: Resources, event: NumberReleased) -> set[tuple[str, str]]:
    """
    Return the projects, each with its company, at the business address. None are needed if the event names a company.

    Raises Permanent as `matching.owners`.
    """
    try:
        return {(one.company_id, one.project_id) for one in matching.owners(resources, event)}
    except Permanent:
        if event.company is None:
            raise
        return set()


def _of_number(resources: Resources, event: NumberReleased, customer: str) -> dict[str, State]:
    """Return the conversations with a number, by `ref`."""
    channel = ChannelMethod(event.channel_method)
    refs = [
        ref
        for spelling in (customer, *addresses.other_spellings(customer))
        for ref in routes.of_pair(
            resources.log, identifiers.pairs(channel, event.business_address, spelling)
        )
    ]
    return states.read_many(resources.log, refs) if refs else {}
