"""
The owners of a customer's number over all business numbers of a company, as their aliases know them.

The owners are put in the order of their times. The next owner is another person if

    a notice says that the owner before gave the number up, or
    both have user ids, of one account, that differ: a user id stays with its number
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from whatsapp.store.accounts.numbers import phones
from whatsapp.store.contacts import aliases
from whatsapp.store.contacts.owners import later_key, owners_of
from whatsapp.store.items import Alias, Conversation, pk
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table
    from whatsapp.store.contacts.owners import Owner

MOST_NUMBERS = 100  # of a company that are compared: aliases are read in one batch

type UserId = tuple[str, str]  # account, user id


@dataclass(frozen=True, slots=True)
class Held:
    """
    An owner of a number as a business number of the account *account* knows them; *suffix*: the first part of the
    keys of its conversations.
    """

    phone: str
    suffix: str
    account: str
    owner: Owner

    @property
    def user(self) -> UserId | None:
        """The user id, with its account."""
        return (self.account, self.owner.user_id) if self.owner.user_id else None

    @property
    def head(self) -> str:
        """The key of the owner's conversation."""
        return Conversation.key(self.suffix, str(self.owner.contact))


@dataclass(slots=True)
class Person:
    """One owner of a number, as they are known in *held*. *left*: the notice by which the owner before gave it up."""

    left: Owner | None = None
    users: set[UserId] = field(default_factory=set)
    held: list[Held] = field(default_factory=list)

    @property
    def since(self) -> str:
        """The time of a customer's first message as this owner."""
        return self.held[0].owner.since

    def later_key(self, number: str) -> str:
        """Return the key of a later owner of *number* (digits) without a user id."""
        return later_key(number, self.left.since if self.left else self.since)

    def ids(self, number: str) -> set[str]:
        """Return the ids that name a later owner of *number* (digits)."""
        return {self.later_key(number), *(f"{account}:{user}" for account, user in self.users)}


def of_number(table: Table, company: str, number: str) -> list[Person]:
    """Return the owners of a number (digits) at a company, the first one first. Reads as `held_at`."""
    return of(held_at(table, company, number))


def held_at(
    table: Table,
    company: str,
    number: str,
    *,
    is_only_of_several: bool = False,
    is_consistent: bool = True,
) -> list[Held]:
    """
    Return what the business numbers of a company know of a number (digits). *is_only_of_several*: nothing, and without
    a read, if the company has one business number.

    One read of each alias, by default strongly consistent; the business numbers are at most a minute old.
    """
    numbers = phones.known_of_company(table, company)[:MOST_NUMBERS]
    if is_only_of_several and len(numbers) == 1:
        return []
    keys = [key for one in numbers for key in Alias.all_of_phone(one["phone"], number)]
    stored = table.get_many([pk(key) for key in keys], is_consistent=is_consistent)
    items = {one[PARTITION_KEY]: one for one in stored}
    held: list[Held] = []
    for one in numbers:
        alias = aliases.found_of(Alias.all_of_phone(one["phone"], number), items)
        if alias is not None and alias.company == company:
            suffix = one["phoneArn"].rsplit("/", 1)[-1]
            known = (one["phone"], suffix, one["waba"])
            held += (Held(*known, owner) for owner in owners_of(alias))
    return held


def of(held: Sequence[Held]) -> list[Person]:
    """Return the owners of a number, the first one first; *held*: of all business numbers."""
    people: list[Person] = []
    left: Owner | None = None
    for one in sorted(held, key=lambda each: each.owner.since):
        if one.owner.contact is None:
            left = left or one.owner
            continue
        if not one.owner.is_proven:
            continue
        if one.owner.change and not left:
            left = one.owner
        person = _of_user(people, one)
        if person is None:
            person = people[-1] if people and not left and not _differs(people[-1], one) else None
        if person is None:
            person = Person(left if people else None)
            people.append(person)
        person.held.append(one)
        person.users |= {one.user} if one.user else set()
        left = None
    return people


def _of_user(people: Sequence[Person], one: Held) -> Person | None:
    return next((person for person in people if one.user in person.users), None)


def _differs(person: Person, one: Held) -> bool:
    """Whether a user id of the same account is another one."""
    return any(account == one.account and one.user for account, _ in person.users)
