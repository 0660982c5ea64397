"""The stacks: few alarms cover every condition, each has instructions, and every log expires."""

from __future__ import annotations

import pytest

from shared.runtime import observability
from shared.runtime.observability import CONDITIONS
from tests.cases import each
from tests.template import exists, file, parameters, properties, resolved, resources, template

ALARMS = sorted(resources("AWS::CloudWatch::Alarm"))
FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
QUEUES = sorted(resources("AWS::SQS::Queue"))
# CloudWatch bills an alarm for each metric that it reads.
MOST_METRICS = {"all": 30, "essential": 6, "none": 0}
ESSENTIAL = {
    *("AttentionNow", "DeadLettersOld", "ApiFailing"),
    *("FunctionsFailing", "WhatsAppCanaryFailing"),
}


def billed_metrics(alarm: str) -> int:
    wanted = properties(alarm)
    return sum("MetricStat" in query for query in wanted.get("Metrics", [])) or 1


@pytest.mark.parametrize(("alarms", "most"), MOST_METRICS.items())
def test_the_alarms_read_few_metrics(alarms: str, most: int) -> None:
    made = [name for name in ALARMS if exists(name, Stage="prod", Alarms=alarms)]

    assert sum(map(billed_metrics, made)) <= most


def test_essential_alarms_cover_lost_events_and_conditions_that_need_immediate_action() -> None:
    assert {name for name in ALARMS if exists(name, Alarms="essential")} == ESSENTIAL
    assert {name for name in ALARMS if exists(name, Alarms="none")} == set()
    assert not exists("Dashboard", Alarms="essential")
    assert parameters({})["Alarms"] == "all"


def test_the_local_stack_lacks_only_alarms_with_metric_math() -> None:
    missing = {name for name in ALARMS if not exists(name, Stage="local")}

    assert missing == {name for name in ALARMS if "Metrics" in properties(name)}


def test_every_condition_reaches_a_counter_that_an_alarm_reads() -> None:
    """A metric of this name is counted by `metrics` itself; what 20 requests or 5 failures mean is their weight."""
    counters = {counter for counter, _ in CONDITIONS.values()}

    assert counters == {observability.NOW, observability.SOON, observability.REJECTED}
    assert counters <= {properties(name).get("MetricName") for name in ALARMS}
    assert all(0 < weight <= 1 for _, weight in CONDITIONS.values())


def test_an_alarm_needs_several_bad_periods_unless_a_single_case_needs_action() -> None:
    at_once = {name for name in ALARMS if properties(name)["DatapointsToAlarm"] == 1}

    # SES reviews an account at these rates.
    assert at_once == {"AttentionNow", "EmailBouncing", "EmailComplaints"}
    assert all(
        properties(n)["DatapointsToAlarm"] <= properties(n)["EvaluationPeriods"] for n in ALARMS
    )


@each("alarm", ALARMS)
def test_an_alarm_has_instructions_a_rule_for_missing_data_and_the_topic(alarm: str) -> None:
    wanted = properties(alarm)

    # For the canary missing data is a failure; for all other alarms it means no traffic.
    expected = "breaching" if alarm == "WhatsAppCanaryFailing" else "notBreaching"
    assert wanted["TreatMissingData"] == expected
    assert len(wanted["AlarmDescription"]) > 40
    assert wanted["AlarmActions"] == [resolved({"Ref": "AlarmTopic"})]


@each(
    "queue",
    [
        q
        for q in QUEUES
        if "RedrivePolicy" in properties(q)
        and properties(q).get("FifoQueue")
        and not q.startswith("Newsletter")
    ],
)
def test_every_worker_queue_with_an_order_has_an_alarm_on_its_age(queue: str) -> None:
    """Only the age shows a blocked conversation."""
    queries = [
        q["MetricStat"]["Metric"] for q in properties("QueuesOld")["Metrics"] if "MetricStat" in q
    ]
    watched = [query["Dimensions"] for query in [*queries, properties("AgentsQueueOld")]]

    assert [{"Name": "QueueName", "Value": properties(queue)["QueueName"]}] in watched


def test_jobs_of_newsletters_that_wait_are_a_condition_since_each_has_a_group_of_its_own() -> None:
    assert CONDITIONS["JobLate"][0] == observability.SOON


def test_files_and_campaigns_that_wait_are_a_condition_since_their_queues_block_no_conversation() -> (
    None
):
    without_order = {
        q for q in QUEUES if "RedrivePolicy" in properties(q) and "FifoQueue" not in properties(q)
    }

    # Ingest only reads headers: mails that wait for long wait in the queue of the worker.
    assert without_order == {
        "WhatsAppJobsQueue", "WhatsAppCampaignsQueue", "ConversationsMediaQueue", "EmailInboundQueue",
    }  # fmt: skip
    assert CONDITIONS["FilesLate"][0] == CONDITIONS["CampaignsLate"][0] == observability.SOON


# The canary has an alarm of its own. The help desk waits for its webhook.
@each("function", [name for name in FUNCTIONS if name != "WhatsAppCanary"])
def test_an_invocation_near_its_timeout_is_counted(function: str) -> None:
    wanted, found = properties(function), properties(f"{function}Slow")
    timeout = wanted.get("Timeout", template()["Globals"]["Function"]["Timeout"])
    limit_ms = 1_500 if function == "RichpanelWebhook" else 800 * timeout

    assert found["LogGroupName"] == wanted["LoggingConfig"]["LogGroup"]
    assert f"ms>{limit_ms}," in found["FilterPattern"]
    assert found["MetricTransformations"] == [
        {"MetricNamespace": "Parley/dev", "MetricName": "SlowInvocations", "MetricValue": "1"}
    ]
    assert file("template.yaml")["Resources"]["Monitoring"]["DependsOn"] == "Logs"


def test_no_route_has_detailed_metrics_since_no_alarm_reads_them() -> None:
    settings = properties("ParleyApi")["MethodSettings"]

    assert {setting["MetricsEnabled"] for setting in settings} == {False}


def test_alarms_are_mailed_only_where_an_address_is_given() -> None:
    subscription = template()["Resources"]["AlarmEmailSubscription"]

    assert subscription["Condition"] == "HasAlarmEmail"
    assert resolved({"Condition": "HasAlarmEmail"}) is False
    assert resolved({"Condition": "HasAlarmEmail"}, AlarmEmail="ops@example.com") is True


@each("group", sorted(resources("AWS::Logs::LogGroup")))
def test_every_log_expires(group: str) -> None:
    assert properties(group, LogRetentionDays="7")["RetentionInDays"] == "7"


@each("function", FUNCTIONS)
def test_a_function_writes_to_a_log_group_of_its_own(function: str) -> None:
    wanted = properties(function)

    group = properties(f"{function}Logs")["LogGroupName"]
    assert wanted["LoggingConfig"] == {"LogGroup": group}
    assert group == f"/aws/lambda/{wanted['FunctionName']}"


@each("function", FUNCTIONS)
def test_no_function_except_the_sweep_reserves_concurrency(function: str) -> None:
    """Except the sweep, which needs one, if a parameter states that the account has concurrency to reserve."""
    assert "ReservedConcurrentExecutions" not in properties(function)

    reserved = properties(function, RichpanelSweepReserved="true").get(
        "ReservedConcurrentExecutions"
    )
    assert reserved == (1 if function == "RichpanelSweep" else None)
