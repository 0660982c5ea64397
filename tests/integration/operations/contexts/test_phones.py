"""`python -m operations phones`: an operator registers, lists and disables numbers."""

import json
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from operations.command_line import arguments
from operations.contexts.whatsapp import phones
from operations.secrets import versions
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from tests.template import create_table, properties
from whatsapp import store
from whatsapp.store.items import Phone, PhoneCompanies, PhoneList, pk

GRAPH = {
    "--phone": "106540352242922",
    "--display-phone": "+1 555 078 3881",
    "--company": "acme",
    "--provider": "graph",
    "--waba": "102290129340398",
    "--token-ref": "acme",
    "--app": "1029384756",
}
SUFFIX = "0123456789abcdef" * 2
AWS_ARN = f"arn:aws:social-messaging:us-east-1:000000000000:phone-number-id/{SUFFIX}"
EUM = {
    "--phone": "206540352242933",
    "--display-phone": "15550783999",
    "--company": "acme",
    "--provider": "eum",
    "--waba": "202290129340398",
    "--phone-arn": AWS_ARN,
    "--aws-waba": f"waba-{SUFFIX}",
}
GRAPH_ARN = "arn:parley:whatsapp:::phone-number-id/106540352242922"


def run(table: Table, *arguments: str) -> int:
    store.phones.forget()
    return phones.main([*arguments, "--table", table.name])


def register(table: Table, options: dict[str, str], *flags: str) -> int:
    words = (word for pair in options.items() for word in pair)
    return run(table, "register", *words, *flags, "--log-table", log().name)


def log() -> Table:
    """The conversation log, which has the owners."""
    client = boto3.client("dynamodb")
    name = str(properties("ConversationLogTable")["TableName"])
    if name not in client.list_tables()["TableNames"]:
        create_table(client, "ConversationLogTable")
    return Table(client, name)


def item(table: Table, phone: str) -> Attributes:
    return table.get(pk(Phone.key(phone))) or {}


def test_a_number_on_graph_gets_an_arn_of_parley(inbox: Table) -> None:
    assert register(inbox, GRAPH | {"--app": "1029384756", "--name": "Acme Bikes"}) == 0

    assert item(inbox, "106540352242922") == {
        "pk": "PHONE#106540352242922",
        "itemType": "PHONE",
        "company": "acme",
        "phone": "106540352242922",
        "displayPhone": "15550783881",
        "phoneArn": GRAPH_ARN,
        "provider": "graph",
        "wabaMetaId": "102290129340398",
        "tokenRef": "acme",
        "appId": "1029384756",
        "businessAccountName": "Acme Bikes",
        "enabled": True,
        "autoMarkRead": False,
        "automation": "none",
        "proof": "granted",
    }


def test_a_number_on_aws_has_its_aws_id_from_its_arn(inbox: Table) -> None:
    aws_waba = f"waba-{SUFFIX}"
    assert register(inbox, EUM | {"--aws-waba": aws_waba}, "--auto-mark-read") == 0

    stored = item(inbox, "206540352242933")
    assert stored["phoneArn"] == AWS_ARN
    assert stored["awsPhone"] == f"phone-number-id-{SUFFIX}"
    assert stored["awsWaba"] == aws_waba
    assert stored["autoMarkRead"] is True


