"""template.yaml and stacks/: stages of any name live in one account and region without touching each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest

from tests.cases import each
from tests.roles import statements
from tests.template import ARN, exists, parameters, properties, resolved, resources, template
from tests.unit.template.translated import translated

LONGEST = "feature-inbox"
ODD = ["ab", "a-", "a--b", "x1", "a-b--c-", LONGEST, "feature-inbo-"]
STAGE = "dev"
MAIL = {"InboundDomain": "support.example.com"}

# The property that names a resource, by type, and the names that the service allows. A type that is not here has names
# that CloudFormation makes from the stack's name, or is a part of another resource.
NAMES = {
    "AWS::CloudWatch::Dashboard": ("DashboardName", r"[\w-]{1,255}"),
    "AWS::Cognito::UserPool": ("UserPoolName", r"[\w\s+=,.@-]{1,128}"),
    "AWS::Cognito::UserPoolDomain": (
        "Domain",
        r"(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
    ),
    "AWS::DynamoDB::Table": ("TableName", r"[\w.-]{3,255}"),
    "AWS::Logs::LogGroup": ("LogGroupName", r"[\w./#-]{1,512}"),
    "AWS::S3::Bucket": ("BucketName", r"[a-z0-9]([a-z0-9-]{1,61})[a-z0-9]"),
    "AWS::SES::ConfigurationSet": ("Name", r"[\w-]{1,64}"),
    "AWS::SES::ReceiptRuleSet": ("RuleSetName", r"[A-Za-z0-9]([\w-]{0,62}[A-Za-z0-9])?"),
    "AWS::SNS::Topic": ("TopicName", r"[\w-]{1,256}"),
    "AWS::SQS::Queue": ("QueueName", r"(?=.{1,80}$)[\w-]+(\.fifo)?"),
    "AWS::SSM::Parameter": ("Name", r"(?!/?(aws|ssm))/[\w./-]{1,1010}"),
    "AWS::SecretsManager::Secret": ("Name", r"[\w/+=.@-]{1,512}"),
    "AWS::Serverless::Api": ("Name", r".{1,1024}"),
    "AWS::Serverless::Function": ("FunctionName", r"[\w-]{1,64}"),
    "AWS::Serverless::LayerVersion": ("LayerName", r"[\w-]{1,140}"),
    "AWS::Serverless::WebSocketApi": ("Name", r".{1,128}"),
}
# Named inside another resource, or for it.
PARTS = {
    *("AWS::ApiGateway::Account", "AWS::CloudWatch::Alarm", "AWS::Cognito::ManagedLoginBranding"),
    *(
        "AWS::Cognito::UserPoolClient",
        "AWS::Cognito::UserPoolIdentityProvider",
        "AWS::IAM::ManagedPolicy",
    ),
    *("AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::IntegrationResponse"),
    *("AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::RouteResponse"),
    *("AWS::IAM::Policy", "AWS::IAM::Role", "AWS::Logs::MetricFilter"),
    *(
        "AWS::S3::BucketPolicy",
        "AWS::SES::ConfigurationSetEventDestination",
        "AWS::SES::ReceiptRule",
    ),
    *("AWS::SNS::Subscription", "AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy"),
    "AWS::XRay::SamplingRule",  # `parley-<stage>`, of at most 32 characters, in a property of a property
}
# Names of REST and WebSocket APIs are labels: several APIs may have the same.
NOT_UNIQUE = {"AWS::Serverless::Api", "AWS::Serverless::WebSocketApi", "AWS::Cognito::UserPool"}
LONGEST_REGION = "ap-southeast-1"


def names(kind: str, stage: str) -> list[str]:
    attribute, _ = NAMES[kind]
    given = {"Stage": stage, **MAIL}
    entries = resources(kind).values()
    return [str(resolved(entry["Properties"][attribute], **given)) for entry in entries]


def is_stage(text: str) -> bool:
    pattern = template()["Parameters"]["Stage"]["AllowedPattern"]
    return re.fullmatch(pattern, text) is not None


@each("stage", ["local", "dev", "staging", "prod", "ann", *ODD])
def test_a_stage_has_any_short_name(stage: str) -> None:
    assert "AllowedValues" not in template()["Parameters"]["Stage"]
    assert is_stage(stage)


@each(
    "stage",
    [
        *("", "a", "Dev", "1a", "-a", "a_b", "a.b", "a b", "ä1", "dev\n", "feature-inbox2"),
        *("aws", "my-aws", "amazonas", "cognito-x"),
    ],
)
def test_a_stage_that_some_service_would_refuse_is_refused_first(stage: str) -> None:
    assert not is_stage(stage)
    assert "aws, amazon and cognito" in template()["Parameters"]["Stage"]["ConstraintDescription"]


def test_the_name_of_every_type_of_resource_is_known() -> None:
    kinds = {entry["Type"] for entry in template()["Resources"].values()}

    assert kinds == NAMES.keys() | PARTS


@each("kind", NAMES)
@each("stage", ["dev", *ODD])
def test_every_name_of_a_resource_contains_its_stage_and_is_allowed(kind: str, stage: str) -> None:
    _, pattern = NAMES[kind]

    for name in names(kind, stage):
        assert re.search(rf"(^|[/_-]){re.escape(stage)}([./_-]|$)", name), name
        # The region of this account is not the longest one.
        assert re.fullmatch(pattern, name.replace("us-east-1", LONGEST_REGION)), name


@each("kind", sorted(NAMES.keys() - NOT_UNIQUE))
def test_no_two_stages_have_a_resource_of_one_name(kind: str) -> None:
    """Also with the worst names: `parley-<a>-<b>` of stage `<a>` is never `parley-<a>-<b>` of stage `<a>-<b>`."""
    parts = {tuple(name.split("@", 1)) for name in names(kind, "@")}

    ends = defaultdict(set)
    for start, end in parts:
        ends[start].add(end)
        assert not [other for other in ends if other != start and other.startswith(start)]
    for start, those in ends.items():
        for end in those:
            longer = [other for other in those if other != end and other.endswith(end)]
            assert not [
                f"{start}<stage>{other}"
                for other in longer
                if is_stage("ab" + other.removesuffix(end))
            ]


def grants() -> Iterator[str]:
    """All resources and sources with a wildcard that a policy of the stage names."""

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str) and "*" in value and "arn:" in value:
            yield value
        elif isinstance(value, dict | list):
            for entry in value.values() if isinstance(value, dict) else value:
                yield from texts(entry)

    for name, entry in template()["Resources"].items():
        if exists(name, Stage=STAGE, **MAIL) and (
            "Polic" in entry["Type"] or "Role" in entry["Type"]
        ):
            yield from texts(properties(name, Stage=STAGE, **MAIL))


def test_no_grant_of_a_stage_reaches_a_stage_whose_name_begins_with_its_name() -> None:
    open_ended = {grant for grant in grants() if f"-{STAGE}-" in grant}
    reached = set()
    for grant in open_ended:
        literal = grant.partition("*")[0].rpartition(f"-{STAGE}-")[2]
        others = {f"{STAGE}-{literal[:size]}" for size in range(len(literal) + 1)} | {f"{STAGE}-eu"}
        for other in filter(is_stage, others):
            reached |= {(grant, arn) for arn in arns(other) if fnmatchcase(arn, grant)}

    assert open_ended
    assert not reached


@cache
def arns(stage: str) -> list[str]:
    return [
        str(resolved({"Fn::GetAtt": f"{name}.Arn"}, Stage=stage)).removesuffix(":*")
        for kind in ARN
        if kind in NAMES
        for name in resources(kind)
    ]


def test_the_roles_that_name_each_queue_and_function_name_all_of_them() -> None:
    queues = {resolved({"Fn::GetAtt": f"{name}.Arn"}) for name in resources("AWS::SQS::Queue")}
    functions = {
        resolved({"Fn::GetAtt": f"{name}.Arn"}) for name in resources("AWS::Serverless::Function")
    }

    assert granted("OperationsApiRole", "CountQueuedMessages") == queues, (
        "list the queue in CountQueuedMessages of OperationsApiRole"
    )
    assert granted("GradualDeploymentRole", "ShiftTraffic") == functions | {
        f"{arn}:live" for arn in functions
    }, "list the function in ShiftTraffic of GradualDeploymentRole"


def test_the_role_of_gradual_deployments_is_within_the_quota_of_iam() -> None:
    """10,240 characters in all inline policies of a role, with the longest stage and region."""
    policies = properties("GradualDeploymentRole", Stage=LONGEST)["Policies"]
    text = re.sub(r"\s", "", str(policies).replace("us-east-1", LONGEST_REGION))

    assert len(text) < 10_240


def granted(role: str, sid: str) -> set[str]:
    (statement,) = (statement for statement in statements(role) if statement["Sid"] == sid)
    return set(statement["Resource"])


@pytest.mark.parametrize("stage", ["ann", pytest.param("a-b--c-", marks=pytest.mark.long)])
def test_sam_translates_the_template_for_any_stage(stage: str) -> None:
    """SAM makes logical ids of the names of API stages; letters and digits are all that CloudFormation allows."""
    made = translated(Stage=stage)

    assert made
    assert [name for name in made if not re.fullmatch(r"[A-Za-z0-9]{1,255}", name)] == []


@each("stage", ["ann", *ODD, "dev", "staging"])
def test_only_prod_keeps_data_and_only_local_omits_tls(stage: str) -> None:
    for name, entry in template()["Resources"].items():
        if "DeletionPolicy" in entry and name not in {"ApiLoggingAccount", "ApiLoggingRole"}:
            assert resolved(entry["DeletionPolicy"], Stage=stage) == "Delete"
    assert exists("MediaBucketPolicy", Stage=stage)
    assert parameters({"Stage": stage})["EmulatorUrl"] == ""


@pytest.mark.parametrize("name", ["ApiLoggingAccount", "ApiLoggingRole"])
def test_deleting_a_stage_leaves_the_logging_role_that_other_apis_of_the_account_use(
    name: str,
) -> None:
    entry = template()["Resources"][name]

    assert (entry["DeletionPolicy"], entry["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert [
        value
        for value in ("none", "existing-role", "create-role")
        if exists(name, ApiAccessLogs=value)
    ] == ["create-role"]
