"""A number, its account and its app belong to the company that proves them, never to the one that names them first."""

import json
from dataclasses import replace
from typing import Any

import boto3
import pytest

from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import (
    AWS_KEY,
    AWS_WABA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    GLOBEX_PHONE,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp import store
from whatsapp.actions.accounts.numbers import refresh
from whatsapp.store.items import Phone

NEW_PHONE, NEW_WABA = "506540352242966", "502290129340300"
ACME_APP = "1029384756"
ACME = Caller(company="acme", scopes=GLOBEX.scopes, principal="api-key:acme")
TOPIC = "arn:aws:sns:us-east-1:123456789012:acme-events"
GRAPH: dict[str, Any] = {
    "phoneNumberId": NEW_PHONE,
    "metaWabaId": NEW_WABA,
    "tenantId": "globex",
    "provider": "graph",
    "displayPhoneNumber": "+1 555 078 3666",
    "graphTokenSecret": "globex",
}
AWS: dict[str, Any] = {
    "phoneNumberId": EUM_PHONE,
    "metaWabaId": EUM_WABA,
    "tenantId": "globex",
    "provider": "eum",
    "phoneArn": f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{AWS_KEY}",
    "awsWabaId": AWS_WABA,
    "displayPhoneNumber": "+1 555 078 3999",
}


@pytest.fixture(autouse=True)
def _both_have_tokens(actions: Actions) -> None:
    tokens = json.dumps({"acme": "EAAtoken", "globex": "EAAother"})
    boto3.client("secretsmanager").put_secret_value(SecretId="tokens", SecretString=tokens)


def owner_of(actions: Actions, resource: ids.ProviderId) -> str | None:
    return claims.holders(actions.log, [resource]).get(resource)


def save(actions: Actions, caller: Caller = GLOBEX, **change: Any) -> Any:
    store.phones.forget()
    return actions.run("save_phone", change, caller=caller)


@pytest.mark.parametrize("partition", ["aws", "aws-x", "aws-cn", "aws-us-gov", "aws-"])
@pytest.mark.parametrize("account", [AWS_WABA, None, f"waba-{'f' * 32}"])
@pytest.mark.parametrize("number", [EUM_PHONE, NEW_PHONE])
def test_a_number_of_another_company_at_aws_cannot_be_taken_in_any_spelling(
    actions: Actions, partition: str, account: str | None, number: str
) -> None:
    actions.register_eum()
    before = actions.harness.keys()
    arn = f"arn:{partition}:social-messaging:eu-west-1:999999999999:phone-number-id/{AWS_KEY}"

    answer = save(
        actions,
        **AWS
        | {"phoneArn": arn, "awsWabaId": account, "metaWabaId": NEW_WABA, "phoneNumberId": number},
    )

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert actions.harness.keys() == before
    assert actions.wire == []
    assert actions.item(f"PHONE#{EUM_PHONE}")["company"] == "acme"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"metaWabaId": WABA}, "metaWabaId"),
        ({"metaWabaId": "202290129340399"}, "phone"),
        ({"phoneNumberId": PHONE}, "phone"),
        ({"appId": ACME_APP}, "appId"),
        ({"appId": "7777777777"}, "appId"),
    ],
)
def test_the_answer_names_the_field_whose_proof_is_missing_and_is_the_same_for_free_and_foreign_ids(
    actions: Actions, change: dict[str, str], field: str
) -> None:
    actions.list_on_graph(NEW_PHONE, "+1 555-078-3666", NEW_WABA)

    answer = save(actions, **GRAPH | change)

    assert (answer.status, answer.fields) == (400, [field])
    problem = answer.body["error"]["details"][0]["problem"]
    assert "granted by an operator" in problem
    assert "acme" not in str(answer.body)


def test_a_number_that_graph_lists_for_the_own_token_belongs_to_the_company(
    actions: Actions,
) -> None:
    actions.list_on_graph(NEW_PHONE, "+1 555-078-3666", NEW_WABA)

    assert save(actions, **GRAPH).status == 200

    assert actions.item(f"PHONE#{NEW_PHONE}")["proof"] == "listed"
    assert owner_of(actions, ids.meta_id(ids.NUMBER, NEW_PHONE)) == "globex"
    assert owner_of(actions, ids.meta_id(ids.ACCOUNT, NEW_WABA)) == "globex"
    calls = len(actions.wire)
    assert save(actions, **GRAPH, messagesPerSecond=5).status == 200
    assert len(actions.wire) == calls


def test_a_number_that_graph_does_not_list_is_refused_and_can_be_registered_by_its_owner_later(
    actions: Actions,
) -> None:
    assert save(actions, **GRAPH).fields == ["metaWabaId"]
    assert actions.item(f"PHONE#{NEW_PHONE}") == {}

    actions.list_on_graph(NEW_PHONE, "+1 555-078-3666", NEW_WABA)
    own = GRAPH | {"graphTokenSecret": "acme", "tenantId": "acme"}
    assert save(actions, ACME, **own).status == 200
    assert save(actions, **GRAPH).fields == ["metaWabaId"]


def test_the_displayed_number_is_the_one_that_the_provider_lists(actions: Actions) -> None:
    actions.list_on_graph(NEW_PHONE, "+1 555-078-3666", NEW_WABA)

    answer = save(actions, **GRAPH | {"displayPhoneNumber": "+1 555 078 3881"})

    assert (answer.status, answer.fields) == (400, ["displayPhoneNumber"])


