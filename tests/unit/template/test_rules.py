"""
template.yaml: rules for all its resources, each with an example that violates it.

A rule takes the template as data and returns the violating resources: none in ours, and the altered one in a copy that
was changed in one place.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.template import template

type Template = dict[str, Any]
type Rule = Callable[[Template], list[str]]

# Words in a variable's name that indicate a secret, and values that look like one in any position.
SECRET_NAME = re.compile(
    r"SECRET|TOKEN|PASSWORD|CREDENTIAL|PRIVATE|API_?KEY|SIGNING", re.IGNORECASE
)
SECRET_VALUE = re.compile(
    r"AKIA[0-9A-Z]{16}"  # AWS access key
    r"|EAA[0-9A-Za-z]{20}"  # Meta access token
    r"|sk-[\w-]{16}|gh[pousr]_\w{20}|xox[abp]-|eyJ[\w-]{10,}\."  # OpenAI, GitHub, Slack, JWT
    r"|-----BEGIN"
    r"|://[^/\s:@]+:[^/\s@]+@"  # credentials in an address
    r"|\b[0-9a-fA-F]{32,}\b|[0-9A-Za-z+/]{40,}"
)
# One role serves every API of the account, so AWS's own policy is as narrow as it can be.
MANAGED = {"ApiLoggingRole": "AmazonAPIGatewayPushToCloudWatchLogs"}
# Our only managed policy: Lambda asks for it before a function with active tracing exists.
WRITES_TRACES = {"Fn::If": ["Traces", {"Ref": "WriteTraces"}, {"Ref": "AWS::NoValue"}]}
# X-Ray has no resources for these actions (Service Authorization Reference): IAM allows them for "*" only.
WITHOUT_RESOURCES = {
    "lambda:GetAccountSettings",
    "lambda:ListEventSourceMappings",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
    "social-messaging:ListLinkedWhatsAppBusinessAccounts",
    "ses:GetAccount",
    "ses:ListEmailIdentities",
    "cloudwatch:DescribeAlarms",  # by prefix
    "cloudwatch:GetMetricData",
    "logs:GetQueryResults",
}
# The emulator does not evaluate the path of the switches and requires access to all. It runs on one machine only.
ON_EMULATOR_ONLY = {
    ("WhatsAppSendingEmulatorPermissions", "ReadSwitches"),
    ("WhatsAppActionsEmulatorPermissions", "ReadSwitches"),
    ("RichpanelEmulatorPermissions", "ReadSwitches"),
    ("ConversationsEmulatorPermissions", "ReadSwitches"),
    ("EmailThreadsEmulatorPermissions", "ReadSwitches"),
    ("NewslettersEmulatorPermissions", "ReadSwitches"),
}


def of_type(template: Template, *kinds: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Logical ids and properties of all resources of these types."""
    for name, entry in template["Resources"].items():
        if entry["Type"] in kinds:
            yield name, entry.get("Properties", {})


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def texts_in(value: Any) -> Iterator[str]:
    """All texts anywhere in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from texts_in(entry)


def statements(template: Template) -> Iterator[tuple[str, dict[str, Any]]]:
    """All policy documents: of roles, separate policies, functions and resources."""
    for name, wanted in of_type(template, "AWS::IAM::Role"):
        for policy in wanted.get("Policies", []):
            yield from ((name, s) for s in without_conditions(policy["PolicyDocument"]))
    for name, entry in template["Resources"].items():
        if entry["Type"].endswith("Policy") and "PolicyDocument" in entry.get("Properties", {}):
            document = entry["Properties"]["PolicyDocument"]
            yield from ((name, s) for s in without_conditions(document))


def without_conditions(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The statements of a document, including those inside an !If."""
    for statement in listed(document["Statement"]):
        if "Fn::If" in statement:
            yield from (branch for branch in statement["Fn::If"][1:] if "Effect" in branch)
        else:
            yield statement


