"""The contact of the customer who opened a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from operations.command_line import arguments
from operations.contexts.inbox import cli, rebuild
from operations.contexts.inbox import contacts as command
from operations.contexts.richpanel import deployment
from richpanel.privacy import tickets as of_help_desk
from shared.aws.dynamodb import Table
from shared.contacts import tickets
from shared.identity import keyed_hashes
from shared.identity.contacts import resolution
from shared.runtime import clock
from tests import keyring
from tests.integration.richpanel.harness import JANE, Harness, open_harness
from tests.integration.shared.contacts.people import cleared
from tests.template import create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.sandbox import Sandbox
    from tests.integration.richpanel.conftest import Time

COMPANY, JOHN = "acme", "john@shop.example"
EXPIRES = {"expires_at": 2**32}
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


class Interrupted(Exception):
    """The command was stopped."""


def kept(harness: Harness) -> list[dict[str, Any]]:
    """The profiles and the tickets beside them, without what only an address leads to."""
    rows = [row for row in harness.rows("contacts") if not str(row["pk"]).startswith("TOKEN#")]
    return [{name: row[name] for name in row if name != "tokens"} for row in rows]


def test_lost_contacts_of_tickets_are_made_again_from_the_states(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, state = harness.resources.contacts, harness.resources.state
    for ticket, sender in (("t-1", JANE), ("t-2", JOHN), ("t-3", JOHN), ("t-4", None)):
        harness.ticket(QUESTION, ticket=ticket, sender=sender, profile_email=sender)
        harness.handle(harness.event(ticket))
    of_help_desk.erase(of_help_desk.Tables(state, harness.resources.audit, table), COMPANY, "t-3")
    wanted, complete = kept(harness), harness.rows("contacts")
    cleared(table)
    proven_at = clock.from_text(harness.state("t-2")["last_processed_message_at"])
    with keyring.held(keyring.Keys(keyring.KEY)):
        tickets.contact_of(table, COMPANY, JOHN, proven_at)  # a mail proves the address, too
    names = {cli.INBOX: create_table(harness.dynamodb, "InboxTable"), cli.CONTACTS: table.name}
    monkeypatch.setattr(arguments, "outputs_of", lambda _, *asked: dict.fromkeys(asked, "") | names)
    monkeypatch.setattr(deployment, "of_stack", lambda _: harness.resources)
    monkeypatch.setattr(keyed_hashes, "configure", lambda _: None)
    monkeypatch.setattr(rebuild, "ITEMS_PER_PAGE", 1)
    monkeypatch.setattr(rebuild, "SEGMENTS", 1)

    def stop(*_: object) -> None:
        if len(kept(harness)) > 1:
            raise Interrupted

    def restored(exit_code: int = 0) -> list[str]:
        given = ["rebuild", "--stack", "parley-dev", "--context", "richpanel"]
        assert command.main(given) == exit_code
        return capsys.readouterr().out.strip().split("\t")

    with monkeypatch.context() as interrupted:
        interrupted.setattr(cli, "_progress", stop)
        with pytest.raises(Interrupted):
            restored()
    assert len(kept(harness)) == 3

    rest = ["1 erased", "1 without contact"]
    of_second = ["1 restored", "0 restored by id", "0 unchanged", *rest, "0 failed"]
    assert restored() == ["richpanel", *of_second]
    assert kept(harness) == wanted
    state.put({"conversation_id": "t-5", "contact_id": "any", "updated_at": "never", **EXPIRES})
    of_third = ["0 restored", "0 restored by id", "2 unchanged", *rest, "1 failed"]
    assert restored(exit_code=1) == ["richpanel", *of_third]
    assert kept(harness) == wanted
    assert tickets_of(harness, JANE) == ["t-1"]  # the next ticket brings the tokens
    assert harness.rows("contacts") == complete
