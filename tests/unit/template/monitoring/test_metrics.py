"""The stacks: the metric math of alarms, and the existence of every metric in an alarm or dashboard."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from shared.runtime.observability import CONDITIONS
from tests.cases import each
from tests.template import ROOT, exists, holds, properties, resources

# The quotas of CloudWatch dashboards, and of the log groups of one Logs Insights query.
MOST_WIDGETS = 500
MOST_METRICS_OF_A_WIDGET = 500
MOST_METRICS_OF_A_DASHBOARD = 2_500
MOST_LOG_GROUPS_OF_A_QUERY = 50
ALARMS = sorted(resources("AWS::CloudWatch::Alarm"))
# Documented by AWS and used here; of our own namespace, the names that functions emit.
OF_AWS = {
    "AWS/ApiGateway": {"5XXError", "Latency"},
    "AWS/DynamoDB": {
        "ConditionalCheckFailedRequests",
        "ConsumedWriteCapacityUnits",
        "SuccessfulRequestLatency",
        "SystemErrors",
        "ThrottledRequests",
        "WriteThrottleEvents",
    },
    "AWS/Lambda": {"ConcurrentExecutions", "Duration", "Errors", "Invocations", "Throttles"},
    "AWS/SES": {"Reputation.BounceRate", "Reputation.ComplaintRate"},
    "AWS/SQS": {
        "ApproximateAgeOfOldestMessage",
        "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesVisible",
        "NumberOfDeduplicatedSentMessages",
    },
}
_EMITTED = re.compile(r'(?:add_metric|single_metric)\(\s*"(\w+)"(?: if \w+ else "(\w+)")?')


# Sums over a whole period: CloudWatch computes the same for each of its points.
FUNCTIONS: dict[str, object] = {
    "FILL": lambda value, _: value,
    "RUNNING_SUM": lambda value: value,
    "IF": lambda condition, yes, no: yes if condition else no,
}


def is_bad(alarm: str, **totals: float) -> bool:
    """Whether a period with these totals, and 0 of every other metric, is above the alarm's threshold."""
    wanted = properties(alarm)
    ids = {query["Id"] for query in wanted["Metrics"] if "MetricStat" in query}
    (expression,) = (q["Expression"] for q in wanted["Metrics"] if q["ReturnData"])
    assert totals.keys() <= ids
    known = dict.fromkeys(ids, 0.0) | totals
    value = eval(expression, {"__builtins__": {}}, FUNCTIONS | known)  # noqa: S307 - an expression of our own template
    return bool(value > wanted["Threshold"])


def parts_of(alarm: str) -> list[dict[str, Any]]:
    return [query for query in properties(alarm)["Metrics"] if "MetricStat" in query]


@pytest.mark.parametrize("place", ["handled", "deduplicated", "visible", "inflight"])
def test_an_accepted_event_is_lost_unless_it_is_handled_dropped_or_queued(place: str) -> None:
    assert is_bad("WhatsAppConservation", accepted=8, **{place: 7})
    assert not is_bad("WhatsAppConservation", accepted=7, **{place: 7})


@each("part", parts_of("QueuesOld"), ids=lambda part: part["Id"])
def test_one_queue_with_an_old_message_triggers_the_alarm(part: dict[str, Any]) -> None:
    assert is_bad("QueuesOld", **{part["Id"]: 181})
    assert not is_bad("QueuesOld", **{part["Id"]: 30})


def test_one_failed_invocation_in_a_hundred_is_not_yet_bad() -> None:
    assert is_bad("FunctionsFailing", errors=2, invocations=100)
    assert not is_bad("FunctionsFailing", errors=1, invocations=100)


@cache
def emitted() -> set[str]:
    """All metrics that functions emit, as their code names them."""
    names = {
        "Persisted",
        "Duplicate",
        "Parked",
        "FollowUp",
    }  # the worker builds them from the outcome
    names |= {"ConsumedWRU", "SlowInvocations"}  # chosen by the worker; of the metric filters
    names |= {counter for counter, _ in CONDITIONS.values()}
    for folder in ("functions", "layers/shared"):
        for module in (ROOT / folder).rglob("*.py"):
            for found in _EMITTED.findall(module.read_text()):
                names |= {name for name in found if name}
    return names


