"""Attacks on every action of the WhatsApp Business API: its sample call, which names numbers and customers of A."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.actions import bodies
from tests.integration.isolation.attacks import Attack, Attacker, Call, attacked, reaches_its_owner
from tests.integration.isolation.whatsapp_items import FURTHER_CALLS
from tests.integration.isolation.whatsapp_setup import TwoCompanies, two_companies
from tests.simulation.effort import long_except
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RUN = "POST /whatsapp/actions/{action}"
KEY = {"Idempotency-Key": "attack-0001", "Content-Type": "application/json"}
BODIES = bodies()
# One of each kind in every run: a send, a read of an item, a read of a list, the registration of a resource.
IN_EVERY_RUN = ("send_text", "get_message", "get_conversations", "save_phone")
# Reads of an item of ours by its id, one for each type.
OF_ONE_ITEM = (
    *("get_message", "get_conversation_messages", "get_group_messages", "get_media_url with s3Key"),
    *("get_campaign", "get_campaign_recipients", "get_tenant", "get_payment_configuration"),
    *("get_payment_status", "get_refund", "get_flow_responses", "get_customer_addresses"),
)


def _call(name: str, body: Mapping[str, Any], _: Mapping[str, str]) -> Call:
    return Call(path={"action": name}, body=body, headers=KEY)


def attack_of(name: str, body: Mapping[str, Any], names: str = "") -> Attack:
    return Attack(
        line=RUN,
        names=names or name,
        scopes=catalogue.find(name).scopes,
        call=partial(_call, name, body),
        has_no_projects=True,
    )


def listing(line: str, **path: str) -> Attack:
    """The list of all actions, or the description of one: the same for all companies."""
    return Attack(
        line=line,
        names="nothing",
        scopes=catalogue.find("ping").scopes,
        call=lambda _: Call(path=path),
        has_no_projects=True,
        is_blind="it describes the API and holds nothing of a company",
    )


ATTACKS = [
    *(attack_of(name, BODIES[name]) for name in sorted(BODIES)),
    *(attack_of(name, body, f"{name} with {' and '.join(body)}") for name, body in FURTHER_CALLS),
    listing("GET /whatsapp/actions"),
    listing("GET /whatsapp/actions/{action}", action="send_text"),
]
_BY_NAME = {attack.names: attack for attack in ATTACKS}
_OTHERS_IN_EVERY_RUN = [attack for name, attack in _BY_NAME.items() if name in IN_EVERY_RUN]


def test_every_action_is_attacked() -> None:
    assert {action.name for action in catalogue.all_actions()} == BODIES.keys()


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


@pytest.mark.parametrize("name", OF_ONE_ITEM)
def test_the_sample_calls_name_items_of_a(companies: TwoCompanies, name: str) -> None:
    assert reaches_its_owner(companies, _BY_NAME[name])


@pytest.mark.parametrize(
    "attack",
    long_except(ATTACKS, _OTHERS_IN_EVERY_RUN),
    ids=str,
)
def test_another_company_gets_the_same_answer_as_if_the_objects_did_not_exist(
    companies: TwoCompanies, attack: Attack
) -> None:
    attacked(companies, attack, Attacker.OTHER_COMPANY)


@pytest.mark.parametrize("attacker", [Attacker.OTHER_PROJECT, Attacker.NO_SCOPE, Attacker.NO_KEY])
@pytest.mark.parametrize("attack", long_except(ATTACKS, _OTHERS_IN_EVERY_RUN), ids=str)
def test_a_key_of_a_project_without_the_scope_or_no_key_is_refused_without_a_read(
    companies: TwoCompanies, attack: Attack, attacker: Attacker
) -> None:
    attacked(companies, attack, attacker)
