"""`python -m operations doctor`: limits of the account, event sources, dead letters, tables and topics."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import boto3
import pytest

from operations.doctor import capacity, infrastructure, newsletters
from operations.doctor.deployment import Deployment, describe
from operations.doctor.infrastructure import CONTEXT_OF_QUEUES, DEAD_LETTERS, WITHOUT_TTL
from operations.recovery.contexts import OUTPUTS
from tests.integration.operations.doctor.connections import (
    INBOX,
    change_answers,
    connect,
    use,
)
from tests.integration.operations.doctor.deployed import STACK, CloudFormation, Webhooks
from tests.template import parameters, resources


def limited_to(executions: int) -> Callable[[str, dict[str, Any]], None]:
    """Answers of AWS for an account with this limit of concurrent executions."""

    def change(operation: str, answer: dict[str, Any]) -> None:
        if operation == "GetAccountSettings":
            answer["AccountLimit"]["UnreservedConcurrentExecutions"] = executions

    return change


@pytest.mark.long
def test_a_new_account_gets_the_parameters_to_lower_and_the_request_of_a_quota(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    change_answers(monkeypatch, limited_to(10))

    code, rows, steps = examine()

    assert code == 1
    assert [row[:2] for row in rows] == [("action needed", "concurrency")] * 2
    assert "10 concurrent executions; queues take up to 250, 20 are for requests" in rows[0][2]
    assert "at least 34 with the lowest parameters" in rows[1][2]
    assert (
        "`aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384"
        " --desired-value 1000 --region us-east-1`"
    ) in steps
    assert all(f"{name}=2" in steps for name in capacity.SOURCES)


@pytest.mark.parametrize(("limit", "needs_action"), [(269, True), (270, False), (1_000, False)])
def test_an_account_that_runs_all_event_sources_beside_requests_needs_nothing(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, limit: int, needs_action: bool
) -> None:
    connect()
    change_answers(monkeypatch, limited_to(limit))

    assert (examine()[0] == 1) == needs_action


@pytest.mark.parametrize("limit", [10, 53, 54, 55, 100, 269])
def test_lowered_parameters_fit_the_limit_or_are_the_lowest(limit: int) -> None:
    maxima = {name: int(parameters({})[name]) for name in capacity.SOURCES}

    lowered = capacity.lower(maxima, limit)

    used = capacity.FIXED + sum(capacity.SOURCES[name] * most for name, most in lowered.items())
    assert used + capacity.RESERVE <= limit or set(lowered.values()) == {capacity.FEWEST}
    assert all(capacity.FEWEST <= lowered[name] <= maxima[name] for name in maxima)


def test_the_doctor_knows_every_event_source_of_a_queue() -> None:
    maxima = [
        event["Properties"]["ScalingConfig"]["MaximumConcurrency"]
        for function in resources("AWS::Serverless::Function").values()
        for event in function["Properties"].get("Events", {}).values()
        if event["Type"] == "SQS"
    ]

    named = Counter(one["Ref"] for one in maxima if isinstance(one, dict))
    assert named == capacity.SOURCES
    assert sum(one for one in maxima if not isinstance(one, dict)) == capacity.FIXED
    assert len(maxima) == 17


@pytest.mark.long
def test_dead_letters_a_disabled_ttl_or_mapping_an_old_alias_and_a_missing_recipient_need_action(
    examine: Callable[[], Any],
) -> None:
    connect()
    found = describe(STACK, "", None)
    sqs = boto3.client("sqs")
    sqs.send_message(
        QueueUrl=found.outputs["WhatsAppDeadLettersUrl"],
        MessageBody="{}",
        MessageGroupId="1",
        MessageDeduplicationId="1",
    )
    inbox = found.outputs[INBOX]
    boto3.client("dynamodb").update_time_to_live(
        TableName=inbox, TimeToLiveSpecification={"Enabled": False, "AttributeName": "ttl"}
    )
    (mapping,) = found.resources("AWS::Lambda::EventSourceMapping")
    boto3.client("lambda").update_event_source_mapping(UUID=mapping.name, Enabled=False)
    boto3.client("lambda").update_function_configuration(FunctionName="worker", Timeout=7)
    topic = found.outputs["AlarmTopicArn"]
    sns = boto3.client("sns")
    (subscription,) = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])

    _, rows, steps = examine()

    wanted = ["tables", "functions", "event sources", "dead letters", "alarms"]
    assert [row[1] for row in rows] == wanted
    assert "another value of the parameter Release" in steps
    assert "recovery dead-letters --context whatsapp --stack parley-dev" in steps
    assert f"update-event-source-mapping --uuid {mapping.name} --enabled" in steps
    assert "AlarmEmail" in steps


def test_messages_of_a_context_that_is_not_in_use_need_action_and_its_sources_may_be_off(
    webhooks: Webhooks,
) -> None:
    del webhooks
    found = describe(STACK, "", None)
    found = replace(found, parameters={"Contexts": "conversations,whatsapp,newsletters"})
    queue = found.outputs["RichpanelQueueUrl"]
    boto3.client("sqs").send_message(
        QueueUrl=queue, MessageBody="{}", MessageGroupId="1", MessageDeduplicationId="1"
    )

    waiting = {finding.subject: finding for finding in infrastructure.unused_contexts(found)}

    assert waiting.keys() == {"email-threads", "richpanel"}
    assert waiting["richpanel"].step == "deploy with richpanel in the parameter Contexts"
    assert not waiting["email-threads"].step


def test_a_subscription_that_waits_for_its_confirmation_and_an_index_that_is_built_need_action(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()

    def pending(operation: str, answer: dict[str, Any]) -> None:
        if operation == "ListSubscriptionsByTopic":
            answer["Subscriptions"][0]["SubscriptionArn"] = "PendingConfirmation"
        if operation == "DescribeTable" and answer["Table"]["TableName"].startswith("base"):
            answer["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] = "CREATING"

    change_answers(monkeypatch, pending)

    _, rows, steps = examine()

    assert [row[1] for row in rows] == ["tables", "alarms"]
    assert "not ACTIVE: gsi_" in rows[0][2]
    assert "confirm the subscription" in steps


def shared_table(**changes: Any) -> dict[str, Any]:
    """The definition of a table that another system has created."""
    names = ("PK", "SK", "GSI1PK", "GSI1SK")
    definition: dict[str, Any] = {
        "TableName": "shared",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": one, "AttributeType": "S"} for one in names],
        "KeySchema": keys("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "GSI1",
                "KeySchema": keys("GSI1PK", "GSI1SK"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    return definition | changes


def keys(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "as needed; no TTL on ttl"),
        ({"KeySchema": keys("SK", "PK")}, "its keys are not PK and SK"),
        (
            {
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "GSI1",
                        "KeySchema": keys("GSI1PK", "GSI1SK"),
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                ]
            },
            "does not have all attributes",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "ByUser",
                        "KeySchema": keys("GSI1PK", "GSI1SK"),
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ]
            },
            "no index GSI1",
        ),
    ],
)
def test_a_table_that_newsletters_share_with_another_system_needs_their_keys_and_index(
    webhooks: Webhooks, changes: dict[str, Any], told: str
) -> None:
    del webhooks
    boto3.client("dynamodb").create_table(**shared_table(**changes))
    found = describe(STACK, "", None)
    shared = replace(
        found,
        parameters={"MainTableNaming": "existing"},
        outputs=found.outputs | {"NewslettersTableName": "shared"},
    )

    (finding,) = newsletters.table(shared)

    assert told in finding.text
    assert bool(finding.step) == bool(changes)


def test_the_doctor_names_the_recovery_command_of_every_dead_letter_queue_of_a_context() -> None:
    named = [name for name in resources("AWS::SQS::Queue") if name.endswith(DEAD_LETTERS)]

    # What topics could not deliver, and positions in streams, for which the inbox is rebuilt: no context replays them.
    others = {name for name in named if not name.startswith(tuple(CONTEXT_OF_QUEUES))}
    assert others == {"SmsTopicsDeadLetters", "InboxFeedDeadLetters"}
    assert set(CONTEXT_OF_QUEUES.values()) == set(OUTPUTS)


def test_resources_of_nested_stacks_are_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = CloudFormation()
    stack.stacks = {
        "outer": [("AWS::CloudFormation::Stack", "Data", "inner")],
        "inner": [("AWS::SQS::Queue", "InnerDeadLetters", "url")],
    }
    use(monkeypatch, stack)

    queues = Deployment("outer", "", False, {}, {}, "").resources("AWS::SQS::Queue")

    assert [queue.logical_id for queue in queues] == ["InnerDeadLetters"]


def test_the_doctor_knows_the_tables_without_ttl_and_the_dead_letter_queues_of_the_template() -> (
    None
):
    tables = resources("AWS::DynamoDB::Table").items()
    expiring = {name for name, entry in tables if "TimeToLiveSpecification" in entry["Properties"]}
    assert {name for name, _ in tables} - expiring == WITHOUT_TTL

    queues = resources("AWS::SQS::Queue").items()
    sources = {name for name, entry in queues if "RedrivePolicy" in entry["Properties"]}
    assert {name for name, _ in queues if not name.endswith(DEAD_LETTERS)} == sources
