"""The operations API: queues, alarms, conservation, cost and switches of the deployment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from console.operations.measurements import CloudWatchMetrics
from console.store import metric_reads
from console.store.metric_reads import LIMITS
from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock
from tests.integration.console.operations.operations import (
    ADMIN,
    OPERATOR,
    Operations,
    of,
    operations,
)

__all__ = ["operations"]  # fixtures
DEPLOYMENT = ["queues", "alarms", "conservation", "cost", "switches"]


def refuse(monkeypatch: pytest.MonkeyPatch, client: Any, operation: str) -> None:
    """Let every call of an operation fail as IAM refuses it."""

    def refused(*_: Any, **__: Any) -> Any:
        raise ClientError(
            {"Error": {"Code": "AccessDenied", "Message": "secret detail"}}, operation
        )

    monkeypatch.setattr(client, "_make_api_call", refused)


def reads_of_metrics(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answer reads of metrics with nothing, and note each in the returned list."""
    asked: list[str] = []

    def totals(*_: Any) -> dict[Any, float]:
        asked.append("metrics")
        return {}

    monkeypatch.setattr(CloudWatchMetrics, "totals", totals)
    return asked


@pytest.mark.parametrize("name", DEPLOYMENT)
def test_facts_of_the_deployment_are_for_operators_only(operations: Operations, name: str) -> None:
    assert operations.get(name, ADMIN).status == 403
    assert operations.get(name, None).status == 401
    assert operations.get(name).status == 200


def test_queues_show_their_messages_and_the_age_of_the_oldest(operations: Operations) -> None:
    operations.send("whatsapp.fifo")
    operations.count(
        "ApproximateAgeOfOldestMessage", 42, "AWS/SQS", QueueName="parley-dev-whatsapp.fifo"
    )

    shown = operations.get("queues").result
    inbox = of(shown["queues"], name="whatsapp.fifo")

    assert shown["agesProblem"] is None
    assert (inbox["waiting"], inbox["inFlight"], inbox["oldestSeconds"]) == (1, 0, 42)
    assert of(shown["queues"], name="whatsapp-dead-letters.fifo")["isDeadLetters"] is True


def test_an_empty_queue_has_no_oldest_message_although_the_metric_is_late(
    operations: Operations,
) -> None:
    operations.count(
        "ApproximateAgeOfOldestMessage", 42, "AWS/SQS", QueueName="parley-dev-whatsapp.fifo"
    )

    assert (
        of(operations.get("queues").result["queues"], name="whatsapp.fifo")["oldestSeconds"] is None
    )


def test_a_queue_that_cannot_be_read_has_a_problem_and_no_count(operations: Operations) -> None:
    url = operations.module.queues.first_url
    boto3.client("sqs").delete_queue(QueueUrl=url)

    shown = operations.get("queues").result["queues"]

    assert of(shown, name="whatsapp.fifo")["waiting"] is None
    assert of(shown, name="whatsapp.fifo")["problem"].startswith("SQS: GetQueueAttributes")
    assert of(shown, name="richpanel.fifo")["waiting"] == 0


def test_depths_are_shown_while_cloudwatch_refuses(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, operations.module.cloudwatch(), "GetMetricData")

    shown = operations.get("queues").result

    assert shown["agesProblem"] == "CloudWatch: GetMetricData: AccessDenied"
    assert of(shown["queues"], name="whatsapp.fifo")["waiting"] == 0


