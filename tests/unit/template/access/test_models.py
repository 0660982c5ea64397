"""template.yaml: a role may invoke only the models that a parameter lists by ARN."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cases import each
from tests.roles import statements
from tests.template import resolved, resources, template

MODEL = "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0"
PROFILE = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-haiku-4-5"
OTHER = "arn:aws:bedrock:eu-west-1::foundation-model/other.model-v1"
PARAMETERS = ["ConversationModelArns", "RichpanelModelArns"]


def grants(**given: str) -> dict[str, list[Any]]:
    """The models of each role: the resources of every statement about Bedrock."""
    found: dict[str, list[Any]] = {}
    for role in resources("AWS::IAM::Role"):
        for statement in statements(role, **given):
            if "bedrock" in str(statement["Action"]):
                assert statement["Action"] == "bedrock:InvokeModel"
                found.setdefault(role, []).append(statement["Resource"])
    return found


def test_each_role_may_invoke_exactly_the_models_of_its_parameter() -> None:
    given = {
        "ConversationModelArns": f"{PROFILE},{MODEL}",
        "RichpanelClassifier": "model",
        "RichpanelModelId": "other.model-v1",
        "RichpanelModelArns": OTHER,
    }

    speaking = ("WhatsApp", "Sms", "Email", "Replies", "Admin")  # an admin tries a model
    assert grants(**given) == {
        **{f"Conversations{name}Role": [[PROFILE, MODEL]] for name in speaking},
        "EmailThreadsApiRole": [[PROFILE, MODEL]],  # as above
        "EmailThreadsWorkerRole": [[PROFILE, MODEL]],
        "NewslettersApiRole": [[PROFILE, MODEL]],  # as above
        "NewslettersWorkerRole": [[PROFILE, MODEL]],
        "RichpanelWorkerRole": [[OTHER]],
        "RichpanelAdminRole": [[OTHER]],
    }


def test_without_models_no_role_may_invoke_any() -> None:
    rule = template()["Rules"]["WithoutAModelNoneMayBeAsked"]

    assert grants() == {}
    assert resolved(rule["RuleCondition"]) is True
    assert resolved(rule["Assertions"][0]["Assert"]) is True
    assert resolved(rule["Assertions"][0]["Assert"], RichpanelModelArns=OTHER) is False


@each("parameter", PARAMETERS)
@each(
    ("arns", "is_allowed"),
    [
        ("", True),
        (MODEL, True),
        (f"{PROFILE},{MODEL},arn:aws:bedrock:::foundation-model/a.b", True),
        (
            "arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:application-inference-profile/a1",
            True,
        ),
        ("*", False),
        ("arn:aws:bedrock:*::foundation-model/a.b", False),
        ("arn:aws:bedrock:us-east-1::foundation-model/*", False),
        ("arn:aws:bedrock:us-east-1::foundation-model/a.?", False),
        ("arn:aws:bedrock:us-east-1:*:inference-profile/a", False),
        (f"{MODEL},arn:aws:bedrock:us-east-1::foundation-model/*", False),
        ("arn:aws:s3:::bucket/a", False),
        ("arn:aws:bedrock:us-east-1::foundation-model/${aws:username}", False),
        (f"{MODEL}, {PROFILE}", False),
    ],
)
def test_a_list_of_models_holds_whole_arns_without_wildcards(
    parameter: str, arns: str, *, is_allowed: bool
) -> None:
    pattern = template()["Parameters"][parameter]["AllowedPattern"]

    assert bool(re.fullmatch(pattern, arns)) is is_allowed


@pytest.mark.parametrize(
    ("given", "may_deploy"),
    [
        ({"RichpanelModelId": "m", "RichpanelModelArns": MODEL}, True),
        ({"RichpanelModelId": "m", "RichpanelModelProvider": "openai"}, True),
        ({"RichpanelModelProvider": "openai"}, False),
        ({"RichpanelModelId": "m"}, False),
        ({"RichpanelModelArns": MODEL}, False),
        ({}, False),
    ],
)
def test_a_classifier_with_a_model_needs_the_models_id_and_arns(
    given: dict[str, str], *, may_deploy: bool
) -> None:
    rule = template()["Rules"]["AModelIsNamed"]

    assert resolved(rule["RuleCondition"], RichpanelClassifier="model") is True
    assert all(resolved(a["Assert"], **given) for a in rule["Assertions"]) is may_deploy
