"""Compares the lifecycle of stored files, which the deployment's template defines, with given days."""

from __future__ import annotations

from typing import Annotated, Any

from botocore.exceptions import ClientError
from pydantic import Field

from shared.api.auth import Scope
from shared.aws.stored_objects import MEDIA_PREFIX
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import ManagedByTemplate
from whatsapp.actions.calls.inputs import Input, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View

EUM = Group("eum_media")
_NONE = "NoSuchLifecycleConfiguration"
_INFREQUENT_ACCESS = "STANDARD_IA"


class Lifecycle(Input):
    """The days after which files are deleted, and moved to the storage class for infrequent access."""

    expiration_days: Annotated[Whole, Field(ge=1, le=3_650)] = 90
    transition_to_ia_days: Annotated[Whole, Field(ge=30, le=3_650, alias="transitionToIADays")] = 30


class MatchingLifecycle(View):
    """The bucket's rules match the call."""

    matches: bool
    expiration_days: int | None = None
    transition_to_ia_days: int | None = Field(default=None, alias="transitionToIADays")


@EUM.reads("local", Scope.WHATSAPP_ADMIN)
def eum_setup_s3_lifecycle(call: Call[Lifecycle]) -> MatchingLifecycle:
    """
    Compare the rules for stored files with the given days: `matches`, or 409 `managed_by_template`.

    The bucket belongs to the deployment's template, so nothing is changed: `MessageTtlDays` deletes files with their
    messages, and moves to another storage class have no parameter.
    """
    expiration, transition = _days_of_files(call)
    asked = call.input
    if (expiration, transition) != (asked.expiration_days, asked.transition_to_ia_days):
        raise ManagedByTemplate(
            f"stored files are deleted after {_days(expiration)} (template parameter MessageTtlDays) and moved to "
            f"{_INFREQUENT_ACCESS} after {_days(transition)} (rule of MediaBucket in stacks/shared.yaml)"
        )
    return MatchingLifecycle(
        matches=True, expiration_days=expiration, transition_to_ia_days=transition
    )


def _days_of_files(call: Call[Lifecycle]) -> tuple[int | None, int | None]:
    """Return the days of the bucket's rules that apply to stored files: deletion, and transition."""
    bucket = call.resources.bucket
    try:
        rules = bucket.client.get_bucket_lifecycle_configuration(Bucket=bucket.name)["Rules"]
    except ClientError as error:
        if error.response["Error"]["Code"] != _NONE:
            raise
        rules = []
    applied = [rule for rule in rules if _applies(rule)]
    expirations = [
        rule["Expiration"]["Days"] for rule in applied if "Days" in rule.get("Expiration", {})
    ]
    transitions = [
        transition["Days"]
        for rule in applied
        for transition in rule.get("Transitions", [])
        if transition.get("StorageClass") == _INFREQUENT_ACCESS and "Days" in transition
    ]
    return min(expirations, default=None), min(transitions, default=None)


def _applies(rule: Any) -> bool:  # noqa: ANN401 - a rule in the structure of S3
    """Whether a rule is enabled, and its prefix includes all stored files."""
    prefix = rule.get("Filter", {}).get("Prefix", rule.get("Prefix", ""))
    return rule.get("Status") == "Enabled" and MEDIA_PREFIX.startswith(prefix)


def _days(days: int | None) -> str:
    return "no time" if days is None else f"{days} days"