@pytest.mark.parametrize("name", ["alarms", "conservation", "cost"])
def test_a_part_that_cannot_be_read_is_unavailable_with_the_reason_and_never_zero(
    operations: Operations, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    refuse(monkeypatch, operations.module.cloudwatch(), "GetMetricData")

    answer = operations.get(name)

    assert answer.status == 503
    assert answer.body["error"]["code"] == "unavailable"
    assert answer.body["error"]["message"] == "CloudWatch: GetMetricData: AccessDenied"


def test_alarms_of_this_deployment_are_shown_those_in_alarm_first(operations: Operations) -> None:
    cloudwatch = boto3.client("cloudwatch")
    for name in (
        "parley-dev-Monitoring-1A-AttentionNow-2B",
        "parley-dev-Monitoring-1A-ApiFailing-3C",
        "other",
    ):
        cloudwatch.put_metric_alarm(
            AlarmName=name,
            AlarmDescription=f"about {name}",
            Namespace="Parley/dev",
            MetricName="AttentionNow",
            Statistic="Sum",
            Period=300,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            AlarmActions=["arn:aws:sns:us-east-1:123456789012:alarms"],
        )
    cloudwatch.set_alarm_state(
        AlarmName="parley-dev-Monitoring-1A-AttentionNow-2B",
        StateValue="ALARM",
        StateReason="2 >= 1",
    )

    alarms = operations.get("alarms").result["alarms"]

    assert (alarms[0]["name"], alarms[0]["state"]) == ("AttentionNow", "ALARM")
    assert sorted(one["name"] for one in alarms) == ["ApiFailing", "AttentionNow"]
    assert alarms[0]["reason"] == "2 >= 1"
    assert alarms[0]["notifies"] is True


def account(operations: Operations, context: str, **query: str) -> dict[str, Any]:
    return of(operations.get("conservation", OPERATOR, **query).result["accounts"], context=context)


def test_accepted_events_are_stored_duplicate_parked_or_waiting(operations: Operations) -> None:
    for name, value in {
        "Accepted": 10,
        "Persisted": 6,
        "Duplicate": 1,
        "Parked": 1,
        "Replayed": 1,
    }.items():
        operations.count(name, value, service="whatsapp")
    operations.count(
        "NumberOfDeduplicatedSentMessages", 1, "AWS/SQS", QueueName="parley-dev-whatsapp.fifo"
    )
    operations.send("whatsapp.fifo", "waiting")
    operations.send("whatsapp-dead-letters.fifo", "dead")

    shown = account(operations, "whatsapp")

    assert (shown["accepted"], shown["putBack"]) == (10, 1)
    assert (shown["stored"], shown["duplicate"], shown["parked"]) == (6, 2, 1)
    assert (shown["waiting"], shown["deadLetters"], shown["difference"]) == (1, 1, 0)


def test_a_lost_event_is_the_difference(operations: Operations) -> None:
    operations.count("Accepted", 3, service="whatsapp")
    operations.count("Persisted", 2, service="whatsapp")

    assert account(operations, "whatsapp")["difference"] == 1


def test_what_was_not_counted_is_null_and_not_zero(operations: Operations) -> None:
    shown = account(operations, "whatsapp")

    assert shown["accepted"] is shown["stored"] is shown["difference"] is None
    assert shown["remark"] == "nothing was counted"


def test_contexts_whose_events_become_several_records_have_no_difference(
    operations: Operations,
) -> None:
    operations.count("Accepted", 3, service="conversations")

    shown = account(operations, "conversations")

    assert (shown["accepted"], shown["difference"]) == (3, None)
    assert "several records" in shown["remark"]


def test_what_waited_at_the_end_of_a_past_period_is_not_known(operations: Operations) -> None:
    day = {"from": "2026-11-20", "to": "2026-11-21"}

    assert account(operations, "whatsapp", **day)["waiting"] is None


@pytest.mark.parametrize(
    "query",
    [
        {"from": "2026-11-27", "to": "2026-11-26"},
        {"from": "2026-10-01", "to": "2026-11-27"},
        {"from": "yesterday"},
        {"other": "1"},
    ],
)
def test_a_period_must_be_in_order_and_at_most_31_days(
    operations: Operations, query: dict[str, str]
) -> None:
    assert operations.get("conservation", OPERATOR, **query).status == 400


def test_cost_is_measured_units_times_list_prices(operations: Operations) -> None:
    operations.count("ConsumedWriteCapacityUnits", 1_000_000, "AWS/DynamoDB", TableName="inbox-dev")
    operations.count(
        "ConsumedWriteCapacityUnits",
        1_000_000,
        "AWS/DynamoDB",
        TableName="inbox-dev",
        GlobalSecondaryIndexName="gsi_list",
    )
    operations.count(
        "Invocations", 2_000_000, "AWS/Lambda", FunctionName="parley-dev-whatsapp-worker"
    )
    operations.count(
        "Duration", 2_000_000_000, "AWS/Lambda", FunctionName="parley-dev-whatsapp-worker"
    )
    operations.count("NewConversations", 1_000, service="whatsapp")
    operations.count("Accepted", 10_000, service="whatsapp")

    cost = operations.get("cost", month="2026-11").result
    by_part = {line["part"]: line for line in cost["lines"]}

    assert by_part["DynamoDB writes"]["dollars"] == pytest.approx(1.25)
    assert by_part["Lambda invocations"]["dollars"] == pytest.approx(0.40)
    assert by_part["Lambda duration"]["quantity"] == pytest.approx(1_000_000)  # half a GB
    assert by_part["SQS"]["dollars"] is None
    assert cost["dollars"] == pytest.approx(1.25 + 0.40 + 13.3334)
    assert cost["dollarsPerConversation"] == pytest.approx(cost["dollars"] / 1_000)
    assert cost["dollarsPerEvent"] == pytest.approx(cost["dollars"] / 10_000)
    assert cost["isEstimate"] is True
    assert "model tokens" in cost["notIncluded"]


def test_a_month_without_measurements_has_no_cost_instead_of_zero(operations: Operations) -> None:
    cost = operations.get("cost", month="2026-10").result

    assert cost["dollars"] is cost["dollarsPerConversation"] is cost["conversations"] is None


@pytest.mark.parametrize("month", ["2026-12", "2026-13", "november", "1999-01"])
def test_a_month_must_exist_and_have_begun(operations: Operations, month: str) -> None:
    assert operations.get("cost", month=month).status == 400


def test_switches_show_their_texts_and_who_changed_them_when(operations: Operations) -> None:
    boto3.client("ssm").put_parameter(
        Name="/parley/dev/whatsapp/safe_mode", Value="false", Overwrite=True
    )

    switches = operations.get("switches").result["switches"]
    changed = of(switches, context="whatsapp", name="safe_mode")

    assert len(switches) == 5
    assert changed["text"] == "false"
    assert [change["text"] for change in changed["changes"]] == ["false", "true"]
    assert all(change["by"] and change["at"] for change in changed["changes"])


def test_a_switch_that_cannot_be_read_has_a_problem_and_no_text(operations: Operations) -> None:
    boto3.client("ssm").delete_parameter(Name="/parley/dev/conversations/safe_mode")

    switches = operations.get("switches").result["switches"]
    gone = of(switches, context="conversations", name="safe_mode")

    assert gone["text"] is None
    assert gone["problem"] == "Parameter Store: GetParameterHistory: ParameterNotFound"
    assert of(switches, context="whatsapp", name="safe_mode")["text"] == "true"


@pytest.mark.parametrize(
    ("names", "kind"), [(("cost",), "cost"), (("queues", "conservation"), "flows")]
)
def test_reads_of_metrics_are_limited_for_the_whole_deployment(
    operations: Operations, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], kind: str
) -> None:
    asked = reads_of_metrics(monkeypatch)
    per_minute, _ = LIMITS[kind]
    for number in range(per_minute.most):
        assert operations.get(names[number % len(names)], OPERATOR).status == 200
    before = len(asked)

    refused = operations.get(
        names[0], replace(OPERATOR, company="globex", principal="user:other-ops")
    )

    assert (refused.status, refused.body["error"]["code"]) == (429, "rate_limited")
    assert len(asked) == before


def test_reads_of_metrics_are_limited_for_a_day(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        metric_reads, "LIMITS", {"cost": (Limit(6, 60), Limit(2, clock.DAY_SECONDS))}
    )

    assert [operations.get("cost", OPERATOR).status for _ in range(3)] == [200, 200, 429]


def test_a_read_of_metrics_that_cannot_be_counted_is_not_made(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = reads_of_metrics(monkeypatch)
    operations.audit_log._client.delete_table(TableName="live-dev")

    assert operations.get("cost", OPERATOR).status == 503
    assert asked == []
