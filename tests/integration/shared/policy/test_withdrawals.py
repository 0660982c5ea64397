"""A number that changed hands is withdrawn from all conversations in which it was named before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.policy.consent import evidence
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.policy.consent.withdrawals import Withdrawal, note, withdrawn_at
from tests.keyring import Keys, held
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

BEFORE, AT, LATER = (f"2026-03-0{day}T12:00:00.000Z" for day in (1, 2, 3))
NUMBER, SAME_LINE = "+5511987654321", "+551187654321"


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Table(client, create_table(client, "ConversationLogTable"))


def withdraw(table: Table, company: str, at: str, number: str = NUMBER) -> None:
    note(table, company, number, Withdrawal(at=at, evidence="wamid.1"))


@pytest.mark.parametrize("times", [(AT,), (BEFORE, AT), (AT, BEFORE), (AT, AT)])
def test_the_newest_time_counts_in_any_order(table: Table, times: tuple[str, ...]) -> None:
    company = f"company{times}".replace("#", "")
    for at in times:
        withdraw(table, company, at)

    assert withdrawn_at(table, company, NUMBER, BEFORE) == AT
    assert withdrawn_at(table, company, NUMBER, AT) is None
    assert withdrawn_at(table, company, NUMBER, LATER) is None


def test_each_spelling_of_the_line_is_withdrawn_in_its_company_alone(table: Table) -> None:
    withdraw(table, "acme", AT, SAME_LINE)

    assert withdrawn_at(table, "acme", NUMBER, BEFORE) == AT
    assert withdrawn_at(table, "acme", "+5511987654322", BEFORE) is None
    assert withdrawn_at(table, "globex", NUMBER, BEFORE) is None


@pytest.mark.parametrize(
    ("user_id", "at"), [("GB.2", None), ("bsuid:GB.2", None), ("GB.1", AT), (None, AT)]
)
def test_a_number_is_withdrawn_from_all_but_its_owner(
    table: Table, user_id: str | None, at: str | None
) -> None:
    company = f"umbrella-{user_id}"
    with held(Keys("the old key")):
        note(table, company, NUMBER, Withdrawal.of(AT, "wamid.1", "GB.2"))
    with held(Keys("the new key", "the old key")):
        assert withdrawn_at(table, company, NUMBER, BEFORE, user_id=user_id) == at


def test_a_withdrawal_outlives_a_rotation_of_the_keys(table: Table) -> None:
    with held(Keys("the old key")):
        withdraw(table, "initech", AT)
    with held(Keys("the new key", "the old key")):
        withdraw(table, "initech", BEFORE)
        assert withdrawn_at(table, "initech", NUMBER, BEFORE) == AT


@pytest.mark.parametrize(("owner", "at"), [("GB.2", None), (None, AT)])
def test_a_company_may_name_a_number_anew_once_its_owner_is_known(
    table: Table, owner: str | None, at: str | None
) -> None:
    company = f"hooli-{owner}"
    note(table, company, NUMBER, Withdrawal.of(AT, "wamid.1", owner))

    assert withdrawn_at(table, company, NUMBER, BEFORE, named_at=LATER) == at
    assert withdrawn_at(table, company, NUMBER, BEFORE, named_at=BEFORE) == AT


def test_an_erasure_leaves_time_and_state_of_all_records_of_a_number_and_no_evidence(
    table: Table,
) -> None:
    company = "erased"
    consents = Consents(table)
    said = Statement(source=Source.OPERATOR, at_ms=1_767_268_800_000, evidence="Ann said so")
    consents.record_opt_out(company, [NUMBER], said)
    consents.record_opt_in(company, [NUMBER], said, channels=["sms"])
    withdraw(table, company, AT)

    for _ in range(2):
        for item in evidence.records_of(table, company, SAME_LINE):
            evidence.erase(table, {name: item[name] for name in ("pk", "sk")})

    found = list(evidence.records_of(table, company, NUMBER))
    assert [(one["sk"], one["evidence"]) for one in found] == [
        ("*", evidence.ERASED),
        ("sms", evidence.ERASED),
        ("withdrawn", evidence.ERASED),
    ]
    assert consents.standing(company, [NUMBER], "email").is_opted_out
    assert withdrawn_at(table, company, NUMBER, BEFORE) == AT
    consents.record_opt_in(company, [NUMBER], replace(said, at_ms=said.at_ms + 1), channels=["sms"])
    newer = next(one for one in evidence.records_of(table, company, NUMBER) if one["sk"] == "sms")
    assert newer["evidence"] == "Ann said so"