def variables(template: Template) -> Iterator[tuple[str, str, Any]]:
    """Owner, name and value of every variable of every environment."""
    shared = template["Globals"]["Function"].get("Environment", {}).get("Variables", {})
    yield from (("Globals", name, value) for name, value in shared.items())
    for owner, wanted in of_type(template, "AWS::Serverless::Function", "AWS::Lambda::Function"):
        own = wanted.get("Environment", {}).get("Variables", {})
        yield from ((owner, name, value) for name, value in own.items())


def secrets_in_environments(template: Template) -> list[str]:
    """A variable named after a secret contains a reference to it, and no literal looks like a secret."""
    return [
        f"{owner}.{name}"
        for owner, name, value in variables(template)
        if (SECRET_NAME.search(name) and isinstance(value, str))
        or any(SECRET_VALUE.search(text) for text in texts_in(value))
    ]


def broad_policies(template: Template) -> list[str]:
    """Policies of other owners change without notice and permit too much."""
    found = []
    for name, wanted in of_type(template, "AWS::IAM::Role", "AWS::Serverless::Function"):
        managed = [*listed(wanted.get("ManagedPolicyArns", []))]
        if "Role" not in wanted:  # on a function: names of managed policies, or SAM's templates
            managed += [p for p in listed(wanted.get("Policies", [])) if "PolicyDocument" not in p]
        allowed = MANAGED.get(name)
        found += [
            name
            for policy in managed
            if policy != WRITES_TRACES
            and not (allowed and all(text.endswith(allowed) for text in texts_in(policy)))
        ]
    return found


def wildcards(template: Template) -> list[str]:
    """Permissions on all resources, or on all but some."""
    return [
        f"{owner} {statement.get('Sid')}"
        for owner, statement in statements(template)
        if statement["Effect"] == "Allow"
        and (owner, statement.get("Sid")) not in ON_EMULATOR_ONLY
        and (
            statement.keys() & {"NotAction", "NotResource", "NotPrincipal"}
            or any("*" in action for action in listed(statement["Action"]))
            or ("*" in listed(statement["Resource"]) and not has_no_resources(statement))
            or statement.get("Principal") in ("*", {"AWS": "*"})
        )
    ]


def has_no_resources(statement: dict[str, Any]) -> bool:
    return set(listed(statement["Action"])) <= WITHOUT_RESOURCES


def logs_for_ever(template: Template) -> list[str]:
    """A log group without a retention keeps its lines, and its cost, without limit."""
    groups = of_type(template, "AWS::Logs::LogGroup")
    return [name for name, wanted in groups if not wanted.get("RetentionInDays")]


def undeclared_logs(template: Template) -> list[str]:
    """A function without one of our log groups creates its own, without a retention."""
    ours = [{"Ref": name} for name, _ in of_type(template, "AWS::Logs::LogGroup")]
    functions = of_type(template, "AWS::Serverless::Function", "AWS::Lambda::Function")
    return [
        name
        for name, wanted in functions
        if wanted.get("LoggingConfig", {}).get("LogGroup") not in ours
    ]


def dead_letters(template: Template) -> set[str]:
    """The dead-letter queues: of queues, subscriptions and failed invocations."""
    targets: list[Any] = []

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            targets.extend(value[key] for key in ("deadLetterTargetArn",) if key in value)
            if isinstance(value.get("OnFailure"), dict):
                targets.append(value["OnFailure"].get("Destination"))
        for entry in value.values() if isinstance(value, dict) else value:
            if isinstance(entry, dict | list):
                collect(entry)

    collect(template["Resources"])
    queues = [name for name, _ in of_type(template, "AWS::SQS::Queue")]
    return {queue for queue in queues if {"Fn::GetAtt": f"{queue}.Arn"} in targets}


def queues_that_lose(template: Template) -> list[str]:
    """A queue has a dead-letter queue, or is one."""
    return [
        name
        for name, wanted in of_type(template, "AWS::SQS::Queue")
        if name not in dead_letters(template)
        and not wanted.get("RedrivePolicy", {}).get("deadLetterTargetArn")
    ]


