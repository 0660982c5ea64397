"""`python -m operations projects`: an operator checks, stores and shows projects of companies."""

import json
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from conversations.configuration import projects as set_ups
from conversations.store import claims, routes
from conversations.store.claims import Name
from events.conversations import sample_data
from events.conversations.twilio import ACCOUNT, SMS_NUMBER
from operations import arguments
from operations.projects import cli as projects
from operations.secrets import versions
from shared.aws.dynamodb import Table
from shared.runtime import web_addresses
from tests.integration.conversations.second_company import (
    EMAIL,
    SECOND_COMPANY,
    SECRET_ID,
    SMS,
    second_project,
)
from tests.template import create_table, template
from tests.web_addresses import LOOPBACK, MALFORMED
from whatsapp.store.accounts import phones as inbox_numbers
from whatsapp.store.items import Phone

STACK = "parley-dev"
BEDROCK = {
    "provider": "bedrock",
    "bedrock_config": {
        channel: {"model": "a-model", "temperature": 0.25}
        for channel in ("whatsapp", "sms", "email")
    },
}


@pytest.fixture
def tables(keys: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, Table]:
    """A stack on moto, by its outputs; `keys` has started moto."""
    dynamodb = boto3.client("dynamodb")
    found = {
        projects.TABLE: Table(dynamodb, create_table(dynamodb, "CompanyDataTable")),
        projects.LOG: Table(dynamodb, create_table(dynamodb, "ConversationLogTable")),
        projects.INBOX: Table(dynamodb, create_table(dynamodb, "WhatsAppTable")),
    }
    inbox_numbers.forget()
    put_secret(sample_data.TWILIO_SECRET)

    def outputs_of(stack: str, *wanted: str) -> dict[str, str]:
        assert stack == STACK
        names = {name: table.name for name, table in found.items()}
        names[arguments.SWITCHES] = "/parley/local/conversations"
        return {name: names[name] for name in wanted}

    monkeypatch.setattr(arguments, "outputs_of", outputs_of)
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "project.json"


def run(*given: str) -> int:
    return projects.main([*given, "--stack", STACK])


def put(file: Path, item: object) -> int:
    file.write_text(item if isinstance(item, str) else json.dumps(item), encoding="utf-8")
    return run("put", str(file))


def stored(tables: dict[str, Table]) -> dict[str, Any] | None:
    return tables[projects.TABLE].get(set_ups.key(sample_data.COMPANY, sample_data.PROJECT))


def without_account(**changes: Any) -> dict[str, Any]:
    """The project as an operator writes it: without the account, which the secret contains."""
    item = sample_data.project(**changes)
    for channel in ("whatsapp", "sms"):
        del item["channel_config"][channel]["account"]
    return item


def put_secret(content: object, name: str = sample_data.TWILIO_SECRET_ID) -> None:
    """Set the whole value of a secret; None deletes it."""
    secrets = boto3.client("secretsmanager")
    with suppress(secrets.exceptions.ResourceNotFoundException):
        secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
    if content is not None:
        secrets.create_secret(Name=name, SecretString=json.dumps(content))


def test_a_project_is_stored_as_it_stands_in_the_file(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = sample_data.project(ai_config=BEDROCK, retention_days=90)

    assert put(file, item) == 0

    found = stored(tables)
    assert found is not None
    assert found["retention_days"] == Decimal(90)
    assert found["ai_config"]["bedrock_config"]["sms"]["temperature"] == Decimal("0.25")
    assert set_ups.parse(found).company_name == "Cucumber Recruitment"
    assert "stored with 3 addresses" in capsys.readouterr().err


def test_a_message_to_an_address_of_the_project_finds_it_before_the_first_outgoing_message(
    tables: dict[str, Table], file: Path
) -> None:
    assert put(file, sample_data.project()) == 0

    log = tables[projects.LOG]
    (owner,) = routes.owners(log, "sms", SMS_NUMBER)
    assert (owner.company_id, owner.project_id) == (sample_data.COMPANY, sample_data.PROJECT)
    assert (owner.provider, owner.account) == ("twilio", ACCOUNT)
    (owner,) = routes.owners(log, "whatsapp", sample_data.WHATSAPP_SENDER)
    assert owner.account == ACCOUNT
    (owner,) = routes.owners(log, "email", sample_data.EMAIL_SENDER)
    assert (owner.provider, owner.account) == ("ses", None)


def test_messages_to_numbers_of_other_countries_find_it_too(
    tables: dict[str, Table], file: Path
) -> None:
    item = sample_data.project()
    item["channel_config"]["sms"]["senders"] = {"GB": "+447700900199"}

    assert put(file, item) == 0

    assert len(routes.owners(tables[projects.LOG], "sms", "+447700900199")) == 1


def test_the_account_is_read_from_the_sending_secret(tables: dict[str, Table], file: Path) -> None:
    assert put(file, without_account()) == 0

    found = stored(tables)
    assert found is not None
    assert found["channel_config"]["sms"]["account"] == ACCOUNT
    assert found["channel_config"]["whatsapp"]["account"] == ACCOUNT
    (owner,) = routes.owners(tables[projects.LOG], "sms", SMS_NUMBER)
    assert owner.account == ACCOUNT


@pytest.mark.parametrize("secret", [None, {}, {"twilio_account_sid": ACCOUNT}])
def test_without_a_usable_secret_the_account_is_unknown_and_nothing_is_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    secret: dict[str, str] | None,
) -> None:
    put_secret(secret)

    assert put(file, without_account()) == 1

    error = capsys.readouterr().err
    assert "channel_config.whatsapp: the secret" in error
    missing = "twilio_auth_token" if secret else "twilio_account_sid"
    command = f"python -m operations secrets set company {missing} --company {sample_data.COMPANY} --name twilio"
    assert f"{command} --stack {STACK}" in error
    assert stored(tables) is None
    assert routes.owners(tables[projects.LOG], "email", sample_data.EMAIL_SENDER) == []


