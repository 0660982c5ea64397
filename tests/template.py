"""
template.yaml and its nested stacks as one template of Python data, for all suites: tables, queues and environments are
made from it, never by hand.

`resolved` answers what CloudFormation would: names, ARNs and URLs of a fictitious account, in the forms that moto uses.
"""

from __future__ import annotations

import pickle
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import yaml

from tests.tables import storage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

ROOT: Final = Path(__file__).parent.parent
REGION: Final = "us-east-1"
ACCOUNT: Final = "123456789012"
PSEUDO_PARAMETERS: Final = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::StackName": "parley-dev",
    "AWS::URLSuffix": "amazonaws.com",
}
# The property that names a resource, by its type.
NAME_PROPERTY: Final = {
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SES::ConfigurationSet": "Name",
    "AWS::SNS::Topic": "TopicName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::SSM::Parameter": "Name",
    "AWS::SecretsManager::Secret": "Name",
    "AWS::Serverless::Function": "FunctionName",
}
# The part of the ARN between "arn:aws:" and the name, by type.
ARN: Final = {
    "AWS::CloudWatch::Alarm": f"cloudwatch:{REGION}:{ACCOUNT}:alarm:",
    "AWS::Cognito::UserPool": f"cognito-idp:{REGION}:{ACCOUNT}:userpool/",
    "AWS::DynamoDB::Table": f"dynamodb:{REGION}:{ACCOUNT}:table/",
    "AWS::IAM::Role": f"iam::{ACCOUNT}:role/",
    "AWS::Logs::LogGroup": f"logs:{REGION}:{ACCOUNT}:log-group:",
    "AWS::S3::Bucket": "s3:::",
    "AWS::SNS::Topic": f"sns:{REGION}:{ACCOUNT}:",
    "AWS::SQS::Queue": f"sqs:{REGION}:{ACCOUNT}:",
    "AWS::SecretsManager::Secret": f"secretsmanager:{REGION}:{ACCOUNT}:secret:",
    "AWS::Serverless::Function": f"lambda:{REGION}:{ACCOUNT}:function:",
}
NO_VALUE: Final = object()
# SAM names a function's alias "<function>Alias<name of the alias>".
ALIAS: Final = "Aliaslive"


class _ShortTags(yaml.CSafeLoader):
    """Loads !Ref, !Sub and the other short forms as their long forms: {"Ref": ...}, {"Fn::Sub": ...}."""


def _short_tag(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    name = suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        return {name: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    if isinstance(node, yaml.MappingNode):
        return {name: loader.construct_mapping(node, deep=True)}
    raise TypeError(f"no value can follow !{suffix}: {node}")


_ShortTags.add_multi_constructor("!", _short_tag)


@cache
def file(path: str) -> dict[str, Any]:
    """One template, such as `stacks/whatsapp.yaml`; functions of CloudFormation unresolved."""
    loaded: dict[str, Any] = yaml.load((ROOT / path).read_text(), Loader=_ShortTags)  # noqa: S506 - a SafeLoader
    return loaded


@cache
def stacks() -> dict[str, dict[str, Any]]:
    """The nested stacks, by logical id: the properties that template.yaml gives them."""
    entries = file("template.yaml")["Resources"].items()
    kind = "AWS::CloudFormation::Stack"
    return {name: entry["Properties"] for name, entry in entries if entry["Type"] == kind}


@cache
def template() -> dict[str, Any]:
    """
    All stacks as one template, functions of CloudFormation unresolved.

    A reference to an output of a nested stack is replaced by that output's value: `!GetAtt WhatsAppData.Outputs.XUrl`
    reads `!Ref X`. A nested stack has its parameters and conditions from the root, under the same names;
    tests/unit/template/deployment/test_stacks.py checks this.
    """
    root = file("template.yaml")
    nested = {name: file(stack["TemplateURL"]) for name, stack in stacks().items()}
    outputs = {
        f"{name}.Outputs.{output}": entry["Value"]
        for name, one in nested.items()
        for output, entry in one.get("Outputs", {}).items()
    }
    merged: dict[str, Any] = _with_outputs(root, outputs)
    merged["Resources"] = {n: e for n, e in merged["Resources"].items() if n not in nested}
    for one in nested.values():
        merged["Resources"] |= one["Resources"]
        merged["Conditions"] |= one.get("Conditions", {})
    return merged


def _with_outputs(value: Any, outputs: Mapping[str, Any]) -> Any:
    """A part of the root with all references to outputs of nested stacks replaced by the outputs' values."""
    if isinstance(value, list):
        return [_with_outputs(entry, outputs) for entry in value]
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+\.Outputs\.\w+)\}", lambda match: _in_sub(outputs[match[1]]), value)
    if not isinstance(value, dict):
        return value
    name = value.get("Fn::GetAtt", "")
    if ".Outputs." in name:
        return outputs[name]
    return {key: _with_outputs(entry, outputs) for key, entry in value.items()}


