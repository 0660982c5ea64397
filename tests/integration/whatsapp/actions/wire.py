"""
Checks recorded requests to Meta against Meta's OpenAPI document, if it is there.

Requests to AWS need no check here: boto3 refuses what differs from the service's model.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from local.sandbox.state import Sent

DOCUMENT = Path(__file__).parents[5] / "shared" / "meta" / "business-messaging-api_v23.0.yaml"


@cache
def document() -> dict[str, Any]:
    """Meta's document; skips the test where it is absent."""
    if not DOCUMENT.exists():
        pytest.skip("Meta's OpenAPI document is not beside the project")
    loaded: dict[str, Any] = yaml.load(DOCUMENT.read_text(), Loader=yaml.CSafeLoader)
    _open(loaded)
    return loaded


def _open(part: Any) -> None:
    """
    Permit additional properties everywhere: the document forbids them in each part of its `allOf`, so that no message
    fits, not even its own examples.
    """
    if isinstance(part, dict):
        if part.get("additionalProperties") is False:
            del part["additionalProperties"]
        part = part.values()
    elif not isinstance(part, list):
        return
    for child in part:
        _open(child)


def problems(sent: Sent, method: str, template: str) -> list[str]:
    """
    What is wrong with a request, by the operation of *template*, such as `/{Version}/{WABA-ID}/flows`.

    Checks the path, unknown and missing query parameters, and the JSON body.
    """
    operation = document()["paths"][template][method.lower()]
    pattern = re.sub(r"{[^}]+}", "[^/]+", template)
    found = [] if re.fullmatch(pattern, sent.path) else [f"path: {sent.path}"]
    shared = document()["paths"][template].get("parameters", [])
    parameters = [_resolved(one) for one in [*shared, *operation.get("parameters", [])]]
    queries = {one["name"]: one for one in parameters if one["in"] == "query"}
    found += [f"query: {name} is unknown" for name in sent.query if name not in queries]
    found += [
        f"query: {name} is missing"
        for name, one in queries.items()
        if one.get("required") and name not in sent.query
    ]
    content = _resolved(operation.get("requestBody", {})).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    if schema is not None:
        whole = {"components": document().get("components", {}), **_chosen(schema, sent.body)}
        found += [
            f"body: {error.json_path} {error.message}"
            for error in Draft202012Validator(whole).iter_errors(sent.body)
        ]
    return found


def _chosen(schema: dict[str, Any], body: Any) -> dict[str, Any]:
    """The variant that the body's discriminator names, for errors that say more than that none fits."""
    discriminator = _resolved(schema).get("discriminator", {})
    names: dict[str, str] = discriminator.get("mapping", {})
    chosen = names.get(str(body.get(discriminator.get("propertyName"))))
    return {"$ref": chosen} if chosen else schema


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        found: Any = document()
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part
