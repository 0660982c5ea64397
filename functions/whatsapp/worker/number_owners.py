"""
Rules for the ids of a customer: which contact an event belongs to. Pure: no table, no clock.

A number changes hands, a user id does not: the user id decides, and the number's owners are stored with the time since
when each has it. (Meta, "Business-scoped user IDs": a new number gives the user a new id.)

    number      user id     the same user?                       contact
    known       unknown     unless its owner has another id      the owner, else a new contact
    released    unknown     no                                   a new contact
    known       known       unless its owner has another id      the older of both, which are linked, else the user's
    released    known       -                                    the user's
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from whatsapp.store import ordering
from whatsapp.store.items import Alias

OWNERS_KEPT = 10


@dataclass(frozen=True, slots=True)
class Owner:
    """
    The contact that has a number *since* a time (`receivedAt`); None after it gave the number up.

    *user_id*: the owner's, if known. *change*: the notice that this entry is from. *erased*: up to when its events were
    erased.
    """

    since: str
    contact: str | None = None
    user_id: str | None = None
    change: str | None = None
    erased: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """
    The ids that an event names for its customer, with the aliases stored for them, and its time (`receivedAt`).

    *change*: the event is this notice, with the ids from before the change.
    """

    phone: str  # of the business
    wa_id: str
    user_id: str
    number: Alias | None
    user: Alias | None
    at: str
    company: str
    now_ms: int
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """
    The contact of an event, the aliases to write, and two contacts that the event proves to be the same user.

    *lost_by*: the owner whose number another user has, as the event shows for the first time.
    """

    contact: str
    writes: tuple[Alias, ...] = ()
    same: tuple[str, str] | None = None
    lost_by: Owner | None = None


def owners_of(alias: Alias) -> tuple[Owner, ...]:
    """Return the owners of a number, oldest first; at least one."""
    if alias.owners is None:
        return (Owner(alias.since or "", alias.target, alias.user_id, erased=alias.erased_until),)
    return tuple(
        Owner(
            entry["since"],
            entry.get("target"),
            entry.get("userId"),
            entry.get("change"),
            entry.get("erased"),
        )
        for entry in alias.owners
    )


def resolve(named: Named) -> Resolved | None:
    """Return the contact of an event; None if it names nothing that identifies one."""
    owner = _owner(named)
    wa_id = named.wa_id if owner or named.number is None else ""
    user = named.user.target if named.user else None
    if not wa_id:
        # Without a number; or the number's stored owners all came later than this notice.
        if not named.user_id:
            return None
        contact = user or named.user_id
        return Resolved(contact, _of_user(named, contact))
    if owner is None:
        contact = user or wa_id
        alias = Alias(
            pk=Alias.of_phone(named.phone, wa_id),
            company=named.company,
            target=contact,
            created_at_ms=named.now_ms,
            since=named.at,
            user_id=named.user_id or None,
        )
        return Resolved(contact, (alias, *_of_user(named, contact)))
    if not named.user_id:
        if owner.contact:
            return Resolved(owner.contact)
        return _new_owner(named, owner, f"{wa_id}-{_name_of(owner.since)}")
    return _both(named, owner, user)


def _both(named: Named, owner: Owner, user: str | None) -> Resolved:
    """Resolve an event that names a known number and a user id."""
    if owner.contact is None:
        return _new_owner(named, owner, user or named.user_id)
    is_owners = owner.user_id in {None, named.user_id}
    if user == owner.contact or (user is None and is_owners):
        known = () if owner.user_id == named.user_id else (_proven(named, owner),)
        return Resolved(owner.contact, (*known, *_of_user(named, owner.contact)))
    if user is not None and is_owners:
        known = () if owner.user_id else (_proven(named, owner),)
        return Resolved(user, known, same=(owner.contact, user))
    # The owner of the number has another user id: it has changed hands.
    contact = user or named.user_id
    entry = Owner(named.at, contact, named.user_id)
    number = with_owners(_number(named), (*owners_of(_number(named)), entry))
    return Resolved(contact, (*_of_user(named, contact), number), lost_by=owner)


def released(alias: Alias, contacts: frozenset[str], notice: Owner) -> Alias | None:
    """Return a number that its owner, one of *contacts*, gave up; None if there is nothing to write."""
    owners = owners_of(alias)
    before = [owner for owner in owners if owner.since <= notice.since]
    later = [owner for owner in owners if owner.since > notice.since]
    if any(owner.change == notice.change for owner in owners):
        return None
    if before and before[-1].contact not in contacts:
        return None
    if later and later[0].contact not in contacts:
        # The next owner has written already.
        later[0] = replace(later[0], since=notice.since, change=notice.change)
        return with_owners(alias, (*before, *later))
    return with_owners(alias, (*before, notice, *later)) if before else None


def taken(alias: Alias, new: Owner) -> tuple[Alias | None, str | None]:
    """Return a number that a contact has now: the alias to write, and another contact that is the same user."""
    owners = owners_of(alias)
    before = [owner for owner in owners if owner.since <= new.since]
    later = [owner for owner in owners if owner.since > new.since]
    current = before[-1] if before else later[0]
    if any(owner.change == new.change for owner in owners):
        return None, None
    is_same_id = new.user_id is not None and current.user_id == new.user_id
    # Its first message follows the notice: no other customer had the number then, unless the ids differ.
    is_later = not before and (current.user_id is None or new.user_id is None)
    is_own = current.contact == new.contact
    if is_own or (current.contact is not None and (is_same_id or is_later)):
        other = None if is_own else current.contact
        if current.user_id or not new.user_id:
            return None, other
        proven = [replace(o, user_id=new.user_id) if o is current else o for o in owners]
        return with_owners(alias, proven), other
    return with_owners(alias, (*before, new, *later)), None


def with_owners(alias: Alias, owners: Sequence[Owner]) -> Alias:
    """Return the alias with these owners, in the order of their times, at most ten."""
    kept: list[Owner] = []
    for owner in sorted(owners, key=lambda owner: owner.since):  # stable
        is_repeated = kept and kept[-1].contact == owner.contact and owner.change is None
        if is_repeated and kept[-1].user_id in {None, owner.user_id}:
            kept[-1] = replace(kept[-1], user_id=owner.user_id)
        else:
            kept.append(owner)
    kept = kept[-OWNERS_KEPT:]
    newest = kept[-1]
    is_single = len(kept) == 1 and newest.contact is not None and newest.change is None
    return alias.model_copy(
        update={
            "target": newest.contact or alias.target,
            "user_id": newest.user_id,
            "since": kept[0].since if is_single else alias.since,
            "erased_until": newest.erased if is_single else None,
            "owners": None if is_single else [_entry(owner) for owner in kept],
            "revision": (alias.revision or 0) + 1,
        }
    )


def has_changed(alias: Alias, since: str) -> bool:
    """Whether a number changed hands after a time (`receivedAt`, or in milliseconds)."""
    newest = owners_of(alias)[-1]
    is_first = alias.owners is None
    return not is_first and ordering.moment_of(newest.since) > ordering.moment_of(since)


def erased_until(named: Named, of_new_ids: str) -> str:
    """
    Return until when the events of these ids were erased; empty if never. *of_new_ids*: of the ids without an alias.

    A user id with an alias decides alone.
    """
    if named.user is not None:
        return named.user.erased_until or ""
    owner = _owner(replace(named, change=None))
    return max(of_new_ids, (owner.erased or "") if owner else "")


def _owner(named: Named) -> Owner | None:
    """Return the owner of the number at the event's time; of a notice, the owner before it. None if unknown."""
    if named.number is None:
        return None
    owners = owners_of(named.number)
    if named.change is None:
        since = [owner for owner in owners if owner.since <= named.at]
        # Messages that are older than the first one seen belong to the same owner.
        return since[-1] if since else owners[0]
    for place, owner in enumerate(owners):
        if owner.change == named.change:
            return owners[place - 1] if place else None
    earlier = [owner for owner in owners if owner.since <= named.at]
    return earlier[-1] if earlier else None


