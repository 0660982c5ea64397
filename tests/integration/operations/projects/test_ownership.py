"""Projects and the resources of other companies: secrets, accounts, numbers and addresses."""

import json
from pathlib import Path
from typing import Any

import pytest

from conversations.configuration import projects as set_ups
from conversations.store import routes
from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from operations.access.owners import cli as owners
from operations.projects import cli as projects
from operations.secrets.kinds import KINDS
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.access.ownership.ids import ProviderId
from shared.aws.dynamodb import Table
from tests.integration.conversations.second_company import (
    ACCOUNT,
    EMAIL,
    SECOND_COMPANY,
    SECRET,
    SECRET_ID,
    SMS,
    second_project,
)
from tests.integration.operations.projects.conftest import (
    STACK,
    TWILIO_WEBHOOK,
    put,
    put_secret,
    run,
    stored,
)
from whatsapp.store.accounts.numbers import phones as inbox_numbers
from whatsapp.store.items import Phone


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"sms": {"sms_credentials_id": sample_data.TWILIO_SECRET_ID}},
            "channel_config.sms.sms_credentials_id: must be named"
            " parley/<stage>/companies/<company_id>/<name>",
        ),
        (
            {"whatsapp": {"provider": "meta", "whatsapp_credentials_id": sample_data.COMPANY}},
            "channel_config.whatsapp.whatsapp_credentials_id: must be <company>, or"
            " <company>/<name>",
        ),
        (
            {"sms": {"account": "AC" + "6b1e" * 8}},
            "channel_config.sms.account: must be the account of the channel's secret",
        ),
        (
            {"sms": {"company_sms_number": SMS_NUMBER}},
            "channel_config.sms.company_sms_number: another company has claimed it",
        ),
        (
            {"sms": {"senders": {"GB": sample_data.WHATSAPP_SENDER}}},
            "channel_config.sms.senders.GB: another company has claimed it",
        ),
        (
            {"email": {"company_email": "x@mail.cucumber.example"}},
            "channel_config.email.company_email: another company has claimed its domain",
        ),
    ],
)
def test_a_project_that_names_resources_of_another_company_is_not_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    wrong: dict[str, dict[str, Any]],
    said: str,
) -> None:
    put(file, sample_data.project())
    put_secret(SECRET, SECRET_ID)
    capsys.readouterr()

    assert put(file, second_project(**wrong)) == 1

    assert capsys.readouterr().err == f"error: {said}\n"
    assert tables[projects.TABLE].get(set_ups.key(SECOND_COMPANY, sample_data.PROJECT)) is None
    assert routes.owners(tables[projects.LOG], "sms", SMS) == []


@pytest.mark.parametrize(
    ("ai", "attribute"),
    [
        (
            {
                "provider": "openai",
                "openai_config": {
                    channel: {"model": "m", "api_key_reference": sample_data.TWILIO_SECRET_ID}
                    for channel in ("whatsapp", "sms", "email")
                },
            },
            "ai_config.openai_config.whatsapp.api_key_reference",
        ),
        (
            {
                "provider": "scripted",
                "functions": [
                    {
                        "name": "book",
                        "description": "books",
                        "target": "https://example.com/book",
                        "secret_reference": sample_data.TWILIO_SECRET_ID,
                    }
                ],
            },
            "ai_config.functions.0.secret_reference",
        ),
    ],
)
def test_a_model_or_function_cannot_have_another_companys_secret(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    ai: dict[str, Any],
    attribute: str,
) -> None:
    put_secret(SECRET, SECRET_ID)

    assert put(file, second_project() | {"ai_config": ai}) == 1

    assert capsys.readouterr().err.startswith(f"error: {attribute}: must be named")


def named_account(tables: dict[str, Table], account: str) -> list[tuple[str, str]]:
    found = claims.found(tables[projects.LOG], [ids.twilio_account(account)])
    return [(claim.company_id, claim.proof) for claim in found.values()]


