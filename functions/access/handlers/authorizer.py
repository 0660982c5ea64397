"""
Lambda authorizer (REQUEST) of the whole API: an API key or the access token of a person in, company and scopes out.

    x-api-key: pk_...                 an API key; if present, no other header counts
    Authorization: Bearer ...         an access token of the login provider
    x-company: acme                   the company to act in, for a person with roles in several

API Gateway invokes this function for every call (template.yaml, ParleyApi). A call without valid credentials gets a
Deny, which the gateway answers with 401. Errors would be answered with 401 or 500 too, but they would count as failures
of the function, and an expired token is part of every browser's day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from access import api_keys, company_rate
from access.credentials import CredentialsRefused
from shared.access import company_keys, revocations
from shared.access.logins import StoredLogins
from shared.api.auth import COMPANY_HEADER, Caller, Unresolved, over_rate, unresolved
from shared.aws.dynamodb import Table
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class AuthorizerSettings(Settings):
    """
    The environment of this function.

    *api_rate_limit* is per second, of all companies together; a company may use *api_company_percent* of it.
    """

    api_keys_table_name: str
    api_company_percent: int
    api_rate_limit: int
    login_settings_name: str


settings = AuthorizerSettings.load()
# Every call of the API waits for its read: of the key, or of the revocation of a person.
quick = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 3})
table = Table(boto3.client("dynamodb", config=quick), settings.api_keys_table_name)
logins = StoredLogins(lambda: boto3.client("ssm", config=quick), settings.login_settings_name)

SIGN_OUT = "POST/sign-out"  # method and path
# A JSON Web Token: three parts in URL-safe base64. API Gateway limits the length of all headers to 10 KB.
_BEARER = re.compile(r"Bearer +([\w-]+\.[\w-]+\.[\w-]+)", re.ASCII | re.IGNORECASE)


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """
    Return the policy and the context for an authorizer request.

    Raises Transient, and the exceptions of the table, if the credentials cannot be checked; API Gateway answers 500.
    """
    headers = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    try:
        if "x-api-key" in headers:
            context = _context_of_key(headers["x-api-key"].strip())
        else:
            context = _context_of_holder(headers, event["methodArn"])
    except CredentialsRefused as refusal:
        facts = {"reason": refusal.reason, "credentials": refusal.kind}
        logger.warning("credentials refused", extra=facts)
        return _policy(event, "Deny", "unauthenticated", {})
    finally:
        if metrics.metric_set:
            metrics.flush_metrics()
    return _policy(event, "Allow", context["principal"], context)


def _context_of_key(text: str) -> dict[str, str]:
    """Return the context of an API key. Raises CredentialsRefused, and what the table raises if it cannot read."""
    key = api_keys.verify(table, text)
    try:
        company_keys.note_use(table, key)
    except (ClientError, BotoCoreError):
        # The call does not wait for a later attempt: the next one notes the day.
        logger.warning("the use of an API key was not noted", extra={"key_id": key.key_id})
    return _limited(key.caller())


def _context_of_holder(headers: Mapping[str, str], method_arn: str) -> dict[str, str]:
    """
    Return the context of the person whose access token the call carries.

    Raises CredentialsRefused, Transient, and the exceptions of the table: without the revocation no token counts.
    """
    bearer = _BEARER.fullmatch(headers.get("authorization", "").strip())
    if bearer is None:
        raise CredentialsRefused("absent")
    # Calls with an API key need neither the library of tokens nor roles.
    from access import access_tokens, roles  # noqa: PLC0415 - see above

    holder = access_tokens.verify(bearer[1], logins.value())
    if revocations.find(table, holder.principal).covers(holder.issued_at):
        raise access_tokens.TokenRefused("revoked")
    caller = roles.caller_of(holder, headers.get(COMPANY_HEADER))
    if isinstance(caller, Unresolved):
        return unresolved(holder.principal, caller)
    # A company above its rate must not keep a person signed in. A token can do this once.
    is_sign_out = method_arn.split("/", 2)[2] == SIGN_OUT
    return caller.as_context() if is_sign_out else _limited(caller)


def _limited(caller: Caller) -> dict[str, str]:
    """Return the context of a caller, whose call is counted for its company."""
    per_minute = company_rate.per_minute_of(settings.api_company_percent, settings.api_rate_limit)
    wait = company_rate.wait_of(table, caller.company, per_minute)
    # An authorizer can only answer 401, 403 or 500: the function behind it answers 429.
    return caller.as_context() | ({} if wait is None else over_rate(wait, per_minute))


def _policy(
    event: Mapping[str, Any], effect: str, principal: str, context: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "principalId": principal,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": effect,
                    "Resource": _whole_stage(event["methodArn"]),
                }
            ],
        },
        "context": dict(context),
    }


def _whole_stage(method_arn: str) -> str:
    """
    Return the ARN of all methods and paths of the called stage.

    `arn:aws:execute-api:{region}:{account}:{api}/{stage}/{method}/{path}` becomes `.../{stage}/*/*`: the handlers
    authorise each route, by scope.
    """
    api, stage, *_ = method_arn.split("/")
    return f"{api}/{stage}/*/*"