def test_a_number_at_meta_needs_its_account_in_the_file(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = without_account()
    item["channel_config"]["whatsapp"] |= {
        "provider": "meta",
        "whatsapp_credentials_id": sample_data.COMPANY,
    }

    assert put(file, item) == 1

    assert "channel_config.whatsapp.account: is missing" in capsys.readouterr().err


def test_storing_a_project_again_replaces_it_and_keeps_its_old_addresses(
    tables: dict[str, Table], file: Path
) -> None:
    """Conversations that started from an old number continue there."""
    put(file, sample_data.project(accept_inbound=True))
    changed = sample_data.project()
    changed["channel_config"]["sms"]["company_sms_number"] = "+12025550199"

    assert put(file, changed) == 0
    assert put(file, changed) == 0

    found = stored(tables)
    assert found is not None
    assert "accept_inbound" not in found
    log = tables[projects.LOG]
    assert [len(routes.owners(log, "sms", n)) for n in (SMS_NUMBER, "+12025550199")] == [1, 1]


def broken(attribute: str, value: object) -> dict[str, Any]:
    """The project with one attribute changed; `a.b` is `b` in `a`, and None removes it."""
    item = sample_data.project()
    *path, last = attribute.split(".")
    place = item
    for step in path:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return item


@pytest.mark.parametrize(
    "wrong",
    [
        ("company_id", "two words", "company_id"),
        ("project_id", None, "project_id"),
        ("allowed_channels", ["pigeon"], "allowed_channels.0"),
        ("channel_config.email", None, "channel_config.email"),
        (
            "channel_config.sms.company_sms_number",
            "0170 555",
            "channel_config.sms.company_sms_number",
        ),
        ("channel_config.whatsapp.provider", "carrier", "channel_config.whatsapp.provider"),
        ("timezone", "Mars/Olympus", "timezone"),
        ("policy.quiet_hours", ["9 pm", "08:00"], "policy.quiet_hours"),
        ("ai_config.provider", "oracle", "ai_config.provider"),
        ("ai_config", {"provider": "bedrock"}, "ai_config.bedrock_config.whatsapp"),
        ("ai_config.prompts", {"reply": "x" * 8_193}, "ai_config.prompts.reply"),
        (
            "channel_config.whatsapp.templates",
            {"invitation": {"body": "Hello {{name}}"}},
            "channel_config.whatsapp.templates.invitation",
        ),
        (
            "channel_config.whatsapp.default_template",
            "no_such",
            "channel_config.whatsapp.default_template",
        ),
        ("retention_days", 0, "retention_days"),
    ],
)
def test_a_bad_attribute_is_named_without_its_value_and_nothing_is_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    wrong: tuple[str, object, str],
) -> None:
    attribute, value, named = wrong

    assert put(file, broken(attribute, value)) == 1

    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {named}")
    assert str(value) not in line
    assert tables[projects.TABLE].get(set_ups.key(sample_data.COMPANY, sample_data.PROJECT)) is None


@pytest.mark.parametrize(
    "target", [*MALFORMED[::5], *LOOPBACK], ids=lambda target: ascii(target)[1:50]
)
def test_a_function_with_a_target_that_may_not_be_called_is_not_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    monkeypatch.delenv("STAGE")  # an operator's shell has none
    function = {"name": "book_slot", "description": "Books a slot.", "target": target}

    assert put(file, sample_data.project(ai_config=BEDROCK | {"functions": [function]})) == 1

    line = capsys.readouterr().err
    assert line == f"error: ai_config.functions.0.target: {web_addresses.RULE}\n"
    assert stored(tables) is None


