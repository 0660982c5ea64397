"""
Names the later owners of a customer's number in the heads of their conversations, over all numbers of a company.

Each business number knows who wrote to it from a number (`number_owners`), so the first one who writes there may have
the number as the key of the conversation, even if another person of the company had the number before:

    first business number      Ann writes, gives the number up
    second business number     Ben writes from it, which is stored before the notice

The heads of later owners have `ownerIds`, which name them in place of the number. What is read is written before, so of
two events that arrive at the same time one finds the other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from shared.identity import addresses
from whatsapp import store
from whatsapp.store.contacts import people
from whatsapp.store.items import Conversation, pk
from whatsapp.worker.owners import released_numbers

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.inbound.event import Event
    from whatsapp.store.contacts.people import Person
    from whatsapp.store.items import Phone


def compare(
    resources: SendingResources, event: Event, phone: Phone, wa_id: str, *, has_passed_on: bool
) -> None:
    """
    Name the later owners of a number in the heads of their conversations, and announce those whose user id differs.

    *has_passed_on*: *phone* itself knows several owners. Safe to repeat, in any order of events.
    """
    number = addresses.normal_digits(wa_id)
    table, company = resources.table, str(phone.company)
    held = people.held_at(table, company, number, is_only_of_several=not has_passed_on)
    if {one.phone for one in held} <= {phone.phone} and not has_passed_on:
        return
    owners = people.of(held)
    for pair in pairwise(owners):
        _announce(resources, event, phone, number, pair)
    wanted: dict[str, set[str]] = {}
    for place, person in enumerate(owners):
        for one in person.held:
            wanted.setdefault(one.head, person.ids(number) if place else set())
    _write(resources, wanted)


def _announce(
    resources: SendingResources,
    event: Event,
    phone: Phone,
    number: str,
    pair: tuple[Person, Person],
) -> None:
    """Announce a change that only two business numbers together show; each announces its own."""
    before, later = pair
    phones, others = ({one.phone for one in each.held} for each in pair)
    if later.left is not None or phones & others:
        return
    former, following = (next(iter(sorted(one.users)), None) for one in (before, later))
    if former and following:
        released_numbers.announce_change(
            resources, event, phone, number, users=(former[1], following[1]), at=later.since
        )


def _write(resources: SendingResources, wanted: dict[str, set[str]]) -> None:
    table = resources.table
    stored: list[Attributes] = table.get_many([pk(key) for key in wanted])
    for head in map(Conversation.read, stored):
        if head.owner_ids != wanted[head.pk]:
            store.customer_facts.note_owner(table, head.pk, wanted[head.pk])
