"""
Reads the contact that an id leads to: over the links that events have made, and the merges by people.

A merge counts for a contact if one of its ends is the contact or its member, so an id of a merge that a contact has
taken over from a link that was never written leads to no other person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.identity.contacts import separations
from shared.identity.contacts.items import Profile

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.items import Merge


def current(table: Table, company: str, contact_id: str) -> Profile | None:
    """
    Return the contact that this one is, or was merged into (strongly consistent); None if it does not exist.

    Its id is the least of its contacts that events or people have merged, its members are all others.
    """
    root = root_of(table, company, contact_id)
    return whole(table, root) if root else None


def root_of(table: Table, company: str, contact_id: str) -> Profile | None:
    """Return the contact that events have made of this one, without merges by people; None if it does not exist."""
    item = table.get(Profile.key(company, contact_id))
    return followed(table, Profile.read(item)) if item else None


def followed(table: Table, profile: Profile) -> Profile:
    """
    Follow the links of a profile to the contact. Each id is less than the one before.

    A link to a contact that was erased leads nowhere: the profile then stands for itself.
    """
    while profile.merged_into is not None:
        item = table.get(Profile.key(profile.company_id, profile.merged_into))
        if item is None:
            return profile
        profile = Profile.read(item)
    return profile


def whole(table: Table, root: Profile) -> Profile:
    """
    Return the contact that people have made of this one and others; itself if they have merged it with none.

    Reads each merge once and each merged contact once. It is for reading: members and merges are not the stored ones.
    An identifier that was added to a contact never gives it its id, so that its removal leaves the contact its own.
    """
    if not root.merges:
        return root
    roots, seen, added = {root.contact_id: root}, set[str](), set[str]()
    latest = [root]
    while new := {merge for each in latest for merge in each.merges} - seen:
        seen |= new
        stored = separations.read(table, root.company_id, new)
        holding = [one for one in stored if one.undone_at is None and _is_of(one, latest)]
        added |= {one.merged for one in holding if one.kind == "identifier"}
        latest = []
        for end in sorted({end for one in holding for end in (one.kept, one.merged)}):
            known = {one for each in roots.values() for one in separations.ids_of(each)}
            if end not in known and (found := root_of(table, root.company_id, end)) is not None:
                roots[found.contact_id] = found
                latest.append(found)
    own = {name for name, each in roots.items() if added.isdisjoint(separations.ids_of(each))}
    contact_id = min(own or roots)
    ids = {one for each in roots.values() for one in separations.ids_of(each)}
    fields = {"members": ids - {contact_id}, "merges": seen}
    return roots[contact_id].model_copy(update=fields)


def _is_of(merge: Merge, contacts: list[Profile]) -> bool:
    """Whether one of the contacts that list a merge has an end of it."""
    listing = [each for each in contacts if merge.merge_id in each.merges]
    return any({merge.kept, merge.merged} & separations.ids_of(each) for each in listing)