def _in_sub(output: Mapping[str, Any]) -> str:
    """The value of an output, a !Ref or a !GetAtt, as a text of Fn::Sub has it; of an !If, the first one."""
    reference: Mapping[str, str] = output["Fn::If"][1] if "Fn::If" in output else output
    (name,) = reference.values()
    return f"${{{name}}}"


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """All resources of one type, such as `AWS::SQS::Queue`, by logical id; unresolved."""
    return {name: entry for name, entry in template()["Resources"].items() if entry["Type"] == kind}


def parameters(given: Mapping[str, str]) -> dict[str, str]:
    """The value of every parameter: given, or its default. The stage is `dev` unless given."""
    return _defaults() | dict(given)


@cache
def _defaults() -> dict[str, str]:
    declared = template()["Parameters"].items()
    defaults = {name: str(entry["Default"]) for name, entry in declared if "Default" in entry}
    return defaults | {"Stage": "dev"}


def properties(logical_id: str, **given: str) -> dict[str, Any]:
    """The properties of one resource as CloudFormation would see them under these parameters."""
    own: dict[str, Any] = pickle.loads(_properties(logical_id, frozenset(given.items())))  # noqa: S301 - written below
    return own


@cache
def _properties(logical_id: str, given: frozenset[tuple[str, str]]) -> bytes:
    """Resolved once, and stored in a form from which each caller gets a copy of its own."""
    unresolved = template()["Resources"][logical_id].get("Properties", {})
    return pickle.dumps(resolved(unresolved, **dict(given)))


def name_of(logical_id: str, **given: str) -> str:
    """The name of a resource under these parameters."""
    return _name_of(logical_id, parameters(given))


def resolved(value: Any, **given: str) -> Any:
    """A part of the template with its functions replaced by their values; entries with !Ref AWS::NoValue are
    omitted."""
    return _resolve(value, parameters(given))


@cache
def holds(condition: str, **given: str) -> bool:
    """Whether a condition of the template is true under these parameters."""
    return _holds(condition, tuple(given.items()))


@cache
def _holds(condition: str, given: tuple[tuple[str, str], ...]) -> bool:
    return bool(resolved({"Condition": condition}, **dict(given)))


def exists(logical_id: str, **given: str) -> bool:
    """Whether a resource is created under these parameters."""
    condition = template()["Resources"][logical_id].get("Condition")
    return condition is None or holds(condition, **given)


def environment(function: str, **given: str) -> dict[str, str]:
    """All environment variables of a function: of Globals and its own."""
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    own = template()["Resources"][function]["Properties"]["Environment"]["Variables"]
    variables = resolved(shared | own, **given)
    return {name: str(value) for name, value in variables.items()}


def create_audit_log(client: DynamoDBClient, **given: str) -> None:
    """Create the audit log, which all contexts write, unless another system of the test has."""
    with suppress(client.exceptions.ResourceInUseException):
        create_table(client, "AuditLogTable", **given)


def create_table(client: DynamoDBClient, logical_id: str, **given: str) -> str:
    """
    Create one of the template's tables, with its indexes and its TTL, and return its name.

    Later calls for the same table in this process add a copy of it to moto, without the calls of the client.
    """
    wanted = properties(logical_id, **given)
    name, known = str(wanted["TableName"]), repr(wanted)
    if storage.add_empty(name, known):
        return name
    taken = (
        "TableName",
        "KeySchema",
        "AttributeDefinitions",
        "BillingMode",
        "GlobalSecondaryIndexes",
        "LocalSecondaryIndexes",
    )
    client.create_table(**{name: wanted[name] for name in taken if name in wanted})
    if "TimeToLiveSpecification" in wanted:
        client.update_time_to_live(
            TableName=wanted["TableName"],
            TimeToLiveSpecification=wanted["TimeToLiveSpecification"],
        )
    storage.keep_empty(name, known)
    return name


def create_queue(client: SQSClient, logical_id: str, **given: str) -> str:
    """
    Create one of the template's queues, without its redrive policy, and return its URL.

    While moto is active it is created there, without the calls of the client.
    """
    wanted = properties(logical_id, **given)
    name = wanted["QueueName"]
    attributes: Any = {"FifoQueue": "true"} if wanted.get("FifoQueue", False) else {}
    if storage.is_mocked():
        queues: Any = resolve_name("moto.sqs.models:sqs_backends")[ACCOUNT][REGION]
        queues.create_queue(name, **attributes)
        return f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{name}"
    return client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]


