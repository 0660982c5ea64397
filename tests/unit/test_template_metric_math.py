"""template.yaml: what the alarms on several metrics compute, over made-up minutes; and that what is drawn exists."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from shared.runtime.observability import CONDITIONS
from tests.template import ROOT, exists, holds, properties, resources

MINUTES = 45
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


@dataclass(frozen=True)
class Series:
    """A metric minute by minute, None where there is no data; arithmetic as in CloudWatch's metric math."""

    values: tuple[float | None, ...]

    def _with(self, other: object, operate: Any) -> Series:
        theirs = other.values if isinstance(other, Series) else [other] * len(self.values)
        pairs = zip(self.values, theirs, strict=True)
        return Series(tuple(None if None in pair else operate(*pair) for pair in pairs))

    def __add__(self, other: object) -> Series:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: object) -> Series:
        return self._with(other, lambda a, b: a - b)

    def __rmul__(self, other: object) -> Series:
        return self._with(other, lambda a, b: b * a)

    def __truediv__(self, other: object) -> Series:
        return self._with(other, lambda a, b: a / b if b else None)

    def __ge__(self, other: object) -> Series:
        return self._with(other, lambda a, b: float(a >= b))

    def __gt__(self, other: object) -> Series:
        return self._with(other, lambda a, b: float(a > b))


def _fill(series: Series, value: float) -> Series:
    return Series(tuple(value if entry is None else entry for entry in series.values))


def _running_sum(series: Series) -> Series:
    total, sums = 0.0, []
    for value in series.values:
        total += value or 0
        sums.append(total)
    return Series(tuple(sums))


def _sum(several: list[Series]) -> Series:
    columns = zip(*(series.values for series in several), strict=True)
    known = ([value for value in column if value is not None] for column in columns)
    return Series(tuple(sum(values) if values else None for values in known))


def _if(condition: Series, yes: Series, no: float) -> Series:
    pairs = zip(condition.values, yes.values, strict=True)
    return Series(tuple(None if c is None else y if c else no for c, y in pairs))


FUNCTIONS: dict[str, object] = {"FILL": _fill, "RUNNING_SUM": _running_sum, "SUM": _sum, "IF": _if}


def is_raised(alarm: str, **series: dict[int, float]) -> bool:
    """
    Whether the alarm is raised at any minute of 45, its metrics being what is given as {minute: value}.

    The window slides: each minute the expression is computed over the last EvaluationPeriods points alone.
    """
    wanted = properties(alarm)
    ids = {query["Id"] for query in wanted["Metrics"] if "MetricStat" in query}
    (expression,) = (q["Expression"] for q in wanted["Metrics"] if q["ReturnData"])
    assert series.keys() <= ids
    length, enough = wanted["EvaluationPeriods"], wanted["DatapointsToAlarm"]
    for end in range(length, MINUTES + 1):
        window = range(end - length, end)
        known = {i: Series(tuple(series.get(i, {}).get(m) for m in window)) for i in ids}
        result = eval(expression, {"__builtins__": {}}, FUNCTIONS | known)  # noqa: S307 - our own template's words
        bad = [
            value for value in result.values if value is not None and value > wanted["Threshold"]
        ]
        if len(bad) >= enough:
            return True
    return False


def conserved(**series: dict[int, float]) -> bool:
    return not is_raised("WhatsAppConservation", **series)


def test_one_event_that_nobody_accounts_for_is_seen() -> None:
    assert not conserved(accepted={20: 1})
    steady = dict.fromkeys(range(MINUTES), 5.0)
    assert not conserved(accepted=steady, handled=steady | {20: 4.0})


def test_nothing_is_wrong_while_nothing_comes_or_all_of_it_is_stored() -> None:
    steady = dict.fromkeys(range(MINUTES), 5.0)

    assert conserved()
    assert conserved(accepted=steady, handled=steady)