def test_an_account_of_twilio_is_proven_by_the_credentials_of_the_company(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_secret(SECRET, SECRET_ID)

    assert put(file, second_project()) == 0

    assert named_account(tables, ACCOUNT) == [(SECOND_COMPANY, "listed")]
    said = capsys.readouterr().err
    assert f"granted to {SECOND_COMPANY}: twilio_account {ACCOUNT}" in said
    assert f"granted to {SECOND_COMPANY}: email @neighbour.example" in said


@pytest.mark.parametrize(
    "wrong",
    [
        {"twilio_auth_token": "of another account"},
        {"twilio_account_sid": "AC" + "6b1e" * 8},
        {"twilio_account_sid": sample_data.TWILIO_SECRET["twilio_account_sid"].upper()},
    ],
)
def test_an_account_that_is_only_named_is_refused(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    wrong: dict[str, str],
) -> None:
    secret = SECRET | wrong
    account = secret["twilio_account_sid"]
    put_secret(secret, SECRET_ID)
    put_secret({"accounts": {account: {"auth_tokens": ["a token"]}}}, TWILIO_WEBHOOK)

    named = {"account": account}
    assert put(file, second_project(sms=named, whatsapp=named)) == 1

    assert "account: Twilio does not show it" in capsys.readouterr().err
    assert claims.holders(tables[projects.LOG], ids.of_phone(SMS)) == {}


def test_an_account_of_another_company_is_refused_even_with_its_credentials(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(file, sample_data.project())
    account = sample_data.TWILIO_SECRET["twilio_account_sid"]
    put_secret(sample_data.TWILIO_SECRET, SECRET_ID)
    named = {"account": account}

    assert put(file, second_project(sms=named, whatsapp=named)) == 1

    assert "channel_config.whatsapp.account: another company has claimed it" in (
        capsys.readouterr().err
    )
    assert named_account(tables, account) == [(sample_data.COMPANY, "listed")]


@pytest.mark.parametrize(
    ("channel", "facts"),
    [
        ("email", {"configuration_set": "of-the-first"}),
        ("sms", {"provider": "aws_sms", "account": None, "configuration_set": "of-the-first"}),
    ],
)
def test_a_configuration_set_of_another_company_is_refused(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    channel: str,
    facts: dict[str, Any],
) -> None:
    put_secret(SECRET, SECRET_ID)
    item = sample_data.project()
    item["channel_config"][channel] |= facts
    assert put(file, item) == 0

    assert put(file, second_project(**{channel: facts})) == 1

    said = capsys.readouterr().err
    assert f"channel_config.{channel}.configuration_set: another company has claimed it" in said


def test_a_knowledge_base_of_another_company_is_refused(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_secret(SECRET, SECRET_ID)
    knowledge = {"enabled": True, "retriever": "bedrock", "knowledge_base_id": "AB12CD34EF"}
    assert put(file, sample_data.project(knowledge_config=knowledge)) == 0

    assert put(file, second_project() | {"knowledge_config": knowledge}) == 1

    said = capsys.readouterr().err
    assert "knowledge_config.knowledge_base_id: another company has claimed it" in said
    owned = ["--company", sample_data.COMPANY, "--kind", "knowledge_base", "--id", "AB12CD34EF"]
    assert owners.main(["revoke", *owned, "--stack", STACK]) == 1
    assert owners.main(["revoke", *owned, "--although-used", "--stack", STACK]) == 0
    shared = ["--shared", *owned[2:]]
    assert owners.main(["grant", *shared, "--stack", STACK]) == 0
    assert put(file, second_project() | {"knowledge_config": knowledge}) == 0


def registered(tables: dict[str, Table], company: str) -> None:
    """Register the number in the inbox for a company."""
    phone = Phone(
        pk=Phone.key("106540352242922"),
        company=company,
        phone="106540352242922",
        display_phone=sample_data.WHATSAPP_SENDER.strip("+"),
        phone_arn="arn:parley:whatsapp:::phone-number-id/106540352242922",
        provider="graph",
        waba_meta_id="102290129340398",
        proof=Proof.GRANTED,
    )
    inbox_numbers.register(tables[projects.INBOX], phone)


def at_meta(**facts: Any) -> dict[str, Any]:
    item = sample_data.project()
    item["channel_config"]["whatsapp"] |= {
        "provider": "meta",
        "account": "102290129340398",
        "phone_number_id": "106540352242922",
        "whatsapp_credentials_id": f"{sample_data.COMPANY}/shop",
        **facts,
    }
    return item


def test_a_project_may_use_its_companys_number_of_the_inbox(
    tables: dict[str, Table], file: Path
) -> None:
    registered(tables, sample_data.COMPANY)
    tokens = KINDS["whatsapp-access-tokens"].secret_id("local")
    put_secret({f"{sample_data.COMPANY}/shop": "a token"}, tokens)

    assert put(file, at_meta()) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        ("globex", {}, "phone_number_id"),
        (sample_data.COMPANY, {"phone_number_id": "206540352242922"}, "phone_number_id"),
        (sample_data.COMPANY, {"phone_number_id": None}, "phone_number_id"),
        (sample_data.COMPANY, {"account": "202290129340398"}, "account"),
        (
            sample_data.COMPANY,
            {"company_whatsapp_number": "+12025550188"},
            "company_whatsapp_number",
        ),
    ],
)
def test_a_number_of_the_inbox_must_be_registered_with_the_projects_company_and_settings(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    wrong: tuple[str, dict[str, Any], str],
) -> None:
    company, facts, attribute = wrong
    registered(tables, company)

    assert put(file, at_meta(**facts)) == 1

    assert f"error: channel_config.whatsapp.{attribute}: " in capsys.readouterr().err
    assert stored(tables) is None


def release(company: str, kind: str, name: str) -> int:
    owner = ["--shared"] if company == SHARED else ["--company", company]
    return owners.main(["revoke", *owner, "--kind", kind, "--id", name, "--stack", STACK])


@pytest.mark.long
def test_a_released_address_can_be_claimed_by_another_company(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_secret(SECRET, SECRET_ID)
    put(file, sample_data.project())
    mine = second_project(sms={"company_sms_number": SMS_NUMBER})
    assert put(file, mine) == 1
    assert release(sample_data.COMPANY, "sms", SMS_NUMBER) == 1
    assert "--id: project pi-aaa-001 uses it" in capsys.readouterr().err
    without = sample_data.project(allowed_channels=["email"])
    del without["channel_config"]["sms"]
    put(file, without)

    assert release(sample_data.COMPANY, "sms", SMS_NUMBER) == 0
    assert release(sample_data.COMPANY, "sms", SMS_NUMBER) == 0
    assert put(file, mine) == 0

    (owner,) = routes.owners(tables[projects.LOG], "sms", SMS_NUMBER)
    assert owner.company_id == SECOND_COMPANY


def test_a_company_releases_only_addresses_that_it_has_claimed(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(file, sample_data.project())

    assert release(SECOND_COMPANY, "sms", SMS_NUMBER) == 1

    said = capsys.readouterr().err
    assert "--id: not owned by this company" in said
    assert sample_data.COMPANY not in said.splitlines()[-1]
    assert len(routes.owners(tables[projects.LOG], "sms", SMS_NUMBER)) == 1


def test_an_address_at_a_mailbox_provider_is_claimed_without_its_domain(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_secret(SECRET, SECRET_ID)
    file.write_text(json.dumps(second_project()), encoding="utf-8")
    assert run("put", str(file), "--single-address") == 0
    item = sample_data.project()
    item["channel_config"]["email"]["company_email"] = f"our-{EMAIL}"
    assert put(file, item) == 0
    item["channel_config"]["email"]["company_email"] = EMAIL

    assert put(file, item) == 1

    domain = ProviderId("email", "@neighbour.example")
    assert claims.holders(tables[projects.LOG], [domain]) == {domain: "*"}
    assert release(SHARED, "email", domain.text) == 0
    assert claims.holders(tables[projects.LOG], [domain]) == {}
