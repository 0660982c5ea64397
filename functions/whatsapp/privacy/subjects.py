"""
The ids of a contact, from one of them, and the hash under which parked events of a customer are indexed.

A number leads to the contact that owns it today; the digits themselves are the contact key only if no alias says
otherwise. Further ids come from the aliases that lead to the contact.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Key

from shared.identity import addresses, keyed_hashes
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound import senders
from whatsapp.inbound.event import OUTBOUND
from whatsapp.store.contacts import people
from whatsapp.store.items import Alias, Conversation, Phone
from whatsapp.store.items.contacts.contact_links import ContactLink

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from shared.aws.dynamodb import Table
    from whatsapp.inbound.event import Event

CUSTOMER_INDEX = "gsi_customer_phone"
MOST_ALIASES = 100
_HASHED_AS = "whatsapp customer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """
    A person as a company's numbers know them: contact keys, heads, links, all known ids, and their hashes.

    `foreign`: the business numbers at which a contact key is another owner's of the customer's number, as
    `{phone}#{key}`.
    """

    keys: list[str]
    links: list[str]
    aliases: list[str]  # of the contact keys themselves and of former numbers, which no index lists
    heads: list[str]
    ids: list[str]
    hashes: list[str]
    foreign: list[str] = field(default_factory=list)

    def has(self, phone: object, key: str) -> bool:
        """Whether what is stored under a contact key, or the hash of one, at a business number is the person's."""
        place = f"{phone}#"
        foreign = [one.removeprefix(place) for one in self.foreign if one.startswith(place)]
        return not any(key == one or key in hashes_of(one) for one in foreign)

    def attributes(self) -> dict[str, Any]:
        """Return the contact as a job stores it."""
        return asdict(self)


def of_event(event: Event) -> str | None:
    """Return the subject of an event's customer, as an index key without the address; None if it names none."""
    named = ids_of(event)
    return f"subject#{keyed_hashes.keyed_hash(_HASHED_AS, named[0])}" if named else None


def ids_of(event: Event) -> list[str]:
    """Return the digits and the user id by which an event names its customer."""
    payload = event.payload or {}
    if event.kind == OUTBOUND:
        return _named(str(payload.get("customer_address") or "").removeprefix("+"))
    if event.kind == "status":
        participant = senders.participant_of(payload)
        user_id, phone = senders.recipient_of(payload), str(payload.get("recipient_id") or "")
        return _named(participant) if participant else _named(user_id, phone)
    named = (event.kind, payload, event.contact)
    return _named(senders.phone_of(*named), senders.bsuid_of(*named))


def listed(event: Event) -> dict[str, str | None]:
    """Return the attributes by which an erasure finds an item of an event's customer that has no message."""
    subject = of_event(event)
    at = clock.to_text(min(event.at * 1_000, event.accepted_at))
    return {"customer_phone": subject, "created_at": at if subject else None}


def hashes_of(each: str) -> list[str]:
    """Return the subjects of an id, as index keys without the address: one for each spelling and key of the stage."""
    spelt = addresses.spellings_of(each) if each.isdecimal() else [each]
    return [
        f"subject#{hashed}"
        for one in spelt
        for hashed in keyed_hashes.keyed_hashes(_HASHED_AS, one)
    ]


def _named(*ids: str) -> list[str]:
    return _unique(filter(None, ids))


def resolve(table: Table, company: str, named: str, *, by_key: bool = False) -> Contact:
    """
    Return the contact that *named*, digits or a user id, is an id of at the company's numbers.

    With *by_key* the contact with that key: a number that was its first id may belong to another contact today.
    """
    phones = [
        phone
        for entry in store.phones.of_company(table, company)
        if (phone := store.phones.get(table, entry["phone"])) and phone.company == company
    ]
    keys = [] if by_key or not named.isdecimal() else _present_keys(table, company, named, phones)
    keys = keys or _unique(
        key for phone in phones for key in _contact_keys(table, phone, named, by_key=by_key)
    )
    own, foreign = _places(table, company, named, by_key=by_key)
    keys = _unique([*keys, *(key for _, key in own)])
    places = [
        (phone, key) for phone in phones for key in keys if f"{phone.phone}#{key}" not in foreign
    ]
    aliases = _unique(
        alias
        for key in keys
        for alias in _aliases_of(table, company, key)
        if f"{Alias.phone_of(alias)}#{key}" not in foreign
    )
    ids = [
        each
        for each in _unique([named, *keys, *(alias.rpartition("#")[2] for alias in aliases)])
        if _is_theirs(table, phones, each, keys)
    ]
    heads = _unique(Conversation.key(phone.arn_suffix, key) for phone, key in places)
    hashes = [subject for each in ids for subject in hashes_of(each)]
    links = _unique(ContactLink.key(phone.phone, key) for phone, key in places)
    of_keys = _unique(
        [
            *(Alias.of_contact(phone.phone, key) for phone, key in places),
            *(number for alias in aliases if (number := Alias.number_of_owner(alias))),
        ]
    )
    return Contact(
        keys=keys,
        links=links,
        aliases=of_keys,
        heads=heads,
        ids=ids,
        hashes=hashes,
        foreign=foreign,
    )


