"""
Lists of contacts: made, renamed, removed, and their members.

    a contact joins     the membership on the contact, then the member of the list
    a contact leaves    the member, then the membership
    a list is removed   each membership, then its member; the list itself last

Each write is safe to repeat, and a run that is killed between both is completed by its repetition. A person is in a
list once: contacts that were merged are one person, who is in the list if one of them is, and leaves it with all.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.sqs_fifo import digest
from shared.contacts.items import LIST_PREFIX, ContactList, Member, Membership
from shared.identity.contacts.items import Profile
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

MOST_LISTS: Final = 100  # of a company
MOST_LISTS_OF_CONTACT: Final = (
    200  # that one read returns: removed lists are among them for a while
)
ID_CHARACTERS: Final = 16
REMOVED_AT_ONCE: Final = 25


class ListNotFound(Exception):
    """The company has no such list."""


class ListRefused(Exception):
    """The list cannot be made or renamed: it stays as it is."""


def of_company(table: Table, company: str) -> list[ContactList]:
    """Return the lists of a company, oldest first; at most MOST_LISTS, and those whose members are being removed."""
    return sorted(
        (one for one in _stored(table, company) if one.removed_at is None),
        key=lambda one: (one.created_at, one.sk),
    )


def get(table: Table, company: str, list_id: str) -> ContactList:
    """Return a list. Raises ListNotFound."""
    item = table.get(ContactList.key(company, list_id))
    found = ContactList.read(item) if item else None
    if found is None or found.removed_at is not None:
        raise ListNotFound("no such list")
    return found


def create(table: Table, company: str, name: str, *, by: str, cause: str) -> ContactList:
    """Make a list. Safe to repeat with the same *cause*. Raises ListRefused."""
    list_id = digest("contact list", company, cause)[:ID_CHARACTERS]
    stored = _stored(table, company)
    if (own := next((one for one in stored if one.sk == list_id), None)) is not None:
        return own
    if len(stored) >= MOST_LISTS:
        raise ListRefused(f"a company has at most {MOST_LISTS} lists")
    _check_name(stored, name)
    made = ContactList(
        **ContactList.key(company, list_id),
        company_id=company,
        name=name,
        created_at=clock.to_text(clock.now_ms()),
        created_by=by,
        cause=cause,
    )
    table.put(made.attributes())
    return made


def rename(table: Table, company: str, list_id: str, name: str) -> ContactList:
    """Give a list another name. Safe to repeat. Raises ListNotFound and ListRefused."""
    stored = _stored(table, company)
    _check_name([one for one in stored if one.sk != list_id], name)
    try:
        changed = table.update(
            ContactList.key(company, list_id), put=ContactList.named(name=name), when=_is_list()
        )
    except ConditionFailed:
        raise ListNotFound("no such list") from None
    return ContactList.read(changed)


def remove(table: Table, company: str, list_id: str, *, beside: Attributes) -> None:
    """
    End a list for every reader, and write the item *beside*, after which `remove_members` removes the members.

    Safe to repeat: a list that was removed stays so. Raises Transient and ClientError.
    """
    now = clock.to_text(clock.now_ms())
    try:
        table.transact(
            table.to_update(
                ContactList.key(company, list_id),
                put=ContactList.named(removed_at=now),
                when=_is_list(),
            ),
            table.to_put(beside),
        )
    except TransactionRefused:
        return  # by our own first attempt, or by another caller


def remove_members(table: Table, company: str, list_id: str) -> bool:
    """
    Remove the next REMOVED_AT_ONCE members of a list that was removed, then the list itself. Returns whether it is
    gone. Safe to repeat.
    """
    item = table.get(ContactList.key(company, list_id))
    if item is None or ContactList.read(item).removed_at is None:
        return True
    ids, has_more = member_ids(table, company, list_id, limit=REMOVED_AT_ONCE)
    for one in ids:  # The member last: the next run finds it until then.
        table.delete(Membership.key(company, one, list_id))
        table.delete(Member.key(company, list_id, one))
    if not has_more:
        table.delete(ContactList.key(company, list_id))
    return not has_more


def add(
    table: Table, company: str, list_id: str, person: Profile, *, import_id: str | None = None
) -> bool:
    """
    Make a person, as `resolution.current` returns it, a member; return False if the list or the person has gone.

    A new member costs two write units. Safe to repeat. *import_id*: the import that may take it back (`withdraw`), as
    long as no one else adds the person.
    """
    known = present(table, company, list_id, ids_of(person))
    for one in sorted(known):
        _keep(table, company, list_id, one, import_id)
    if not known:
        own = person.contact_id
        membership = Membership(
            **Membership.key(company, own, list_id), company_id=company, import_id=import_id
        ).attributes()
        member = Member(**Member.key(company, list_id, own), company_id=company).attributes()
        table.put(membership)
        table.put(member)
    keys = [ContactList.key(company, list_id), Profile.key(company, person.contact_id)]
    left = table.get_many(keys)
    # Removed or erased meanwhile: who removes reads the members before this one was written.
    if len(left) == len(keys) and not any(ContactList.name_of("removed_at") in one for one in left):
        return True
    forget(table, company, list_id, person.contact_id)
    return False


def _keep(table: Table, company: str, list_id: str, contact_id: str, import_id: str | None) -> None:
    """Take a membership from the import that made it: *import_id* or another cause wants it, too."""
    found = membership(table, company, list_id, contact_id)
    if found is None or found.import_id in {None, import_id}:
        return
    with suppress(ConditionFailed):  # The contact has left meanwhile, or another cause was faster.
        table.update(
            Membership.key(company, contact_id, list_id),
            drop=[Membership.name_of("import_id")],
            when=Membership.attr("import_id").eq(found.import_id),
        )


def membership(table: Table, company: str, list_id: str, contact_id: str) -> Membership | None:
    """Return the membership of one contact, merged ones aside."""
    item = table.get(Membership.key(company, contact_id, list_id))
    return Membership.read(item) if item else None


def withdraw(table: Table, company: str, list_id: str, contact_id: str, import_id: str) -> bool:
    """Take one contact out of a list if an import alone has brought it there; False if it stays, or is not in it."""
    try:
        table.transact(
            table.to_delete(
                Membership.key(company, contact_id, list_id),
                when=Membership.attr("import_id").eq(import_id),
            ),
            table.to_delete(Member.key(company, list_id, contact_id)),
        )
    except TransactionRefused:
        return False
    return True


def leave(table: Table, company: str, list_id: str, person: Profile) -> None:
    """Take a person out of a list, with all contacts that were merged. Safe to repeat."""
    for one in sorted(ids_of(person)):
        forget(table, company, list_id, one)


def forget(table: Table, company: str, list_id: str, contact_id: str) -> None:
    """
    Take one contact out of a list, merged ones aside. Safe to repeat: the membership, by which an erasure finds it,
    goes last.
    """
    table.delete(Member.key(company, list_id, contact_id))
    table.delete(Membership.key(company, contact_id, list_id))


def of_person(table: Table, person: Profile) -> list[ContactList]:
    """Return the lists in which a person is, oldest first."""
    ids = {one for each in ids_of(person) for one in memberships(table, person.company_id, each)}
    return [one for one in of_company(table, person.company_id) if one.sk in ids]


def memberships(table: Table, company: str, contact_id: str) -> list[str]:
    """Return the ids of the lists of one contact, merged ones aside."""
    partition = str(Profile.key(company, contact_id)["pk"])
    condition = Key("pk").eq(partition) & Key("sk").begins_with(LIST_PREFIX)
    items, _ = table.query(None, condition, limit=MOST_LISTS_OF_CONTACT)
    return [Membership.read(item).list_id for item in items]


def member_ids(
    table: Table, company: str, list_id: str, *, limit: int, after: str | None = None
) -> tuple[list[str], bool]:
    """Return ids of contacts in a list, in their order, and whether there are more. Strongly consistent."""
    condition: ConditionBase = Key("pk").eq(Member.of_list(company, list_id))
    if after is not None:
        condition &= Key("sk").gt(after)
    items, last = table.query(None, condition, limit=limit)
    return [Member.read(item).sk for item in items], last is not None


def present(table: Table, company: str, list_id: str, ids: Iterable[str]) -> set[str]:
    """Return which of the ids of contacts are members of a list."""
    keys = [Member.key(company, list_id, one) for one in sorted(ids)]
    return {Member.read(item).sk for item in table.get_many(keys)} if keys else set()


def ids_of(person: Profile) -> set[str]:
    """Return the ids of all contacts that are this person."""
    return {person.contact_id, *person.members}


def _is_list() -> ConditionBase:
    return ContactList.attr("name").exists() & ContactList.attr("removed_at").not_exists()


def _check_name(others: Iterable[ContactList], name: str) -> None:
    taken = {one.name.casefold() for one in others if one.removed_at is None}
    if name.casefold() in taken:
        raise ListRefused("another list has this name")


def _stored(table: Table, company: str) -> list[ContactList]:
    condition = Key("pk").eq(ContactList.of_company(company))
    items, _ = table.query(None, condition, limit=MOST_LISTS)
    return [ContactList.read(item) for item in items]
