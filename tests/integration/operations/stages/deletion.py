"""A stage to delete: resources of the template on moto, with stand-ins for CloudFormation and the receipt rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.exceptions import ClientError, WaiterError

from operations.stages import inventory
from tests.template import create_queue, create_table, properties, resolved, template

TABLES = ("WhatsAppTable", "InboxTable", "ApiKeysTable")
BUCKETS = ("MediaBucket", "EmailBucket")
SECRETS = ("WhatsAppAppSecrets", "ApiSealSecret")
SWITCH = "WhatsAppSwitchSafeMode"
CHANGES = ("delete_", "put_", "update_", "disable_", "set_")


class Killed(BaseException):
    """The process ends after this call."""


def refused(code: str, operation: str) -> ClientError:
    message = "Stack with id x does not exist" if code == "ValidationError" else code
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


@dataclass
class ReceiptRules:
    """The receipt rules of SES, which moto cannot delete: names of rules by set, and the active set."""

    sets: dict[str, list[str]] = field(default_factory=dict)
    active: str = ""

    def describe_receipt_rule_set(self, RuleSetName: str) -> dict[str, Any]:
        if RuleSetName not in self.sets:
            raise refused("RuleSetDoesNotExist", "DescribeReceiptRuleSet")
        return {"Rules": [{"Name": name} for name in self.sets[RuleSetName]]}

    def describe_active_receipt_rule_set(self) -> dict[str, Any]:
        return {"Metadata": {"Name": self.active}} if self.active else {}

    def delete_receipt_rule(self, RuleSetName: str, RuleName: str) -> None:
        self.sets[RuleSetName].remove(RuleName)

    def set_active_receipt_rule_set(self) -> None:
        self.active = ""


@dataclass
class CloudFormation:
    """
    Deletes stacks as the service does: what the stack retains stays, what is missing is passed over, and a bucket with
    objects, a protected table or an active rule set fails.
    """

    rules: ReceiptRules
    stacks: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def describe_stacks(self, StackName: str) -> dict[str, Any]:
        stack = self.stacks.get(StackName.removeprefix("id-"))
        if stack is None:
            raise refused("ValidationError", "DescribeStacks")
        given = {"Stage": stack["stage"], "EmailRuleSetName": stack["rule_set"]}
        return {
            "Stacks": [
                {
                    "StackId": f"id-{StackName.removeprefix('id-')}",
                    "StackStatus": stack["status"],
                    "EnableTerminationProtection": stack["is_protected"],
                    "Parameters": [
                        {"ParameterKey": name, "ParameterValue": text}
                        for name, text in given.items()
                    ],
                }
            ]
        }

    def get_paginator(self, _operation: str) -> CloudFormation:
        return self

    def paginate(self, StackName: str) -> Iterator[dict[str, Any]]:
        names = ("ResourceType", "PhysicalResourceId", "LogicalResourceId")
        for resource in self.stacks[StackName.removeprefix("id-")]["resources"]:
            yield {"StackResourceSummaries": [dict(zip(names, (*resource, "x"), strict=True))]}

    def update_termination_protection(
        self, StackName: str, *, EnableTerminationProtection: bool
    ) -> None:
        self.stacks[StackName]["is_protected"] = EnableTerminationProtection

    def delete_stack(self, StackName: str) -> None:
        name = StackName.removeprefix("id-")
        stack = self.stacks[name]
        assert not stack["is_protected"]
        keeps = stack["stage"] == inventory.KEEPS_DATA
        self.failures = []
        for kind, physical in stack["resources"]:
            try:
                self._delete(kind, physical, keeps=keeps)
            except ClientError as error:
                if inventory_missing(error):
                    continue
                self.failures.append(f"{physical}: {error.response['Error']['Code']}")
        stack["status"] = "DELETE_FAILED"
        if not self.failures:
            del self.stacks[name]

    def get_waiter(self, _name: str) -> CloudFormation:
        return self

    def wait(self, StackName: str, WaiterConfig: dict[str, int]) -> None:
        assert WaiterConfig
        if StackName.removeprefix("id-") in self.stacks:
            raise WaiterError("stack_delete_complete", "failed", {})

    def describe_stack_events(self, StackName: str) -> dict[str, Any]:
        assert StackName
        return {
            "StackEvents": [
                {
                    "ResourceStatus": "DELETE_FAILED",
                    "LogicalResourceId": failure.partition(":")[0],
                    "ResourceStatusReason": failure.partition(": ")[2],
                }
                for failure in self.failures
            ]
        }

    def _delete(self, kind: str, name: str, *, keeps: bool) -> None:
        retained = {inventory.TABLE, inventory.BUCKET, inventory.SECRET, inventory.USER_POOL}
        if keeps and kind in retained:
            return
        client = boto3.client
        delete: dict[str, Callable[[], Any]] = {
            inventory.TABLE: lambda: client("dynamodb").delete_table(TableName=name),
            inventory.BUCKET: lambda: client("s3").delete_bucket(Bucket=name),
            inventory.SECRET: lambda: client("secretsmanager").delete_secret(
                SecretId=name, ForceDeleteWithoutRecovery=True
            ),
            inventory.USER_POOL: lambda: client("cognito-idp").delete_user_pool(UserPoolId=name),
            inventory.PARAMETER: lambda: client("ssm").delete_parameter(Name=name),
            inventory.QUEUE: lambda: client("sqs").delete_queue(QueueUrl=name),
            inventory.RULE_SET: lambda: self._delete_rule_set(name),
            "AWS::Lambda::EventSourceMapping": lambda: client("lambda").delete_event_source_mapping(
                UUID=name
            ),
            "AWS::Lambda::Function": lambda: client("lambda").delete_function(FunctionName=name),
            "AWS::Events::Rule": lambda: client("events").delete_rule(Name=name),
            "AWS::SES::ReceiptRule": lambda: None,
        }
        delete[kind]()

    def _delete_rule_set(self, name: str) -> None:
        if self.rules.active == name:
            raise refused("CannotDelete", "DeleteReceiptRuleSet")
        self.rules.sets.pop(name, None)


def inventory_missing(error: ClientError) -> bool:
    return error.response["Error"]["Code"] in inventory._MISSING


@dataclass
class Account:
    """An account with stages; `client` replaces `boto3.client`. *kill_at* ends the process after that changing call."""

    make: Any
    rules: ReceiptRules = field(default_factory=ReceiptRules)
    kill_at: int | None = None
    changes: int = 0

    def __post_init__(self) -> None:
        self.cloudformation = CloudFormation(self.rules)

    def client(self, service: str, **more: Any) -> Any:
        own = {"cloudformation": self.cloudformation, "ses": self.rules}
        return own.get(service) or self.make(service, **more)

    def watched(self, service: str) -> Any:
        """The client that the command uses."""
        return _Watched(self.client(service), self)

    def change(self, call: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        self.changes += 1
        answer = call(**arguments)
        if self.changes == self.kill_at:
            raise Killed
        return answer


@dataclass
class _Watched:
    client: Any
    account: Account

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.client, name)
        if not name.startswith(CHANGES):
            return found
        return lambda **arguments: self.account.change(found, arguments)


def create_stage(account: Account, stage: str, *, rule_set: str = "") -> None:
    """Create part of a stage: data, a worker with its queue, a schedule, a receipt rule, people."""
    given = {"Stage": stage, "InboundDomain": "support.example.com", "EmailRuleSetName": rule_set}
    keeps = stage == inventory.KEEPS_DATA
    made: list[tuple[str, str]] = []
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    for name in TABLES:
        table = create_table(dynamodb, name, **given)
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=keeps)
        made.append((inventory.TABLE, table))
    for name in BUCKETS:
        bucket = properties(name, **given)["BucketName"]
        s3.create_bucket(Bucket=bucket)
        made.append((inventory.BUCKET, bucket))
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for name in (one for kind, one in made if kind == inventory.BUCKET):
        for key in ("a", "a", "b"):
            s3.put_object(Bucket=name, Key=key, Body=b"x")
        s3.delete_object(Bucket=name, Key="a")
    secrets, ssm = boto3.client("secretsmanager"), boto3.client("ssm")
    for name in SECRETS:
        text = properties(name, **given)["Name"]
        made.append((inventory.SECRET, secrets.create_secret(Name=text, SecretString="x")["ARN"]))
    secrets.create_secret(Name=f"parley/{stage}/companies/acme/twilio", SecretString="x")
    switch = properties(SWITCH, **given)["Name"]
    for text in (switch, f"/parley/{stage}/whatsapp-flow-keys/acme"):
        ssm.put_parameter(Name=text, Value="x", Type="String")
    made.append((inventory.PARAMETER, switch))
    made += _worker(stage, create_queue(boto3.client("sqs"), "WhatsAppJobsQueue", **given))
    made += _people(stage, keeps=keeps)
    made += _mail(account, **given)
    account.cloudformation.stacks[f"parley-{stage}"] = {
        "stage": stage,
        "rule_set": rule_set,
        "status": "CREATE_COMPLETE",
        "is_protected": False,
        "resources": made,
    }


def _worker(stage: str, queue: str) -> Iterator[tuple[str, str]]:
    role = boto3.client("iam").create_role(
        RoleName=f"worker-{stage}", AssumeRolePolicyDocument="{}"
    )
    functions, events = boto3.client("lambda"), boto3.client("events")
    name = f"parley-{stage}-whatsapp-jobs"
    functions.create_function(
        FunctionName=name,
        Role=role["Role"]["Arn"],
        Runtime="python3.13",
        Handler="worker.handler",
        Code={"ZipFile": b"PK\x05\x06" + bytes(18)},
    )
    arn = boto3.client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    mapping = functions.create_event_source_mapping(
        FunctionName=name, EventSourceArn=arn["Attributes"]["QueueArn"]
    )
    events.put_rule(Name=f"parley-{stage}-schedule", ScheduleExpression="rate(5 minutes)")
    yield "AWS::Lambda::EventSourceMapping", mapping["UUID"]
    yield "AWS::Lambda::Function", name
    yield "AWS::Events::Rule", f"parley-{stage}-schedule"
    yield inventory.QUEUE, queue


def _people(stage: str, *, keeps: bool) -> Iterator[tuple[str, str]]:
    cognito = boto3.client("cognito-idp")
    pool = cognito.create_user_pool(
        PoolName=f"parley-{stage}", DeletionProtection="ACTIVE" if keeps else "INACTIVE"
    )["UserPool"]["Id"]
    cognito.create_user_pool_domain(UserPoolId=pool, Domain=f"parley-{stage}-123456789012")
    yield inventory.USER_POOL, pool


def _mail(account: Account, **given: str) -> Iterator[tuple[str, str]]:
    rule = properties("EmailReceiptRule", **given)
    name, own = rule["Rule"]["Name"], properties("EmailReceiptRules", **given)["RuleSetName"]
    rule_set = given["EmailRuleSetName"] or own
    account.rules.sets.setdefault(rule_set, []).append(name)
    if not given["EmailRuleSetName"]:
        yield inventory.RULE_SET, own
    yield "AWS::SES::ReceiptRule", name


def contents(account: Account) -> dict[str, Any]:
    """All that is in the account, except secrets that only can be restored."""
    s3, events = boto3.client("s3"), boto3.client("events")
    buckets = [one["Name"] for one in s3.list_buckets()["Buckets"]]
    return {
        "stacks": sorted(account.cloudformation.stacks),
        "tables": sorted(boto3.client("dynamodb").list_tables()["TableNames"]),
        "objects": {
            name: len(found.get("Versions", [])) + len(found.get("DeleteMarkers", []))
            for name in buckets
            for found in [s3.list_object_versions(Bucket=name)]
        },
        "secrets": sorted(
            one["Name"] for one in boto3.client("secretsmanager").list_secrets()["SecretList"]
        ),
        "parameters": sorted(
            one["Name"]
            for one in boto3.client("ssm").get_parameters_by_path(Path="/parley", Recursive=True)[
                "Parameters"
            ]
        ),
        "queues": sorted(boto3.client("sqs").list_queues().get("QueueUrls", [])),
        "functions": {
            one["FunctionName"]: boto3.client("lambda")
            .get_function_concurrency(FunctionName=one["FunctionName"])
            .get("ReservedConcurrentExecutions")
            for one in boto3.client("lambda").list_functions()["Functions"]
        },
        "sources": sorted(
            (one["FunctionArn"], one["State"])
            for one in boto3.client("lambda").list_event_source_mappings()["EventSourceMappings"]
        ),
        "schedules": sorted((one["Name"], one["State"]) for one in events.list_rules()["Rules"]),
        "pools": sorted(
            one["Name"]
            for one in boto3.client("cognito-idp").list_user_pools(MaxResults=60)["UserPools"]
        ),
        "rules": {name: list(rules) for name, rules in account.rules.sets.items()},
        "active": account.rules.active,
    }


def policy_of(logical_id: str, stage: str) -> str:
    """The deletion policy of a resource of the template."""
    entry = template()["Resources"][logical_id]
    return str(resolved(entry.get("DeletionPolicy", "Delete"), Stage=stage))
