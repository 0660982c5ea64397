"""template.yaml: every caller uses a function's alias, and new versions take over at once or gradually."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from shared.aws.workers.sqs_worker import wait_seconds
from shared.events.versions import NewerVersion
from tests.cases import each
from tests.template import environment, exists, parameters, properties, resources, template
from tests.unit.template.deployment.test_first_deployment import STAGES, overrides_of, refused_by
from tests.unit.template.translated import Resources, translated, translations

FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
QUEUES = sorted(resources("AWS::SQS::Queue"))
TYPES = template()["Parameters"]["GradualDeployment"]["AllowedValues"]
GRADUAL = [kind for kind in TYPES if kind != "none"]
LINEAR = "Linear10PercentEvery1Minute"
ROLLS_BACK = ["AttentionNow", "ApiFailing", "FunctionsFailing"]


def references_in(value: Any) -> Iterator[str]:
    """The logical ids that a part of the template refers to."""
    if isinstance(value, list):
        for entry in value:
            yield from references_in(entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            match key, entry:
                case "Ref", str(name):
                    yield name
                case "Fn::GetAtt", [str(name), *_]:
                    yield name
                case "Fn::Sub", _:
                    text = entry[0] if isinstance(entry, list) else entry
                    yield from re.findall(r"\$\{(\w+)", text)
                    yield from references_in(entry)
                case _:
                    yield from references_in(entry)


def versions(made: Resources) -> set[str]:
    """The logical ids of the published versions; a new id publishes a new version."""
    return {name for name, one in made.items() if one["Type"] == "AWS::Lambda::Version"}


CHANGED = [
    {"LogLevel": "DEBUG"},
    {"Release": "2"},
    {"MessagesTableName": "inbox"},
    {"MessagesTableNaming": "exact"},
    {"RichpanelSweepReserved": "true"},
]
OF_NO_FUNCTION = {"AlarmEmail": "ops@example.com", "GradualDeployment": LINEAR}


@cache
def changed() -> dict[tuple[str, ...], Resources]:
    """The resources under each set of changed parameters, by its values; one process makes all."""
    sets = [*CHANGED, OF_NO_FUNCTION, *({"GradualDeployment": kind} for kind in TYPES)]
    return dict(zip((tuple(one.values()) for one in sets), translations(sets), strict=True))


@pytest.mark.long
@each("function", FUNCTIONS)
def test_the_alias_of_a_function_names_its_published_version(function: str) -> None:
    made = translated()
    alias = made[f"{function}Aliaslive"]["Properties"]

    (version,) = references_in(alias["FunctionVersion"])
    assert alias["FunctionName"] == {"Ref": function}
    assert made[version]["Properties"]["FunctionName"] == {"Ref": function}
    assert made[version]["DeletionPolicy"] == "Retain"  # a rollback returns to it


@pytest.mark.long
def test_no_caller_uses_a_function_without_its_alias() -> None:
    """Event sources, topics, schedules, routes, the authorizer and their permissions."""
    made = translated()
    direct = {
        name: entry["Type"]
        for name, entry in made.items()
        if set(references_in(entry)) & set(FUNCTIONS)
    }

    failures = "AWS::Lambda::EventInvokeConfig"
    assert set(direct.values()) == {"AWS::Lambda::Alias", "AWS::Lambda::Version", failures}
    assert {
        made[name]["Properties"]["Qualifier"] for name, kind in direct.items() if kind == failures
    } == {"live"}


@pytest.mark.parametrize(
    "kind",
    ["AWS::Lambda::EventSourceMapping", "AWS::Lambda::Permission", "AWS::Events::Rule"],
)
def test_sources_and_permissions_name_the_alias(kind: str) -> None:
    callers = [entry for entry in translated().values() if entry["Type"] == kind]

    assert callers
    for entry in callers:
        assert [name for name in references_in(entry) if name.endswith("Aliaslive")], entry


def test_the_routes_and_the_authorizer_call_the_alias() -> None:
    body = translated()["ParleyApi"]["Properties"]["Body"]

    called = {name for name in references_in(body) if name.endswith("Aliaslive")}
    assert "ApiAuthorizerAliaslive" in called
    assert {f"{function}Aliaslive" for function in FUNCTIONS if _has_routes(function)} < called


def _has_routes(function: str) -> bool:
    return any(event["Type"] == "Api" for event in properties(function).get("Events", {}).values())


@pytest.mark.parametrize("package", ["code", pytest.param("layer", marks=pytest.mark.long)])
def test_new_code_and_libraries_publish_a_version_of_every_function(package: str) -> None:
    """Without a new version the alias would keep the old code."""
    assert len(versions(translated())) == len(FUNCTIONS)
    made = translated(**{package: "s3://bucket/other"})
    assert versions(translated()).isdisjoint(versions(made))


@pytest.mark.long
@pytest.mark.parametrize("given", CHANGED, ids=str)
def test_new_parameters_publish_a_version_of_every_function(given: dict[str, str]) -> None:
    made = changed()[tuple(given.values())]

    assert len(versions(made)) == len(FUNCTIONS)
    assert versions(translated()).isdisjoint(versions(made))


@pytest.mark.long
def test_parameters_that_no_function_has_publish_no_version() -> None:
    """Lambda refuses to publish a version of an unchanged function, and the update would fail."""
    assert versions(translated()) == versions(changed()[tuple(OF_NO_FUNCTION.values())])


@pytest.mark.long
def test_a_new_version_takes_over_at_once_in_every_stage_but_prod() -> None:
    wanted = {stage: parameters(overrides_of(stage))["GradualDeployment"] for stage in STAGES}

    assert {stage: kind for stage, kind in wanted.items() if kind != "none"} == {"prod": LINEAR}
    made = changed()["none",].values()
    assert not [one for one in made if "CodeDeploy" in one["Type"] or "UpdatePolicy" in one]


@pytest.mark.parametrize("kind", GRADUAL)
@pytest.mark.long
def test_a_gradual_deployment_shifts_every_alias_and_an_alarm_rolls_it_back(kind: str) -> None:
    made = changed()[kind,]

    for function in FUNCTIONS:
        policy = made[f"{function}Aliaslive"]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        group = made[f"{function}DeploymentGroup"]["Properties"]
        assert policy["DeploymentGroupName"] == {"Ref": f"{function}DeploymentGroup"}
        assert kind in str(group["DeploymentConfigName"])
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
        assert group["AlarmConfiguration"] == {
            "Enabled": True,
            "Alarms": [
                {"Name": {"Fn::GetAtt": ["Monitoring", f"Outputs.{alarm}Name"]}}
                for alarm in ROLLS_BACK
            ],
        }
        assert group["ServiceRoleArn"] == {"Fn::GetAtt": ["GradualDeploymentRole", "Arn"]}


@pytest.mark.parametrize("alarms", ["all", "essential"])
def test_the_alarms_that_roll_back_exist_wherever_a_deployment_may_be_gradual(alarms: str) -> None:
    named = template()["Globals"]["Function"]["DeploymentPreference"]["Alarms"]

    assert named == [{"Ref": alarm} for alarm in ROLLS_BACK]
    assert all(exists(alarm, Stage="prod", Alarms=alarms) for alarm in ROLLS_BACK)


def test_a_gradual_deployment_without_alarms_is_refused() -> None:
    rule = "AGradualDeploymentHasAlarms"

    assert refused_by(rule, GradualDeployment=LINEAR, Alarms="none")
    assert not refused_by(rule, GradualDeployment=LINEAR, Alarms="essential")
    assert not refused_by(rule, GradualDeployment="none", Alarms="none")


@pytest.mark.parametrize("kind", GRADUAL)
def test_all_traffic_is_shifted_before_a_newer_event_becomes_a_dead_letter(kind: str) -> None:
    """A function of the previous release leaves it on the queue; see shared/events/versions.py."""
    attempts = min(int(environment(name).get("MAX_ATTEMPTS", "99")) for name in FUNCTIONS)
    waits = sum(wait_seconds(attempt, NewerVersion()) for attempt in range(1, attempts))
    percent, minutes = map(int, re.findall(r"\d+", kind))
    steps = 1 if kind.startswith("Canary") else 100 // percent

    # The deployments of all functions begin within two minutes of each other.
    assert steps * minutes * 60 + 120 <= waits
