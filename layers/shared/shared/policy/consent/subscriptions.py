"""
Consent to newsletters by mail: events of an address in scopes, from one list to everything.

    sk list:{list_id}    one list
    sk newsletters       all newsletters of the company
    sk email             the channel
    sk *                 all channels

They are items of `shared.policy.consent.records`. An opt-out holds until a newer opt-in of the same scope or of a
narrower one: who has left all newsletters and asks for one list again gets that list alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.identity.keyed_hashes import address_hashes
from shared.policy.consent.items import ALL_CHANNELS, Consent, State
from shared.policy.consent.unreachable import Unreachable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.aws.dynamodb import Table

EMAIL: Final = "email"
NEWSLETTERS: Final = "newsletters"
_LIST: Final = "list:{list_id}"


def list_scope(list_id: str) -> str:
    """Return the scope of one list."""
    return _LIST.format(list_id=list_id)


@dataclass(frozen=True, slots=True)
class Subscription:
    """Whether an address has opted out of a list's newsletters, has opted in, and cannot be reached by mail."""

    is_opted_out: bool
    is_opted_in: bool
    is_unreachable: bool = False


def subscription(table: Table, company: str, address: str, list_id: str | None) -> Subscription:
    """
    Return the consent of a normalised address to the newsletters of a list, and whether mail reaches the address. None:
    to newsletters that go to no list.

    One strongly consistent read of five items per identifier key. Raises as `keyed_hashes.all_keys`.
    """
    return of_hashes(table, company, address_hashes(address), [list_id])[list_id]


def of_hashes[L: str | None](
    table: Table, company: str, hashes: Sequence[str], list_ids: Sequence[L]
) -> dict[L, Subscription]:
    """Return the consent of an address, by its hashes, to the newsletters of each list: a read of a hundred items."""
    every = dict.fromkeys(scope for one in list_ids for scope in _scopes(one))
    keys = [Consent.key(company, one, scope) for one in hashes for scope in every]
    keys += [Unreachable.key(company, one, EMAIL) for one in hashes]
    items = table.get_many(keys)
    is_unreachable = any(
        item.get("item_type") == Unreachable.item_type and Unreachable.read(item).stands
        for item in items
    )
    newest: dict[str, Consent] = {}
    for item in items:
        if item.get("item_type") == Unreachable.item_type:
            continue
        found = Consent.model_validate(item)
        known = newest.get(found.channel)
        if known is None or found.rank > known.rank:
            newest[found.channel] = found
    return {
        one: _subscription(newest, _scopes(one), is_unreachable=is_unreachable) for one in list_ids
    }


def _subscription(
    newest: Mapping[str, Consent], scopes: tuple[str, ...], *, is_unreachable: bool
) -> Subscription:
    own = {scope: newest[scope] for scope in scopes if scope in newest}
    return Subscription(
        is_opted_out=_is_opted_out(own, scopes),
        is_opted_in=any(
            found.state is State.OPTED_IN for scope, found in own.items() if scope != ALL_CHANNELS
        ),
        is_unreachable=is_unreachable,
    )


def _scopes(list_id: str | None) -> tuple[str, ...]:
    """The scopes of a list, from the narrowest to the widest."""
    own = (list_scope(list_id),) if list_id is not None else ()
    return *own, NEWSLETTERS, EMAIL, ALL_CHANNELS


def _is_opted_out(newest: Mapping[str, Consent], scopes: tuple[str, ...]) -> bool:
    """Whether an opt-out of a scope has no newer opt-in of that scope or a narrower one; no file ends an opt-out."""
    newest_opt_in = ""
    for scope in scopes:
        found = newest.get(scope)
        if found is None:
            continue
        if found.state is State.OPTED_IN:
            newest_opt_in = newest_opt_in if found.is_attested else max(newest_opt_in, found.at)
        elif found.at >= newest_opt_in:
            return True
    return False
