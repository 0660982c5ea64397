"""Contacts beside the actions, and a campaign to a list and one to a segment: the calls that read contacts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from shared.aws.dynamodb import Table
from shared.contacts import lists, segments
from shared.contacts.conditions import Comparison, Operator
from shared.identity.contacts import resolution
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.identifiers import IdentifierKind
from shared.inbox import entries
from shared.inbox.entries import Tables
from shared.inbox.items import Channel, Context, Head
from shared.runtime import clock
from tests.template import create_table, properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.actions.actor import Actor

STAGE = {"Stage": "local"}
TO_AUDIENCE: dict[str, Any] = {
    "phoneNumberId": COUNTER.phone,
    "campaignName": "Spring",
    "type": "text",
    "text": "Hello",
}


class Heads:
    """The heads of conversations with customers, whose references are their numbers."""

    context = Context.WHATSAPP

    def read(self, reference: str) -> Head:
        """Return the head of a conversation."""
        return Head(
            company_id=COMPANY,
            context=self.context,
            reference=reference,
            channel=Channel.WHATSAPP,
            address=COUNTER.phone,
            last_activity_at=clock.to_text(clock.now_ms()),
            status="open",
            handle=reference,
            claims=claimed(IdentifierKind.PHONE, f"+{reference}", Proof.PROVIDER),
        )


@dataclass(frozen=True)
class Contacts:
    """The contacts of customers who have written."""

    table: Table

    def listed(self, name: str, *numbers: str) -> str:
        """Make a list of customers; return its id."""
        made = lists.create(self.table, COMPANY, name, by="kim", cause=name).sk
        for number in numbers:
            (claim,) = Heads().read(number).claims
            (own, *_) = resolution.ids_of(COMPANY, claim.identifier)
            person = resolution.current(self.table, COMPANY, own)
            assert person is not None
            assert lists.add(self.table, COMPANY, made, person)
        return made


@contextmanager
def contacts_of(*numbers: str) -> Iterator[Contacts]:
    """The tables of contacts and of the inbox, with the customers of these numbers."""
    dynamodb = boto3.Session().client("dynamodb")  # no call of the functions
    before = dynamodb.list_tables()["TableNames"]  # other steps may have made the contacts
    inbox, contacts = (
        Table(dynamodb, str(properties(name, **STAGE)["TableName"]))
        for name in ("InboxTable", "ContactsTable")
    )
    made = {"InboxTable": inbox, "ContactsTable": contacts}
    made = {name: table for name, table in made.items() if table.name not in before}
    for name in made:
        create_table(dynamodb, name, **STAGE)
    for number in numbers:
        entries.refresh(Tables(inbox=inbox, contacts=contacts), Heads(), number)
    yield Contacts(contacts)
    for table in made.values():
        dynamodb.delete_table(TableName=table.name)


def reach_audiences(actor: Actor) -> None:
    """Ada is in a list, and fits a segment: a draft shows her, and both campaigns reach her."""
    with contacts_of(ADA.wa_id) as contacts:
        chosen = contacts.listed("Regulars", ADA.wa_id)
        chats = Comparison("channel", Operator.IS, ("whatsapp",))
        segment = segments.create(contacts.table, COMPANY, "Chats", chats, by="kim", cause="s").sk
        for number, audience in enumerate(({"list": chosen}, {"segment": segment})):
            key = f"audience-{number}"
            made = _result(actor, "create_campaign", {**TO_AUDIENCE, "audience": audience}, key)
            asked = {"campaignId": made["campaignId"]}
            shown = _result(actor, "get_campaign_recipients", asked, f"{key}-shown")
            assert shown["counts"] == {"reached": 1}
            _result(actor, "start_campaign", asked, f"{key}-start")
            actor.system.drain()
            shown = _result(actor, "get_campaign", asked, f"{key}-end")
            assert shown["totalRecipients"] == 1


def _result(actor: Actor, action: str, body: dict[str, Any], key: str) -> dict[str, Any]:
    answer = actor.call(action, body, key)
    assert answer is not None
    assert answer.status in {200, 202}, answer.content
    return answer.result