def test_what_is_handled_a_minute_later_is_not_missing() -> None:
    """Minutes end between the webhook and the worker all the time."""
    assert conserved(accepted={20: 1}, handled={21: 1})
    every_other = dict.fromkeys(range(0, MINUTES, 2), 1.0)
    a_minute_later = {minute + 1: 1.0 for minute in every_other}
    assert conserved(accepted=every_other, handled=a_minute_later)


@pytest.mark.parametrize("where", ["visible", "inflight"])
def test_what_waits_in_a_queue_is_not_missing(where: str) -> None:
    waiting = dict.fromkeys(range(20, MINUTES), 7.0)

    assert conserved(accepted={20: 7}, **{where: waiting})
    assert not conserved(accepted={20: 8}, **{where: waiting})


def test_a_repeat_that_the_queue_drops_is_not_missing() -> None:
    assert conserved(accepted={20: 2}, deduplicated={20: 1}, handled={20: 1})


def test_an_event_that_is_counted_twice_hides_no_later_loss() -> None:
    """A run that dies after its count and before the delete makes one too many."""
    assert conserved(accepted={5: 1}, handled={5: 1, 11: 1})
    assert not conserved(accepted={5: 1, 28: 1}, handled={5: 1, 11: 1})


def test_the_workers_own_follow_ups_are_no_part_of_the_account() -> None:
    """The worker writes ConsumedWRU once for each accepted event and FollowUpWRU for its own."""
    metrics = {q["MetricStat"]["Metric"]["MetricName"] for q in parts_of("WhatsAppConservation")}

    assert metrics == {
        "Accepted", "ConsumedWRU", "NumberOfDeduplicatedSentMessages",
        "ApproximateNumberOfMessagesVisible", "ApproximateNumberOfMessagesNotVisible",
    }  # fmt: skip


def parts_of(alarm: str) -> list[dict[str, Any]]:
    return [query for query in properties(alarm)["Metrics"] if "MetricStat" in query]


def during(value: float) -> dict[int, float]:
    return dict.fromkeys(range(20, 24), value)


def test_more_than_a_fifth_of_refused_writes_is_seen_once_there_are_fifty() -> None:
    alarm = "WhatsAppConditionsRefused"

    assert is_raised(alarm, refused=during(21), put=during(79))
    assert not is_raised(alarm, refused=during(20), put=during(80))
    assert not is_raised(alarm, refused=during(3), put=during(1)), "a repeat in a quiet night"
    assert not is_raised(alarm, put=during(500))


@pytest.mark.parametrize(
    ("queue", "seconds"),
    [
        *(("whatsapp", 60), ("inbound", 60), ("live", 30), ("richpanel", 120), ("replies", 120)),
        *(("statuses", 120), ("outwhatsapp", 180), ("outsms", 180), ("outemail", 180)),
    ],
)
def test_one_queue_whose_oldest_message_waits_too_long_is_enough(queue: str, seconds: int) -> None:
    assert is_raised("QueuesOld", **{queue: during(seconds + 1)})
    assert not is_raised("QueuesOld", **{queue: during(seconds)})
    assert not is_raised("QueuesOld", **{queue: {20: 1_000.0}})


def test_one_in_a_hundred_invocations_that_fail_is_not_yet_too_many() -> None:
    assert is_raised("FunctionsFailing", errors=during(2), invocations=during(100))
    assert not is_raised("FunctionsFailing", errors=during(1), invocations=during(100))
    assert not is_raised("FunctionsFailing", invocations=during(100))


@cache
def emitted() -> set[str]:
    """All metrics that functions emit, as their code names them."""
    names = {"Persisted", "Duplicate", "Parked", "FollowUp"}  # the worker makes them of the outcome
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


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_watches_metrics_that_somebody_emits(alarm: str) -> None:
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

    assert set(re.findall(r"SOURCE '([^']+)'", query)) == groups
    assert len(groups) <= MOST_LOG_GROUPS_OF_A_QUERY
    assert "level = 'ERROR'" in query
