"""
Lambda authorizer (TOKEN) of the whole API: an API key in, company and scopes out.

The key is sent in the header `x-api-key`. If it is absent or has another format, API Gateway answers 401 itself and
does not call this function (template.yaml, ParleyApi).
"""

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from access import api_keys, company_rate
from access.api_keys import KeyRefused
from shared.api.auth import over_rate
from shared.aws.dynamodb import Table
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings


@dataclass(frozen=True, kw_only=True)
class AuthorizerSettings(Settings):
    """The environment of this function."""

    api_keys_table_name: str
    api_company_rate_limit: int


settings = AuthorizerSettings.load()
# Every call of the API waits for this one read.
quick = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 3})
table = Table(boto3.client("dynamodb", config=quick), settings.api_keys_table_name)


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """
    Return the policy and the context for an authorizer request.

    Raises `Exception("Unauthorized")` for anything but a valid key; API Gateway turns this exact text into a 401, and
    every other exception into a 500 (API Gateway, "Output from an API Gateway Lambda authorizer").
    """
    try:
        caller = api_keys.verify(table, str(event.get("authorizationToken") or "").strip()).caller()
    except KeyRefused as refusal:
        logger.warning("API key refused", extra={"reason": refusal.reason})
        raise Exception("Unauthorized") from None  # noqa: TRY002 - API Gateway requires this exact text
    per_minute = settings.api_company_rate_limit
    wait = company_rate.wait_of(table, caller.company, per_minute)
    if metrics.metric_set:
        metrics.flush_metrics()
    # An authorizer can only answer 401, 403 or 500: the function behind it answers 429.
    limited = {} if wait is None else over_rate(wait, per_minute)
    return {
        "principalId": caller.principal,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": _whole_stage(event["methodArn"]),
                }
            ],
        },
        "context": caller.as_context() | limited,
    }


def _whole_stage(method_arn: str) -> str:
    """
    Return the ARN of all methods and paths of the called stage.

    `arn:aws:execute-api:{region}:{account}:{api}/{stage}/{method}/{path}` becomes `.../{stage}/*/*`: the handlers
    authorise each route, by scope.
    """
    api, stage, *_ = method_arn.split("/")
    return f"{api}/{stage}/*/*"
