"""The conversations of a contact, under the ids of all contacts that were merged into it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.aws.tables.merged_lists import MergedList
from shared.inbox.items import CONTACT_INDEX, OfContact

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.items import Profile


def listed(
    inbox: Table, profile: Profile, limit: int, before: str | None = None
) -> list[OfContact]:
    """
    Return up to *limit* conversations, the newest week's first, eventually consistent.

    *profile*: as `resolution.current` returns it; *before*: the `contact_order` of the last one of the page before.
    """
    ids = MergedList(
        item=OfContact,
        index=CONTACT_INDEX,
        field="contact_id",
        order="contact_order",
        partitions=[profile.contact_id, *sorted(profile.members)],
    )
    where = Key(OfContact.name_of("contact_order")).lt(before) if before is not None else None
    return list(islice(ids.entries(inbox, limit=limit, where=where), limit))
