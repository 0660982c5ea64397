"""Compares the AWS permissions of functions in the template with the operations that they use: both must be equal."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pytest

from tests.roles import as_list, role_of, statements_on_aws
from tests.simulation.permissions.permissions import CallObserver, Use
from tests.template import holds, properties, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.simulation.simulated_system import SimulatedSystem

# Operators of conditions, and whether they hold if a use has no value for their key. Patterns of all are compared
# as IAM compares wildcards of StringLike; StringEquals has none in our template.
OPERATORS = {
    "StringLike": False,
    "ForAllValues:StringLike": True,
    "ForAllValues:StringEquals": True,
}


@contextmanager
def observed(system: SimulatedSystem[Any]) -> Iterator[CallObserver]:
    """Record the uses of all functions of a system."""
    observer = CallObserver()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system.interceptor, "observer", observer.note)
        for function, module in system.functions.items():
            patch.setattr(module, "handler", observer.watching(function, module.handler))
        yield observer


def check(
    function: str,
    uses: Mapping[str, set[Use]],
    given: Mapping[str, str],
    unused: frozenset[str] = frozenset(),
) -> None:
    """
    Check that a role permits exactly the calls of its function and of Lambda itself, under the parameters *given*.

    *unused*: grants, as `named` names them, that no scenario uses.
    """
    grants, of_lambda = grants_of(function, **given), granted_for_lambda(function, **given)
    assert missing(grants, uses[function]) == []
    assert of_lambda <= grants
    found = {named(grant) for grant in needless(grants - of_lambda, uses[function])}
    assert found == unused, sorted(found ^ unused)


@dataclass(frozen=True)
class Condition:
    """All values that a use has under *key* fit one of the *patterns*."""

    operator: str
    key: str
    patterns: tuple[str, ...]

    def holds(self, use: Use) -> bool:
        """Whether the condition holds in IAM."""
        values = dict(use.context).get(self.key)
        if values is None:
            return OPERATORS[self.operator]
        return all(any(fnmatchcase(v, pattern) for pattern in self.patterns) for v in values)


@dataclass(frozen=True)
class Grant:
    """One action on one resource, or on a pattern of them, under conditions."""

    action: str
    resource: str
    conditions: tuple[Condition, ...] = ()

    def permits(self, use: Use) -> bool:
        """Whether IAM would allow this use by this grant."""
        return (
            self.action == use.action
            and fnmatchcase(use.resource, self.resource)
            and all(condition.holds(use) for condition in self.conditions)
        )


def needless(grants: set[Grant], uses: set[Use]) -> list[Grant]:
    """Grants that no function uses."""
    return [grant for grant in grants if not any(grant.permits(use) for use in uses)]


def missing(grants: set[Grant], uses: set[Use]) -> list[Use]:
    """Uses that AWS would refuse."""
    return [use for use in uses if not any(grant.permits(use) for grant in grants)]


def grants_of(function: str, **given: str) -> set[Grant]:
    """All AWS permissions of a function in the template, under these parameters."""
    return {
        Grant(action, resource, _conditions(statement))
        for statement in statements_on_aws(role_of(function), **given)
        for action in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
    }


def granted_for_lambda(function: str, **given: str) -> set[Grant]:
    """
    The operations of Lambda itself under a function's role, which no call of the code shows.

    - The runtime writes the function's output to its log group, and its segments to X-Ray.
    - The poller of a queue takes messages and deletes them (Lambda, "Using Lambda with Amazon SQS": the three actions).
    - The poller of a stream reads its records (the same guide on DynamoDB: the four actions), and sends the position of
      those that failed finally to the failure destination.
    - An event whose asynchronous invocation failed finally is sent to the failure destination.
    """
    wanted = properties(function, **given)
    grants = {
        Grant(action, properties_arn(f"{function}Logs", **given))
        for action in ("logs:CreateLogStream", "logs:PutLogEvents")
    }
    if holds("Traces", **given):
        for action in ("xray:PutTelemetryRecords", "xray:PutTraceSegments"):
            grants.add(Grant(action, "*"))
    for event in wanted.get("Events", {}).values():
        if event["Type"] == "SQS":
            for name in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"):
                grants.add(Grant(f"sqs:{name}", event["Properties"]["Queue"]))
        if event["Type"] == "DynamoDB":
            for name in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"):
                grants.add(Grant(f"dynamodb:{name}", event["Properties"]["Stream"]))
            destination = event["Properties"]["DestinationConfig"]["OnFailure"]["Destination"]
            grants.add(Grant("sqs:SendMessage", destination))
    failures = wanted.get("EventInvokeConfig", {}).get("DestinationConfig", {}).get("OnFailure")
    if failures:
        grants.add(Grant("sqs:SendMessage", failures["Destination"]))
    return grants


def properties_arn(logical_id: str, **given: str) -> str:
    """The ARN of a resource of the template."""
    return str(resolved({"Fn::GetAtt": f"{logical_id}.Arn"}, **given))


def _conditions(statement: Mapping[str, Any]) -> tuple[Condition, ...]:
    conditions = statement.get("Condition", {})
    assert conditions.keys() <= OPERATORS.keys(), f"teach `Condition` about {conditions.keys()}"
    return tuple(
        Condition(operator, key, tuple(as_list(patterns)))
        for operator, wanted in conditions.items()
        for key, patterns in wanted.items()
    )


def named(grant: Grant) -> str:
    """A grant by its action and the end of its resource."""
    return f"{grant.action} {grant.resource.rpartition(':')[2]}"
