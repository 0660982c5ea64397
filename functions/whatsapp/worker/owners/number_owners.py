"""
Rules for the ids of a customer: which contact an event belongs to. Pure: no table, no clock.

A number changes hands, a user id does not: the user id decides, and the number's owners are stored with the time since
when each has it. (Meta, "Business-scoped user IDs": a new number gives the user a new id.) What the business sends to a
number proves no owner: its receiver is kept as unproven until a customer writes from the number.

    number      user id     the same user?                       contact
    known       unknown     unless its owner has another id      the owner, else a new contact
    released    unknown     no                                   a new contact
    known       known       unless its owner has another id      the older of both, which are linked, else the user's
    released    known       -                                    the user's
"""

from dataclasses import dataclass, replace

from whatsapp.store.contacts.owners import Owner, later_key, owners_of, released, with_owners
from whatsapp.store.items import Alias


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """
    The ids that an event names for its customer, with the aliases stored for them, and its time (`receivedAt`).

    *change*: the event is this notice, with the ids from before the change. *is_proof*: it is not from the business.
    *is_history*: it is from before the number was connected. *later*: the key of the contact, if the number is new here
    and another person had it before at another number of the company.
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
    is_proof: bool = True
    is_history: bool = False
    later: str | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """
    The contact of an event, the aliases to write, and two contacts that the event proves to be the same user.

    *lost_by*: the owner whose number another user has, as the event shows for the first time; also the one who gave it
    up before. *given_up*: the earlier notice without a number by which the contact gave up the number of the event.
    """

    contact: str
    writes: tuple[Alias, ...] = ()
    same: tuple[str, str] | None = None
    lost_by: Owner | None = None
    given_up: Owner | None = None


def resolve(named: Named) -> Resolved | None:
    """Return the contact of an event; None if it names nothing that identifies one."""
    resolved = _resolved(named)
    if resolved is None or not named.wa_id or not named.is_proof or named.change:
        return resolved
    number_pk = named.number.pk if named.number else Alias.of_phone(named.phone, named.wa_id)
    pending = next((alias for alias in resolved.writes if alias.pk == number_pk), None)
    stored = pending or _number(named)
    number, contacts = stored, frozenset({resolved.contact, *(resolved.same or ())})
    first, *others = owners_of(number)
    if first.contact in contacts and named.at < first.since and not named.is_history:
        # A notice between the two events must find the owner that it is about.
        number = with_owners(number, (replace(first, since=named.at), *others))
    notice = None
    if named.user and named.user.left_at and named.at < named.user.left_at:
        notice = Owner(named.user.left_at, change=named.user.left_by)
        former = Owner("", resolved.contact, named.user_id)
        number = released(number, contacts, notice, former) or number
    if number is stored:
        return resolved
    revision = pending.revision if pending else (stored.revision or 0) + 1
    writes = [alias for alias in resolved.writes if alias is not pending]
    written = number.model_copy(update={"revision": revision})
    is_given_up = notice is not None and owners_of(number)[-1].change == notice.change
    return replace(resolved, writes=(*writes, written), given_up=notice if is_given_up else None)


def _resolved(named: Named) -> Resolved | None:
    owner = _owner(named)
    wa_id = named.wa_id if owner or named.number is None else ""
    user = named.user.target if named.user else None
    if not wa_id:
        # Without a number; or the number's stored owners all came later than this notice.
        if not named.user_id:
            return None
        contact = user or named.user_id
        return Resolved(contact, _of_user(named, contact))
    if owner is None or (named.is_proof and not owner.is_proven and not owner.change):
        return _first_owner(named, user)
    return (_written_by if named.is_proof else _sent_to)(named, owner, user)


def _written_by(named: Named, owner: Owner, user: str | None) -> Resolved:
    """Resolve a customer's event from a known number."""
    held_by = owner.contact if owner.is_proven else None
    written_to = None if owner.user_id else owner.contact
    if not named.user_id:
        if held_by:
            return Resolved(held_by)
        return _new_owner(named, owner, written_to or _new_key(named, owner))
    if held_by:
        return _both(named, owner, user)
    return _new_owner(named, owner, user or written_to or named.user_id)


