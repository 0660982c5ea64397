"""
Patch of MiniStack: CloudFormation creates the responses of WebSocket routes and integrations.

MiniStack has both, but only its API creates them. It answers by the response of an integration, with or without one of
its route; a test of the template compares the two.
"""

import json
from collections.abc import Callable
from typing import Any

from ministack.services import apigateway
from ministack.services.cloudformation import provisioners

type _Answer = tuple[int, Any, Any]  # status, headers, body


def install() -> None:
    """Add both types of resources; SystemExit if this MiniStack has no such functions."""
    if not (
        hasattr(apigateway, "_create_route_response")
        and hasattr(apigateway, "_create_integration_response")
        and hasattr(provisioners, "_RESOURCE_HANDLERS")
    ):
        raise SystemExit(
            "this MiniStack works in another way: local/stack/emulator/ministack_websockets.py has to follow"
        )
    for kind in ("Route", "Integration"):
        create = getattr(apigateway, f"_create_{kind.lower()}_response")
        provisioners._RESOURCE_HANDLERS.setdefault(
            f"AWS::ApiGatewayV2::{kind}Response", _handler(kind, create)
        )


def _handler(kind: str, create: Callable[[str, str, dict[str, Any]], _Answer]) -> dict[str, Any]:
    """Return a handler. Stacks are not updated here, and a response ends with its API."""

    def created(
        _logical_id: str, properties: dict[str, Any], _stack: str
    ) -> tuple[str, dict[str, Any]]:
        data = {name[0].lower() + name[1:]: value for name, value in properties.items()}
        owner = str(properties[f"{kind}Id"]).rpartition("/")[
            2
        ]  # MiniStack's id of a route has its API
        status, _, body = create(properties["ApiId"], owner, data)
        if status >= 400:  # noqa: PLR2004 - statuses of HTTP
            raise ValueError(f"AWS::ApiGatewayV2::{kind}Response: {body!r}")
        return str(json.loads(body)[f"{kind.lower()}ResponseId"]), {}

    return {"create": created, "delete": lambda _id, _properties: None}
