"""Stored data of the reader of a link: lists, choices, and for a download everything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Key

from newsletters.issues.links import ERASE, LinkInvalid
from newsletters.issues.readers.texts import language_of
from newsletters.store import issues
from newsletters.store.items import Choices, Signup, SignupPace, SignupState
from newsletters.store.items.item import (
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from newsletters.store.readers import choices, public_lists, recipients, signups
from shared.aws.tables.dynamodb_json import plain
from shared.contacts import lists
from shared.identity.contacts import details, resolution
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from shared.identity.keyed_hashes import address_hashes
from shared.policy.consent.subscriptions import of_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.store.items import PublicList
    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.items import Details

CHOICES: Final = "choices"
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
    The contact of a reader, the lists that the page shows, and which of them the reader is subscribed to: by what is
    confirmed, whether or not the worker has made the contact a member already. *is_erased*: the erasure is confirmed.
    *version*: of the choices, 0 before the first ones. *email* is the address of the link, None if the contact has
    another one by now; *sender* the list in whose name mails to the reader are sent, None if nothing is published.
    """

    contact_id: str
    email: str | None = field(repr=False)
    sender: PublicList | None
    lists: Sequence[PublicList]
    subscribed: AbstractSet[str]
    choices: Choices | None
    language: str
    first_name: str = field(repr=False)
    is_erased: bool

    @property
    def version(self) -> int:
        """The version of the choices."""
        return self.choices.version if self.choices else 0


def read(deps: IssueDependencies, link: Link) -> Reader:
    """Return the reader of a link. Raises LinkInvalid if the contact, or the ledger of the issue, has gone."""
    table, contacts, company = deps.store.table, deps.people.contacts, link.company_id
    requests = signups.of_reader(table, company, link.recipient)
    asked, person = _named(deps, link, requests.get(CHOICES))
    if person is None:
        raise LinkInvalid
    published = public_lists.of_company(table, company)
    made = choices.get(table, company, link.recipient)
    ids = [one.list_id for one in published]
    consents = of_hashes(deps.people.consents.table, company, [link.recipient], ids) if ids else {}
    # Read before the members: the worker writes a member first, and then ends the open work.
    confirmed = (one.name for one in requests.values() if one.state is SignupState.CONFIRMED)
    joining = {*confirmed, *(made.joins if made else [])}
    own = {
        one
        for one in ids
        if not consents[one].is_opted_out
        and (one in joining or lists.present(contacts, company, one, lists.ids_of(person)))
    }
    stored = details.described(contacts, person).details
    issue = issues.get(table, link.issue_id) if link.issue_id else None
    language = language_of(
        made.language if made else None,
        stored.language if stored else None,
        issue.language if issue else asked,
    )
    shown = [one for one in published if one.is_open or one.list_id in own]
    sender = next((one for one in published if one.list_id == link.list_id), None)
    return Reader(
        contact_id=person.contact_id,
        email=_address(deps, link, person),
        sender=sender or next(iter(shown), None),
        lists=shown,
        subscribed=own,
        choices=made,
        language=language,
        first_name=_first_name(made, stored),
        is_erased=_is_erased(requests.get(ERASE)),
    )


def _first_name(made: Choices | None, stored: Details | None) -> str:
    """Return the first name that a reader has just chosen, else that of the contact; empty without one."""
    if made is not None and made.first_name is not None:
        return made.first_name
    return (stored.given_names if stored else None) or ""


def language_of_reader(deps: IssueDependencies, link: Link) -> str | None:
    """Return the language that a reader has chosen, else that of the contact or of the sign-up; None without one."""
    table, company = deps.store.table, link.company_id
    made = choices.get(table, company, link.recipient)
    if made is not None and made.language:
        return made.language
    person = _of_issue(deps, link)
    stored = details.described(deps.people.contacts, person).details if person else None
    if stored is not None and stored.language:
        return stored.language
    asked = signups.get(table, company, link.recipient, link.list_id) if link.list_id else None
    return asked.language if asked is not None else None


def contact_of(table: Table, company: str, email: str) -> Profile | None:
    """Return the contact of an address; None if the company has none."""
    ids = resolution.ids_of(company, identifier(IdentifierKind.EMAIL, email))
    found = (resolution.current(table, company, one) for one in ids)
    return next((one for one in found if one is not None), None)


def _is_erased(asked: Signup | None) -> bool:
    return asked is not None and asked.state in {SignupState.CONFIRMED, SignupState.JOINED}


def _named(
    deps: IssueDependencies, link: Link, asked: Signup | None
) -> tuple[str | None, Profile | None]:
    """Return the language in which the reader asked for a link, and the contact that it leads to."""
    if link.issue_id:
        return None, _of_issue(deps, link)
    if asked is None:
        return None, None
    return asked.language, contact_of(deps.people.contacts, link.company_id, asked.email)


def _of_issue(deps: IssueDependencies, link: Link) -> Profile | None:
    """Return the contact of the recipient whom a link of an issue names."""
    found = recipients.get(deps.store.table, link.issue_id, link.recipient)
    if found is None:
        return None
    return resolution.current(deps.people.contacts, link.company_id, found.contact_id)


def _address(deps: IssueDependencies, link: Link, person: Profile) -> str | None:
    """Return the address of a link as the contact has it, or one of those that were merged into it."""
    keys = [Profile.key(link.company_id, one) for one in sorted(lists.ids_of(person))]
    stored = map(Profile.read, deps.people.contacts.get_many(keys))
    values = (one.value for one in stored if one.value)
    return next((one for one in values if link.recipient in address_hashes(one)), None)


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
