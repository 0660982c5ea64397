"""
Two patches of MiniStack for callers of the API.

MiniStack ignores the gateway responses of an imported API, so refused calls would have its own statuses and bodies.

Tokens that it issues for a refresh token omit the person's groups. In Cognito they are in every access token.
"""

from typing import Any

from ministack.services import apigateway_v1, cognito

_EXTENSION = "x-amazon-apigateway-gateway-responses"


def install() -> None:
    """Replace both functions of MiniStack; SystemExit if this MiniStack has no such functions."""
    if not all(
        (
            hasattr(apigateway_v1, "_import_rest_api"),
            hasattr(apigateway_v1, "_put_gateway_response"),
            hasattr(cognito, "_fake_token"),
        )
    ):
        raise SystemExit(
            "this MiniStack works in another way: local/stack/ministack_access.py has to follow"
        )
    import_rest_api, issue = apigateway_v1._import_rest_api, cognito._fake_token

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

    apigateway_v1._import_rest_api = with_gateway_responses
    cognito._fake_token = with_groups
