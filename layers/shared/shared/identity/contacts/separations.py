"""
Pairs of contacts about which people have decided: an event does not link them.

While a merge by people holds, both are one person without a link; after its undo they are two. So the decision counts
in every order: an event before the undo leaves no link that would outlast it, and one after it makes no person of two.
The merge keeps that an event has proven both to be one (`proven_at`): the pair is then suggested, for people to decide.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from shared.identity.contacts.items import Merge, Profile
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shared.aws.dynamodb import Table

type Pair = tuple[
    Profile, Profile
]  # a contact of events, and the contact that people have made of it


class Decided(Exception):
    """People have decided about contacts that an event names as one person. *merges* are their decisions."""

    def __init__(self, merges: Sequence[Merge]) -> None:
        super().__init__("people have decided about these contacts")
        self.merges = merges


def check(table: Table, company: str, people: Sequence[Pair]) -> None:
    """Raise Decided if people have separated two of these contacts, or have merged two of them themselves."""
    found: dict[str, Merge] = {}
    for (first, its_whole), (second, other_whole) in combinations(people, 2):
        is_one = its_whole.contact_id == other_whole.contact_id
        ends = (first, second) if is_one else (its_whole, other_whole)
        for merge in read(table, company, its_whole.merges & other_whole.merges):
            holds = merge.undone_at is None
            if merge.kind == "contacts" and holds == is_one and _joins(merge, *ends):
                found[merge.merge_id] = merge
    if found:
        raise Decided(list(found.values()))


def note_proof(table: Table, merges: Iterable[Merge]) -> None:
    """Store on merges that an event names both contacts as one person. Safe to repeat."""
    now = clock.to_text(clock.now_ms())
    for one in merges:
        if one.proven_at is None:
            table.update(
                Merge.key(one.company_id, one.merge_id),
                put_once=Merge.named(proven_at=now),
                when=Merge.attr("merge_id").exists(),
            )


def read(table: Table, company: str, ids: Iterable[str]) -> list[Merge]:
    """Return the stored merges with these ids; an id may be listed on a contact before its merge is written."""
    keys = [Merge.key(company, one) for one in sorted(ids)]
    return [Merge.read(item) for item in table.get_many(keys)] if keys else []


def ids_of(profile: Profile) -> set[str]:
    """Return the id of a contact and of all its members."""
    return {profile.contact_id, *profile.members}


def _joins(merge: Merge, first: Profile, second: Profile) -> bool:
    own, other = ids_of(first), ids_of(second)
    return (merge.kept in own and merge.merged in other) or (
        merge.kept in other and merge.merged in own
    )