def unwatched_dead_letters(template: Template) -> list[str]:
    """The first dead letter is reported: a scheduled function counts the dead letters of every queue."""
    counted = {
        text
        for _, wanted in of_type(template, "AWS::Serverless::Function")
        if any(event["Type"] == "Schedule" for event in wanted.get("Events", {}).values())
        for text in texts_in(wanted["Environment"]["Variables"].get("DEAD_LETTER_URLS", {}))
    }
    return sorted(dead_letters(template) - counted)


RULES: list[Rule] = [
    secrets_in_environments,
    broad_policies,
    wildcards,
    logs_for_ever,
    undeclared_logs,
    queues_that_lose,
    unwatched_dead_letters,
]

WORKER = ("Resources", "WhatsAppWorker", "Properties")
ROLE = ("Resources", "WhatsAppWorkerRole", "Properties")
VARIABLES = (*WORKER, "Environment", "Variables")
MANAGED_ARNS = (*ROLE, "ManagedPolicyArns")
GRANT = (*ROLE, "Policies", 0, "PolicyDocument", "Statement", 1)
TRACES_GRANT = ("Resources", "WriteTraces", "Properties", "PolicyDocument", "Statement", 0)
NEW = ("Resources", "New")
BAD_GRANT = {"Sid": "Bad", "Effect": "Allow", "Action": "sqs:*", "Resource": "arn:aws:sqs:::a"}

