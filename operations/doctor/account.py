"""Checks of settings that an account has once in a region, and that its stages share: receipt rules, logging role."""

from typing import Any

from botocore.exceptions import ClientError

from operations.doctor.deployment import Deployment, client
from operations.doctor.findings import Finding, action, ok, unchecked

_RULE_SET = "AWS::SES::ReceiptRuleSet"


def receipt_rules(deployment: Deployment) -> list[Finding]:
    """Check that the active receipt rule set stores the mail of InboundDomain in the bucket of the stage."""
    domain = deployment.parameters.get("InboundDomain", "")
    if deployment.is_local:
        return [unchecked("active set", "the emulator has no receipt rules")]
    if not domain:
        return [ok("active set", "InboundDomain is empty: no mail is received")]
    owned = [one.name for one in deployment.resources(_RULE_SET)]
    wanted = deployment.parameters.get("EmailRuleSetName") or next(iter(owned), "")
    found = client("ses").describe_active_receipt_rule_set()
    active = found.get("Metadata", {}).get("Name", "")
    activate = f"`aws ses set-active-receipt-rule-set --rule-set-name {wanted}`"
    if not active:
        return [action("active set", "none: no mail is received", f"activate it: {activate}")]
    if active != wanted:
        text = f"is {active}, but the rule of this stage is in {wanted}"
        other = f"activate {wanted}, which ends the mail of {active}: {activate}"
        step = f"deploy with EmailRuleSetName={active}, or {other}"
        return [action("active set", text, step)]
    return [_rule(found.get("Rules", []), active, domain, deployment.output("EmailBucketName"))]


def _rule(rules: list[dict[str, Any]], active: str, domain: str, bucket: str) -> Finding:
    """Check the rules of the active set in their order: SES ends at one with a stop action."""
    for rule in rules:
        if not rule.get("Enabled") or not _applies(rule, domain):
            continue
        actions = rule.get("Actions", [])
        if any(one.get("S3Action", {}).get("BucketName") == bucket for one in actions):
            return ok("active set", f"{active} has the rule {rule['Name']} of this stage")
        if any("StopAction" in one for one in actions):
            moved = "or move it behind the rule of this stage"
            step = f"let the rule {rule['Name']} of {active} leave out {domain}, {moved}"
            return action(
                "active set",
                f"the rule {rule['Name']} of {active} stops before this stage's rule",
                step,
            )
    step = "deploy again; if the rule was changed by hand, delete it and deploy with another InboundDomain first"
    return action(
        "active set", f"{active} has no enabled rule for {domain} that stores in {bucket}", step
    )


def _applies(rule: dict[str, Any], domain: str) -> bool:
    """Whether a rule is for addresses of a domain: for all, for the domain, or for a parent domain with a dot."""
    recipients = rule.get("Recipients", [])
    return not recipients or any(
        one == domain or (one.startswith(".") and domain.endswith(one)) for one in recipients
    )


def logging_role(deployment: Deployment) -> list[Finding]:
    """Check that API Gateway has a role for access logs, one for all APIs of the account, if the stage has a log."""
    subject = "logging role of API Gateway"
    if deployment.is_local:
        return [unchecked(subject, "the emulator writes no access logs")]
    if deployment.parameters.get("ApiAccessLogs", "none") == "none":
        return [ok(subject, "ApiAccessLogs is none: no access log")]
    create = "deploy one stage of the account with ApiAccessLogs=create-role, the others with existing-role"
    arn = client("apigateway").get_account().get("cloudwatchRoleArn", "")
    if not arn:
        return [action(subject, "is not set: no API of the account writes a log", create)]
    name = arn.rpartition("/")[2]
    try:
        client("iam").get_role(RoleName=name)
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchEntity":
            raise
        return [action(subject, f"is set to {name}, which does not exist", create)]
    return [ok(subject, f"is {name}")]
