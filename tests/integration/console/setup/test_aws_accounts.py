"""Accounts of WhatsApp at AWS: an operator gives a free one to the own company, and never another company's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from local.sandbox import Config, Sandbox, running
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.access.ownership.ids import ProviderId
from shared.api.auth import Caller
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto
from tests.template import name_of

AT_AWS = "waba-0123456789abcdef0123456789abcdef"
OPERATOR = Caller(company="acme", scopes=frozenset({"operator"}), principal="user:otto")
OTHER = Caller(company="globex", scopes=OPERATOR.scopes, principal="user:gil")
SOFTWARE = Caller(company="acme", scopes=OPERATOR.scopes, principal="api-key:1")
ADMIN = Caller(company="acme", scopes=frozenset({"access:admin"}), principal="user:ada")


@pytest.fixture(scope="module")
def _aws() -> Iterator[Sandbox]:
    with running(Config()) as sandbox:
        yield sandbox


@pytest.fixture
def aws(_aws: Sandbox) -> Sandbox:
    _aws.reset()
    return _aws


@pytest.fixture
def operations(aws: Sandbox) -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        system.module.social.make_client = lambda: boto3.client(
            "socialmessaging", endpoint_url=aws.url
        )
        yield system


@pytest.fixture
def meta_id(aws: Sandbox) -> str:
    return next(one.waba for one in aws.config.numbers if one.aws_id is not None)


def listed(operations: Operations, caller: Caller = OPERATOR) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = operations.get("whatsapp/aws-accounts", caller).result["accounts"]
    return found


def link(operations: Operations, caller: Caller = OPERATOR, account: str = AT_AWS) -> Answer:
    return operations.post("whatsapp/aws-accounts", caller, account_id=account)


def owners(operations: Operations, *resources: ProviderId) -> list[str | None]:
    table = operations.module.audit_log.beside(name_of("ConversationLogTable"))
    held = claims.holders(table, resources)
    return [held.get(one) for one in resources]


def own(operations: Operations, resource: ProviderId, company: str) -> None:
    table = operations.module.audit_log.beside(name_of("ConversationLogTable"))
    assert claims.claim(table, resource, claims.new(company, Proof.GRANTED))


def test_a_free_account_becomes_the_companys_with_the_numbers_that_aws_lists(
    operations: Operations, aws: Sandbox, meta_id: str
) -> None:
    [free] = listed(operations)
    assert (free["account_id"], free["meta_id"], free["is_own"]) == (AT_AWS, meta_id, False)

    linked = link(operations)
    assert linked.status == 200
    number = next(one for one in aws.config.numbers if one.aws_id is not None)
    assert [one["phone"] for one in linked.result["numbers"]] == [number.phone_number_id]
    assert linked.result["numbers"][0]["arn"].startswith("arn:aws:social-messaging:")
    at_aws, at_meta = ids.aws_id(ids.ACCOUNT, AT_AWS), ids.meta_id(ids.ACCOUNT, meta_id)
    assert owners(operations, at_aws, at_meta) == ["acme", "acme"]
    assert [one["is_own"] for one in listed(operations)] == [True]
    assert link(operations).result == linked.result


@pytest.mark.parametrize("side", ["aws", "meta"])
def test_an_account_of_another_company_is_neither_shown_nor_given(
    operations: Operations, meta_id: str, side: str
) -> None:
    both = {"aws": ids.aws_id(ids.ACCOUNT, AT_AWS), "meta": ids.meta_id(ids.ACCOUNT, meta_id)}
    own(operations, both[side], "globex")

    assert listed(operations) == []
    refused = link(operations)
    unknown = link(operations, account=f"waba-{'f' * 32}")
    assert (refused.status, refused.body["error"]["details"]) == (
        unknown.status,
        unknown.body["error"]["details"],
    )
    assert refused.status == 400
    assert owners(operations, *both.values()).count("acme") == 0
    assert owners(operations, both[side]) == ["globex"]


def test_of_two_companies_that_take_an_account_at_once_one_is_refused(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert link(operations, OTHER).status == 200
    # As if the company had looked before the other one wrote.
    monkeypatch.setattr(claims, "holders", lambda _table, _resources: {})
    assert link(operations).status == 400
    monkeypatch.undo()
    assert owners(operations, ids.aws_id(ids.ACCOUNT, AT_AWS)) == ["globex"]
    assert [one["is_own"] for one in listed(operations, OTHER)] == [True]


def test_an_account_whose_name_at_meta_is_taken_meanwhile_is_not_taken_by_half(
    operations: Operations, meta_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_aws, at_meta = ids.aws_id(ids.ACCOUNT, AT_AWS), ids.meta_id(ids.ACCOUNT, meta_id)
    own(operations, at_meta, "globex")
    # As if the company had looked before the other one wrote.
    monkeypatch.setattr(claims, "holders", lambda _table, _resources: {})

    assert link(operations).status == 400

    monkeypatch.undo()
    assert owners(operations, at_aws, at_meta) == [None, "globex"]


def test_only_people_who_are_operators_link_accounts(operations: Operations) -> None:
    assert link(operations, SOFTWARE).status == 403
    assert link(operations, ADMIN).status == 403
    assert operations.get("whatsapp/aws-accounts", ADMIN).status == 403
    assert owners(operations, ids.aws_id(ids.ACCOUNT, AT_AWS)) == [None]


def test_an_account_is_named_as_aws_names_it(operations: Operations) -> None:
    for text in ("waba-1", AT_AWS.upper(), f"{AT_AWS} ", "102290129340398"):
        refused = link(operations, account=text)
        assert [one["field"] for one in refused.body["error"]["details"]] == ["account_id"]


def test_an_aws_that_does_not_answer_is_unavailable_and_nothing_is_given(
    operations: Operations, aws: Sandbox
) -> None:
    for operation in ("ListLinkedWhatsAppBusinessAccounts", "GetLinkedWhatsAppBusinessAccount"):
        aws.faults.add(
            provider="socialmessaging", operation=operation, kind="status", status=500, times=9
        )
    assert operations.get("whatsapp/aws-accounts", OPERATOR).status == 503
    assert link(operations).status == 503
    assert owners(operations, ids.aws_id(ids.ACCOUNT, AT_AWS)) == [None]


def test_the_audit_log_has_who_took_which_account(operations: Operations) -> None:
    link(operations)
    reader = Caller(company="acme", scopes=frozenset({"audit:read"}), principal="user:ada")
    rows = operations.page(reader)["result"]["actions"]
    [row] = [one for one in rows if one["principal"] == OPERATOR.principal]
    assert AT_AWS in str(row["changes"])
