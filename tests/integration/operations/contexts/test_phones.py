"""`python -m operations phones`: an operator registers, lists and disables numbers."""

import pytest

from operations.contexts.whatsapp import phones
from shared.aws.dynamodb import Table
from tests.integration.operations.contexts.numbers import (
    AWS_ARN,
    EUM,
    GRAPH,
    GRAPH_ARN,
    SUFFIX,
    item,
    register,
    run,
)
from whatsapp import store
from whatsapp.store.items import pk


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