def assert_metric_exists(namespace: str, name: str, dimensions: dict[str, str]) -> None:
    if namespace == "Parley/dev":
        assert name in emitted()
        if name == "SlowInvocations":
            assert dimensions == {}
        else:
            assert dimensions.keys() == {"service"}
            assert dimensions["service"] in {"whatsapp", "richpanel", "conversations", "all"}
    else:
        assert name in OF_AWS[namespace]


@each("alarm", ALARMS)
def test_an_alarm_watches_metrics_that_are_emitted(alarm: str) -> None:
    wanted = properties(alarm)
    metrics = (
        [part["MetricStat"]["Metric"] for part in parts_of(alarm)]
        if "Metrics" in wanted
        else [wanted]
    )

    for metric in metrics:
        dimensions = {entry["Name"]: entry["Value"] for entry in metric.get("Dimensions", [])}
        assert_metric_exists(metric["Namespace"], metric["MetricName"], dimensions)


def widgets(**given: str) -> dict[str, dict[str, Any]]:
    body = json.loads(properties("Dashboard", **given)["DashboardBody"])
    return {widget["properties"]["title"]: widget["properties"] for widget in body["widgets"]}


def test_the_dashboard_has_its_rows_and_draws_metrics_that_exist() -> None:
    drawn = {title: widget for title, widget in widgets().items() if "metrics" in widget}

    assert list(drawn) == [
        "Events",
        "In queue",
        "Sends by outcome",
        "Watchmen",
        "Latency p99, ms",
        "Latency p50, ms",
        "Write units",
        "Write units per event, and dollars per million (us-east-1, list prices)",
    ]
    for widget in drawn.values():
        for entry in widget["metrics"]:
            words = [word for word in entry if isinstance(word, str)]
            if words:
                namespace, name, *pairs = words
                dimensions = dict(zip(pairs[::2], pairs[1::2], strict=True))
                assert_metric_exists(namespace, name, dimensions)
            else:
                assert "expression" in entry[0]


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_the_dashboard_shows_every_alarm_that_is_deployed_and_no_other(enabled: str) -> None:
    lists = [w["alarms"] for w in widgets(CanaryEnabled=enabled).values() if "alarms" in w]
    shown = [arn.rsplit(":", 1)[-1] for alarms in lists for arn in alarms]

    # CloudWatch takes no more in one widget ("Dashboard body structure").
    assert all(len(alarms) <= 100 for alarms in lists)
    assert sorted(shown) == [name for name in ALARMS if exists(name, CanaryEnabled=enabled)]
    assert holds(template_condition("Dashboard"))
    assert not exists("Dashboard", Stage="local")


def template_condition(logical_id: str) -> str:
    return str(resources("AWS::CloudWatch::Dashboard")[logical_id]["Condition"])


def test_the_dashboard_and_its_widgets_stay_within_the_limits_of_cloudwatch() -> None:
    graphs = [widget["metrics"] for widget in widgets().values() if "metrics" in widget]

    assert len(widgets()) <= MOST_WIDGETS
    assert max(map(len, graphs)) <= MOST_METRICS_OF_A_WIDGET
    assert sum(map(len, graphs)) <= MOST_METRICS_OF_A_DASHBOARD


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_the_newest_errors_are_those_of_every_function_that_is_deployed(enabled: str) -> None:
    query = widgets(CanaryEnabled=enabled)["Newest errors"]["query"]
    groups = {
        properties(f"{function}Logs")["LogGroupName"]
        for function in resources("AWS::Serverless::Function")
        if exists(function, CanaryEnabled=enabled)
    }

    assert set(re.findall(r"SOURCE '([^']+)'", query)) == groups, (
        "list the log group in the widget `Newest errors` of stacks/monitoring.yaml"
    )
    assert len(groups) <= MOST_LOG_GROUPS_OF_A_QUERY
    assert "level = 'ERROR'" in query
