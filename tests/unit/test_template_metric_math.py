"""template.yaml: what the alarms on several metrics compute, over made-up minutes; and that what is drawn exists."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from tests.template import ROOT, exists, holds, properties, resources

MINUTES = 45
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
    "AWS/Lambda": {"ConcurrentExecutions", "Duration", "Errors", "Throttles"},
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
    assert not conserved(accepted=steady, persisted=steady | {20: 4.0})


def test_nothing_is_wrong_while_nothing_comes_or_all_of_it_is_stored() -> None:
    steady = dict.fromkeys(range(MINUTES), 5.0)

    assert conserved()
    assert conserved(accepted=steady, persisted=steady)
    assert conserved(accepted={20: 3}, persisted={20: 1}, duplicate={20: 1}, parked={20: 1})


def test_what_is_handled_a_minute_later_is_not_missing() -> None:
    """Minutes end between the webhook and the worker all the time."""
    assert conserved(accepted={20: 1}, persisted={21: 1})
    every_other = dict.fromkeys(range(0, MINUTES, 2), 1.0)
    a_minute_later = {minute + 1: 1.0 for minute in every_other}
    assert conserved(accepted=every_other, persisted=a_minute_later)


@pytest.mark.parametrize("where", ["visible", "inflight", "dead"])
def test_what_waits_in_a_queue_is_not_missing(where: str) -> None:
    waiting = dict.fromkeys(range(20, MINUTES), 7.0)

    assert conserved(accepted={20: 7}, **{where: waiting})
    assert not conserved(accepted={20: 8}, **{where: waiting})


def test_a_repeat_that_the_queue_drops_is_not_missing() -> None:
    assert conserved(accepted={20: 2}, deduplicated={20: 1}, persisted={20: 1})


def test_an_event_that_is_counted_twice_hides_no_later_loss() -> None:
    """A run that dies after its count and before the delete makes one too many."""
    assert conserved(accepted={5: 1}, persisted={5: 1}, duplicate={11: 1})
    assert not conserved(accepted={5: 1, 28: 1}, persisted={5: 1}, duplicate={11: 1})


def test_the_workers_own_follow_ups_are_no_part_of_the_account() -> None:
    metrics = {q["MetricStat"]["Metric"]["MetricName"] for q in parts_of("WhatsAppConservation")}

    assert metrics == {
        "Accepted", "Persisted", "Duplicate", "Parked", "NumberOfDeduplicatedSentMessages",
        "ApproximateNumberOfMessagesVisible", "ApproximateNumberOfMessagesNotVisible",
    }  # fmt: skip


def parts_of(alarm: str) -> list[dict[str, Any]]:
    return [query for query in properties(alarm)["Metrics"] if "MetricStat" in query]


def during(value: float) -> dict[int, float]:
    return dict.fromkeys(range(20, 24), value)


@pytest.mark.parametrize("operation", ["get", "batchget", "query", "put", "update", "delete"])
@pytest.mark.parametrize("alarm", ["WhatsAppTableThrottled", "WhatsAppTableFailed"])
def test_one_operation_that_keeps_failing_is_enough(alarm: str, operation: str) -> None:
    assert is_raised(alarm, **{operation: during(1)})
    assert not is_raised(alarm, **{operation: {20: 1.0}})
    assert not is_raised(alarm)


def test_more_than_a_fifth_of_refused_writes_is_seen_once_there_are_a_hundred() -> None:
    alarm = "WhatsAppTableRefusing"

    assert is_raised(alarm, refused=during(21), put=during(40), update=during(39))
    assert not is_raised(alarm, refused=during(20), put=during(40), update=during(40))
    assert not is_raised(alarm, refused=during(3), put=during(1)), "a repeat in a quiet night"
    assert not is_raised(alarm, put=during(500))


def test_events_that_cost_a_fifth_more_than_they_should_are_seen_once_there_are_twenty() -> None:
    alarm = "WhatsAppWritesDear"

    assert is_raised(alarm, units=during(220), persisted=during(10), followups=during(10))
    assert not is_raised(alarm, units=during(216), persisted=during(20))
    assert not is_raised(alarm, units=during(190), persisted=during(19)), "too few to judge"
    assert not is_raised(alarm)


@pytest.mark.parametrize(
    "alarm",
    [
        name
        for name in ALARMS
        if re.fullmatch(r"(Richpanel|Conversation|Company)\w+Table(Throttled|Failed)", name)
    ],
)
def test_one_operation_on_a_table_that_keeps_failing_is_enough(alarm: str) -> None:
    for part in parts_of(alarm):
        assert is_raised(alarm, **{part["Id"]: during(1)})
        assert not is_raised(alarm, **{part["Id"]: {20: 1.0}})


@pytest.mark.parametrize(
    ("alarm", "names", "of_two_hundred", "enough"),
    [
        ("RichpanelSweepFinds", ("found", "turns"), 3, 20),
        ("RichpanelHelpDeskRefusing", ("refused", "calls"), 3, 50),
        ("RichpanelModelFailing", ("failures", "asked"), 10, 20),
    ],
)
def test_a_share_is_judged_once_there_is_enough_to_judge(
    alarm: str, names: tuple[str, str], of_two_hundred: int, enough: int
) -> None:
    bad, whole = names
    assert is_raised(alarm, **{bad: during(of_two_hundred), whole: during(200)})
    assert not is_raised(alarm, **{bad: during(of_two_hundred - 1), whole: during(200)})
    assert not is_raised(alarm, **{bad: during(enough - 1), whole: during(enough - 1)})
    assert not is_raised(alarm)


def test_four_fifths_of_the_workers_that_may_run_is_seen() -> None:
    assert not is_raised("WhatsAppWorkerBusy", running=during(16))
    assert is_raised("WhatsAppWorkerBusy", running=during(17))


@cache
def emitted() -> set[str]:
    """All metrics that functions emit, as their code names them."""
    names = {"Persisted", "Duplicate", "Parked", "FollowUp"}  # the worker makes them of the outcome
    for folder in ("functions", "layers/shared"):
        for module in (ROOT / folder).rglob("*.py"):
            for found in _EMITTED.findall(module.read_text()):
                names |= {name for name in found if name}
    return names


def assert_metric_exists(namespace: str, name: str, dimensions: dict[str, str]) -> None:
    if namespace == "Parley/dev":
        assert name in emitted()
        assert dimensions.keys() == {"service"}
        assert dimensions["service"] in {"whatsapp", "richpanel", "conversations"}
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
        dimensions = {entry["Name"]: entry["Value"] for entry in metric["Dimensions"]}
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


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_the_newest_errors_are_those_of_every_function_that_is_deployed(enabled: str) -> None:
    query = widgets(CanaryEnabled=enabled)["Newest errors"]["query"]
    groups = {
        properties(f"{function}Logs")["LogGroupName"]
        for function in resources("AWS::Serverless::Function")
        if exists(function, CanaryEnabled=enabled)
    }

    assert set(re.findall(r"SOURCE '([^']+)'", query)) == groups
    assert "level = 'ERROR'" in query
