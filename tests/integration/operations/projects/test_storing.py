"""`python -m operations projects`: an operator stores and shows projects of companies."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from conversations.configuration import projects as set_ups
from conversations.store import routes
from conversations.store.versions import evaluations, project_versions
from events.conversations import sample_data, twilio
from events.conversations.twilio import ACCOUNT, SMS_NUMBER
from operations.projects import cli as projects
from shared.access.secret_versions import versions
from shared.ai.evaluation.sets.items import StoredSet as EvaluationSet
from shared.aws.dynamodb import Table
from shared.aws.tables.dynamodb_json import storable
from tests.integration.conversations.second_company import (
    SECOND_COMPANY,
    SECRET,
    SECRET_ID,
    second_project,
)
from tests.integration.operations.projects.conftest import (
    BEDROCK,
    STACK,
    TWILIO_WEBHOOK,
    put,
    put_secret,
    run,
    stored,
)
from tests.template import template

CHANNELS = ("whatsapp", "sms", "email")


def without_account(**changes: Any) -> dict[str, Any]:
    """The project as an operator writes it: without the account, which the secret contains."""
    item = sample_data.project(**changes)
    for channel in ("whatsapp", "sms"):
        del item["channel_config"][channel]["account"]
    return item


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


def test_a_file_that_changes_settings_of_the_model_becomes_a_version_and_is_live(
    tables: dict[str, Table], file: Path
) -> None:
    tables[projects.TABLE].put(storable(sample_data.project()))  # by a release without versions
    item = sample_data.project(ai_config=BEDROCK)

    live = []
    for given in (item, item | {"retention_days": 90}, item | {"timezone": "Europe/Berlin"}):
        assert put(file, given) == 0
        found = stored(tables)
        assert found is not None
        live.append(int(found["ai_version"]))

    assert live == [2, 2, 3]
    made = project_versions.of_project(
        tables[projects.LOG], sample_data.COMPANY, sample_data.PROJECT
    ).below(4, 10)
    assert [(one.number, one.based_on, one.by.startswith("arn:")) for one in made] == [
        (3, 2, True), (2, 1, True), (1, None, False),
    ]  # fmt: skip
    assert "timezone" not in made[1].settings or made[1].settings["timezone"] != "Europe/Berlin"


def test_a_file_keeps_the_trial_that_the_project_names_and_begins_none(
    tables: dict[str, Table], file: Path
) -> None:
    assert put(file, sample_data.project(ai_trial="of-the-file")) == 0
    begun = stored(tables)
    where = set_ups.key(sample_data.COMPANY, sample_data.PROJECT)
    tables[projects.TABLE].update(where, put={"ai_trial": "1767268800000-00000000"})

    assert put(file, sample_data.project(retention_days=90)) == 0

    found = stored(tables)
    assert begun is not None
    assert found is not None
    assert "ai_trial" not in begun
    assert (found["ai_trial"], found["retention_days"]) == ("1767268800000-00000000", 90)


def test_a_file_leaves_switches_that_it_does_not_name_as_the_console_has_set_them(
    tables: dict[str, Table], file: Path
) -> None:
    item = sample_data.project()
    item.pop("project_status")
    assert put(file, item) == 0
    off = {"project_status": "inactive", "automation_enabled": False}
    where = set_ups.key(sample_data.COMPANY, sample_data.PROJECT)
    tables[projects.TABLE].update(where, put=off)

    assert put(file, item | {"retention_days": 90}) == 0
    kept = stored(tables)
    assert put(file, item | {"project_status": "active"}) == 0

    assert kept is not None
    assert {name: kept[name] for name in off} == off
    assert (stored(tables) or {})["project_status"] == "active"


def before_the_write(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen between the command's read of the project and its write."""
    write = projects._store

    def acts_first(*given: Any) -> None:
        act()
        write(*given)

    monkeypatch.setattr(projects, "_store", acts_first)


@pytest.mark.parametrize("name", ["ai_trial", "ai_version"])
@pytest.mark.parametrize("before", [None, 7])
def test_a_file_takes_back_no_trial_and_no_version_of_meanwhile(
    tables: dict[str, Table],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    before: int | None,
) -> None:
    assert put(file, sample_data.project()) == 0
    where = set_ups.key(sample_data.COMPANY, sample_data.PROJECT)
    if before is not None:
        tables[projects.TABLE].update(where, put={name: before if name == "ai_version" else "7"})
    meanwhile: dict[str, Any] = {name: 9 if name == "ai_version" else "9"}
    before_the_write(monkeypatch, lambda: tables[projects.TABLE].update(where, put=meanwhile))

    refused = put(file, sample_data.project(retention_days=90))

    found = stored(tables)
    assert found is not None
    assert (refused, found[name]) == (1, meanwhile[name])
    assert "retention_days" not in found


