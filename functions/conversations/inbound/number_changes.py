"""
Changes of a number's owner: recorded for the company, and noted on its conversations with the number.

The contact of a conversation depends on who had its number at its time. The note on a conversation makes the inbox read
the record again, so that the contact is the same if the conversation is stored before the change is known.
"""

from conversations.configuration.resources import Resources
from conversations.store import conversations, states
from conversations.store.items import identifiers
from shared.identity import addresses
from shared.policy.consent import withdrawals
from shared.policy.consent.withdrawals import Withdrawal


def record(resources: Resources, company: str, number: str, change: Withdrawal) -> None:
    """Record a change of a number (E.164) of a company. Safe to repeat, in any order with messages."""
    withdrawals.note(resources.log, company, number, change)
    for spelling in addresses.all_spellings(number):
        for conversation in conversations.with_recipient(resources.table, company, spelling):
            ref = identifiers.ref_of_item(conversation)
            states.note_number_change(resources.log, ref, change.at)
