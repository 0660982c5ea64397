"""template.yaml: what goes wrong is seen, by an alarm that says what to do, in logs that end."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.template import exists, properties, resolved, resources, template
from tests.unit.test_template_access import as_list, statements_of

ALARMS = sorted(resources("AWS::CloudWatch::Alarm"))
FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
QUEUES = sorted(resources("AWS::SQS::Queue"))
TABLES = sorted(resources("AWS::DynamoDB::Table"))
# A single case is one too many: no second period is waited for.
AT_THE_FIRST = {
    *("WhatsAppParked", "WhatsAppSendUnknown", "WhatsAppSendDoubled"),
    *("WhatsAppAccountAlert", "WhatsAppQualityRed", "WhatsAppFlowBlocked"),
    *("RichpanelSecretEmpty", "RichpanelRedactionFailed", "WhatsAppRedactionFailed"),
    *("RichpanelParked", "RichpanelSentWhileOff", "RichpanelDrift", "RichpanelModelFailing"),
    *("ConversationsParked", "ConversationsSendUnknown", "ConversationsSendDoubled"),
    "ConversationsRedactionFailed",
    *("RichpanelReplyUnknown", "RichpanelReplyDoubled", "RichpanelReplyFailed"),
}
SEVEN_DAYS_SECONDS = 604_800
OURS = {"service": "whatsapp"}
OF_THE_HELP_DESK = {"service": "richpanel"}
OF_CONVERSATIONS = {"service": "conversations"}


class Watch(NamedTuple):
    """What an alarm on one metric looks at, and from where on it is raised."""

    metric: str  # with its namespace
    dimensions: dict[str, str]
    statistic: str
    threshold: float
    period: int = 60


def queue_name(queue: str) -> str:
    return str(properties(queue)["QueueName"])


def of_route(route: str, metric: str, statistic: str, threshold: float) -> Watch:
    dimensions = GATEWAY | {"Resource": route, "Method": "POST"}
    return Watch(f"AWS/ApiGateway {metric}", dimensions, statistic, threshold)


def of_queue(queue: str, metric: str, threshold: float, period: int = 60) -> Watch:
    return Watch(
        f"AWS/SQS {metric}", {"QueueName": queue_name(queue)}, "Maximum", threshold, period
    )


def of_table(table: str, metric: str, **more: str) -> Watch:
    name = properties(table)["TableName"]
    return Watch(f"AWS/DynamoDB {metric}", {"TableName": name} | more, "Sum", 0)


def of_function(function: str) -> dict[str, Watch]:
    """The three alarms that every function has."""
    wanted = properties(function)
    timeout = wanted.get("Timeout", template()["Globals"]["Function"]["Timeout"])
    name = {"FunctionName": wanted["FunctionName"]}
    # The authorizer raises for every wrong key, so its rate says nothing.
    is_authorizer = function == "ApiAuthorizer"
    errors = ("Sum", 100, 300) if is_authorizer else ("Average", 0.01, period_of(function))
    return {
        f"{function}Errors": Watch("AWS/Lambda Errors", name, *errors),
        f"{function}Throttles": Watch("AWS/Lambda Throttles", name, "Sum", 0, period_of(function)),
        f"{function}Slow": Watch(
            "AWS/Lambda Duration", name, "p99", 800 * timeout, period_of(function)
        ),
    }


def period_of(function: str) -> int:
    """Seconds: a minute, or the time between two runs of a function that is run by the clock."""
    events = properties(function).get("Events", {}).values()
    schedules = [e["Properties"]["Schedule"] for e in events if e["Type"] == "Schedule"]
    return {"rate(1 minute)": 60, "rate(5 minutes)": 300}[schedules[0]] if schedules else 60


def of_help_desk(metric: str, threshold: float = 0, period: int = 300) -> Watch:
    return Watch(f"Parley/dev {metric}", OF_THE_HELP_DESK, "Sum", threshold, period)


def of_conversations(metric: str, threshold: float = 0, period: int = 300) -> Watch:
    return Watch(f"Parley/dev {metric}", OF_CONVERSATIONS, "Sum", threshold, period)


def of_dead_letters(queue: str) -> dict[str, Watch]:
    return {
        f"{queue}Filled": of_queue(queue, "ApproximateNumberOfMessagesVisible", 0),
        f"{queue}Old": of_queue(queue, "ApproximateAgeOfOldestMessage", SEVEN_DAYS_SECONDS, 300),
    }


GATEWAY = {"ApiName": "parley-dev", "Stage": "dev"}
ON_ONE_METRIC: dict[str, Watch] = {
    "WhatsAppParked": Watch("Parley/dev Parked", OURS, "Sum", 0, 300),
    "WhatsAppAccountAlert": Watch("Parley/dev AccountAlert", OURS, "Sum", 0, 300),
    "WhatsAppQualityRed": Watch("Parley/dev QualityRed", OURS, "Sum", 0, 300),
    "WhatsAppFlowBlocked": Watch("Parley/dev FlowBlocked", OURS, "Sum", 0, 300),
    "WhatsAppSendUnknown": Watch("Parley/dev SendUnknown", OURS, "Sum", 0, 300),
    "WhatsAppSendDoubled": Watch("Parley/dev SendDoubled", OURS, "Sum", 0, 300),
    "WhatsAppSendInDoubt": Watch("Parley/dev SendInDoubt", OURS, "Sum", 0, 300),
    "WhatsAppSignatureRejected": Watch("Parley/dev SignatureRejected", OURS, "Sum", 20, 300),
    "WhatsAppCanaryFailing": Watch("Parley/dev CanarySuccess", OURS, "Average", 0.9, 300),
    # A throttled index throttles the table: these two say which it was.
    "WhatsAppTableDirectionIndexThrottled": of_table(
        "WhatsAppTable", "WriteThrottleEvents", GlobalSecondaryIndexName="gsi_direction"
    ),
    "WhatsAppTableStatusIndexThrottled": of_table(
        "WhatsAppTable", "WriteThrottleEvents", GlobalSecondaryIndexName="gsi_status"
    ),
    "ApiFailing": Watch("AWS/ApiGateway 5XXError", GATEWAY, "Average", 0.001),
    "WebhookSlow": of_route("/webhooks/whatsapp", "Latency", "p99", 1000),
    "RichpanelWebhookLate": of_route("/webhooks/richpanel", "Latency", "p99", 1500),
    "RichpanelWebhookFailing": of_route("/webhooks/richpanel", "5XXError", "Average", 0.001),
    "RichpanelSignatureRejected": of_help_desk("SignatureRejected", 20, 60),
    "WhatsAppRedactionFailed": Watch("Parley/dev RedactionFailed", OURS, "Sum", 0, 300),
    "RichpanelRedactionFailed": of_help_desk("RedactionFailed"),
    "RichpanelSecretEmpty": of_help_desk("SecretEmpty"),
    "RichpanelParked": of_help_desk("Parked"),
    "RichpanelReplyUnknown": of_help_desk("SendUnknown"),
    "RichpanelReplyDoubled": of_help_desk("SendDoubled"),
    "RichpanelReplyFailed": of_help_desk("ReplyFailed"),
    "RichpanelStepRefused": of_help_desk("StepRefused"),
    "RichpanelSentWhileOff": of_help_desk("SentWhileOff"),
    "RichpanelDrift": of_help_desk("Drift", period=3600),
    "RichpanelSweepIncomplete": of_help_desk("SweepIncomplete"),
    "RichpanelSwitchesUnreadable": of_help_desk("SwitchesUnreadable"),
    "RichpanelConsentsUnreadable": of_help_desk("ConsentsUnreadable"),
    "ConversationsParked": of_conversations("Parked"),
    "ConversationsSendUnknown": of_conversations("SendUnknown"),
    "ConversationsSendDoubled": of_conversations("SendDoubled"),
    "ConversationsSignatureRejected": of_conversations("SignatureRejected", 20),
    "ConversationsUnmatched": of_conversations("Unmatched", 20),
    "ConversationsGapCheckFailed": of_conversations("GapCheckFailed", period=900),
    "ConversationsModelFailing": of_conversations("ModelFailed", 5),
    "ConversationsSwitchesUnreadable": of_conversations("SwitchesUnreadable"),
    "ConversationsConfigurationInvalid": of_conversations("ConfigurationInvalid"),
    "ConversationsRedactionFailed": of_conversations("RedactionFailed"),
    # Worked off by a function, so that it must never be old ...
    "WhatsAppQueueOld": of_queue("WhatsAppQueue", "ApproximateAgeOfOldestMessage", 60),
    "RichpanelQueueOld": of_queue("RichpanelQueue", "ApproximateAgeOfOldestMessage", 120),
    "RichpanelLiveQueueOld": of_queue("RichpanelLiveQueue", "ApproximateAgeOfOldestMessage", 30),
    **{
        f"Conversations{name}QueueOld": of_queue(
            f"Conversations{name}Queue", "ApproximateAgeOfOldestMessage", seconds
        )
        for name, seconds in {
            "Inbound": 60,
            "Replies": 120,
            "Statuses": 120,
            "WhatsApp": 180,
            "Sms": 180,
            "Email": 180,
        }.items()
    },
    # ... and looked at by people.
    **of_dead_letters("WhatsAppDeadLetters"),
    **of_dead_letters("WhatsAppSocialDeadLetters"),
    **of_dead_letters("RichpanelDeadLetters"),
    **of_dead_letters("ConversationsDeadLetters"),
    **of_dead_letters("SmsTopicsDeadLetters"),
    **{name: watch for function in FUNCTIONS for name, watch in of_function(function).items()},
}
# Threshold and period. What they compute is asserted in test_template_metric_math.py.
ON_SEVERAL = {
    "WhatsAppConservation": (0, 60),
    "WhatsAppWorkerBusy": (80, 60),
    "WhatsAppTableThrottled": (0, 60),
    "WhatsAppTableFailed": (0, 60),
    "WhatsAppTableRefusing": (20, 300),
    "WhatsAppWritesDear": (10.8, 900),
    "RichpanelSweepFinds": (1, 3600),
    "RichpanelHelpDeskRefusing": (1, 300),
    "RichpanelModelFailing": (4.99, 600),
    **{
        f"Richpanel{table}Table{kind}": (0, 60)
        for table in ("Idempotency", "ConversationState", "AuditActions")
        for kind in ("Throttled", "Failed")
    },
    **{
        f"{table}Table{kind}": (0, 60)
        for table in ("ApiKeys", "Conversations", "ConversationLog", "CompanyData")
        for kind in ("Throttled", "Failed")
    },
}


def test_every_alarm_is_asserted_here_and_every_asserted_one_exists() -> None:
    """A new function, or an alarm that nobody listed, fails here until both agree."""
    assert sorted(ON_ONE_METRIC.keys() | ON_SEVERAL.keys()) == ALARMS


@pytest.mark.parametrize("alarm", sorted(ON_ONE_METRIC))
def test_an_alarm_watches_what_it_says(alarm: str) -> None:
    wanted, expected = properties(alarm), ON_ONE_METRIC[alarm]

    found = Watch(
        f"{wanted['Namespace']} {wanted['MetricName']}",
        {entry["Name"]: entry["Value"] for entry in wanted["Dimensions"]},
        wanted.get("Statistic") or wanted["ExtendedStatistic"],
        float(wanted["Threshold"]),
        wanted["Period"],
    )
    assert found == expected
    is_floor = alarm == "WhatsAppCanaryFailing"
    assert wanted["ComparisonOperator"] == (
        "LessThanThreshold" if is_floor else "GreaterThanThreshold"
    )


@pytest.mark.parametrize("alarm", sorted(ON_SEVERAL))
def test_an_alarm_on_several_metrics_compares_their_result(alarm: str) -> None:
    wanted = properties(alarm)
    threshold, period = ON_SEVERAL[alarm]
    (result,) = (query for query in wanted["Metrics"] if query["ReturnData"])

    assert "Expression" in result
    assert (wanted["Threshold"], wanted["ComparisonOperator"]) == (
        threshold,
        "GreaterThanThreshold",
    )
    parts = [query["MetricStat"] for query in wanted["Metrics"] if not query["ReturnData"]]
    assert {part["Period"] for part in parts} == {period}
    # The emulator refuses such alarms, so they are the only ones that the local stack lacks.
    assert exists(alarm, Stage="dev")
    assert not exists(alarm, Stage="local")


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_says_what_to_do_and_what_no_data_means_and_tells_somebody(alarm: str) -> None:
    wanted = properties(alarm)

    # No canary is a dead canary; of everything else, no data is no traffic.
    expected = "breaching" if alarm == "WhatsAppCanaryFailing" else "notBreaching"
    assert wanted["TreatMissingData"] == expected
    assert len(wanted["AlarmDescription"]) > 40
    assert wanted["AlarmActions"] == [resolved({"Ref": "AlarmTopic"})]


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_waits_for_a_second_bad_period_unless_one_case_is_too_many(alarm: str) -> None:
    wanted = properties(alarm)

    # Conservation: for most of 15 minutes.
    expected = {"WhatsAppConservation": (12, 15)} | dict.fromkeys(AT_THE_FIRST, (1, 1))
    periods = (wanted["DatapointsToAlarm"], wanted["EvaluationPeriods"])
    assert periods == expected.get(alarm, (2, 3))


@pytest.mark.parametrize("queue", QUEUES)
def test_a_queue_is_watched_by_its_age_and_an_end_of_the_line_by_its_content(queue: str) -> None:
    """A blocked conversation shows in the age only; dead letters are lost after 14 days."""
    is_end = "RedrivePolicy" not in properties(queue)

    assert f"{queue}Old" in ALARMS
    assert (f"{queue}Filled" in ALARMS) is is_end


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("alarm", "metric"), [("Throttled", "ThrottledRequests"), ("Failed", "SystemErrors")]
)
def test_a_table_is_watched_for_everything_that_functions_do_with_it(
    table: str, alarm: str, metric: str
) -> None:
    """ThrottledRequests counts a write that any index throttled; WriteThrottleEvents of the table would not."""
    arn = resolved({"Fn::GetAtt": f"{table}.Arn"})
    used = {
        action.removeprefix("dynamodb:")
        for function in FUNCTIONS
        for statement in statements_of(function)
        for action in as_list(statement["Action"])
        if any(str(resource).startswith(arn) for resource in as_list(statement["Resource"]))
    }
    if not used:
        assert f"{table}{alarm}" not in ALARMS, "nobody uses the table, so nothing can go wrong"
        return
    wanted = properties(f"{table}{alarm}")
    parts = [q["MetricStat"]["Metric"] for q in wanted.get("Metrics", []) if "MetricStat" in q]
    watched = [dimensions_of(part) for part in parts or [wanted]]

    assert {part["MetricName"] for part in parts or [wanted]} == {metric}
    assert {entry["Operation"] for entry in watched} == used
    assert {entry["TableName"] for entry in watched} == {properties(table)["TableName"]}


def dimensions_of(metric: dict[str, Any]) -> dict[str, str]:
    return {entry["Name"]: entry["Value"] for entry in metric["Dimensions"]}


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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_takes_concurrency_from_the_others(function: str) -> None:
    """But for the sweep, of which one at a time is enough; and that only where the account has any to reserve."""
    reserved = properties(function).get("ReservedConcurrentExecutions")

    assert reserved == (1 if function == "RichpanelSweep" else None)
    unreserved = properties(function, RichpanelSweepReserved="false")
    assert "ReservedConcurrentExecutions" not in unreserved
