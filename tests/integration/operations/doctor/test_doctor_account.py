"""`python -m operations doctor`: settings that the stages of an account share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from operations.doctor import account
from operations.doctor.deployment import Deployment
from operations.doctor.findings import Finding, Status
from operations.stages.stack_resources import Resource
from tests.template import properties

DOMAIN = "support.example.com"
type Examine = Callable[..., Finding]


def deployment(given: dict[str, str], *, is_local: bool = False) -> Deployment:
    """A stage whose stack made a rule set, unless its parameters name another one."""
    stage = "ann"
    bucket = properties("EmailBucket", Stage=stage)["BucketName"]
    found = Deployment(
        stack=f"parley-{stage}",
        target="",
        is_local=is_local,
        outputs={"EmailBucketName": bucket},
        parameters={"Stage": stage, "InboundDomain": DOMAIN} | given,
        api_url="",
    )
    own = (
        []
        if given.get("EmailRuleSetName")
        else [Resource("AWS::SES::ReceiptRuleSet", "x", f"parley-{stage}")]
    )
    found.__dict__["_resources"] = own
    return found


def rule(name: str, *, bucket: str = "", stops: bool = False, **more: Any) -> dict[str, Any]:
    actions: list[dict[str, Any]] = [{"StopAction": {"Scope": "RuleSet"}}] if stops else []
    if bucket:
        actions.append({"S3Action": {"BucketName": bucket, "ObjectKeyPrefix": "raw/_/"}})
    return {"Name": name, "Enabled": True, "Recipients": [DOMAIN], "Actions": actions} | more


BUCKET = "parley-ann-email-123456789012-us-east-1"
OTHER_BUCKET = "parley-bob-email-123456789012-us-east-1"


@pytest.fixture
def examine() -> Iterator[Examine]:
    """Check the receipt rules of a stage in an account whose active set has these rules."""
    with mock_aws():

        def run(active: str, rules: list[dict[str, Any]], **given: str) -> Finding:
            ses = boto3.client("ses")
            for name in (BUCKET, OTHER_BUCKET):  # SES tries to write when a rule is created
                boto3.client("s3").create_bucket(Bucket=name)
            if active:
                ses.create_receipt_rule_set(RuleSetName=active)
                for one in reversed(rules):  # SES inserts each at the beginning
                    ses.create_receipt_rule(RuleSetName=active, Rule=one)
                ses.set_active_receipt_rule_set(RuleSetName=active)
            (found,) = account.receipt_rules(deployment(given))
            return found

        yield run


@pytest.mark.parametrize(
    ("active", "given"), [("parley-ann", {}), ("company", {"EmailRuleSetName": "company"})]
)
def test_a_rule_in_the_active_set_is_named(
    examine: Examine, active: str, given: dict[str, str]
) -> None:
    found = examine(
        active, [rule("theirs", Recipients=["x.example"]), rule("store", bucket=BUCKET)], **given
    )

    assert (found.status, found.step) == (Status.OK, "")
    assert "store" in found.text
    assert active in found.text


def test_no_active_set_is_an_action_with_the_command(examine: Examine) -> None:
    found = examine("", [])

    assert found.status is Status.ACTION
    assert "`aws ses set-active-receipt-rule-set --rule-set-name parley-ann`" in found.step


def test_an_active_set_of_others_names_the_parameter(examine: Examine) -> None:
    found = examine("company", [rule("store", bucket=BUCKET)])

    assert found.status is Status.ACTION
    assert "is company, but the rule of this stage is in parley-ann" in found.text
    assert "EmailRuleSetName=company" in found.step


@pytest.mark.parametrize(
    "rules",
    [
        [],
        [rule("store", bucket=BUCKET, Enabled=False)],
        [rule("store", bucket=OTHER_BUCKET)],
        [rule("store", bucket=BUCKET, Recipients=["other.example.com"])],
        [rule("store", bucket=BUCKET, Recipients=["example.com"])],
    ],
    ids=["none", "disabled", "other-bucket", "other-domain", "parent-domain"],
)
def test_a_set_without_a_rule_that_stores_the_mail_needs_action(
    examine: Examine, rules: list[dict[str, Any]]
) -> None:
    found = examine("parley-ann", rules)

    assert found.status is Status.ACTION
    assert DOMAIN in found.text


def test_a_rule_that_stops_before_ours_needs_action(examine: Examine) -> None:
    found = examine(
        "parley-ann", [rule("first", stops=True, Recipients=[]), rule("store", bucket=BUCKET)]
    )

    assert found.status is Status.ACTION
    assert "first" in found.text


@pytest.mark.parametrize("recipients", [[], [".example.com"]])
def test_a_rule_for_all_domains_or_subdomains_counts(
    examine: Examine, recipients: list[str]
) -> None:
    assert (
        examine("parley-ann", [rule("all", bucket=BUCKET, Recipients=recipients)]).status
        is Status.OK
    )


def test_a_stage_without_mail_needs_no_rule() -> None:
    (found,) = account.receipt_rules(deployment({"InboundDomain": ""}))

    assert (found.status, found.step) == (Status.OK, "")


@pytest.mark.parametrize("check", [account.receipt_rules, account.logging_role])
def test_the_emulator_cannot_be_checked(check: Callable[[Deployment], list[Finding]]) -> None:
    (found,) = check(deployment({}, is_local=True))

    assert (found.status, found.step) == (Status.UNCHECKED, "")


@pytest.fixture
def role_of_account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set API Gateway's role; moto does not accept one without its trust."""
    make: Any = boto3.client

    class ApiGateway:
        arn = ""

        def get_account(self) -> dict[str, str]:
            return {"cloudwatchRoleArn": self.arn} if self.arn else {}

    gateway = ApiGateway()

    def client(service: str, **more: Any) -> Any:
        return gateway if service == "apigateway" else make(service, **more)

    with mock_aws():
        monkeypatch.setattr(boto3, "client", client)
        yield lambda arn: setattr(gateway, "arn", arn)


@pytest.mark.parametrize("value", ["create-role", "existing-role"])
def test_an_access_log_needs_a_role_of_the_account_that_exists(
    role_of_account: Callable[[str], None], value: str
) -> None:
    def checked() -> Finding:
        (found,) = account.logging_role(deployment({"ApiAccessLogs": value}))
        return found

    missing = checked()
    assert (missing.status, "ApiAccessLogs=create-role" in missing.step) == (Status.ACTION, True)
    role_of_account("arn:aws:iam::123456789012:role/api-logs")
    deleted = checked()
    assert (deleted.status, "does not exist" in deleted.text) == (Status.ACTION, True)
    boto3.client("iam").create_role(RoleName="api-logs", AssumeRolePolicyDocument="{}")
    assert checked().status is Status.OK


def test_without_an_access_log_no_role_is_needed() -> None:
    (found,) = account.logging_role(deployment({"ApiAccessLogs": "none"}))

    assert (found.status, found.step) == (Status.OK, "")
