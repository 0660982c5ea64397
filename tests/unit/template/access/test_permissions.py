"""Every role has the recorded permissions: a change of the template that widens a role also changes the recording."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.cases import each
from tests.roles import RECORDED, VARIANTS, digest, permissions
from tests.template import holds, resources, template

ROLES = sorted(resources("AWS::IAM::Role"))
POLICIES = ("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")


@each("role", ROLES)
def test_a_role_has_the_recorded_permissions(role: str) -> None:
    """After an intended change: `python -m tests.roles --record`."""
    assert digest(role) == json.loads(RECORDED.read_text())[role]


def test_no_permissions_of_a_removed_role_are_recorded() -> None:
    recorded = sorted(json.loads(RECORDED.read_text()))

    assert recorded == ROLES, "record the roles: `python -m tests.roles --record`"


def test_the_variants_turn_every_condition_of_a_policy_on_and_off() -> None:
    policies: list[Any] = [resources(kind) for kind in POLICIES]
    names = set(re.findall(r"'(?:Condition|Fn::If)': \[?'(\w+)'", str(policies)))

    assert names <= template()["Conditions"].keys()
    assert len(names) > 5
    for name in names:
        assert {holds(name, **given) for given in VARIANTS} == {True, False}, name


def test_permissions_name_action_resource_and_condition() -> None:
    table = "arn:aws:dynamodb:us-east-1:123456789012:table/base-wecare-digital-whatsapp-dev"
    found = permissions("WhatsAppCanaryRole")

    assert (
        f'Allow dynamodb:PutItem {table} ForAllValues:StringEquals dynamodb:LeadingKeys ["PHONE#canary"]'
        in found
    )
    assert permissions("WhatsAppCanaryRole", CanaryEnabled="false") == set()
