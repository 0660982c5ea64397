"""template.yaml: what goes wrong is seen, by an alarm that says what it means, in logs that end."""

import json
from typing import Any

import pytest

from tests.template import properties, resolved, resources, template

ALARMS = sorted(resources("AWS::CloudWatch::Alarm"))
FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
SEVEN_DAYS_SECONDS = 604_800
# A single case is one too many: no second period is waited for.
AT_THE_FIRST = {"Parked", "SendUnknown", "SendDoubled"}
WHATSAPP = {"service": "whatsapp"}


def watched(metric: str, **dimensions: str) -> list[dict[str, Any]]:
    """The alarms on one metric with exactly these dimensions."""
    return [
        alarm
        for alarm in map(properties, ALARMS)
        if alarm["MetricName"] == metric
        and {entry["Name"]: entry["Value"] for entry in alarm["Dimensions"]} == dimensions
    ]


def queue_name(queue: str) -> str:
    return str(properties(queue)["QueueName"])


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_says_what_it_means_and_what_no_data_means_and_tells_somebody(alarm: str) -> None:
    wanted = properties(alarm)

    assert len(wanted["AlarmDescription"]) > 40
    assert wanted["TreatMissingData"] in {"breaching", "notBreaching"}
    assert wanted["AlarmActions"] == [resolved({"Ref": "AlarmTopic"})]


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_waits_for_a_second_bad_period_unless_one_case_is_too_many(alarm: str) -> None:
    wanted = properties(alarm)

    periods = (wanted["DatapointsToAlarm"], wanted["EvaluationPeriods"])
    assert periods == ((1, 1) if wanted["MetricName"] in AT_THE_FIRST else (2, 3))


@pytest.mark.parametrize("queue", ["WhatsAppDeadLetters", "WhatsAppSocialDeadLetters"])
def test_dead_letters_are_seen_at_once_and_again_before_they_are_lost(queue: str) -> None:
    (filled,) = watched("ApproximateNumberOfMessagesVisible", QueueName=queue_name(queue))
    (old,) = watched("ApproximateAgeOfOldestMessage", QueueName=queue_name(queue))

    assert (filled["Statistic"], filled["Threshold"]) == ("Maximum", 0)
    assert (old["Statistic"], old["Threshold"]) == ("Maximum", SEVEN_DAYS_SECONDS)


def test_every_dead_letter_queue_has_its_alarms() -> None:
    """The ones named above are all there are: what no other queue takes from here is the end of a line."""
    ends = [
        queue for queue in resources("AWS::SQS::Queue") if "RedrivePolicy" not in properties(queue)
    ]

    assert ends == ["WhatsAppDeadLetters", "WhatsAppSocialDeadLetters"]


def test_a_queue_that_stands_still_is_seen_after_a_minute() -> None:
    (alarm,) = watched("ApproximateAgeOfOldestMessage", QueueName=queue_name("WhatsAppQueue"))

    assert alarm["Threshold"] == 60


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_watched_for_errors_throttles_and_its_timeout(function: str) -> None:
    name = properties(function)["FunctionName"]
    timeout = properties(function).get("Timeout", template()["Globals"]["Function"]["Timeout"])
    (errors,) = watched("Errors", FunctionName=name)
    (throttles,) = watched("Throttles", FunctionName=name)
    (slow,) = watched("Duration", FunctionName=name)

    # The authorizer raises for every wrong key, so its rate says nothing.
    expected = ("Sum", 100) if function == "ApiAuthorizer" else ("Average", 0.01)
    assert (errors["Statistic"], errors["Threshold"]) == expected
    assert (throttles["Statistic"], throttles["Threshold"]) == ("Sum", 0)
    assert (slow["ExtendedStatistic"], slow["Threshold"]) == ("p99", 800 * timeout)


@pytest.mark.parametrize("metric", ["Parked", "SendUnknown", "SendDoubled", "SendInDoubt"])
def test_one_event_or_send_that_needs_a_person_is_seen(metric: str) -> None:
    (alarm,) = watched(metric, **WHATSAPP)

    assert (alarm["Namespace"], alarm["Statistic"], alarm["Threshold"]) == ("Parley/dev", "Sum", 0)


def test_many_wrong_signatures_are_seen() -> None:
    (alarm,) = watched("SignatureRejected", **WHATSAPP)

    assert int(alarm["Threshold"]) > 0


def test_the_gateway_is_watched_for_failures_and_slow_answers_to_meta() -> None:
    (failing,) = watched("5XXError", ApiName="parley-dev", Stage="dev")
    (slow,) = watched(
        "Latency", ApiName="parley-dev", Stage="dev", Resource="/webhooks/whatsapp", Method="POST"
    )

    assert (failing["Statistic"], failing["Threshold"]) == ("Average", 0.001)
    assert (slow["ExtendedStatistic"], slow["Threshold"]) == ("p99", 1000)


@pytest.mark.parametrize(
    ("metric", "operation"),
    [
        ("ThrottledRequests", "PutItem"),
        ("ThrottledRequests", "UpdateItem"),
        ("ThrottledRequests", "Query"),
        ("SystemErrors", "PutItem"),
        ("SystemErrors", "UpdateItem"),
    ],
)
def test_the_table_is_watched_where_one_index_could_stop_it(metric: str, operation: str) -> None:
    """ThrottledRequests counts a write that any index throttled; WriteThrottleEvents of the table would not."""
    name = properties("WhatsAppTable")["TableName"]
    (alarm,) = watched(metric, TableName=name, Operation=operation)

    assert (alarm["Statistic"], alarm["Threshold"]) == ("Sum", 0)


def test_alarms_are_mailed_only_where_an_address_is_given() -> None:
    subscription = template()["Resources"]["AlarmEmailSubscription"]

    assert subscription["Condition"] == "HasAlarmEmail"
    assert resolved({"Condition": "HasAlarmEmail"}) is False
    assert resolved({"Condition": "HasAlarmEmail"}, AlarmEmail="ops@example.com") is True


@pytest.mark.parametrize("group", sorted(resources("AWS::Logs::LogGroup")))
def test_no_log_is_kept_for_ever(group: str) -> None:
    assert properties(group, LogRetentionDays="7")["RetentionInDays"] == "7"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_writes_to_a_log_group_of_its_own(function: str) -> None:
    wanted = properties(function)

    group = properties(f"{function}Logs")["LogGroupName"]
    assert wanted["LoggingConfig"] == {"LogGroup": group}
    assert group == f"/aws/lambda/{wanted['FunctionName']}"


def test_the_dashboard_is_json_that_cloudwatch_can_read() -> None:
    widgets = json.loads(properties("Dashboard")["DashboardBody"])["widgets"]

    titles = [widget["properties"]["title"] for widget in widgets]
    assert titles[0] == "Alarms"
    assert {"Events", "In queue", "Sends by outcome", "Latencies, ms", "Write units"} < set(titles)
    assert all(arn.startswith("arn:aws:cloudwatch:") for arn in widgets[0]["properties"]["alarms"])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_takes_concurrency_from_the_others(function: str) -> None:
    assert "ReservedConcurrentExecutions" not in properties(function)
