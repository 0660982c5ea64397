"""Companies with a tenant of SES: all their mails name it, and what SES answers about it costs no reader a mail."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.providers.email import tenants as sandbox_tenants
from operations.__main__ import main as operations
from operations.access.owners import tables as owner_tables
from operations.command_line import arguments
from shared.providers.email.tenants import tenant_of
from tests.simulation.newsletters.scenarios import EXPORTED, configured, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    approved,
    drafted,
    issue_of,
    mails,
    ordered,
    sent,
    stats,
    with_readers,
)
from tests.simulation.newsletters.steps.readers import published, signed_up
from tests.simulation.newsletters.steps.tenants import NAME, arn, set_up

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

OPTED = settled(EXPORTED, with_readers(), partial(configured, ses_tenant=True), drafted)


def blocking(system: System) -> dict[str, Any]:
    found = system.read(f"{ONE}/checklist")["checks"]
    return {one["code"]: one["facts"] for one in found if one["code"].startswith("tenant")}


def begun(system: System) -> None:
    OPTED(system)
    set_up(system)
    approved(system)
    sent(system)


def resumed(system: System) -> None:
    ordered("resume")(system)
    system.settle()


def test_all_mails_of_the_company_name_its_tenant(system: System) -> None:
    begun(system)
    list_id = published(system)
    signed_up(system, list_id, "dora@hill.example")
    system.settle()

    assert stats(system) == {"audience": 3, "sent": 3}
    assert {one.get("TenantName") for one in mails(system)} == {NAME}
    assert len(mails(system)) == 4


def test_a_company_without_the_setting_has_no_tenant(system: System) -> None:
    settled(EXPORTED, with_readers(), drafted, approved, sent)(system)
    system.settle()

    assert {"TenantName" in one for one in mails(system)} == {False}


def test_the_checklist_blocks_an_issue_until_an_operator_has_completed_the_tenant(
    system: System,
) -> None:
    OPTED(system)
    assert blocking(system) == {"tenant_missing": {"tenant": NAME}}
    status, answer = system.call("POST", f"{ONE}/send", {"version": 1})
    assert status == 409, answer

    set_up(system, "configuration-set/another")
    assert blocking(system) == {"tenant_incomplete": {"tenant": NAME}}
    set_up(system)
    assert blocking(system) == {}


def test_a_tenant_that_ses_has_paused_pauses_the_issue_and_no_other_mail_is_tried(
    system: System,
) -> None:
    begun(system)
    sandbox_tenants.set_state(system.sandbox, NAME, "DISABLED")
    system.drain()

    assert (issue_of(system).state, issue_of(system).pause_reason) == ("paused", "tenant_paused")
    assert stats(system) == {"audience": 3}
    assert mails(system) == []
    sandbox_tenants.set_state(system.sandbox, NAME, "REINSTATED")
    resumed(system)
    assert stats(system) == {"audience": 3, "sent": 3}


def test_a_refusal_while_the_tenant_lacks_something_fails_no_reader(system: System) -> None:
    begun(system)
    system.sandbox.objects["ses_tenant"][NAME]["resources"].remove(arn("identity/shop.example"))
    system.drain()

    assert issue_of(system).pause_reason == "tenant_incomplete"
    assert stats(system) == {"audience": 3}
    set_up(system)
    resumed(system)
    assert stats(system) == {"audience": 3, "sent": 3}


def test_a_refusal_of_one_mail_fails_its_reader_if_the_tenant_has_all(system: System) -> None:
    begun(system)
    system.sandbox.faults.add(
        provider="ses", operation="SendEmail", times=1, kind="status", status=400
    )
    system.settle()

    assert stats(system) == {"audience": 3, "sent": 2, "failed": 1}


def test_an_answer_that_ses_does_not_document_pauses_with_one_reader_in_doubt_and_none_twice(
    system: System,
) -> None:
    begun(system)
    system.sandbox.faults.add(
        provider="ses", operation="SendEmail", times=1, kind="status", status=409
    )
    system.drain()

    assert issue_of(system).pause_reason == "ses_ConflictException"
    resumed(system)
    assert stats(system) == {"audience": 3, "sent": 2, "unknown": 1}
    assert len(mails(system)) == 2


def test_a_sign_up_waits_while_the_tenant_is_missing(system: System) -> None:
    settled(EXPORTED, with_readers(), partial(configured, ses_tenant=True))(system)
    signed_up(system, published(system), "dora@hill.example")
    system.drain()
    assert mails(system) == []

    set_up(system)
    system.settle()
    assert [one["TenantName"] for one in mails(system)] == [NAME]


def test_the_name_of_a_tenant_follows_from_the_company_and_is_of_no_other_one() -> None:
    companies = ("acme", "a.b", "a_b", "a-b", "x" * 64, "x" * 63)
    names = [tenant_of(one) for one in companies]

    assert names[0] == NAME
    assert len(set(names)) == len(companies)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one) for one in names)


@pytest.fixture
def _deployed(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stack of the simulated system, for operators' commands."""
    outputs = {
        owner_tables.LOG: system.log,
        owner_tables.COMPANIES: "company-data",
        owner_tables.MAIL: "mail",
        arguments.TABLE_OF_INBOX: "inbox",
        arguments.SWITCHES: "/parley/local/conversations",
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)


def command(*options: str, domain: str = "shop.example") -> int:
    return operations(["tenants", "acme", "--domain", domain, *options, "--stack", "parley-local"])


@pytest.mark.usefixtures("_deployed")
def test_an_operator_makes_a_tenant_with_all_that_mails_need_by_one_repeatable_command(
    system: System,
) -> None:
    OPTED(system)

    assert [command(), command("--policy", "strict")] == [0, 0]

    tenant = system.sandbox.objects["ses_tenant"][NAME]
    assert tenant["suppression"]["SuppressionScope"] == "TENANT"
    assert tenant["policy"].endswith("reputation-policy/strict")
    assert len(tenant["resources"]) == 3
    assert blocking(system) == {}
    approved(system)
    sent(system)
    system.settle()
    assert stats(system) == {"audience": 3, "sent": 3}
    assert {one["ConfigurationSetName"] for one in mails(system)} == {"parley-local"}


@pytest.mark.usefixtures("_deployed")
def test_a_tenant_gets_no_domain_of_another_company(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    OPTED(system)

    assert command(domain="mill.example") == 1

    assert "acme does not own mill.example" in capsys.readouterr().err
    assert NAME not in system.sandbox.objects["ses_tenant"]
