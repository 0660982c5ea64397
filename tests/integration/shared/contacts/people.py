"""Events of people for the tests of contacts, and what the table says about them afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.items import Profile
from shared.identity.contacts.resolution import current, resolve
from shared.identity.identifiers import IdentifierKind, identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Table
    from shared.identity.identifiers import Identifier

COMPANY = "acme"
NOON = 1_772_452_800_000

type Event = tuple[Claim, ...]


def phone(n: int) -> Identifier:
    return identifier(IdentifierKind.PHONE, f"+4477009001{n:02d}")


def email(name: str) -> Identifier:
    return identifier(IdentifierKind.EMAIL, f"{name}@example.com")


def event(proof: Proof, *identifiers: Identifier) -> Event:
    return tuple(Claim(each, proof) for each in identifiers)


def handle(table: Table, *events: Event, company: str = COMPANY) -> list[str]:
    return [resolve(table, company, each, NOON) for each in events]


def groups(table: Table, events: Iterable[Event]) -> set[frozenset[str]]:
    """The identifiers of each contact."""
    people: dict[str, set[str]] = {}
    for claim in {claim.identifier: claim for each in events for claim in each}.values():
        named = resolve(table, COMPANY, (claim,), NOON)
        people.setdefault(named, set()).add(claim.identifier.value)
    return set(map(frozenset, people.values()))


def cleared(table: Table) -> None:
    """Delete all items of a table."""
    for item in table._client.scan(TableName=table.name)["Items"]:
        names = {"pk", "sk"} & item.keys()
        table.delete({name: item[name]["S"] for name in names})


def contacts(client: DynamoDBClient, table: Table) -> dict[str, frozenset[str]]:
    """All contacts with their members."""
    found: dict[str, frozenset[str]] = {}
    for item in client.scan(TableName=table.name)["Items"]:
        if "contact_id" not in item:
            continue  # of a token, a merge or a change
        root = current(table, item["company_id"]["S"], item["contact_id"]["S"])
        assert isinstance(root, Profile)
        found[root.contact_id] = frozenset(root.members)
    return found
