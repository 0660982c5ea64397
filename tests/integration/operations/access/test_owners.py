"""`python -m operations owners`: an operator grants resources to companies, hands them over and revokes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from email_threads.store.configuration import mailboxes
from operations.__main__ import main as operations
from operations.access.owners import tables as owner_tables
from operations.command_line import arguments
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED
from tests import template
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.worker.test_owners import put
from tests.simulation.email_threads.system import COMPANY, MAILBOX, System, mail
from tests.simulation.kernel import running

if TYPE_CHECKING:
    from collections.abc import Iterator

STACK = "parley-dev"
WRITES = {"PutItem", "DeleteItem", "UpdateItem"}
OTHER = "globex"
AWS_NUMBER = "phone-number-id-0123456789abcdef0123456789abcdef"
AWS_NUMBER_ARN = (
    f"arn:aws:social-messaging:us-east-1:123456789012:{AWS_NUMBER.replace('id-', 'id/')}"
)


@pytest.fixture(scope="module")
def _system() -> Iterator[System]:
    with running(System) as system:
        template.create_table(system.dynamodb, "CompanyDataTable", Stage="local")
        yield system


@pytest.fixture
def system(_system: System, monkeypatch: pytest.MonkeyPatch) -> System:
    outputs = {
        owner_tables.LOG: _system.log,
        owner_tables.COMPANIES: "company-data-local",
        owner_tables.MAIL: _system.table,
        arguments.TABLE_OF_INBOX: template.properties("WhatsAppTable", Stage="local")["TableName"],
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
    return _system.reset()


def run(system: System, action: str, kind: str, text: str, *options: str) -> int:
    code = operations(["owners", action, "--kind", kind, "--id", text, *options, "--stack", STACK])
    system.worker.resources.owners.forget()
    return code


def grant(system: System, kind: str, text: str, *options: str, company: str = COMPANY) -> int:
    return run(system, "grant", kind, text, "--company", company, *options)


def revoke(system: System, kind: str, text: str, *options: str, company: str = COMPANY) -> int:
    return run(system, "revoke", kind, text, "--company", company, *options)


def owner(system: System, kind: str, text: str) -> set[str]:
    found = claims.holders(system.worker.resources.owners.table, ids.read(kind, text))
    return set(found.values())


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("email", ["@New.EXAMPLE", "@new.example"]),
        ("email", ["@bücher.example", "@XN--BCHER-KVA.example", "@BÜCHER.example"]),
        ("whatsapp", ["+5511987654321", "+55 11 8765-4321", "+551187654321"]),
        ("sms", ["+44 7700 900123", "+447700900123", "whatsapp:+447700900123"]),
        ("phone_number_id", ["106540352242922"]),
        ("phone_number_id", [AWS_NUMBER, AWS_NUMBER_ARN]),
        ("whatsapp_account", ["102290129340398"]),
        ("meta_app", ["1029384756"]),
        ("sns_topic", ["arn:aws:sns:us-east-1:123456789012:topic"]),
        ("iam_role", ["arn:aws:iam::123456789012:role/sends"]),
        ("knowledge_base", ["AB12CD34EF"]),
        ("twilio_account", ["AC" + "6b1e" * 8]),
        ("configuration_set", ["ses:acme"]),
    ],
)
def test_a_granted_resource_belongs_to_one_company_in_every_spelling(
    system: System, capsys: pytest.CaptureFixture[str], kind: str, spellings: list[str]
) -> None:
    assert grant(system, kind, spellings[0]) == 0

    for spelling in spellings:
        assert grant(system, kind, spelling) == 0
        assert grant(system, kind, spelling, company=OTHER) == 1
        assert owner(system, kind, spelling) == {COMPANY}
    assert "another company owns it" in capsys.readouterr().err


def test_a_number_belongs_to_one_company_for_whatsapp_and_sms(system: System) -> None:
    assert grant(system, "whatsapp", "+447700900123") == 0

    assert grant(system, "sms", "+447700900123", company=OTHER) == 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("email", "new.example"),
        ("email", "@"),
        ("email", "@localhost"),
        ("whatsapp", "07700 900123"),
        ("phone_number_id", AWS_NUMBER.upper()),
        ("phone_number_id", "waba-0123456789abcdef0123456789abcdef"),
        ("phone_number_id", AWS_NUMBER_ARN.replace("aws:social", "other:social")),
        ("whatsapp_account", "١٢٣٤٥٦"),
        ("knowledge_base", "AB12CD34EF\n"),
        ("twilio_account", "AC" + "6B1E" * 8),
        ("configuration_set", "acme"),
        ("sns_topic", "arn:aws:sqs:us-east-1:123456789012:queue"),
    ],
)
def test_a_text_that_is_no_id_of_its_kind_is_refused(
    system: System, capsys: pytest.CaptureFixture[str], kind: str, text: str
) -> None:
    assert grant(system, kind, text) == 2

    assert "argument --id: must be" in capsys.readouterr().err


def test_a_handed_over_domain_loses_the_mailboxes_of_its_earlier_owner(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    system.register("b@eu.shop.example")
    system.grant("@fr.eu.shop.example")
    system.register("c@fr.eu.shop.example")

    assert grant(system, "email", "@eu.shop.example", company=OTHER) == 1
    assert grant(system, "email", "@eu.shop.example", "--hand-over", company=OTHER) == 0

    assert capsys.readouterr().out.splitlines() == [
        "removed the mailbox b@eu.shop.example",
        f"granted\t{OTHER}\temail\t@eu.shop.example",
    ]
    assert put(system, "b@eu.shop.example")[0] == 400
    assert put(system, "b@eu.shop.example", OTHER)[0] == 200
    assert result(system.call("GET", "/email-mailboxes/c@fr.eu.shop.example"))
    assert result(system.call("GET", f"/email-mailboxes/{MAILBOX}"))


@pytest.mark.parametrize("written", range(9))
def test_a_hand_over_that_dies_is_completed_by_a_repetition(system: System, written: int) -> None:
    system.register("b@shop.example")
    calls = 0

    def fails(call: str) -> bool:
        nonlocal calls
        calls += call.partition(" ")[0].removeprefix("dynamodb.") in WRITES
        return calls > written

    system.interceptor.fails_if = fails
    assert grant(system, "email", "@shop.example", "--hand-over", company=OTHER) == 1
    system.interceptor.rewind()

    assert grant(system, "email", "@shop.example", "--hand-over", company=OTHER) == 0

    assert owner(system, "email", "@shop.example") == {OTHER}
    assert mailboxes.of_company(system.worker.resources.table, COMPANY) == []


def test_a_revoked_domain_loses_its_mailboxes_at_once(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    assert revoke(system, "email", "@Shop.example") == 0

    assert f"removed the mailbox {MAILBOX}" in capsys.readouterr().out
    assert result(system.call("GET", "/email-mailboxes"))["mailboxes"] == []
    system.deliver(mail("a@x"), name="1", address=MAILBOX)
    system.drain()
    assert not system.threads()
    assert put(system, MAILBOX)[0] == 400


def test_a_company_revokes_nothing_of_another(system: System) -> None:
    assert revoke(system, "email", "@shop.example", company=OTHER) == 1
    assert owner(system, "email", "@shop.example") == {COMPANY}


def test_of_a_mailbox_providers_domain_companies_get_single_addresses(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grant(system, "email", "shop@mail.example") == 1
    assert "the domain decides" in capsys.readouterr().err
    assert run(system, "grant", "email", "@mail.example", "--shared") == 0
    assert grant(system, "email", "Shop+orders@mail.example") == 0
    assert grant(system, "email", "@mail.example") == 1
    assert grant(system, "email", "shop@mail.example", company=OTHER) == 1
    assert put(system, "shop@mail.example")[0] == 200

    assert revoke(system, "email", "shop@mail.example") == 0

    assert put(system, "shop@mail.example")[0] == 400
    assert owner(system, "email", "@mail.example") == {SHARED}


@pytest.mark.parametrize(
    ("kind", "text"), [("whatsapp", "+447700900123"), ("email", "shop@mail.example")]
)
def test_only_domains_and_apps_are_shared(system: System, kind: str, text: str) -> None:
    assert run(system, "grant", kind, text, "--shared") == 2
    assert run(system, "grant", "meta_app", "1029384756", "--shared") == 0


def test_grants_are_listed_with_their_proof(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    grant(system, "knowledge_base", "AB12CD34EF", company=OTHER)
    capsys.readouterr()

    assert operations(["owners", "list", "--company", OTHER, "--stack", STACK]) == 0

    (row,) = capsys.readouterr().out.splitlines()
    company, kind, text, proof, at, by = row.split("\t")
    assert (company, kind, text, proof) == (OTHER, "knowledge_base", "AB12CD34EF", "granted")
    assert at.startswith("2026-01-01T13:00")
    assert by.startswith("arn:aws:")


def test_after_an_upgrade_only_domains_that_an_operator_gave_are_granted(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    for domain, more in (
        ("given.example", {"may_send": {"BOOL": True}}),
        ("first.example", {"may_send": {"BOOL": False}}),
        ("shop.example", {"may_send": {"BOOL": True}}),
    ):
        key = {"conversation_id": {"S": f"maildomain#{domain}"}, "company_id": {"S": OTHER}}
        system.dynamodb.put_item(TableName=system.table, Item={**key, **more})

    for _ in range(2):
        assert operations(["owners", "adopt-domains", "--stack", STACK]) == 0

    assert capsys.readouterr().out.splitlines()[:3] == [
        f"left to you\t{OTHER}\temail\t@first.example",
        f"granted\t{OTHER}\temail\t@given.example",
        f"left to you\t{OTHER}\temail\t@shop.example",
    ]
    assert owner(system, "email", "@given.example") == {OTHER}
    assert owner(system, "email", "@first.example") == set()
    assert owner(system, "email", "@shop.example") == {COMPANY}