# rule, path of the change in the copy, its value, and the resource that the rule must name
SPOILT: list[tuple[Rule, tuple[str | int, ...], Any, str]] = [
    (secrets_in_environments, (*VARIABLES, "META_APP_SECRET"), "hunter2", "WhatsAppWorker.META_APP_SECRET"),
    (secrets_in_environments, (*VARIABLES, "GRAPH_TOKEN"), "short", "WhatsAppWorker.GRAPH_TOKEN"),
    (secrets_in_environments, (*VARIABLES, "OPENAI_API_KEY"), "short", "WhatsAppWorker.OPENAI_API_KEY"),
    (secrets_in_environments, (*VARIABLES, "PLAIN"), "EAAGm0PX4ZCpsBAKZCZA1b2c3d4e5f", "WhatsAppWorker.PLAIN"),
    (secrets_in_environments, (*VARIABLES, "PLAIN"), "AKIAIOSFODNN7EXAMPLE", "WhatsAppWorker.PLAIN"),
    (secrets_in_environments, (*VARIABLES, "PLAIN"), "-----BEGIN PRIVATE KEY-----", "WhatsAppWorker.PLAIN"),
    (secrets_in_environments, (*VARIABLES, "PLAIN"), "https://user:pass@example.com", "WhatsAppWorker.PLAIN"),
    (secrets_in_environments, (*VARIABLES, "PLAIN"), "0123456789abcdef" * 2, "WhatsAppWorker.PLAIN"),
    (secrets_in_environments, (*VARIABLES, "PLAIN"), {"Fn::Sub": "${Stage}" + "Zm9v" * 10}, "WhatsAppWorker.PLAIN"),
    (secrets_in_environments, ("Globals", "Function", "Environment", "Variables", "DB_PASSWORD"), "a",
     "Globals.DB_PASSWORD"),
    (broad_policies, MANAGED_ARNS, ["arn:aws:iam::aws:policy/AmazonS3FullAccess"], "WhatsAppWorkerRole"),
    (broad_policies, MANAGED_ARNS, [{"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AdministratorAccess"}],
     "WhatsAppWorkerRole"),
    (broad_policies, ("Resources", "ApiLoggingRole", "Properties", "ManagedPolicyArns"),
     ["arn:aws:iam::aws:policy/PowerUserAccess"], "ApiLoggingRole"),
    (broad_policies, (*NEW,), {"Type": "AWS::Serverless::Function", "Properties": {"Policies": "AmazonSQSFullAccess"}},
     "New"),
    (broad_policies, (*NEW,), {"Type": "AWS::Serverless::Function", "Properties": {
        "Policies": [{"DynamoDBCrudPolicy": {"TableName": "a"}}]}}, "New"),
    (wildcards, (*GRANT, "Action"), "sqs:*", "WhatsAppWorkerRole TakeAndGiveWork"),
    (wildcards, (*GRANT, "Action"), ["sqs:SendMessage", "dynamodb:Batch*"], "WhatsAppWorkerRole TakeAndGiveWork"),
    (wildcards, (*GRANT, "Resource"), "*", "WhatsAppWorkerRole TakeAndGiveWork"),
    (wildcards, (*GRANT, "Resource"), [{"Fn::GetAtt": "WhatsAppQueue.Arn"}, "*"], "WhatsAppWorkerRole TakeAndGiveWork"),
    (wildcards, (*TRACES_GRANT, "Action"), ["xray:PutTraceSegments", "xray:GetTraceSummaries"],
     "WriteTraces WriteTraces"),
    (wildcards, (*GRANT, "NotAction"), "sqs:DeleteQueue", "WhatsAppWorkerRole TakeAndGiveWork"),
    (wildcards, (*GRANT, "NotResource"), "arn:aws:s3:::a", "WhatsAppWorkerRole TakeAndGiveWork"),
    (wildcards, (*NEW,), {"Type": "AWS::IAM::ManagedPolicy", "Properties": {
        "PolicyDocument": {"Statement": BAD_GRANT}}}, "New Bad"),
    (wildcards, (*NEW,), {"Type": "AWS::SQS::QueuePolicy", "Properties": {"PolicyDocument": {"Statement": [
        {"Fn::If": ["OnAws", BAD_GRANT | {"Action": "sqs:SendMessage", "Principal": "*"}, {"Ref": "AWS::NoValue"}]},
    ]}}}, "New Bad"),
    (logs_for_ever, ("Resources", "WhatsAppWorkerLogs", "Properties", "RetentionInDays"), None, "WhatsAppWorkerLogs"),
    (logs_for_ever, (*NEW,), {"Type": "AWS::Logs::LogGroup"}, "New"),
    (undeclared_logs, (*WORKER, "LoggingConfig"), {}, "WhatsAppWorker"),
    (undeclared_logs, (*WORKER, "LoggingConfig", "LogGroup"), "/aws/lambda/somewhere", "WhatsAppWorker"),
    (undeclared_logs, (*WORKER, "LoggingConfig", "LogGroup"), {"Ref": "WhatsAppQueue"}, "WhatsAppWorker"),
    (undeclared_logs, (*NEW,), {"Type": "AWS::Serverless::Function", "Properties": {}}, "New"),
    (queues_that_lose, ("Resources", "WhatsAppQueue", "Properties", "RedrivePolicy"), {}, "WhatsAppQueue"),
    (queues_that_lose, (*NEW,), {"Type": "AWS::SQS::Queue"}, "New"),
    (unwatched_dead_letters, ("Resources", "WhatsAppScheduled", "Properties", "Environment", "Variables",
     "DEAD_LETTER_URLS"), {"Ref": "WhatsAppSocialDeadLetters"}, "WhatsAppDeadLetters"),
    (unwatched_dead_letters, ("Resources", "RichpanelSweep", "Properties", "Events"), {}, "RichpanelDeadLetters"),
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_template_keeps_the_rule(rule: Rule) -> None:
    assert rule(template()) == []


@pytest.mark.parametrize(
    ("rule", "path", "value", "culprit"),
    [pytest.param(*case, id=f"{case[0].__name__}-{number}") for number, case in enumerate(SPOILT)],
)
def test_the_rule_names_the_violating_resource(
    rule: Rule, path: tuple[str | int, ...], value: Any, culprit: str
) -> None:
    spoilt: Any = copy.deepcopy(template())
    part = spoilt
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value

    assert culprit in rule(spoilt)


def test_every_rule_has_a_failing_example() -> None:
    assert {rule for rule, *_ in SPOILT} == set(RULES)
