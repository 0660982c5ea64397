"""Settings, infrastructure, guidance, and the destinations of events over AWS."""

import json
from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from events.whatsapp.sample_data import WORKSHOP
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.aws.sqs_fifo import Entry
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import (
    AWS_WABA,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.actions.dispatch import error_meanings
from whatsapp.inbound import webhook

TOPIC = "arn:aws:sns:us-east-1:123456789012:parley-local-whatsapp-social"
OTHER = "arn:aws:sns:us-east-1:123456789012:another"
FOREIGN = "arn:aws:sns:us-east-1:999999999999:theirs"
ROLE = "arn:aws:iam::123456789012:role/publisher"


def deployed(actions: Actions, monkeypatch: pytest.MonkeyPatch, **facts: Any) -> None:
    """Give the deployment other facts."""
    resources = actions.module.resources
    deployment = replace(resources.deployment, **facts)
    monkeypatch.setattr(actions.module, "resources", replace(resources, deployment=deployment))


def test_settings_are_shown_without_secrets(actions: Actions) -> None:
    found = actions.run("get_config").result

    assert (found["graphApiVersion"], found["sending"], found["messageTtlDays"]) == (
        "v23.0",
        "on",
        0,
    )
    assert (found["activeVerifyTokens"], found["activeAppSecrets"]) == (1, 1)
    (number,) = found["numbers"]
    assert (number["phone"], number["hasToken"], number["automation"]) == (PHONE, True, "none")
    assert not {"verify me", "app secret", "EAAtoken"} & set(json.dumps(found).split('"'))
    actions.switch("true")
    assert actions.run("get_config").result["sending"] == "off"


def test_the_infrastructure_is_what_the_template_says(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert actions.run("get_infra").result == {}
    role = "arn:aws:iam::123456789012:role/aws-service-role/social-messaging.amazonaws.com/X"
    deployed(actions, monkeypatch, vpc_endpoint="vpce-0123", service_linked_role=role)

    actions.run("refresh_infra")

    assert actions.item("CONFIG#INFRA") == {
        "pk": "CONFIG#INFRA",
        "itemType": "CONFIG",
        "vpcEndpoint": "vpce-0123",
        "serviceLinkedRole": role,
        "updatedAt": "2026-01-01T12:00:00.000Z",
    }
    assert actions.run("get_infra").result == {
        "vpcEndpoint": "vpce-0123",
        "serviceLinkedRole": role,
        "updatedAt": "2026-01-01T12:00:00.000Z",
    }


def test_unchanged_infrastructure_is_not_written_again_and_may_have_nothing(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.run("refresh_infra")
    before = actions.item("CONFIG#INFRA")
    monkeypatch.setattr(clock, "now_ms", lambda: clock.from_text("2026-01-02T12:00:00.000Z"))
    actions.run("refresh_infra")

    assert "vpcEndpoint" not in before  # The template's parameter is empty.
    assert before["serviceLinkedRole"].endswith("AWSServiceRoleForSocialMessaging")
    assert actions.item("CONFIG#INFRA") == before


def test_guidance_covers_every_topic_and_code(actions: Actions) -> None:
    everything = actions.run("get_best_practices").result
    pacing = actions.run("get_best_practices", {"topic": "pacing"}).result

    assert len(everything["topics"]) == 7
    assert {one["code"] for one in everything["codes"]} == set(error_meanings.CODES)
    assert ([one["topic"] for one in pacing["topics"]], "codes" in pacing) == (["pacing"], False)
    assert actions.run("get_best_practices", {"topic": "magic"}).status == 400


@pytest.mark.parametrize("code", [131047, "131047", "graph_131047"])
def test_a_code_is_explained_in_each_of_its_forms(code: object) -> None:
    found = error_meanings.of_code(code)

    assert found is not None
    assert "24 hours" in found.meaning
    assert error_meanings.of_code("AccessDeniedException") is None


def destination(actions: Actions, action: str, **body: Any) -> Any:
    return actions.run(action, {"metaWabaId": EUM_WABA, **body})


def test_a_destination_is_set_on_the_local_stack(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its account, and the account of the number that its seed registers."""
    topic = TOPIC.replace("123456789012", "000000000000")
    actions.register_eum(aws_waba=f"waba-{WORKSHOP.waba_arn.rpartition('/')[2]}")
    deployed(actions, monkeypatch, social_topics=(topic,))

    created = destination(actions, "create_event_destination", snsTopicArn=topic)

    assert created.status == 200
    assert created.result["destinations"] == [{"snsTopicArn": topic, "isOurs": True}]
    assert destination(actions, "get_event_destinations").result["ownTopic"] == topic


def test_a_destination_is_created_shown_replaced_and_deleted(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.register_eum()
    deployed(actions, monkeypatch, social_topics=(TOPIC,))
    for granted in (ids.arn(ids.TOPIC, OTHER), ids.arn(ids.ROLE, ROLE)):
        assert claims.claim(actions.log, granted, claims.new("acme", Proof.GRANTED))

    created = destination(actions, "create_event_destination", snsTopicArn=TOPIC, roleArn=ROLE)
    shown = destination(actions, "get_event_destinations")

    assert (
        {name: one for name, one in shown.result.items() if name != "ownTopic"}
        == {name: one for name, one in created.result.items() if name != "ownTopic"}
        == {
            "metaWabaId": EUM_WABA,
            "destinations": [{"snsTopicArn": TOPIC, "roleArn": ROLE, "isOurs": True}],
        }
    )
    put = next(s for s in actions.wire if s.operation.startswith("Put"))
    assert put.body == {
        "id": AWS_WABA,
        "eventDestinations": [{"eventDestinationArn": TOPIC, "roleArn": ROLE}],
    }
    every = {"destinationType": "SNS", "eventTypes": ["all"]}
    assert (
        destination(actions, "create_event_destination", snsTopicArn=TOPIC, **every).status == 200
    )
    other = destination(actions, "create_event_destination", snsTopicArn=OTHER)
    assert other.error == "state_conflict"
    replaced = destination(actions, "create_event_destination", snsTopicArn=OTHER, replace=True)
    assert replaced.result["destinations"] == [{"snsTopicArn": OTHER, "isOurs": False}]
    destination(actions, "update_event_destination", destinationType="SNS", snsTopicArn=TOPIC)
    destination(actions, "update_event_destination", destinationType="SNS", status="disabled")
    assert destination(actions, "get_event_destinations").result["destinations"] == []
    deleted = destination(actions, "delete_event_destination", destinationType="SNS")
    assert deleted.result["destinations"] == []


@pytest.mark.parametrize(
    ("action", "body", "status", "code"),
    [
        ("create_event_destination", {"snsTopicArn": FOREIGN}, 400, "invalid_input"),
        (
            "create_event_destination",
            {"snsTopicArn": "arn:aws:sqs:us-east-1:1:x"},
            400,
            "invalid_input",
        ),
        (
            "create_event_destination",
            {"snsTopicArn": TOPIC, "eventTypes": ["messages"]},
            400,
            "invalid_input",
        ),
        ("create_event_destination", {}, 400, "invalid_input"),
        ("update_event_destination", {"destinationType": "SNS"}, 400, "invalid_input"),
        (
            "update_event_destination",
            {"destinationType": "SNS", "status": "enabled"},
            400,
            "invalid_input",
        ),
        ("delete_event_destination", {"destinationType": "SQS"}, 400, "invalid_input"),
        ("get_event_destinations", {"metaWabaId": "302290129340398"}, 404, "not_found"),
        ("get_event_destinations", {"metaWabaId": WABA}, 409, "not_configured"),
        ("test_event_destination", {}, 409, "not_configured"),
    ],
)
def test_destinations_refuse_bad_input(
    actions: Actions, action: str, body: dict[str, Any], status: int, code: str
) -> None:
    actions.register_eum()

    answer = destination(actions, action, **body)

    assert (answer.status, answer.error) == (status, code)


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("create_event_destination", {"snsTopicArn": TOPIC, "destinationType": "SQS"}),
        ("update_event_destination", {"snsTopicArn": TOPIC, "destinationType": "SQS"}),
        ("test_event_destination", {"destinationType": "SQS"}),
    ],
)
def test_a_type_of_destination_that_the_provider_does_not_have_is_refused_before_any_call(
    actions: Actions, action: str, body: dict[str, Any]
) -> None:
    actions.register_eum()

    answer = destination(actions, action, **body)

    assert (answer.status, answer.error, answer.fields) == (
        400,
        "invalid_input",
        ["destinationType"],
    )
    assert actions.wire == []


class Topic:
    """SNS with one topic; what is published reaches the worker while the caller waits."""

    def __init__(self, actions: Actions) -> None:
        self.actions, self.messages = actions, list[str]()

    def publish(self, *, TopicArn: str, Message: str) -> dict[str, str]:
        assert TopicArn == TOPIC
        self.messages.append(Message)
        return {}

    def send(self, entries: Iterable[Entry]) -> int:
        """The queue of the worker, which handles at once."""
        return len([self.actions.harness.handle(entry.body) for entry in entries])

    def deliver(self, _ms: int) -> None:
        while self.messages:
            queue: Any = self
            webhook.take_social(self.messages.pop(), queue, self.actions.harness.resources.bucket)


@pytest.mark.parametrize("arrives", [True, False])
def test_a_destination_is_tested_with_a_marked_message_through_the_topic(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    actions.register_eum()
    topic = Topic(actions)
    deployed(actions, monkeypatch, social_topics=(TOPIC,), sns=lambda: topic)
    monkeypatch.setattr(clock, "sleep_ms", topic.deliver if arrives else lambda _: None)
    destination(actions, "create_event_destination", snsTopicArn=TOPIC)

    answer = destination(actions, "test_event_destination").result

    assert (answer["seen"], answer["snsTopicArn"]) == (arrives, TOPIC)
    if arrives:
        event = actions.item(f"WEBHOOK#{answer['eventId']}")
        assert (event["webhookEventType"], event["company"]) == ("parley_destination_test", "acme")
    assert (
        actions.run("test_event_destination", {"metaWabaId": EUM_WABA}, caller=GLOBEX).status == 404
    )


def test_a_topic_of_others_is_not_tested_and_a_refusal_is_reported(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.register_eum()

    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AuthorizationError"}}, "Publish")

    destination(actions, "create_event_destination", snsTopicArn=TOPIC)
    deployed(actions, monkeypatch, social_topics=())
    assert destination(actions, "test_event_destination").error == "not_configured"
    sns = SimpleNamespace(publish=refuse)
    deployed(actions, monkeypatch, social_topics=(TOPIC,), sns=lambda: sns)
    assert destination(actions, "test_event_destination").error == "provider_rejected"