def put_parameter(client: Any, logical_id: str, **given: str) -> None:
    """Store one of the template's parameters of the parameter store, or replace it."""
    wanted = properties(logical_id, **given)
    names = ("Name", "Type", "Value")
    client.put_parameter(**{name: wanted[name] for name in names}, Overwrite=True)


def _resolve(value: Any, given: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [entry for item in value if (entry := _resolve(item, given)) is not NO_VALUE]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, argument),) = value.items()
        if name in FUNCTIONS:
            return FUNCTIONS[name](argument, given)
    entries = {key: _resolve(entry, given) for key, entry in value.items()}
    return {key: entry for key, entry in entries.items() if entry is not NO_VALUE}


def _ref(name: str, given: Mapping[str, str]) -> Any:
    if name == "AWS::NoValue":
        return NO_VALUE
    if name in given or name in PSEUDO_PARAMETERS:
        return given[name] if name in given else PSEUDO_PARAMETERS[name]
    if name.endswith(ALIAS):
        return f"{_arn(name.removesuffix(ALIAS), given)}:live"
    kind = template()["Resources"][name]["Type"]
    if kind == "AWS::SQS::Queue":
        return f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{_name_of(name, given)}"
    if kind in {"AWS::SNS::Topic", "AWS::SecretsManager::Secret"}:
        return _arn(name, given)
    return _name_of(name, given)


def _get_att(path: str, given: Mapping[str, str]) -> str:
    logical_id, attribute = path.split(".")
    if attribute == "QueueName":
        return _name_of(logical_id, given)
    if (attribute, template()["Resources"][logical_id]["Type"]) == ("Arn", "AWS::Logs::LogGroup"):
        return f"{_arn(logical_id, given)}:*"
    if attribute in {"Arn", "Id"}:
        return _arn(logical_id, given)
    if attribute == "StreamArn":
        return f"{_arn(logical_id, given)}/stream/2026-01-01T00:00:00.000"
    raise KeyError(path)


def _join(arguments: list[Any], given: Mapping[str, str]) -> str:
    separator, parts = _resolve(arguments, given)
    return str(separator).join(map(str, parts))


def _split(arguments: list[Any], given: Mapping[str, str]) -> list[str]:
    separator, text = _resolve(arguments, given)
    return str(text).split(separator)


def _sub(argument: str | list[Any], given: Mapping[str, str]) -> str:
    """Fn::Sub of a text, or of a text and its own values."""
    text, own = argument if isinstance(argument, list) else (argument, {})
    values = _resolve(own, given)
    start, *rest = text.split("${")
    for piece in rest:
        name, after = piece.split("}", 1)
        value = values[name] if name in values else (_get_att if "." in name else _ref)(name, given)
        start += value + after
    return str(start)


def _if(choice: list[Any], given: Mapping[str, str]) -> Any:
    condition, when_true, when_false = choice
    return _resolve(when_true if _condition(condition, given) else when_false, given)


def _condition(name: str, given: Mapping[str, str]) -> bool:
    return bool(_resolve(template()["Conditions"][name], given))


def _equals(both: list[Any], given: Mapping[str, str]) -> bool:
    left, right = _resolve(both, given)
    return bool(left == right)


def _not(single: list[Any], given: Mapping[str, str]) -> bool:
    return not _resolve(single[0], given)


def _and(several: list[Any], given: Mapping[str, str]) -> bool:
    return all(_resolve(several, given))


def _or(several: list[Any], given: Mapping[str, str]) -> bool:
    return any(_resolve(several, given))


# The functions that the template uses. "Condition" names one only as the single key of a map.
FUNCTIONS: Final[dict[str, Callable[[Any, Mapping[str, str]], Any]]] = {
    "Condition": _condition,
    "Fn::And": _and,
    "Fn::Equals": _equals,
    "Fn::GetAtt": _get_att,
    "Fn::If": _if,
    "Fn::Join": _join,
    "Fn::Not": _not,
    "Fn::Or": _or,
    "Fn::Split": _split,
    "Fn::Sub": _sub,
    "Ref": _ref,
}


def _name_of(logical_id: str, given: Mapping[str, str]) -> str:
    entry = template()["Resources"][logical_id]
    name = entry.get("Properties", {}).get(NAME_PROPERTY.get(entry["Type"], ""), logical_id)
    return str(_resolve(name, given))


def _arn(logical_id: str, given: Mapping[str, str]) -> str:
    return (
        f"arn:aws:{ARN[template()['Resources'][logical_id]['Type']]}{_name_of(logical_id, given)}"
    )
