"""stacks/email_threads.yaml: SES stores mail for every stage of an account, although only one rule set is active."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

import pytest

from tests.cases import each
from tests.template import ACCOUNT, REGION, exists, properties, template

DOMAIN = "support.example.com"
ACTIVE = "company-mail"  # the set of other software that the account has active
OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "StringLike": fnmatchcase,
    "StringEquals": lambda given, wanted: given == wanted,
    "Bool": lambda given, wanted: given == wanted,
}
STAGES = ["prod", "ann", "a-", "ann-eu"]


def given(stage: str, rule_set: str = "", domain: str = DOMAIN) -> dict[str, str]:
    return {"Stage": stage, "InboundDomain": domain, "EmailRuleSetName": rule_set}


def rule(**parameters: str) -> tuple[str, dict[str, Any]]:
    """The set of a stage's rule, and the rule."""
    made = properties("EmailReceiptRule", **parameters)
    if (
        made["RuleSetName"] == "EmailReceiptRules"
    ):  # a reference to the set of the stack is its name
        made["RuleSetName"] = properties("EmailReceiptRules", **parameters)["RuleSetName"]
    return made["RuleSetName"], made["Rule"]


def arn_of_rule(**parameters: str) -> str:
    rule_set, made = rule(**parameters)
    return f"arn:aws:ses:{REGION}:{ACCOUNT}:receipt-rule-set/{rule_set}:receipt-rule/{made['Name']}"


def may_store(arn: str, key: str, **parameters: str) -> bool:
    """Whether the bucket of a stage lets SES store an object for a rule, as IAM evaluates the policy."""
    context = {"aws:SourceAccount": ACCOUNT, "aws:SourceArn": arn, "aws:SecureTransport": "true"}
    bucket = properties("EmailBucket", **parameters)["BucketName"]
    allowed = False
    for statement in properties("EmailBucketPolicy", **parameters)["PolicyDocument"]["Statement"]:
        if statement["Principal"] not in ("*", {"Service": "ses.amazonaws.com"}):
            continue
        resources = statement["Resource"]
        resources = resources if isinstance(resources, list) else [resources]
        applies = any(fnmatchcase(f"arn:aws:s3:::{bucket}/{key}", one) for one in resources)
        for operator, wanted in statement["Condition"].items():
            applies &= all(
                OPERATORS[operator](context[name], text) for name, text in wanted.items()
            )
        if applies and statement["Effect"] == "Deny":
            return False
        allowed |= applies
    return allowed


@pytest.mark.parametrize("stage", STAGES)
def test_without_a_named_set_a_stage_has_a_set_of_its_own_with_the_rule(stage: str) -> None:
    parameters = given(stage)

    assert exists("EmailReceiptRules", **parameters)
    rule_set, made = rule(**parameters)
    assert rule_set == properties("EmailReceiptRules", **parameters)["RuleSetName"]
    assert made["Name"] == "store"
    assert may_store(arn_of_rule(**parameters), "raw/_/mail", **parameters)


def test_the_sets_of_dev_and_prod_keep_their_names() -> None:
    """Another name would replace the set that is active."""
    assert [rule(**given(stage))[0] for stage in ("dev", "prod")] == ["parley-dev", "parley-prod"]


@pytest.mark.parametrize("stage", STAGES)
def test_with_a_named_set_the_rule_is_in_that_set_and_the_stack_has_none(stage: str) -> None:
    parameters = given(stage, ACTIVE)

    assert not exists("EmailReceiptRules", **parameters)
    assert exists("EmailReceiptRule", **parameters)
    rule_set, made = rule(**parameters)
    assert rule_set == ACTIVE
    assert stage in made["Name"]
    assert made["Recipients"] == [DOMAIN]
    assert may_store(arn_of_rule(**parameters), "raw/_/mail", **parameters)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_that_names_its_own_set_keeps_it(stage: str) -> None:
    own = rule(**given(stage))

    assert exists("EmailReceiptRules", **given(stage, own[0]))
    assert rule(**given(stage, own[0])) == own


@each(
    ("first", "second"),
    [pair for pair in product(STAGES, STAGES) if pair[0] != pair[1]],
)
def test_two_stages_of_one_account_and_region_both_receive_through_the_active_set(
    first: str, second: str
) -> None:
    """Also where the active set belongs to the first stage, and the second one names it."""
    own, _ = rule(**given(first))
    for of_first, of_second in (
        (given(first, ACTIVE), given(second, ACTIVE, "help.example.com")),
        (given(first), given(second, own, "help.example.com")),
    ):
        (set_of_first, rule_of_first), (set_of_second, rule_of_second) = (
            rule(**of_first),
            rule(**of_second),
        )
        assert set_of_first == set_of_second
        assert rule_of_first["Name"] != rule_of_second["Name"]
        for parameters in (of_first, of_second):
            (action,) = rule(**parameters)[1]["Actions"]
            assert (
                action["S3Action"]["BucketName"]
                == properties("EmailBucket", **parameters)["BucketName"]
            )
            assert may_store(arn_of_rule(**parameters), "raw/_/mail", **parameters)


@each("rule_set", ["", ACTIVE])
@each(
    ("source", "key"),
    [
        ("receipt-rule-set/other:receipt-rule/store", "raw/_/mail"),
        ("receipt-rule-set/company-mail-2:receipt-rule/store", "raw/_/mail"),
        ("receipt-rule-set/parley-prod-eu:receipt-rule/store", "raw/_/mail"),
        (None, "attachments/file"),
    ],
)
def test_a_rule_of_another_set_and_other_keys_are_refused(
    rule_set: str, source: str | None, key: str
) -> None:
    parameters = given("prod", rule_set)
    arn = f"arn:aws:ses:{REGION}:{ACCOUNT}:{source}" if source else arn_of_rule(**parameters)

    assert not may_store(arn, key, **parameters)


@pytest.mark.parametrize("rule_set", ["", ACTIVE])
def test_without_a_domain_and_on_the_emulator_there_is_neither_set_nor_rule(rule_set: str) -> None:
    for parameters in (given("prod", rule_set, ""), given("local", rule_set)):
        assert not exists("EmailReceiptRules", **parameters)
        assert not exists("EmailReceiptRule", **parameters)


def test_the_rule_waits_for_the_policy_of_the_bucket() -> None:
    """SES tries to write when a rule is created."""
    assert template()["Resources"]["EmailReceiptRule"]["DependsOn"] == "EmailBucketPolicy"
