"""Templates of the tests, as the providers have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.whatsapp.actions.conftest import AWS_WABA, WABA

if TYPE_CHECKING:
    from local.sandbox import Sandbox

BODY = {"type": "BODY", "text": "Hello {{1}}, {{2}} off.", "example": {"body_text": [["Ada", "5"]]}}
IMAGE = {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["4::a"]}}
LINK = {"type": "URL", "text": "Open", "url": "https://acme.example/{{1}}", "example": ["a"]}
QUICK = {"type": "QUICK_REPLY", "text": "Stop"}


def buttons(*given: dict[str, Any]) -> dict[str, Any]:
    return {"type": "BUTTONS", "buttons": list(given)}


def template(name: str, *components: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """An approved marketing template of acme's account on Graph."""
    return {
        "waba": WABA,
        "id": str(1000 + len(name)),
        "name": name,
        "language": "en_US",
        "status": "APPROVED",
        "category": "MARKETING",
        "components": list(components),
    } | facts


def listed(sandbox: Sandbox, *components: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """Add a template to the provider."""
    added = template(str(facts.pop("name", "spring_sale")), *components, **facts)
    sandbox.templates.append(added)
    return added


def at_aws(sandbox: Sandbox, *components: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """Add a template to acme's account on AWS."""
    return listed(sandbox, *components, **{"waba": AWS_WABA, **facts})
