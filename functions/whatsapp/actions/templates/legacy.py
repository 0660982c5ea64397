"""Provides one action for several operations on templates at AWS, which older clients call."""

from typing import Any, Literal

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Components, Language, PageInput, S3Key, TemplateName
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts, definitions, listings
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates
from whatsapp.actions.templates.authoring import creation, removal, samples
from whatsapp.actions.templates.definitions import Category
from whatsapp.actions.templates.naming import TemplateId
from whatsapp.actions.templates.views import RemovedTemplate, TemplateView
from whatsapp.sending.views import View

LEGACY = Group("legacy")
_SAMPLE, _TEMPLATE = "sample", "template"


class TemplatesInput(EumAccountInput, PageInput):
    """
    An operation: list, create, create_with_media, delete, status.

    create and create_with_media need `templateName` and `components`, create_with_media also `s3Key`; delete and status
    need `templateName`. delete removes all languages unless `metaTemplateId` names one.
    """

    op: Literal["list", "create", "create_with_media", "delete", "status"]
    template_name: TemplateName | None = None
    language: Language | None = None
    category: Category | None = None
    components: Components | None = None
    s3_key: S3Key | None = None
    meta_template_id: TemplateId | None = None


class TemplatesResult(View):
    """The result of the operation: a list, the new template, or the deleted one."""

    templates: list[TemplateView] | None = None
    template: TemplateView | None = None
    removed: RemovedTemplate | None = None
    header_handle: str | None = None


@LEGACY.changes("remote_eum", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def templates(call: Call[TemplatesInput]) -> TemplatesResult | Page[TemplatesResult]:
    """
    List, create, delete templates at AWS, or show their status.

    Each operation has the rules of eum_list_templates, eum_create_template, eum_create_template_media,
    eum_delete_template or eum_get_template_status.
    """
    given, account = call.input, accounts.on_eum(call)
    if given.op == "list":
        page = listings.listed_page(call, account, given.limit)
        return Page(TemplatesResult(templates=page.result.templates), page.cursor)
    if given.template_name is None:
        raise _required("templateName", given.op)
    if given.op == "delete":
        removed = removal.delete_at_aws(account, given.template_name, given.meta_template_id)
        return TemplatesResult(removed=removed)
    if given.op == "status":
        found = listings.statuses(account, given.template_name, given.language, refresh=False)
        return TemplatesResult(templates=found.templates)
    return _created(call, account, given.template_name)


def _created(call: Call[TemplatesInput], account: EumTemplates, name: str) -> TemplatesResult:
    """Create a template, after its sample was uploaded. Raises InvalidInput."""
    given = call.input
    if given.components is None:
        raise _required("components", given.op)
    components, handle = given.components, None
    if given.op == "create_with_media":
        if given.s3_key is None:
            raise _required("s3Key", given.op)
        # Checked with a handle that stands in, so that no file is uploaded for a definition that cannot be created.
        _checked(call, _with_sample(components, "4::"), name)
        handle = samples.upload(call, account, given.s3_key, _SAMPLE).header_handle
        components = _with_sample(components, handle)
    definition = _checked(call, components, name)
    template = creation.create(call, account, definition, _TEMPLATE)
    return TemplatesResult(template=template, header_handle=handle)


def _checked(
    call: Call[TemplatesInput], components: list[dict[str, Any]], name: str
) -> dict[str, Any]:
    category = call.input.category or "UTILITY"
    definitions.check(components, category)
    definition = {
        "name": name,
        "language": call.input.language or "en_US",
        "category": category,
        "components": components,
    }
    definitions.to_bytes(definition, definitions.LARGEST_DEFINITION_BYTES)
    return definition


def _with_sample(components: list[dict[str, Any]], handle: str) -> list[dict[str, Any]]:
    """Return the components with the sample in the header. Raises InvalidInput."""
    if not any(str(one.get("type")).upper() == "HEADER" for one in components):
        raise InvalidInput([{"field": "components", "problem": "must have a HEADER for s3Key"}])
    example = {"example": {"header_handle": [handle]}}
    return [
        one | example if str(one.get("type")).upper() == "HEADER" else one for one in components
    ]


def _required(field: str, op: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": f"is required for {op}"}])
