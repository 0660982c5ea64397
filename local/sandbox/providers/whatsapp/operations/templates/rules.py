"""
The rules of message templates, which both providers share.

Templates are in `sandbox.templates`, each with its `waba`: Meta's id at Graph, AWS's id at AWS. A new one is PENDING;
tests approve it. Deleted ones are gone. The library is `sandbox.objects["library_templates"]`.
"""

import base64
import re
import secrets
from typing import Any

from local.sandbox.providers.interface import Call

_NAME = re.compile(r"[a-z0-9_]{1,512}")
_VARIABLE = re.compile(r"{{\s*(\w+)\s*}}")
_CATEGORIES = {"MARKETING", "UTILITY", "AUTHENTICATION"}
_EDITABLE = {"APPROVED", "REJECTED", "PAUSED"}
_TTL = {"AUTHENTICATION": (30, 900), "UTILITY": (30, 43_200), "MARKETING": (43_200, 2_592_000)}

type Template = dict[str, Any]


class Invalid(Exception):
    """A template, or a change of one, breaks a rule; the text names the field."""


def check_definition(template: Template) -> None:
    """Raise Invalid unless a template can be reviewed."""
    if not _NAME.fullmatch(str(template.get("name", ""))):
        raise Invalid("name: must be lowercase letters, digits and underscores")
    if template.get("category") not in _CATEGORIES:
        raise Invalid("category: unknown")
    if not template.get("language"):
        raise Invalid("language: is required")
    check_components(template.get("components"), str(template["category"]))
    check_ttl(template.get("message_send_ttl_seconds"), str(template["category"]))


def check_components(components: Any, category: str) -> None:  # noqa: ANN401 - of a request
    """Raise Invalid unless the components have a body, and an example for each variable."""
    if not isinstance(components, list) or not components:
        raise Invalid("components: are required")
    by_type = {str(one.get("type", "")).upper(): one for one in components}
    body = by_type.get("BODY")
    if body is None or ("text" not in body and category != "AUTHENTICATION"):
        raise Invalid("components: need a body with a text")
    for kind, examples in (("BODY", ("body_text", "body_text_named_params")),
                           ("HEADER", ("header_text", "header_text_named_params"))):  # fmt: skip
        part = by_type.get(kind, {})
        example = part.get("example") or {}
        if _VARIABLE.search(str(part.get("text", ""))) and not any(map(example.get, examples)):
            raise Invalid(f"components: {kind} has variables without examples")
    header = by_type.get("HEADER", {})
    is_file = header.get("format") in {"IMAGE", "VIDEO", "DOCUMENT"}
    if is_file and not (header.get("example") or {}).get("header_handle"):
        raise Invalid("components: HEADER needs a header_handle")


def check_ttl(seconds: Any, category: str) -> None:  # noqa: ANN401 - of a request
    """Raise Invalid unless the time to live is in the category's range."""
    low, high = _TTL[category]
    if seconds not in {None, -1} and not low <= int(seconds) <= high:
        raise Invalid(f"message_send_ttl_seconds: must be {low} to {high}")


def added(call: Call, template: Template, waba: str) -> Template:
    """Check a template and add it. Raises Invalid."""
    check_definition(template)
    same = (waba, template["name"], template["language"])
    if any((t["waba"], t["name"], t["language"]) == same for t in call.sandbox.templates):
        raise Invalid("there is a template with this name and language")
    created = {
        **{name: value for name, value in template.items() if name != "allow_category_change"},
        "waba": waba,
        "id": str(10**14 + secrets.randbelow(10**14)),
        "status": "PENDING",
    }
    call.sandbox.templates.append(created)
    return created


def from_library(call: Call, given: Template) -> Template:
    """Return the definition of a library template under its new name. Raises Invalid."""
    for template in call.sandbox.objects["library_templates"].values():
        if (template["name"], template["language"]) == (
            given["library_template_name"],
            given.get("language"),
        ):
            named = {name: given.get(name) for name in ("name", "language", "category")}
            components = [{"type": "BODY", "text": template["body"], "example": _example(template)}]
            return named | {
                "library_template_name": template["name"],
                "components": components,
            }
    raise Invalid("library_template_name: unknown in this language")


def _example(template: Template) -> Template:
    return {"body_text": [template.get("body_params", [])]}


def edited(template: Template, change: Template) -> None:
    """Edit a template; a new text is reviewed again. Raises Invalid."""
    if not change:
        raise Invalid("nothing to change")
    if template["status"] not in _EDITABLE:
        raise Invalid(f"the template is {template['status']}: it cannot be edited")
    is_recategorised = change.get("category", template["category"]) != template["category"]
    if is_recategorised and template["status"] == "APPROVED":
        raise Invalid("the category of an approved template cannot be edited")
    category = str(change.get("category", template["category"]))
    if "components" in change:
        check_components(change["components"], category)
        template["status"] = "PENDING"
    check_ttl(change.get("message_send_ttl_seconds"), category)
    template.update(change)


def library(call: Call, filters: dict[str, str]) -> list[Template]:
    """Return the templates of the library that match."""
    fields = ("topic", "usecase", "language")
    return [
        one
        for one in call.sandbox.objects["library_templates"].values()
        if all(filters.get(name) in {None, one.get(name)} for name in fields)
        and filters.get("industry", "") in {"", *one.get("industry", [])}
        and filters.get("searchKey", "").lower() in f"{one['name']} {one['body']}".lower()
    ]


def paged[One](found: list[One], after: str | None, size: int) -> tuple[list[One], str | None]:
    """Return a page of a list, and the cursor of the next one."""
    start = int(base64.b64decode(after)) if after else 0
    end = start + size
    following = base64.b64encode(str(end).encode()).decode() if end < len(found) else None
    return found[start:end], following