def _places(
    table: Table, company: str, named: str, *, by_key: bool
) -> tuple[list[tuple[str, str]], list[str]]:
    """
    Return where a number itself is the key of the owner that *named* names, as business number and key, and where it
    is the key of other owners: the next owner's first message may come before the notice about the change.
    """
    number, _, second = named.partition("-")
    owners = (
        people.of_number(table, company, addresses.normal_digits(number))
        if number.isdecimal()
        else []
    )
    if len(owners) < 2:  # noqa: PLR2004 - one owner
        return [], []
    person = owners[0] if by_key else owners[-1]
    if second:
        person = next((one for one in owners[1:] if one.later_key(number) == named), person)
    spelt = addresses.spellings_of(number)
    own, foreign = [], []
    for one in owners:
        places = [
            (each.phone, str(each.owner.contact))
            for each in one.held
            if each.owner.contact in spelt
        ]
        if one is person:
            own += places
        else:
            foreign += [f"{phone}#{key}" for phone, key in places]
    return own, [one for one in foreign if tuple(one.split("#", 1)) not in own]


def has_earlier_owner(table: Table, company: str, digits: str) -> bool:
    """Whether a customer of the company had a number and has it no more."""
    if len(people.of_number(table, company, addresses.normal_digits(digits))) > 1:
        return True
    for entry in store.phones.of_company(table, company):
        phone = store.phones.get(table, entry["phone"])
        if phone is None or phone.company != company:
            continue
        owner = _owner_of(table, phone, digits)
        if owner is None or addresses.normal_digits(owner) == addresses.normal_digits(digits):
            continue
        keys = [Conversation.key(phone.arn_suffix, one) for one in addresses.spellings_of(digits)]
        if any(store.heads.get(table, key) is not None for key in keys):
            return True
    return False


def _present_keys(table: Table, company: str, digits: str, phones: Sequence[Phone]) -> list[str]:
    """Return the keys of who has a number today, if others of the company had it before; else none."""
    owners = people.of_number(table, company, addresses.normal_digits(digits))
    if len(owners) < 2:  # noqa: PLR2004 - one owner
        return []
    by_id = {phone.phone: phone for phone in phones}
    return _unique(
        key
        for one in owners[-1].held
        if one.phone in by_id
        for key in _contact_keys(table, by_id[one.phone], str(one.owner.contact), by_key=True)
    )


def _contact_keys(table: Table, phone: Phone, named: str, *, by_key: bool) -> list[str]:
    """
    Return the keys of the contact that has this id at a number, and of all contacts linked to it; the id itself if no
    alias has it.
    """
    own = addresses.normal_digits(named) if named.isdecimal() else named
    contact_key = named if by_key else _owner_of(table, phone, named) or own
    head = store.heads.get(table, Conversation.key(phone.arn_suffix, contact_key))
    if head is not None and head.linked_to is not None:
        head = store.heads.get(table, head.linked_to)
    linked = map(Conversation.contact_of, [head.pk, *head.linked_conversations] if head else [])
    return _unique([contact_key, *linked])


def _owner_of(table: Table, phone: Phone, named: str) -> str | None:
    """Return the key of the contact that has an id today; None if no alias has it."""
    if named.isdecimal():
        alias = store.aliases.of_number(table, phone.phone, named)
        return alias.target if alias else None
    return store.messages.target_of_alias(table, Alias.of_user(phone.phone, named))


def _is_theirs(table: Table, phones: Iterable[Phone], each: str, keys: Collection[str]) -> bool:
    """Whether no other contact has an id of this contact today: events under it would be of both."""
    return all(_owner_of(table, phone, each) in {None, *keys} for phone in phones)


def _aliases_of(table: Table, company: str, contact_key: str) -> list[str]:
    """Return the keys of the aliases that lead to a contact."""
    entries, _ = table.query(
        CUSTOMER_INDEX,
        Key(Alias.name_of("customer_phone")).eq(contact_key),
        limit=MOST_ALIASES,
    )
    found = [entry for entry in entries if entry["itemType"] == Alias.item_type]
    return [str(entry["pk"]) for entry in found if entry.get("company") == company]


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