@pytest.mark.parametrize("text", ["", "[]", '{"company_id": NaN}', "{", "[" * 100_000])
def test_a_file_without_a_json_object_is_refused(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert put(file, text) == 1

    assert "file: must contain one JSON object" in capsys.readouterr().err


def test_a_missing_file_is_an_error_in_one_line(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("put", str(file)) == 1

    assert capsys.readouterr().err == "error: file: cannot be read (FileNotFoundError)\n"


def test_the_shown_project_can_be_stored_again(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(file, sample_data.project(ai_config=BEDROCK, retention_days=90))
    before = stored(tables)
    capsys.readouterr()

    assert run("show", sample_data.COMPANY, sample_data.PROJECT) == 0
    shown = capsys.readouterr().out

    assert json.loads(shown)["retention_days"] == 90
    assert put(file, shown) == 0
    assert stored(tables) == before


def test_an_unknown_project_is_not_shown(
    tables: dict[str, Table], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", sample_data.COMPANY, "pi-zzz") == 1

    assert "project: company or project not found" in capsys.readouterr().err


def test_projects_are_listed_with_their_errors(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(file, sample_data.project())
    put_secret(sample_data.TWILIO_SECRET, SECRET_ID)
    put(file, second_project() | {"project_status": "inactive", "project_name": "Later"})
    tables[projects.TABLE].put(sample_data.project(project_id="pi-old", timezone="Nowhere"))
    capsys.readouterr()

    assert run("list") == 0
    assert capsys.readouterr().out.splitlines() == [
        "ci-aaa-001\tpi-aaa-001\tactive\twhatsapp,sms,email\tCucumber Recruitment\tClarify CV",
        "ci-aaa-001\tpi-old\tunusable: timezone",
        "ci-bbb-001\tpi-aaa-001\tinactive\twhatsapp,sms,email\tCucumber Recruitment\tLater",
    ]
    assert run("list", "--company", SECOND_COMPANY) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_template_has_the_outputs_that_are_looked_up() -> None:
    outputs = template()["Outputs"]

    assert outputs[projects.TABLE]["Value"] == {"Ref": "CompanyDataTable"}
    assert outputs[projects.LOG]["Value"] == {"Ref": "ConversationLogTable"}


@pytest.mark.parametrize(
    "arguments_given",
    [
        ["put"],
        ["show", "acme"],
        ["show", "a/b", "p"],
        ["list", "--company", ""],
        ["release-address", "acme", "post", "x"],
        [],
    ],
)
def test_a_wrong_argument_ends_the_command(
    tables: dict[str, Table], arguments_given: list[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(*arguments_given)

    assert stop.value.code == 2


# Resources of another company


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
    put_secret(sample_data.TWILIO_SECRET, SECRET_ID)
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
    put_secret(sample_data.TWILIO_SECRET, SECRET_ID)

    assert put(file, second_project() | {"ai_config": ai}) == 1

    assert capsys.readouterr().err.startswith(f"error: {attribute}: must be named")


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
    return run("release-address", company, kind, name)


def test_a_released_address_can_be_claimed_by_another_company(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_secret(sample_data.TWILIO_SECRET, SECRET_ID)
    put(file, sample_data.project())
    mine = second_project(sms={"company_sms_number": SMS_NUMBER})
    assert put(file, mine) == 1
    assert release(sample_data.COMPANY, "sms", SMS_NUMBER) == 1
    assert "name: project pi-aaa-001 uses it" in capsys.readouterr().err
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
    assert "name: not claimed by this company" in said
    assert sample_data.COMPANY not in said.splitlines()[-1]
    assert len(routes.owners(tables[projects.LOG], "sms", SMS_NUMBER)) == 1


def test_an_address_at_a_mailbox_provider_is_claimed_without_its_domain(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_secret(sample_data.TWILIO_SECRET, SECRET_ID)
    file.write_text(json.dumps(second_project()), encoding="utf-8")
    assert run("put", str(file), "--single-address") == 0
    item = sample_data.project()
    item["channel_config"]["email"]["company_email"] = f"our-{EMAIL}"
    assert put(file, item) == 0
    item["channel_config"]["email"]["company_email"] = EMAIL

    assert put(file, item) == 1

    domain = Name("email", "@neighbour.example")
    assert claims.holders(tables[projects.LOG], [domain]) == {domain: "*"}
    assert release("*", "email", domain.text) == 0
    assert claims.holders(tables[projects.LOG], [domain]) == {}


def test_a_project_whose_other_secrets_are_missing_is_stored_with_a_warning_that_names_the_command(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"parley/local/companies/{sample_data.COMPANY}/openai"
    model = {"model": "a-model", "api_key_reference": name}
    channels = ("whatsapp", "sms", "email")
    ai = {"provider": "openai", "openai_config": dict.fromkeys(channels, model)}

    assert put(file, sample_data.project(ai_config=ai)) == 0

    command = f"secrets set company ai_api_key --company {sample_data.COMPANY} --name openai --stack {STACK}"
    warning = f"the secret {name} does not exist; run `python -m operations {command}`"
    shown = capsys.readouterr().err
    assert f"warning: ai_config.openai_config.sms.api_key_reference: {warning}" in shown
    assert (
        "warning: channel_config.sms.sms_credentials_id: the secret parley-local-twilio-webhook"
        in shown
    )
    assert stored(tables)


def test_a_project_is_stored_although_its_other_secrets_may_not_be_read(
    tables: dict[str, Table],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    read = versions.read

    def denied(client: Any, secret_id: str) -> Any:
        if secret_id != sample_data.TWILIO_SECRET_ID:
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetSecretValue")
        return read(client, secret_id)

    monkeypatch.setattr(versions, "read", denied)

    assert put(file, sample_data.project()) == 0
    assert "warning: not all secrets are checked" in capsys.readouterr().err
