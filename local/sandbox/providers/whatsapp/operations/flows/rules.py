"""
The rules of forms (WhatsApp Flows), for both providers, and of the public keys that encrypt them.

    DRAFT --publish--> PUBLISHED --deprecate--> DEPRECATED

Only a DRAFT can be changed or deleted; one with validation errors cannot be published.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

if TYPE_CHECKING:
    from local.sandbox.providers.interface import Call

_CATEGORIES = frozenset(
    {
        *("SIGN_UP", "SIGN_IN", "APPOINTMENT_BOOKING", "LEAD_GENERATION", "SHOPPING", "CONTACT_US"),
        *("CUSTOMER_SUPPORT", "SURVEY", "OTHER"),
    }
)
_KEY_BITS = 2_048
_LONGEST_NAME = 200
EXPIRES = "2030-01-01T00:00:00+0000"
_CANNOT_UPDATE, _CANNOT_PUBLISH, _CANNOT_DEPRECATE, _CANNOT_DELETE = 139001, 139002, 139003, 139004

type Form = dict[str, Any]


class BrokenRule(Exception):
    """A form breaks a rule: Graph's code and text of it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def flows_of(call: Call) -> dict[str, Form]:
    """Return all forms by id."""
    return call.sandbox.objects["flows"]


def keys_of(call: Call) -> dict[str, str]:
    """Return the public keys by number."""
    return call.sandbox.objects["flow keys"]


def create(call: Call, account: str, given: dict[str, Any]) -> Form:
    """Create a form. Raises BrokenRule."""
    name, categories = given.get("name"), given.get("categories")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise BrokenRule(100, "name: is required")
    _check_categories(categories)
    if any(one["account"] == account and one["name"] == name for one in flows_of(call).values()):
        raise BrokenRule(100, "Flow name is not unique")
    source = given.get("clone")
    if source is not None and source not in flows_of(call):
        raise BrokenRule(100, "clone_flow_id: no such form")
    document = given.get("document")
    if source is not None:
        document = flows_of(call)[source]["document"]
    form: Form = {
        "id": str(700_000_000_000_000 + len(flows_of(call))),
        "account": account,
        "name": name,
        "categories": categories,
        "status": "DRAFT",
        "document": document,
        "errors": _errors(document),
        "endpoint": given.get("endpoint"),
    }
    flows_of(call)[form["id"]] = form
    if given.get("publish") and not form["errors"]:
        publish(form)
    return form


def update(form: Form, given: dict[str, Any]) -> None:
    """Change a draft's name, categories or endpoint. Raises BrokenRule."""
    _require_draft(form, _CANNOT_UPDATE)
    if "categories" in given:
        _check_categories(given["categories"])
    form |= given


def replace(form: Form, document: str) -> None:
    """Replace a draft's JSON. Raises BrokenRule, and ValueError if it is no JSON."""
    _require_draft(form, _CANNOT_UPDATE)
    form |= {"document": document, "errors": _errors(document)}


def publish(form: Form) -> None:
    """Publish a draft without validation errors. Raises BrokenRule."""
    _require_draft(form, _CANNOT_PUBLISH)
    if form["errors"] or form["document"] is None:
        raise BrokenRule(_CANNOT_PUBLISH, "the form has validation errors")
    form["status"] = "PUBLISHED"


def deprecate(form: Form) -> None:
    """Deprecate a published form. Raises BrokenRule."""
    if form["status"] != "PUBLISHED":
        raise BrokenRule(_CANNOT_DEPRECATE, "the form is not published")
    form["status"] = "DEPRECATED"


def delete(call: Call, form: Form) -> None:
    """Delete a draft. Raises BrokenRule."""
    _require_draft(form, _CANNOT_DELETE)
    del flows_of(call)[form["id"]]


def _require_draft(form: Form, code: int) -> None:
    if form["status"] != "DRAFT":
        raise BrokenRule(code, f"the form is {form['status']}")


def _check_categories(categories: object) -> None:
    if not isinstance(categories, list) or not categories or not {*categories} <= _CATEGORIES:
        raise BrokenRule(100, "categories: must be a list of known categories")


def _errors(document: str | None) -> list[dict[str, Any]]:
    """Return the validation errors of a form's JSON, as far as the sandbox checks it: version and screens."""
    if document is None:
        return []
    parsed = json.loads(document)
    missing = [name for name in ("version", "screens") if not parsed.get(name)]
    titles = [s.get("id") for s in parsed.get("screens", []) if "title" not in s]
    return [
        *(_missing(where) for where in missing),
        *(_missing(f"screens/{one}/title") | _line_of(document, one) for one in titles),
    ]


def _missing(where: str) -> dict[str, Any]:
    return {
        "error": "MISSING_REQUIRED_PROPERTY",
        "error_type": "FLOW_JSON_ERROR",
        "message": f"The required property is missing at {where}.",
    }


def _line_of(document: str, screen: object) -> dict[str, int]:
    """Return the line of a screen's id, as Meta names the lines of its errors; nothing if it is not alone there."""
    found = [
        number
        for number, line in enumerate(document.splitlines(), 1)
        if line.strip().rstrip(",").replace(" ", "") == f'"id":{json.dumps(screen)}'
    ]
    return {"line_start": found[0], "line_end": found[0]} if found else {}


def checked_public_key(pem: object) -> str:
    """Return a public key that can be published. Raises BrokenRule."""
    try:
        key = load_pem_public_key(str(pem).encode())
    except ValueError:
        raise BrokenRule(100, "business_public_key: must be a PEM") from None
    if not isinstance(key, RSAPublicKey) or key.key_size != _KEY_BITS:
        raise BrokenRule(100, "business_public_key: must be an RSA key of 2048 bits")
    return str(pem)
