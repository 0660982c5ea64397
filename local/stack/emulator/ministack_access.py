"""
Patches of MiniStack: four for callers of the API, one for the permissions of functions.

MiniStack ignores the gateway responses of an imported API, so refused calls would have its own statuses and bodies. It
ignores operations for any method, too: here they stand for each method of their path that has none of its own.

Its events do not name the domain of the API, by which functions know their own address.

Tokens that it issues for a refresh token omit the person's groups. In Cognito they are in every access token.

It finds the log group of a query only if the query names a single one, and denies others unless the role may query all
groups. Here the first of several groups is checked; AWS checks each.
"""

import json
from typing import Any

from ministack.core import iam_actions
from ministack.services import apigateway_v1, cognito

_EXTENSION = "x-amazon-apigateway-gateway-responses"
_ANY_METHOD = "x-amazon-apigateway-any-method"


def _name_methods(spec: dict[str, Any]) -> None:
    """Let an operation for any method stand for each method."""
    for operations in (spec.get("paths") or {}).values():
        operation = operations.pop(_ANY_METHOD, None)
        for method in apigateway_v1._OPENAPI_HTTP_METHODS if operation is not None else ():
            operations.setdefault(method, operation)


def install() -> None:
    """Replace these functions of MiniStack; SystemExit if this MiniStack has no such functions."""
    if not all(
        (
            hasattr(apigateway_v1, "_import_rest_api"),
            hasattr(apigateway_v1, "_put_gateway_response"),
            hasattr(apigateway_v1, "_OPENAPI_HTTP_METHODS"),
            hasattr(apigateway_v1, "_build_lambda_event_v1"),
            hasattr(cognito, "_fake_token"),
            hasattr(iam_actions, "extract_resource_arn"),
        )
    ):
        raise SystemExit(
            "this MiniStack works in another way: local/stack/emulator/ministack_access.py has to follow"
        )
    import_rest_api, issue = apigateway_v1._import_rest_api, cognito._fake_token
    event_of = apigateway_v1._build_lambda_event_v1
    resource_of = iam_actions.extract_resource_arn

    def with_gateway_responses(spec: dict[str, Any], base_data: Any = None) -> str:  # noqa: ANN401 - MiniStack's signature
        _name_methods(spec)
        api_id = str(import_rest_api(spec, base_data))
        for kind, response in (spec.get(_EXTENSION) or {}).items():
            apigateway_v1._put_gateway_response(api_id, kind, response)
        return api_id

    def with_domain(*request: Any, **named: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        event: dict[str, Any] = event_of(*request, **named)
        host = {name.lower(): text for name, text in event["headers"].items()}.get("host", "")
        event["requestContext"]["domainName"] = host
        return event

    def with_groups(sub: str, pool_id: str, client_id: str, *more: Any, **named: Any) -> str:  # noqa: ANN401 - as above
        if named.get("groups") is None and named.get("username"):
            pool = cognito._get_pool_unscoped(pool_id) or {}
            user = pool.get("_users", {}).get(named["username"]) or {}
            named["groups"] = user.get("_groups", [])
        return str(issue(sub, pool_id, client_id, *more, **named))

    def with_log_group(*request: Any) -> str:  # noqa: ANN401 - as above
        service, _, _, headers, body, _, region, account = request
        if service == "logs" and headers.get("x-amz-target", "").endswith(".StartQuery"):
            groups = json.loads(body).get("logGroupNames")
            if groups:
                return f"arn:aws:logs:{region}:{account}:log-group:{groups[0]}:*"
        return str(resource_of(*request))

    apigateway_v1._import_rest_api = with_gateway_responses
    apigateway_v1._build_lambda_event_v1 = with_domain
    cognito._fake_token = with_groups
    iam_actions.extract_resource_arn = with_log_group
