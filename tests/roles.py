"""
The permissions of the roles in template.yaml and stacks/, evaluated under sets of parameters.

    python -m tests.roles NAME [PARAMETER=VALUE ...]    print the permissions of a function or role
    python -m tests.roles --record                      write the digests, after an intended change
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tests.template import ROOT, exists, properties, resolved, resources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RECORDED: Final = ROOT / "tests" / "unit" / "template" / "access" / "permissions.json"
BEDROCK: Final = "arn:aws:bedrock:us-east-1:123456789012"
# Each changes a condition or a name that policies depend on.
VARIANTS: Final[tuple[dict[str, str], ...]] = (
    {},
    {"Stage": "prod"},
    {"Stage": "local", "EmulatorUrl": "http://127.0.0.1:1", "SandboxUrl": "http://127.0.0.1:2"},
    {"Tracing": "PassThrough"},
    {"SecretStore": "parameters"},
    {"CanaryEnabled": "false"},
    {"ApiAccessLogs": "create-role"},
    {"SingleCompany": "acme"},
    {"ConversationModelArns": f"{BEDROCK}:inference-profile/a,{BEDROCK}:foundation-model/b"},
    {"KnowledgeBaseArns": f"{BEDROCK}:knowledge-base/ABCDEFGHIJ"},
    {"RichpanelModelArns": f"{BEDROCK}:foundation-model/c"},
    {
        "MessagesTableName": "inbox",
        "MessagesTableNaming": "existing",
        "MessagesTableStreamArn": "arn:aws:dynamodb:us-east-1:123456789012:table/inbox/stream/1",
    },
    {"MainTableName": "main", "MainTableNaming": "existing"},
    {"LoginIssuer": "https://login.example.com", "LoginClientId": "a", "LoginAudience": "b"},
)


def as_list(value: Any) -> list[Any]:
    """A value of a policy, which may stand for a list of one."""
    return value if isinstance(value, list) else [value]


@cache
def role_of(function: str) -> str:
    """Logical id of the role that a function runs under."""
    wanted = properties(function)["Role"]
    (role,) = (
        name
        for name in resources("AWS::IAM::Role")
        if resolved({"Fn::GetAtt": f"{name}.Arn"}) == wanted
    )
    return role


def statements(role: str, **given: str) -> list[dict[str, Any]]:
    """The statements of a role: inline, in managed policies of the template, and in policies attached to the role."""
    return _statements(role, given, attached=given)


def statements_on_aws(role: str, **given: str) -> list[dict[str, Any]]:
    """The same, without the policies that only the emulator has, also for the stage local."""
    return _statements(role, given, attached=given | {"Stage": "prod"})


def _statements(
    role: str, given: Mapping[str, str], attached: Mapping[str, str]
) -> list[dict[str, Any]]:
    wanted = properties(role, **given)
    documents = [policy["PolicyDocument"] for policy in wanted.get("Policies", [])]
    documents += [
        properties(policy, **given)["PolicyDocument"]
        for policy in wanted.get("ManagedPolicyArns", [])
        if policy in resources("AWS::IAM::ManagedPolicy")
    ]
    documents += [
        properties(policy, **given)["PolicyDocument"]
        for policy in resources("AWS::IAM::Policy")
        if exists(policy, **attached) and role in properties(policy, **given)["Roles"]
    ]
    return [statement for document in documents for statement in document["Statement"]]


def permissions(role: str, **given: str) -> set[str]:
    """Effect, action, resource and condition of each permission, one line each; none if the role does not exist."""
    return set(_permissions(role, **given)) if exists(role, **given) else set()


def _permissions(role: str, **given: str) -> Iterator[str]:
    ours = resources("AWS::IAM::ManagedPolicy")
    for policy in properties(role, **given).get("ManagedPolicyArns", []):
        if policy not in ours:
            yield f"Managed {policy}"
    for statement in statements(role, **given):
        assert statement.keys() <= {"Sid", "Effect", "Action", "Resource", "Condition"}, statement
        condition = "".join(
            f" {operator} {key} {json.dumps(sorted(as_list(values)))}"
            for operator, keys in sorted(statement.get("Condition", {}).items())
            for key, values in sorted(keys.items())
        )
        for action in as_list(statement["Action"]):
            for resource in as_list(statement["Resource"]):
                yield f"{statement['Effect']} {action} {resource}{condition}"


def digest(role: str) -> str:
    """A digest of a role's permissions under all variants."""
    found = [sorted(permissions(role, **given)) for given in VARIANTS]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]


def digests() -> dict[str, str]:
    """The digests of all roles."""
    return {role: digest(role) for role in sorted(resources("AWS::IAM::Role"))}


def main() -> None:
    """Print the permissions of a function or role, or record all digests."""
    match sys.argv[1:]:
        case ["--record"]:
            RECORDED.write_text(json.dumps(digests(), indent=1) + "\n")
        case [name, *given] if not name.startswith("-"):
            role = name if name in resources("AWS::IAM::Role") else role_of(name)
            for line in sorted(permissions(role, **dict(one.split("=", 1) for one in given))):
                print(line)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
