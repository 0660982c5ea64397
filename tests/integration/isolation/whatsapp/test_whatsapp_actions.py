"""Attacks on every action of the WhatsApp Business API: its sample call, which names numbers and customers of A."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.actions import bodies
from tests.integration.isolation.attacks.attacks import (
    Attack,
    Attacker,
    Call,
    attacked,
    turned_away,
)
from tests.integration.isolation.changes import audited_changes
from tests.integration.isolation.whatsapp.whatsapp_items import FURTHER_CALLS
from tests.integration.isolation.whatsapp.whatsapp_setup import RUN, TwoCompanies, two_companies
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY = {"Idempotency-Key": "attack-0001"}
BODIES = bodies()
# Changes that A makes before the attack, under the same idempotency key: a send, the registration of a resource, and
# calls in OF_ONE_ITEM that ask the provider.
AFTER_THE_OWNER = ("send_text", "save_phone", "get_refund", "get_payment_status")
# Answers about an item of ours by its id, one for each type.
OF_ONE_ITEM = (
    *("get_message", "get_conversation_messages", "get_group_messages", "get_media_url with s3Key"),
    *("get_campaign", "get_campaign_recipients", "get_tenant", "get_payment_configuration"),
    *("get_payment_status", "get_refund", "get_flow_responses", "get_customer_addresses"),
)


def attack_of(name: str, body: Mapping[str, Any], is_blind: str) -> Attack:
    action = catalogue.find(name)
    return Attack(
        line=RUN,
        scopes=action.scopes,
        call=Call(path={"action": name}, body=body, headers=KEY),
        is_change=not action.is_read,
        has_no_projects=True,
        is_blind=is_blind,
    )


def attacks() -> dict[str, Attack]:
    """The sample call of each action, and the further ones."""
    calls = {name: (name, body) for name, body in sorted(BODIES.items())}
    calls |= {f"{name} with {' and '.join(body)}": (name, body) for name, body in FURTHER_CALLS}
    one_of_each = "A's own answer is compared for one action of each type of item"
    return {
        title: attack_of(name, body, "" if title in OF_ONE_ITEM else one_of_each)
        for title, (name, body) in calls.items()
    }


def listing(line: str, **path: str) -> Attack:
    """The list of all actions, or the description of one: the same for all companies."""
    return Attack(
        line=line,
        scopes=catalogue.find("ping").scopes,
        call=Call(path=path),
        has_no_projects=True,
        is_blind="it describes the API and holds nothing of a company",
    )


BY_TITLE = attacks()
# Changes whose row has no fields in this state, with the reason.
NOTHING_CHANGED = {
    "refresh_infra": "what AWS reports is what is stored",
    "refresh_media_types": "what the provider documents is what is stored",
}
ATTACKS = [
    *BY_TITLE.values(),
    listing("GET /whatsapp/actions"),
    listing("GET /whatsapp/actions/{action}", action="send_text"),
]


def test_every_action_is_attacked() -> None:
    assert {action.name for action in catalogue.all_actions()} == BODIES.keys()


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


@pytest.mark.long
def test_a_key_of_a_project_without_the_scope_or_no_key_is_refused_without_a_read(
    companies: TwoCompanies,
) -> None:
    problems = turned_away(companies, ATTACKS)

    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_another_company_reads_the_same_as_if_the_objects_did_not_exist(
    companies: TwoCompanies,
) -> None:
    reads = [attack for attack in ATTACKS if not attack.is_change]
    assert {BY_TITLE[title] for title in {*OF_ONE_ITEM} - {*AFTER_THE_OWNER}} <= {*reads}

    problems = attacked(companies, reads, [Attacker.OTHER_COMPANY])

    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("title", AFTER_THE_OWNER)
def test_another_company_gets_no_answer_that_is_stored_for_the_owner(
    companies: TwoCompanies, title: str
) -> None:
    problems = attacked(companies, [BY_TITLE[title]], [Attacker.OTHER_COMPANY])

    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_another_company_changes_nothing_and_is_answered_as_if_the_objects_did_not_exist(
    companies: TwoCompanies,
) -> None:
    changes = [attack for attack in ATTACKS if attack.is_change]

    problems = attacked(companies, changes, [Attacker.OTHER_COMPANY], after_owner=False)

    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_each_change_is_in_the_audit_log_with_the_fields_that_it_changed_or_asked_for(
    companies: TwoCompanies, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {title: one for title, one in BY_TITLE.items() if one.is_change}

    rows = {
        title: audited_changes.rows_of(companies, [one], monkeypatch)[RUN]
        for title, one in changes.items()
    }

    empty = {title for title, found in rows.items() if any(not row.changes for row in found)}
    assert empty <= NOTHING_CHANGED.keys()
    assert not audited_changes.shown_values(rows)
    # The others are refused without the provider's sandbox, which e2e tests have.
    assert len([title for title, found in rows.items() if found]) > 60