def _first_owner(named: Named, user: str | None) -> Resolved:
    """Resolve an event that names a number which no customer has proven."""
    contact = user or named.later or ((not named.is_proof and named.user_id) or named.wa_id)
    erased = owners_of(named.number)[-1].erased if named.number else None
    owner = Owner(named.at, contact, named.user_id or None, None, erased, named.is_proof)
    alias = Alias(
        pk=Alias.of_phone(named.phone, named.wa_id),
        company=named.company,
        target=contact,
        created_at_ms=named.now_ms,
        since=named.at,
    )
    number = with_owners(named.number or alias, (owner,))
    if named.number is None:
        number = number.model_copy(update={"revision": None})
    return Resolved(contact, (number, *_of_user(named, contact), *_of_key(named, contact, number)))


def _both(named: Named, owner: Owner, user: str | None) -> Resolved:
    """Resolve an event that names a number with an owner and a user id."""
    contact = str(owner.contact)
    is_owners = owner.user_id in {None, named.user_id}
    known = () if owner.user_id == named.user_id else (_proven(named, owner),)
    if user == contact or (user is None and is_owners):
        return Resolved(contact, (*known, *_of_user(named, contact)))
    if user is not None and is_owners:
        return Resolved(user, (*known, *_of_user(named, user)), same=(contact, user))
    # The owner of the number has another user id: it has changed hands.
    contact = user or named.user_id
    entry = Owner(named.at, contact, named.user_id)
    number = with_owners(_number(named), (*owners_of(_number(named)), entry))
    return Resolved(contact, (*_of_user(named, contact), number), lost_by=owner)


def _sent_to(named: Named, owner: Owner, user: str | None) -> Resolved:
    """Resolve what the business sent to a known number: it proves no owner."""
    if not named.user_id and owner.contact is None:
        return _new_owner(named, owner, _new_key(named, owner))
    if owner.contact is not None and (not named.user_id or owner.user_id in {None, named.user_id}):
        contact = user or owner.contact
        return Resolved(contact, _of_user(named, contact) if owner.user_id else ())
    contact = user or named.user_id
    return Resolved(contact, _of_user(named, contact))


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
        replace(owner, contact=contact, user_id=named.user_id or None, is_proven=named.is_proof)
        if owner == free
        else owner
        for owner in owners_of(number)
    ]
    writes = (*_of_user(named, contact), *_of_key(named, contact, number))
    lost_by = None
    if named.user_id:
        before = owners_of(number)[: owners_of(number).index(free)]
        lost_by = before[-1] if before else free
    # The number last: without it, the next delivery finds the same contact again.
    return Resolved(contact, (*writes, with_owners(number, owners)), lost_by=lost_by)


def _of_key(named: Named, contact: str, number: Alias) -> tuple[Alias, ...]:
    """Return the alias of a contact's own key, if that is neither the number nor the user id."""
    own = Alias.of_contact(named.phone, contact)
    if contact in {named.user_id, named.user.target if named.user else ""} or own == number.pk:
        return ()
    return (
        Alias(
            pk=own,
            company=named.company,
            target=contact,
            created_at_ms=named.now_ms,
            since=named.at,
        ),
    )


def _proven(named: Named, owner: Owner) -> Alias:
    """Return the number with the user id that this event proves for its owner."""
    number = _number(named)
    owners = [
        replace(entry, user_id=named.user_id) if entry == owner else entry
        for entry in owners_of(number)
    ]
    return with_owners(number, owners)


def _of_user(named: Named, contact: str) -> tuple[Alias, ...]:
    """Return the alias of the user id, if it is not stored yet, or without the number that the event proves."""
    wa_id = named.wa_id if named.is_proof else ""
    if not named.user_id:
        return ()
    if named.user is not None:
        if wa_id in {"", named.user.wa_id}:
            return ()
        revision = (named.user.revision or 0) + 1
        return (named.user.model_copy(update={"wa_id": wa_id, "revision": revision}),)
    return (
        Alias(
            pk=Alias.of_user(named.phone, named.user_id),
            company=named.company,
            target=contact,
            created_at_ms=named.now_ms,
            since=named.at,
            wa_id=wa_id or None,
        ),
    )


def _number(named: Named) -> Alias:
    if named.number is None:
        raise ValueError("the number has no alias")
    return named.number


def _new_key(named: Named, free: Owner) -> str:
    """Return the key of a contact without a user id: the number, and the second when its owner gave it up."""
    return later_key(named.wa_id, free.since)
