"""The contact of the customer who opened a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from richpanel.privacy import tickets as of_help_desk
from shared.aws.dynamodb import Table
from shared.contacts import tickets
from shared.identity.contacts import resolution
from tests import keyring
from tests.integration.richpanel.harness import JANE, Harness, open_harness

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

COMPANY, JOHN = "acme", "john@shop.example"
QUESTION = "Hello, I want to return my order. How do I start a return?"


@pytest.fixture
def harness(sandbox: Sandbox, time: Time, dynamodb: DynamoDBClient) -> Harness:
    return open_harness(sandbox, time, company=COMPANY)


def tickets_of(harness: Harness, address: str) -> list[str]:
    """The tickets beside the contact with an address."""
    table = harness.resources.contacts
    with keyring.held(keyring.Keys(keyring.KEY)):
        contact_id = tickets.contact_of(table, COMPANY, address, harness.time.ms)
    person = resolution.current(table, COMPANY, contact_id)
    assert person is not None
    return [one.ticket_id for one in tickets.of_person(table, person)]


def test_a_ticket_is_the_contact_s_whose_address_opened_it_until_it_is_erased(
    harness: Harness,
) -> None:
    harness.ticket(QUESTION)
    harness.ticket(QUESTION, ticket="t-2", sender=JOHN, profile_email=JOHN)
    for ticket in ("t-1", "t-2"):
        harness.handle(harness.event(ticket))
    harness.time.ms += 600_000
    harness.ticket(QUESTION, ticket="t-3")
    harness.handle(harness.event("t-3"))

    assert tickets_of(harness, JANE) == ["t-3", "t-1"]
    assert tickets_of(harness, JOHN) == ["t-2"]
    assert harness.state("t-3")["contact_id"] == harness.state("t-1")["contact_id"]
    stored = str(harness.rows("contacts"))
    assert not [word for word in (JANE, JOHN, "return my order") if word in stored]

    tables = of_help_desk.Tables(
        harness.resources.state, harness.resources.audit, harness.resources.contacts
    )
    of_help_desk.erase(tables, COMPANY, "t-1")
    assert tickets_of(harness, JANE) == ["t-3"]


def test_a_ticket_whose_contact_cannot_be_stored_is_handled_and_has_it_from_the_next_message_on(
    harness: Harness,
) -> None:
    contacts = harness.resources.contacts
    harness.resources.contacts = Table(harness.dynamodb, "no-such-table")
    harness.ticket(QUESTION)

    with pytest.raises(ClientError):
        harness.handle()
    assert harness.handle(receives=3).outcome == "processed"
    assert "contact_id" not in harness.state()

    harness.resources.contacts = contacts
    harness.time.ms += 600_000
    harness.ticket(QUESTION, "And who pays for it?")
    assert harness.handle().outcome == "processed"
    assert tickets_of(harness, JANE) == ["t-1"]
