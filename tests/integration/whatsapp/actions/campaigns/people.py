"""Contacts beside campaigns: people who have written, a list and a segment of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from shared.aws.dynamodb import Table
from shared.contacts import conditions, lists, segments
from shared.identity.contacts import attributes, details, resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.history import Act
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.entries import Tables
from shared.runtime import clock
from tests.integration.console.system import Listed
from tests.integration.whatsapp.actions.campaigns.runs import OF_TEMPLATE, Runs
from tests.integration.whatsapp.actions.conftest import ACME
from tests.template import create_table, properties

if TYPE_CHECKING:
    from shared.identity.contacts.items import Profile

READER = replace(ACME, scopes=ACME.scopes | {"contacts:read"})
NAMED: dict[str, Any] = {name: one for name, one in OF_TEMPLATE.items() if name != "components"}
BY_NAME: dict[str, Any] = {**NAMED, "bodyFields": [{"field": "name", "default": "friend"}]}


@dataclass
class People:
    """The contacts of a company, whose conversations are shown in the inbox."""

    runs: Runs
    tables: Tables
    listed: Listed

    def wrote(self, number: str, name: str | None = None) -> Profile:
        """A person who wrote an hour ago."""
        self.runs.wrote(number)
        claim = Claim(identifier(IdentifierKind.PHONE, f"+{number}"), Proof.PROVIDER)
        at = clock.to_text(self.runs.now - 3_600_000)
        self.listed.show(number, contact=name, last_activity_at=at, claims=(claim,))
        (own, *_) = resolution.ids_of("acme", claim.identifier)
        found = resolution.current(self.tables.contacts, "acme", own)
        assert found is not None
        return found

    def in_list(self, *people: Profile, name: str = "Regulars") -> str:
        """The id of a list of people."""
        made = lists.create(self.tables.contacts, "acme", name, by="kim", cause=name)
        for one in people:
            assert lists.add(self.tables.contacts, "acme", made.sk, one)
        return made.sk

    def label(self, person: Profile, label: str) -> None:
        """Describe a person by a label."""
        fields = {"labels": {label}}
        details.change(self.tables.contacts, person, fields, act=Act(f"label {person.pk}", "kim"))

    def segment(self, given: dict[str, Any]) -> str:
        """The id of a segment."""
        table = self.tables.contacts
        condition = conditions.parsed(given, attributes.of_company(table, "acme"), [])
        return segments.create(table, "acme", "VIPs", condition, by="kim", cause="segment").sk

    def create(self, kind: str, own_id: str, **more: Any) -> dict[str, Any]:
        """Make a campaign to an audience."""
        body = BY_NAME | {"audience": {kind: own_id}} | more
        return self.runs.actions.run("create_campaign", body, caller=READER).result


@pytest.fixture
def people(runs: Runs) -> People:
    """The tables of contacts and of the inbox, without a contact."""
    dynamodb = boto3.client("dynamodb")
    inbox = Table(dynamodb, create_table(dynamodb, "InboxTable", Stage="local"))
    contacts = Table(dynamodb, str(properties("ContactsTable", Stage="local")["TableName"]))
    tables = Tables(inbox=inbox, contacts=contacts)
    return People(runs, tables, Listed(tables))