def test_a_number_at_aws_is_proven_by_the_listing_of_an_account_that_was_granted(
    actions: Actions,
) -> None:
    assert save(actions, **AWS).fields == ["metaWabaId"]
    assert actions.wire == []

    account = ids.aws_id(ids.ACCOUNT, AWS_WABA)
    assert claims.claim(actions.log, account, claims.new("globex", Proof.GRANTED))
    assert save(actions, **AWS | {"metaWabaId": NEW_WABA}).fields == ["metaWabaId"]
    assert save(actions, **AWS).status == 200

    assert actions.item(f"PHONE#{EUM_PHONE}")["proof"] == "listed"
    assert owner_of(actions, ids.aws_id(ids.NUMBER, AWS["phoneArn"])) == "globex"


def test_in_a_deployment_of_one_company_its_setting_proves_everything_for_this_company_only(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = replace(actions.module.resources.ownership, single_company="globex")
    monkeypatch.setattr(
        actions.module, "resources", replace(actions.module.resources, ownership=own)
    )
    assert save(actions, **GRAPH).status == 200
    assert actions.wire == []
    assert actions.item(f"PHONE#{NEW_PHONE}")["proof"] == "deployment"

    assert save(actions, **GRAPH | {"metaWabaId": WABA, "phoneNumberId": PHONE}).status == 400
    acme = {"graphTokenSecret": "acme", "metaWabaId": "602290129340300", "phoneNumberId": "9" * 15}
    assert save(actions, ACME, **GRAPH | acme).fields == ["metaWabaId"]


def test_five_hundred_numbers_of_one_company_leave_room_for_another(actions: Actions) -> None:
    table = actions.harness.resources.table
    full = [
        {
            "phone": str(10**14 + n),
            "company": "globex",
            "phoneArn": str(n),
            "displayPhone": "1",
            "waba": "1",
        }
        for n in range(500)
    ]
    key = {"pk": "CONFIG#PHONES#globex"}
    table.put({**key, "itemType": "CONFIG", "company": "globex", "phones": full})
    actions.list_on_graph(NEW_PHONE, "+1 555-078-3666", NEW_WABA)

    assert save(actions, **GRAPH).error == "state_conflict"
    other = GRAPH | {
        "graphTokenSecret": "acme",
        "phoneNumberId": "606540352242977",
        "metaWabaId": WABA,
    }
    actions.list_on_graph("606540352242977", "+1 555-078-3666")
    assert save(actions, ACME, **other).status == 200


def test_the_fields_of_an_app_are_set_only_by_the_company_that_owns_it(actions: Actions) -> None:
    body = {
        "metaWabaId": "302290129340398",
        "subscribedEvents": ["messages"],
        "webhookUrl": "https://api.example.com/v1/webhooks/whatsapp",
    }
    for app in (ACME_APP, "9029384756"):
        store.phones.register_unlisted(
            actions.harness.resources.table,
            Phone.read(actions.item(f"PHONE#{GLOBEX_PHONE}")).model_copy(update={"app_id": app}),
        )
        store.phones.forget()
        answer = actions.run("register_webhook", body, caller=GLOBEX)
        assert (answer.status, answer.fields) == (400, ["subscribedEvents"])
    assert actions.wire == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"snsTopicArn": TOPIC}, "snsTopicArn"),
        ({"snsTopicArn": TOPIC.replace("arn:aws:", "arn:aws-x:")}, "snsTopicArn"),
    ],
)
def test_events_of_an_account_go_only_to_topics_of_the_deployment_or_of_the_company(
    actions: Actions, given: dict[str, str], field: str
) -> None:
    actions.register_eum()
    topic = ids.arn(ids.TOPIC, TOPIC)
    assert claims.claim(actions.log, topic, claims.new("globex", Proof.GRANTED))

    answer = actions.run("create_event_destination", {"metaWabaId": EUM_WABA, **given})

    assert (answer.status, answer.fields) == (400, [field])
    assert [sent for sent in actions.wire if sent.operation.startswith("Put")] == []


@pytest.mark.long
def test_a_number_whose_proof_has_ended_is_not_used_and_can_be_proven_by_another_company(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.list_on_graph(NEW_PHONE, "+1 555-078-3666", NEW_WABA)
    assert save(actions, **GRAPH).status == 200
    hours = iter(range(1, 200))

    def refreshed() -> None:
        hour = next(hours)
        monkeypatch.setattr(clock, "now_ms", lambda: NOW + hour * clock.HOUR_MS)
        store.phones.forget()
        refresh.refresh_due(actions.module.resources, clock.now_ms(), lambda: 60_000)

    for _ in range(60):
        refreshed()
    item = actions.item(f"PHONE#{NEW_PHONE}")
    assert item["enabled"] is True
    for _ in range(20):
        refreshed()

    ended = actions.item(f"PHONE#{NEW_PHONE}")
    assert (ended["enabled"], ended.get("proof")) == (False, None)
    assert owner_of(actions, ids.meta_id(ids.NUMBER, NEW_PHONE)) is None
    assert actions.item(f"PHONE#{PHONE}")["proof"] == "granted"
