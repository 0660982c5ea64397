"""Owners of a customer's number, as its alias stores them, and how notices about changed ids change them. Pure."""

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
    erased. *is_proven*: the customer wrote from the number, or a notice gave it to them.
    """

    since: str
    contact: str | None = None
    user_id: str | None = None
    change: str | None = None
    erased: str | None = None
    is_proven: bool = True


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
            entry.get("erased") or (alias.erased_until if len(alias.owners) == 1 else None),
            is_proven=not entry.get("unproven"),
        )
        for entry in alias.owners
    )


def released(alias: Alias, contacts: frozenset[str], notice: Owner, former: Owner) -> Alias | None:
    """Return a number that its owner *former*, one of *contacts*, gave up; None if there is nothing to write."""
    all_owners = owners_of(alias)
    owners = [o for o in all_owners if o.is_proven or o.change or o.contact not in contacts]
    before = [owner for owner in owners if owner.since <= notice.since]
    later = [owner for owner in owners if owner.since > notice.since]
    if any(owner.change == notice.change for owner in owners):
        return None
    if before and before[-1].contact not in contacts:
        return None
    if later and later[0].contact not in contacts:
        # The next owner has written already.
        later[0] = replace(later[0], since=notice.since, change=notice.change)
        return with_owners(alias, (*(before or (former,)), *later))
    if not before and len(owners) < len(all_owners):
        before = [former]
    return with_owners(alias, (*before, notice, *later)) if before else None


def later_key(number: str, since: str) -> str:
    """Return the key of who has a number (digits) without a user id since its owner gave it up (`receivedAt`)."""
    return f"{number}-{''.join(filter(str.isdecimal, since[:19]))}"


def left(alias: Alias, notice: Owner, *, is_new: bool) -> Alias:
    """Return the alias of a user id that a notice reported to be another one; the earliest notice counts."""
    if alias.left_at is not None and alias.left_at <= notice.since:
        return alias
    revision = None if is_new else (alias.revision or 0) + 1
    changes = {"left_at": notice.since, "left_by": notice.change, "revision": revision}
    return alias.model_copy(update=changes)


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
            is_proven = kept[-1].is_proven or owner.is_proven
            kept[-1] = replace(kept[-1], user_id=owner.user_id, is_proven=is_proven)
        else:
            kept.append(owner)
    kept = kept[-OWNERS_KEPT:]
    newest = kept[-1]
    is_single = len(kept) == 1 and newest.contact is not None
    is_single = is_single and newest.change is None and newest.is_proven
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


def _entry(owner: Owner) -> dict[str, Any]:
    fields = {
        "since": owner.since,
        "target": owner.contact,
        "userId": owner.user_id,
        "change": owner.change,
        "erased": owner.erased,
        "unproven": None if owner.is_proven else True,
    }
    return {name: value for name, value in fields.items() if value is not None}
