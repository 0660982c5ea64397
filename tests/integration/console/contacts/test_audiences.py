"""Whom a list reaches on a channel: each person once, with address, consent and fields, or left out with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shared.api.auth import Caller
from shared.contacts import audience, lists
from shared.contacts.audience import Audience
from shared.contacts.person import Sources
from shared.identity.contacts.claims import Proof
from shared.inbox.items import Channel, Context
from shared.policy.consent import withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.console.contacts.test_contact_changes import LEA, created, id_of, send
from tests.integration.console.contacts.test_contact_lists import join, made_list
from tests.integration.console.contacts.test_contacts_api import ZOE as PHONE
from tests.integration.console.contacts.test_contacts_api import people
from tests.integration.shared.contacts.people import event

if TYPE_CHECKING:
    from shared.contacts.audience import AudiencePage
    from tests.integration.console.system import InboxSystem, Listed

__all__ = ["people"]
ADMIN = Caller(company="acme", scopes=frozenset({"contacts:admin"}), principal="api-key:1")
ZOE, MAIL = "+447700900101", "zoe.mueller@example.com"


@pytest.fixture
def sources(inbox: InboxSystem) -> Sources:
    consents: Consents = inbox.module.consent_records
    return Sources(contacts=inbox.tables.contacts, inbox=inbox.table, consents=consents)


def read(sources: Sources, of: Audience, channel: Channel, limit: int = 1) -> list[AudiencePage]:
    """All pages, each read from the position of the one before."""
    pages = [audience.page(sources, "acme", of, channel, limit=limit)]
    while (after := pages[-1].after) is not None:
        pages.append(audience.page(sources, "acme", of, channel, limit=limit, after=after))
    return pages


def addresses(sources: Sources, of: Audience, channel: Channel) -> dict[str, str]:
    """Address, or reason, by contact."""
    pages = read(sources, of, channel)
    found = [(one.contact_id, one.address) for page in pages for one in page.recipients]
    found += [(one.contact_id, one.reason) for page in pages for one in page.left_out]
    assert len(found) == len(dict(found)), "a person is named twice"
    return dict(found)


def test_each_person_of_a_list_is_reached_once_at_the_address_of_the_channel(
    inbox: InboxSystem, people: Listed, sources: Sources
) -> None:
    zoe, mario = id_of(inbox, "zoe"), id_of(inbox, "mario")
    attribute = {"kind": "choice", "title": "Plan", "choices": ["gold"], "filterable": True}
    send(inbox, "PUT /attributes/plan", attribute, ADMIN)
    lea = created(inbox, language="fr", zone="Europe/Paris", attributes={"plan": "gold"})
    nameless = created(inbox, identifiers=[{"kind": "external", "value": "shop:C-1"}])
    of = Audience(kind="list", id=made_list(inbox))
    join(inbox, of.id, zoe, mario, lea["contactId"], nameless["contactId"])

    assert addresses(sources, of, Channel.WHATSAPP) == {
        zoe: ZOE,
        mario: "+5511987654321",
        lea["contactId"]: "+447700900150",
        nameless["contactId"]: "no_address",
    }
    by_mail = addresses(sources, of, Channel.EMAIL)
    assert by_mail.pop(zoe) == MAIL
    assert {*by_mail.values()} == {"no_address"}

    (page,) = read(sources, of, Channel.WHATSAPP, limit=100)
    found = {one.contact_id: one for one in page.recipients}
    person = found[lea["contactId"]]
    assert (person.language, person.zone) == ("fr", "Europe/Paris")
    assert person.values == {
        "name": "Léa Roy",
        "language": "fr",
        "zone": "Europe/Paris",
        "attributes.plan": "gold",
    }
    assert found[mario].values == {"name": "Mário Costa"}
    with pytest.raises(lists.ListNotFound):
        audience.page(sources, "globex", of, Channel.WHATSAPP)


def test_merged_people_are_reached_once_with_the_consent_of_all_their_addresses(
    inbox: InboxSystem, people: Listed, sources: Sources
) -> None:
    zoe, lea = id_of(inbox, "zoe"), created(inbox)["contactId"]
    of = Audience(kind="list", id=made_list(inbox))
    join(inbox, of.id, zoe, lea)
    send(inbox, f"POST /contacts/{zoe}/merge", {"contactId": lea})
    said = Statement(source=Source.OPERATOR, at_ms=clock.now_ms(), evidence="a call")
    sources.consents.record_opt_out("acme", [str(LEA["value"]).replace(" ", "")], said)

    (page,) = read(sources, of, Channel.WHATSAPP, limit=100)
    (person,) = page.recipients
    assert (person.address, person.consent.is_opted_out) == (ZOE, True)
    assert addresses(sources, of, Channel.EMAIL) == {min(zoe, lea): MAIL}


def test_a_withdrawn_number_is_left_out_and_another_number_of_the_person_is_used(
    inbox: InboxSystem, people: Listed, sources: Sources
) -> None:
    zoe = id_of(inbox, "zoe")
    of = Audience(kind="list", id=made_list(inbox))
    join(inbox, of.id, zoe)
    gone = Withdrawal(at="2026-01-02T00:00:00.000Z", evidence="wamid.1")
    withdrawals.note(sources.consents.table, "acme", ZOE, gone)
    assert addresses(sources, of, Channel.WHATSAPP) == {zoe: "address_withdrawn"}

    send(inbox, f"POST /contacts/{zoe}/identifiers", LEA)
    assert addresses(sources, of, Channel.WHATSAPP) == {zoe: "+447700900150"}


def test_a_person_who_hides_the_number_is_reached_by_the_user_id(
    inbox: InboxSystem, people: Listed, sources: Sources
) -> None:
    zoe = id_of(inbox, "zoe")
    of = Audience(kind="list", id=made_list(inbox))
    join(inbox, of.id, zoe)
    people.show("chat", minute=8, handle="US.1349120865530274", claims=event(Proof.PROVIDER, PHONE))
    people.context = Context.CONVERSATIONS
    people.remove("request")

    assert addresses(sources, of, Channel.WHATSAPP) == {zoe: "bsuid:US.1349120865530274"}
    assert addresses(sources, of, Channel.SMS) == {zoe: "no_address"}
