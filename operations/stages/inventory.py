"""Resources of a stage: the resources of its stack, and resources that functions and operators made besides."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3
from botocore.exceptions import ClientError

from operations.command_line.arguments import Refused
from operations.stages.stack_resources import Resource, resources_of

# The condition KeepsData of the template: the stack of this stage retains tables, buckets, secrets and the user pool.
KEEPS_DATA = "prod"
TABLE = "AWS::DynamoDB::Table"
BUCKET = "AWS::S3::Bucket"
SECRET = "AWS::SecretsManager::Secret"  # noqa: S105 - a type of resources
USER_POOL = "AWS::Cognito::UserPool"
QUEUE = "AWS::SQS::Queue"
PARAMETER = "AWS::SSM::Parameter"
RULE_SET = "AWS::SES::ReceiptRuleSet"
_COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)
_MISSING = frozenset(
    {
        *("ResourceNotFoundException", "NoSuchBucket", "404", "ParameterNotFound"),
        *("RuleSetDoesNotExist", "RuleSetDoesNotExistException"),
        *("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"),
    }
)


@dataclass(frozen=True)
class Inventory:
    """The stack of a stage. Everything is read when it is asked for; nothing is changed."""

    stack: str
    stage: str
    stack_id: str
    status: str
    is_termination_protected: bool
    parameters: dict[str, str]

    @property
    def keeps_data(self) -> bool:
        """Whether the data stays when the stack is deleted."""
        return self.stage == KEEPS_DATA

    @cached_property
    def _resources(self) -> list[Resource]:
        return list(resources_of(client("cloudformation"), self.stack_id))

    def names(self, kind: str) -> list[str]:
        """Return the physical ids of the resources of a type, sorted."""
        found = (one.name for one in self._resources if one.kind == kind)
        return sorted(name for name in found if name)

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the descriptions of the tables that exist, by name."""
        dynamodb = client("dynamodb")
        found = (
            (name, tried(dynamodb.describe_table, TableName=name)) for name in self.names(TABLE)
        )
        return {name: described["Table"] for name, described in found if described}

    def user_pools(self) -> dict[str, dict[str, Any]]:
        """Return the descriptions of the user pools that exist, by id."""
        cognito = client("cognito-idp")
        found = (
            (name, tried(cognito.describe_user_pool, UserPoolId=name))
            for name in self.names(USER_POOL)
        )
        return {name: described["UserPool"] for name, described in found if described}

    def waiting(self) -> int:
        """Return the approximate number of messages in the queues, which are lost with them."""
        answers = [
            tried(client("sqs").get_queue_attributes, QueueUrl=url, AttributeNames=list(_COUNTS))
            for url in self.names(QUEUE)
        ]
        return sum(
            int(one["Attributes"].get(name, 0)) for one in answers if one for name in _COUNTS
        )

    def secrets(self) -> list[str]:
        """Return the secrets that the stack does not delete and that are not deleted yet: companies', in prod all."""
        manager = client("secretsmanager")
        prefix = f"parley/{self.stage}/companies/"
        # The filter ignores case and matches beginnings.
        pages = manager.get_paginator("list_secrets").paginate(
            Filters=[{"Key": "name", "Values": [prefix]}]
        )
        found = [
            one["ARN"]
            for page in pages
            for one in page["SecretList"]
            if one["Name"].startswith(prefix)
        ]
        for secret in self.names(SECRET) if self.keeps_data else ():
            described = tried(manager.describe_secret, SecretId=secret)
            if described and "DeletedDate" not in described:
                found.append(secret)
        return found

    def parameters_beside_the_stack(self) -> list[str]:
        """Return the parameters of the stage that functions made, such as keys of forms."""
        pages = client("ssm").get_paginator("get_parameters_by_path")
        own = set(self.names(PARAMETER))
        return [
            one["Name"]
            for page in pages.paginate(Path=f"/parley/{self.stage}/", Recursive=True)
            for one in page["Parameters"]
            if one["Name"] not in own
        ]

    def receipt_rules(self) -> list[tuple[str, str]]:
        """Return set and name of the receipt rules of the stack that exist."""
        sets = self.names(RULE_SET) or [self.parameters.get("EmailRuleSetName", "")]
        return [
            (rule_set, name)
            for name in self.names("AWS::SES::ReceiptRule")
            for rule_set in sets
            if name in self.rules_in(rule_set)
        ]

    def rules_in(self, rule_set: str) -> list[str]:
        """Return the names of the rules in a set, none if it does not exist."""
        described = tried(client("ses").describe_receipt_rule_set, RuleSetName=rule_set)
        return [rule["Name"] for rule in (described or {}).get("Rules", [])]

    def active_rule_set(self) -> str:
        """Return the name of the account's active set if the stack made it, else an empty text."""
        own = self.names(RULE_SET)
        if not own:
            return ""
        name: str = (
            client("ses").describe_active_receipt_rule_set().get("Metadata", {}).get("Name", "")
        )
        return name if name in own else ""

    def protected(self) -> Iterator[str]:
        """Yield what is protected from deletion."""
        if self.is_termination_protected:
            yield f"stack {self.stack}"
        yield from (f"table {name}" for name, one in self.tables().items() if is_protected(one))
        yield from (
            f"user pool {name}" for name, one in self.user_pools().items() if is_protected(one)
        )


def is_protected(described: dict[str, Any]) -> bool:
    """Whether the description of a table or of a user pool says that it is protected from deletion."""
    return (
        bool(described.get("DeletionProtectionEnabled"))
        or described.get("DeletionProtection") == "ACTIVE"
    )


def read(stack: str) -> Inventory | None:
    """Return what a stage consists of; None if there is no such stack. Raises Refused and ClientError."""
    try:
        (found,) = client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if "does not exist" in error.response["Error"].get("Message", ""):
            return None
        raise
    given = {
        one["ParameterKey"]: one.get("ParameterValue", "") for one in found.get("Parameters", [])
    }
    if "Stage" not in given:
        raise Refused(f"--stack: {stack} has no parameter Stage; is it a Parley stack?")
    return Inventory(
        stack=stack,
        stage=given["Stage"],
        stack_id=found["StackId"],
        status=found["StackStatus"],
        is_termination_protected=bool(found.get("EnableTerminationProtection")),
        parameters=given,
    )


def tried(call: Any, **arguments: Any) -> Any:  # noqa: ANN401 - any operation of boto3
    """Return the answer of a call, or None if the resource does not exist. Raises ClientError."""
    try:
        return call(**arguments)
    except ClientError as error:
        if error.response["Error"]["Code"] in _MISSING:
            return None
        raise


def client(service: str) -> Any:  # noqa: ANN401 - any service's client
    """Return a client of AWS."""
    make: Any = boto3.client  # its own type accepts only literal service names
    return make(service)