def test_a_number_on_aws_is_refused_without_the_id_of_its_account(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {name: value for name, value in EUM.items() if name != "--aws-waba"}

    assert register(inbox, options) != 0
    assert "--aws-waba: is required" in capsys.readouterr().err
    assert item(inbox, "206540352242933") == {}


def test_a_number_is_automated_until_it_is_registered_without(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert register(inbox, GRAPH | {"--automation": "conversations"}) == 0
    assert item(inbox, "106540352242922")["automation"] == "conversations"
    assert run(inbox, "list") == 0
    shown = "106540352242922\t15550783881\tacme\tgraph\tenabled\tconversations"
    assert capsys.readouterr().out.splitlines() == [shown]

    assert register(inbox, GRAPH) == 0
    assert item(inbox, "106540352242922")["automation"] == "none"


def test_the_help_explains_automation(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        phones.main(["register", "--help"])

    help_text = " ".join(capsys.readouterr().out.split())
    assert "--automation {none,conversations}" in help_text
    assert "conversations receives every message" in help_text


def test_registered_numbers_are_listed_in_their_order(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    of_globex = GRAPH | {
        "--phone": "306540352242944",
        "--company": "globex",
        "--token-ref": "globex",
        "--waba": "302290129340398",
        "--app": "2029384756",
    }
    for options in (GRAPH, EUM, of_globex):
        assert register(inbox, options) == 0
    assert run(inbox, "disable", "206540352242933") == 0
    capsys.readouterr()

    assert run(inbox, "list") == 0
    assert capsys.readouterr().out.splitlines() == [
        "106540352242922\t15550783881\tacme\tgraph\tenabled",
        "206540352242933\t15550783999\tacme\teum\tdisabled",
        "306540352242944\t15550783881\tglobex\tgraph\tenabled",
    ]
    assert run(inbox, "list", "--company", "globex") == 0
    assert capsys.readouterr().out.startswith("306540352242944")
    assert inbox.get(pk("CONFIG#PHONES#acme")) == {
        "pk": "CONFIG#PHONES#acme",
        "company": "acme",
        "itemType": "CONFIG",
        "phones": store.phones.of_company(inbox, "acme"),
    }
    assert store.phones.of_company(inbox, "acme")[0] == {
        "phone": "106540352242922",
        "company": "acme",
        "phoneArn": GRAPH_ARN,
        "displayPhone": "15550783881",
        "waba": "102290129340398",
    }


def test_registering_again_changes_nothing(inbox: Table) -> None:
    register(inbox, EUM)
    register(inbox, GRAPH)
    before = item(inbox, "106540352242922"), store.phones.listed(inbox)

    assert register(inbox, GRAPH) == 0

    assert (item(inbox, "106540352242922"), store.phones.listed(inbox)) == before


def test_registering_again_replaces_the_settings_and_keeps_all_other_attributes(
    inbox: Table,
) -> None:
    register(inbox, GRAPH | {"--name": "Acme Bikes"}, "--auto-mark-read")
    inbox.update(pk("PHONE#106540352242922"), put={"sendingBlocked": True})

    register(inbox, GRAPH | {"--token-ref": "acme/other", "--display-phone": "15550783882"})

    stored = item(inbox, "106540352242922")
    assert stored["tokenRef"] == "acme/other"
    assert "businessAccountName" not in stored
    assert stored["autoMarkRead"] is False
    assert stored["sendingBlocked"] is True
    assert [entry["displayPhone"] for entry in store.phones.listed(inbox)] == ["15550783882"]


def test_registering_a_disabled_number_enables_it(inbox: Table) -> None:
    register(inbox, GRAPH)
    assert run(inbox, "disable", "106540352242922") == 0
    assert run(inbox, "disable", "106540352242922") == 0
    assert item(inbox, "106540352242922")["enabled"] is False

    register(inbox, GRAPH)

    assert item(inbox, "106540352242922")["enabled"] is True


def test_disabling_an_unknown_number_fails_and_creates_none(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(inbox, "disable", "106540352242922") == 1

    assert "phone: number is not registered" in capsys.readouterr().err
    assert item(inbox, "106540352242922") == {}


def test_a_number_that_moves_to_aws_keeps_its_conversations_under_its_arn(inbox: Table) -> None:
    register(inbox, GRAPH)
    moved = {name: value for name, value in GRAPH.items() if name != "--token-ref"} | {
        "--provider": "eum",
        "--phone-arn": GRAPH_ARN,
        "--aws-phone": f"phone-number-id-{SUFFIX}",
        "--aws-waba": f"waba-{SUFFIX}",
    }

    assert register(inbox, moved) == 0

    stored = item(inbox, "106540352242922")
    assert (stored["provider"], stored["phoneArn"]) == ("eum", GRAPH_ARN)
    assert "tokenRef" not in stored


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"--company": "globex", "--token-ref": "globex"}, "--waba: another company owns it"),
        (
            {"--phone-arn": AWS_ARN},
            "--phone: is registered for another company or under another ARN",
        ),
        (
            {"--company": "globex", "--token-ref": "globex", "--waba": "302290129340398"},
            "--phone: another company owns it",
        ),
    ],
)
def test_neither_company_nor_arn_of_a_number_can_change(
    inbox: Table, capsys: pytest.CaptureFixture[str], change: dict[str, str], rule: str
) -> None:
    register(inbox, GRAPH)
    before = item(inbox, "106540352242922"), store.phones.listed(inbox)

    assert register(inbox, GRAPH | change) == 1

    assert f"error: {rule}" in capsys.readouterr().err
    assert (item(inbox, "106540352242922"), store.phones.listed(inbox)) == before


def test_two_companies_cannot_share_an_account(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    """Events of an account name no number, so they could not be assigned to a company."""
    register(inbox, GRAPH)

    assert (
        register(
            inbox,
            GRAPH | {"--phone": "306540352242944", "--company": "globex", "--token-ref": "globex"},
        )
        == 1
    )

    assert "--waba: another company owns it" in capsys.readouterr().err
    assert item(inbox, "306540352242944") == {}


def test_two_numbers_cannot_share_an_inbox(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    register(inbox, EUM)

    assert (
        register(
            inbox,
            EUM | {"--phone": "306540352242944"},
        )
        == 1
    )

    assert "ARN is registered for another number" in capsys.readouterr().err
    assert item(inbox, "306540352242944") == {}
    assert len(store.phones.listed(inbox)) == 1


def full_list() -> list[dict[str, str]]:
    numbers = (str(10**14 + number) for number in range(500))
    return [
        {
            "phone": number,
            "company": "acme",
            "phoneArn": number,
            "displayPhone": number,
            "waba": "1",
        }
        for number in numbers
    ]


def test_a_full_list_refuses_new_numbers_and_accepts_changes_of_listed_ones(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = full_list()
    full = PhoneList(pk=PhoneList.key("acme"), company="acme", phones=entries)
    inbox.put(full.attributes())
    companies = PhoneCompanies(pk=PhoneCompanies.pk_pattern, companies={"acme"})
    inbox.put(companies.attributes())

    assert register(inbox, GRAPH) == 1
    assert "the list is full: 500 numbers" in capsys.readouterr().err
    assert item(inbox, "106540352242922") == {}

    assert register(inbox, GRAPH | {"--phone": entries[7]["phone"]}) == 0
    assert len(store.phones.listed(inbox)) == 500
    assert store.phones.listed(inbox)[7]["displayPhone"] == "15550783881"


def test_a_crash_before_the_list_is_repaired_by_registering_again(
    inbox: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store.phones, "_enter", crash)
        with pytest.raises(KeyboardInterrupt):
            register(inbox, GRAPH)
    assert item(inbox, "106540352242922") != {}
    assert store.phones.listed(inbox) == []

    assert register(inbox, GRAPH) == 0

    assert len(store.phones.listed(inbox)) == 1


def test_two_concurrent_registrations_are_both_listed(
    inbox: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Table.put
    meanwhile = [EUM]

    def put_after_another_writer(table: Table, new: Attributes, **more: Any) -> None:
        if meanwhile and new.get("pk") == PhoneList.key("acme"):
            assert register(inbox, meanwhile.pop()) == 0
        put(table, new, **more)

    monkeypatch.setattr(Table, "put", put_after_another_writer)

    assert register(inbox, GRAPH) == 0
    assert {entry["phone"] for entry in store.phones.listed(inbox)} == {
        "106540352242922",
        "206540352242933",
    }


def test_a_list_under_constant_concurrent_writes_fails_with_an_error(
    inbox: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put = Table.put

    def refuse(table: Table, new: Attributes, **more: Any) -> None:
        if new.get("pk") == PhoneList.key("acme"):
            raise ConditionFailed(None)
        put(table, new, **more)

    monkeypatch.setattr(Table, "put", refuse)

    assert register(inbox, GRAPH) == 1
    assert "phone_list_contended" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        (GRAPH | {"--phone": "abc"}, "--phone"),
        (GRAPH | {"--phone": "1234"}, "--phone"),
        (GRAPH | {"--phone": "1" * 21}, "--phone"),
        (GRAPH | {"--phone": "\u0661" * 15}, "--phone"),
        (GRAPH | {"--phone": "+106540352242922"}, "--phone"),
        (GRAPH | {"--display-phone": "12"}, "--display-phone"),
        (GRAPH | {"--display-phone": "hello"}, "--display-phone"),
        (GRAPH | {"--display-phone": "0"}, "--display-phone"),
        (GRAPH | {"--company": "Acme Ltd"}, "--company"),
        (GRAPH | {"--provider": "twilio"}, "--provider"),
        (GRAPH | {"--waba": "waba-1"}, "--waba"),
        (GRAPH | {"--app": "x"}, "--app"),
        (GRAPH | {"--automation": "twilio"}, "--automation"),
        (GRAPH | {"--token-ref": "a token with blanks"}, "--token-ref"),
        (GRAPH | {"--tenant": ""}, "--tenant"),
        (GRAPH | {"--name": "two\nlines"}, "--name"),
        (EUM | {"--phone-arn": "arn:aws:sns:us-east-1:000000000000:topic"}, "--phone-arn"),
        (EUM | {"--phone-arn": AWS_ARN + "0"}, "--phone-arn"),
        (EUM | {"--aws-phone": SUFFIX}, "--aws-phone"),
        (EUM | {"--aws-waba": SUFFIX}, "--aws-waba"),
        ({"--phone": "106540352242922"}, "--display-phone"),
    ],
)
def test_a_wrong_argument_is_named_with_its_rule_and_writes_nothing(
    inbox: Table, capsys: pytest.CaptureFixture[str], options: dict[str, str], argument: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        register(inbox, options)

    assert stop.value.code == 2
    assert argument in capsys.readouterr().err.splitlines()[-1]
    assert store.phones.listed(inbox) == []


def without(options: dict[str, str], name: str) -> dict[str, str]:
    return {given: value for given, value in options.items() if given != name}


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        (without(GRAPH, "--token-ref"), "--token-ref"),
        (without(EUM, "--phone-arn"), "--phone-arn"),
        (without(GRAPH, "--app"), "--app"),
        (GRAPH | {"--phone-arn": GRAPH_ARN.replace("922", "923")}, "--phone-arn"),
        (
            EUM | {"--phone-arn": GRAPH_ARN.replace("106540352242922", EUM["--phone"])},
            "--aws-phone",
        ),
    ],
)
def test_arguments_that_do_not_fit_together_are_refused_and_write_nothing(
    inbox: Table, capsys: pytest.CaptureFixture[str], options: dict[str, str], argument: str
) -> None:
    assert register(inbox, options) == 2

    shown = capsys.readouterr().err
    assert shown.startswith("usage: python -m operations phones register")
    assert shown.splitlines()[-1].startswith(f"error: {argument}: ")
    assert store.phones.listed(inbox) == []
    assert item(inbox, options["--phone"]) == {}


@pytest.mark.parametrize("token", ["globex", "globex/acme", "acme-2", "acme/", "/acme", "acme/a/b"])
def test_a_number_cannot_have_the_token_of_another_company(
    inbox: Table, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    assert register(inbox, GRAPH | {"--token-ref": token}) == 2

    assert "--token-ref: must be <company>, or <company>/<name>" in capsys.readouterr().err
    assert item(inbox, "106540352242922") == {}


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch, inbox: Table) -> Any:
    """Secrets Manager with the deployment's secrets as they are after deployment."""
    outputs = {
        arguments.TABLE_OF_INBOX: inbox.name,
        arguments.SWITCHES: "/parley/dev/conversations",
        phones.LOG: log().name,
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
    client = boto3.client("secretsmanager")
    client.create_secret(Name="parley-dev-whatsapp-apps", SecretString='{"apps": {}}')
    client.create_secret(Name="parley-dev-whatsapp-access-tokens", SecretString="{}")
    return client


def register_in_stack(options: dict[str, str]) -> int:
    store.phones.forget()
    words = (word for pair in options.items() for word in pair)
    return phones.main(["register", *words, "--stack", "parley-dev"])


def test_a_number_is_registered_only_when_its_app_secret_and_its_token_are_stored(
    stack: Any, inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert register_in_stack(GRAPH) == 1
    assert capsys.readouterr().err == (
        "error: --app: the secret parley-dev-whatsapp-apps has no apps.1029384756; run"
        " `python -m operations secrets set whatsapp-apps apps.1029384756 --stack parley-dev`\n"
    )
    apps = json.dumps({"apps": {GRAPH["--app"]: ["x"]}})
    stack.put_secret_value(SecretId="parley-dev-whatsapp-apps", SecretString=apps)

    assert register_in_stack(GRAPH) == 1
    assert capsys.readouterr().err == (
        "error: --token-ref: the secret parley-dev-whatsapp-access-tokens has no acme; run"
        " `python -m operations secrets set whatsapp-access-tokens acme --stack parley-dev`\n"
    )
    assert store.phones.listed(inbox) == []
    tokens = json.dumps({"acme": "x"})
    stack.put_secret_value(SecretId="parley-dev-whatsapp-access-tokens", SecretString=tokens)

    assert register_in_stack(GRAPH) == 0
    assert len(store.phones.listed(inbox)) == 1


def test_a_number_on_aws_needs_no_secret(stack: Any, inbox: Table) -> None:
    assert register_in_stack(EUM) == 0


def test_without_the_permission_to_read_secrets_they_are_reported_as_not_checked(
    stack: Any,
    inbox: Table,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def denied(*_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetSecretValue")

    monkeypatch.setattr(versions, "read", denied)

    assert register_in_stack(GRAPH) == 0
    assert "the secrets are not checked: no permission" in capsys.readouterr().err