def test_a_project_that_another_command_stores_meanwhile_is_kept(
    tables: dict[str, Table], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = storable(sample_data.project(retention_days=30, ai_version=1))
    before_the_write(monkeypatch, lambda: tables[projects.TABLE].put(other))

    assert put(file, sample_data.project(retention_days=90)) == 1

    found = stored(tables)
    assert found is not None
    assert found["retention_days"] == 30


def test_a_file_whose_first_write_got_no_response_is_stored(
    tables: dict[str, Table], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert put(file, sample_data.project()) == 0
    write = Table.put

    def twice(table: Table, item: dict[str, Any], **given: Any) -> None:
        write(table, item, **given)
        if table.name == tables[projects.TABLE].name:
            write(table, item, **given)

    monkeypatch.setattr(Table, "put", twice)

    assert put(file, sample_data.project(ai_config=BEDROCK)) == 0


def test_a_file_does_not_make_settings_live_that_have_not_passed_a_gate(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = sample_data.project(timezone="Europe/Berlin")
    assert put(file, sample_data.project()) == 0
    made = EvaluationSet(name="tea", revision=1, scenarios=1, gate=True, by="x", at="2026-01-01")
    evaluations.of_project(tables[projects.LOG], sample_data.COMPANY, sample_data.PROJECT).put(
        made, ["{}"]
    )

    assert put(file, changed) == 1
    assert "version 2 is stored and not live: it has not passed tea" in capsys.readouterr().err
    found = stored(tables)
    assert found is not None
    assert found["ai_version"] == 1
    assert put(file, sample_data.project(retention_days=90)) == 0
    file.write_text(json.dumps(changed))
    assert run("put", str(file), "--without-gate") == 0
    found = stored(tables)
    assert found is not None
    assert found["timezone"] == "Europe/Berlin"


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
    put_secret(SECRET, SECRET_ID)
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


def test_a_project_whose_other_secrets_are_missing_is_refused_with_the_commands_that_add_them(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"parley/local/companies/{sample_data.COMPANY}/openai"
    model = {"model": "a-model", "api_key_reference": name}
    ai = {"provider": "openai", "openai_config": dict.fromkeys(CHANNELS, model)}
    put_secret({"accounts": {}}, TWILIO_WEBHOOK)

    assert put(file, sample_data.project(ai_config=ai)) == 1

    command = f"secrets set company ai_api_key --company {sample_data.COMPANY} --name openai --stack {STACK}"
    fault = f"the secret {name} does not exist; run `python -m operations {command}`"
    shown = capsys.readouterr().err
    assert f"error: ai_config.openai_config.sms.api_key_reference: {fault}" in shown
    assert (
        "error: channel_config.sms.sms_credentials_id: the secret parley-local-twilio-webhook"
        in shown
    )
    assert stored(tables) is None
    assert routes.owners(tables[projects.LOG], "email", sample_data.EMAIL_SENDER) == []

    put_secret({"ai_api_key": "a key"}, name)
    put_secret(twilio.SECRET, TWILIO_WEBHOOK)
    assert put(file, sample_data.project(ai_config=ai)) == 0


def test_a_second_model_is_checked_like_the_first_one(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"parley/local/companies/{sample_data.COMPANY}/second"
    second = {"provider": "openai", "model": "a-model", "api_key_reference": name}
    faults = {
        "the secret": second,
        "is not a setting; did you mean model?": {**second, "modl": "x"},
        "fallback must be another model": {"provider": "bedrock", "model": "first"},
        "cache_prompt is a setting of bedrock_config": {**second, "cache_prompt": True},
    }
    for rule, fallback in faults.items():
        model = {"model": "first", "fallback": fallback}
        ai = {"provider": "bedrock", "bedrock_config": dict.fromkeys(CHANNELS, model)}

        assert put(file, sample_data.project(ai_config=ai)) == 1

        shown = capsys.readouterr().err
        assert "error: ai_config.bedrock_config." in shown
        assert rule in shown
        assert stored(tables) is None

    put_secret({"ai_api_key": "a key"}, name)
    model = {"model": "first", "cache_prompt": True, "fallback": second}
    ai = {"provider": "bedrock", "bedrock_config": dict.fromkeys(CHANNELS, model)}
    assert put(file, sample_data.project(ai_config=ai)) == 0


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
