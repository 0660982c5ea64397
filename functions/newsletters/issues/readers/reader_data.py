"""Stored data of the reader of a link: lists, choices, and for a download everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Key

from newsletters.issues.links import LinkInvalid
from newsletters.issues.readers.texts import language_of
from newsletters.store import issues
from newsletters.store.items import Choices, Signup, SignupPace
from newsletters.store.items.item import (
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from newsletters.store.readers import choices, public_lists, recipients
from shared.aws.tables.dynamodb_json import plain
from shared.contacts import lists
from shared.identity.contacts import details, resolution
from shared.policy.consent.subscriptions import of_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.store.items import PublicList
    from shared.aws.dynamodb import Attributes, Table

MOST_RECORDS: Final = 1_000  # of a download; a request about the person has all
_INTERNAL: Final = frozenset(
    {
        PARTITION_KEY,
        SORT_KEY,
        INDEX_PARTITION_KEY,
        INDEX_SORT_KEY,
        "ttl",
        "owner",
        "deadline_ms",
        "turn",
    }
)


@dataclass(frozen=True, slots=True)
class Reader:
    """
    The contact of a reader, the lists that the page shows, and which of them the reader is subscribed to.
    *version*: of the choices, 0 before the first ones.
    """

    contact_id: str
    lists: Sequence[PublicList]
    subscribed: AbstractSet[str]
    choices: Choices | None
    language: str

    @property
    def version(self) -> int:
        """The version of the choices."""
        return self.choices.version if self.choices else 0


def read(deps: IssueDependencies, link: Link) -> Reader:
    """Return the reader of a link. Raises LinkInvalid if the contact, or the ledger of the issue, has gone."""
    table, contacts, company = deps.store.table, deps.people.contacts, link.company_id
    recipient = recipients.get(table, link.issue_id, link.recipient)
    person = resolution.current(contacts, company, recipient.contact_id) if recipient else None
    if person is None:
        raise LinkInvalid
    published = public_lists.of_company(table, company)
    made = choices.get(table, company, link.recipient)
    ids = [one.list_id for one in published]
    consents = of_hashes(deps.people.consents.table, company, [link.recipient], ids) if ids else {}
    joining = made.joins if made else []
    own = {
        one
        for one in ids
        if not consents[one].is_opted_out
        and (one in joining or lists.present(contacts, company, one, lists.ids_of(person)))
    }
    stored = details.described(contacts, person).details
    issue = issues.get(table, link.issue_id)
    language = language_of(
        made.language if made else None,
        stored.language if stored else None,
        issue.language if issue else None,
    )
    shown = [one for one in published if one.is_open or one.list_id in own]
    return Reader(person.contact_id, shown, own, made, language)


def everything(deps: IssueDependencies, link: Link, reader: Reader) -> dict[str, Any]:
    """Return all that newsletters have of a reader, without keys: for the reader."""
    titles = {one.list_id: one.title for one in reader.lists}
    stored = [
        {name: value for name, value in plain(one).items() if name not in _INTERNAL}
        for one in items_of(deps.store.table, link.company_id, link.recipient)
    ]
    subscribed = [
        {"list_id": one, "title": titles[one]} for one in sorted(reader.subscribed) if one in titles
    ]
    return {"language": reader.language, "subscriptions": subscribed, "records": stored}


def items_of(table: Table, company_id: str, recipient: str) -> list[Attributes]:
    """Return the items of a reader, at most MOST_RECORDS, apart from the times of sign-ups."""
    partition = Key(PARTITION_KEY).eq(Signup.partition_of(company_id, recipient))
    rows, _ = table.query(None, partition, limit=MOST_RECORDS)
    return [row for row in rows if row[SORT_KEY] != SignupPace.sort]
