"""
Reads the members of a list, each person once, page by page. Campaigns, newsletters and the console read them here.

Members are read in the order of their contacts' ids. Of contacts that were merged the one with the least id of those
in the list stands for the person. So a reading may stop after any page and go on later from the id with which the page
ended: contacts that are merged meanwhile make it name no one again. A contact that joins behind that id is not in this
reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.contacts import lists
from shared.contacts.items import Member
from shared.identity.contacts import resolution
from shared.identity.contacts.items import Profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table


@dataclass(frozen=True, slots=True)
class MembersPage:
    """People, as `resolution.current` returns them; *after* is the position of the next page, None on the last one."""

    people: Sequence[Profile]
    after: str | None


def page(
    table: Table, company: str, list_id: str, *, limit: int, after: str | None = None
) -> MembersPage:
    """
    Return the people among the next *limit* contacts of a list.

    A page may have fewer than *limit* people, or none, before the last one. Costs one read unit per contact, a few more
    for one that was merged. Raises ListNotFound.
    """
    lists.get(table, company, list_id)
    ids, has_more = lists.member_ids(table, company, list_id, limit=limit, after=after)
    people = _people(table, company, ids)
    earlier = {own: {one for one in lists.ids_of(person) if one < own} for own, person in people}
    wanted = sorted(set().union(*earlier.values())) if earlier else []
    keys = [Member.key(company, list_id, one) for one in wanted]
    stored = {Member.read(item).sk for item in table.get_many(keys)} if keys else set[str]()
    found = [person for own, person in people if stored.isdisjoint(earlier[own])]
    return MembersPage(found, ids[-1] if has_more else None)


def _people(table: Table, company: str, ids: Sequence[str]) -> list[tuple[str, Profile]]:
    """Return the person of each contact that was not erased."""
    keys = [Profile.key(company, one) for one in ids]
    stored = (
        {one.contact_id: one for one in map(Profile.read, table.get_many(keys))} if keys else {}
    )
    found: list[tuple[str, Profile]] = []
    for one in ids:
        profile = stored.get(one)
        if profile is not None and (profile.merged_into is not None or profile.merges):
            profile = resolution.current(table, company, one)
        if profile is not None:
            found.append((one, profile))
    return found
