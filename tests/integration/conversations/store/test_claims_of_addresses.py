"""Claims of companies to numbers, domains and addresses: one owner each, in every spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.configuration import ownership, projects
from conversations.configuration.ownership import NotOwned
from conversations.store.items.conversation import ChannelMethod
from shared.access.ownership import claims
from shared.access.ownership.claims import SHARED, Proof
from shared.access.ownership.ids import ProviderId
from tests.integration.conversations.second_company import (
    ACCOUNT,
    EMAIL,
    SMS,
    WHATSAPP,
    second_project,
)
from tests.integration.conversations.steps import (
    direct_resources,
)

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from tests.simulation.conversations.system import System
from tests.integration.conversations.store.test_ownership import AWS_PHONE, at_inbox

# Claims


def project(company_id: str, **channels: dict[str, Any]) -> projects.Company:
    return projects.parse(second_project(**channels) | {"company_id": company_id})


def held(log: Table, company_id: str) -> set[str]:
    """The claims of a company."""
    names = ownership.names_of(project(company_id))
    return {name.text for name, of in claims.holders(log, names).items() if of == company_id}


def test_of_two_companies_with_concurrent_equal_claims_one_gets_all_of_them(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has read before the other one has written."""
    log = direct_resources(system).log
    with monkeypatch.context() as patch:
        patch.setattr(claims, "holders", lambda *_: {})
        ownership.claim(log, project("globex"))
        with pytest.raises(NotOwned) as refusal:
            ownership.claim(log, project("initech"))

    assert "globex" not in f"{refusal.value}{refusal.value.rule}"
    assert held(log, "globex") == {SMS, WHATSAPP, EMAIL, "@neighbour.example", ACCOUNT}
    assert held(log, "initech") == set()


def test_an_interrupted_claim_is_finished_by_the_next_one(system: System) -> None:
    log = direct_resources(system).log
    claims.claim(
        log, ProviderId("email", "@neighbour.example"), claims.new("globex", Proof.GRANTED)
    )
    claims.claim(log, ProviderId("sms", SMS), claims.new("globex", Proof.GRANTED))

    ownership.claim(log, project("globex"))
    ownership.claim(log, project("globex"))

    assert held(log, "globex") == {SMS, WHATSAPP, EMAIL, "@neighbour.example", ACCOUNT}


def test_a_refused_claim_writes_nothing(system: System) -> None:
    log = direct_resources(system).log
    claims.claim(log, ProviderId("whatsapp", WHATSAPP), claims.new("globex", Proof.GRANTED))

    with pytest.raises(NotOwned) as refusal:
        ownership.claim(log, project("initech"))

    assert refusal.value.attribute == "channel_config.whatsapp.company_whatsapp_number"
    assert held(log, "initech") == set()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("+525512345678", "+5215512345678"),
        ("+5491155512345", "+541155512345"),
        ("+12025550177", "+12025550177"),
    ],
)
def test_a_number_is_one_claim_in_every_spelling_and_on_every_channel(
    system: System, first: str, second: str
) -> None:
    log = direct_resources(system).log
    ownership.claim(log, project("globex", whatsapp={"company_whatsapp_number": first}))

    with pytest.raises(NotOwned):
        ownership.claim(log, project("initech", sms={"company_sms_number": second}))


def email_project(company_id: str, address: str) -> projects.Company:
    """A project that only sends mails."""
    config = {"channel_config": {"email": {"company_email": address}}}
    return projects.parse({"company_id": company_id, "project_id": "p"} | config)


@pytest.mark.parametrize(
    "address",
    ["jobs@acme.example", "x@acme.example", "x@mail.acme.example", "x@a.b.acme.example"],
)
def test_a_domain_belongs_to_one_company_with_all_its_addresses_and_subdomains(
    system: System, address: str
) -> None:
    log = direct_resources(system).log
    ownership.claim(log, email_project("globex", "Jobs@Acme.example"))

    for act in (ownership.claim, ownership.share_domain):
        with pytest.raises(NotOwned):
            act(log, email_project("initech", address))


@pytest.mark.parametrize(
    "address",
    ["x@acme.example.", "x@b\u00fccher.example", "a@b.example,c", "stra\u00dfe@acme.example"],
)
def test_an_address_is_claimed_in_one_spelling_only(system: System, address: str) -> None:
    with pytest.raises(NotOwned):
        ownership.claim(direct_resources(system).log, email_project("globex", address))


def test_addresses_of_a_shared_domain_are_claimed_one_by_one(system: System) -> None:
    log = direct_resources(system).log
    for company_id in ("globex", "initech"):
        mine = email_project(company_id, f"{company_id}@mailbox.example")
        ownership.share_domain(log, mine)
        ownership.claim(log, mine)
        ownership.Claims(log).require(mine, ChannelMethod.EMAIL, "")

    with pytest.raises(NotOwned):
        ownership.claim(log, email_project("hooli", "globex@mailbox.example"))
    assert claims.holders(log, [ProviderId("email", "@mailbox.example")]) == {
        ProviderId("email", "@mailbox.example"): SHARED
    }


def test_the_owner_of_a_subdomain_keeps_it_when_the_domain_is_claimed_later(system: System) -> None:
    log, mine = direct_resources(system).log, email_project("globex", "x@mail.acme.example")
    ownership.claim(log, mine)

    ownership.claim(log, email_project("initech", "x@acme.example"))

    ownership.Claims(log).require(mine, ChannelMethod.EMAIL, "")
    with pytest.raises(NotOwned):
        ownership.claim(log, email_project("initech", "y@mail.acme.example"))


def test_the_id_of_a_number_is_the_same_claim_as_an_arn_and_alone(system: System) -> None:
    log = direct_resources(system).log
    arn = f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{AWS_PHONE[16:]}"
    ownership.claim(log, project("globex", whatsapp=at_inbox()))
    other = at_inbox(phone_number_id=arn, company_whatsapp_number="+12025550178")
    own = {"sms": {"company_sms_number": "+12025550179"}, "email": {"company_email": "x@y.example"}}

    with pytest.raises(NotOwned) as refusal:
        ownership.claim(log, project("initech", whatsapp=other, **own))

    assert refusal.value.attribute == "channel_config.whatsapp.phone_number_id"
