"""
Three patches of MiniStack: two for callers of the API, one for the permissions of functions.

MiniStack ignores the gateway responses of an imported API, so refused calls would have its own statuses and bodies.

Tokens that it issues for a refresh token omit the person's groups. In Cognito they are in every access token.

It finds the log group of a query only if the query names a single one, and denies others unless the role may query all
groups. Here the first of several groups is checked; AWS checks each.
"""

import json
from typing import Any

from ministack.core import iam_actions
from ministack.services import apigateway_v1, cognito

_EXTENSION = "x-amazon-apigateway-gateway-responses"


def install() -> None:
    """Replace these functions of MiniStack; SystemExit if this MiniStack has no such functions."""
    if not all(
        (
            hasattr(apigateway_v1, "_import_rest_api"),
            hasattr(apigateway_v1, "_put_gateway_response"),
            hasattr(cognito, "_fake_token"),
            hasattr(iam_actions, "extract_resource_arn"),
        )
    ):
        raise SystemExit(
            "this MiniStack works in another way: local/stack/emulator/ministack_access.py has to follow"
        )
    import_rest_api, issue = apigateway_v1._import_rest_api, cognito._fake_token
    resource_of = iam_actions.extract_resource_arn

    def with_gateway_responses(spec: dict[str, Any], base_data: Any = None) -> str:  # noqa: ANN401 - MiniStack's signature
        api_id = str(import_rest_api(spec, base_data))
        for kind, response in (spec.get(_EXTENSION) or {}).items():
            apigateway_v1._put_gateway_response(api_id, kind, response)
        return api_id

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
    cognito._fake_token = with_groups
    iam_actions.extract_resource_arn = with_log_group