def _new_owner(named: Named, free: Owner, contact: str) -> Resolved:
    """Return the first contact that wrote from a number after its owner gave it up."""
    number = _number(named)
    owners = [
        replace(owner, contact=contact, user_id=named.user_id or None) if owner == free else owner
        for owner in owners_of(number)
    ]
    writes = _of_user(named, contact)
    if contact not in {named.user_id, named.user.target if named.user else ""}:
        record = Alias(
            pk=Alias.of_contact(named.phone, contact),
            company=named.company,
            target=contact,
            created_at_ms=named.now_ms,
            since=named.at,
        )
        writes = (*writes, record)
    # The number last: without it, the next delivery finds the same contact again.
    return Resolved(contact, (*writes, with_owners(number, owners)))


def _proven(named: Named, owner: Owner) -> Alias:
    """Return the number with the user id that this event proves for its owner."""
    number = _number(named)
    owners = [
        replace(entry, user_id=named.user_id) if entry == owner else entry
        for entry in owners_of(number)
    ]
    return with_owners(number, owners)


def _of_user(named: Named, contact: str) -> tuple[Alias, ...]:
    """Return the alias of the user id, if it is not stored yet."""
    if not named.user_id or named.user is not None:
        return ()
    return (
        Alias(
            pk=Alias.of_user(named.phone, named.user_id),
            company=named.company,
            target=contact,
            created_at_ms=named.now_ms,
            since=named.at,
        ),
    )


def _number(named: Named) -> Alias:
    if named.number is None:
        raise ValueError("the number has no alias")
    return named.number


def _name_of(since: str) -> str:
    """Return the second of a time as digits, for the key of a contact without a user id."""
    return "".join(character for character in since[:19] if character.isdecimal())


def _entry(owner: Owner) -> dict[str, Any]:
    fields = {
        "since": owner.since,
        "target": owner.contact,
        "userId": owner.user_id,
        "change": owner.change,
        "erased": owner.erased,
    }
    return {name: value for name, value in fields.items() if value is not None}
