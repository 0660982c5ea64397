"""Edits templates: the provider reviews them again, and the cache has its answer."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Components,
    Flag,
    Input,
    Language,
    ProviderObject,
    TemplateName,
    WabaId,
    Whole,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts, definitions, views
from whatsapp.actions.templates.accounts import EumAccountInput, Listed, Templates
from whatsapp.actions.templates.definitions import Category, ParameterFormat
from whatsapp.actions.templates.naming import NamedTemplate
from whatsapp.actions.templates.views import TemplateView
from whatsapp.api.queries import NotFound

MARKETING = Group("marketing_templates")
META = Group("templates_meta")
EUM = Group("eum_templates")
LIBRARY = Group("template_library")
EDITABLE = frozenset({"APPROVED", "REJECTED", "PAUSED"})
_DEFAULT_LANGUAGE = "en_US"


class SetTtl(Input):
    """The time for which the provider tries to deliver; -1 for its default. `language` is en_US by default."""

    meta_waba_id: WabaId
    template_name: TemplateName
    language: Language = _DEFAULT_LANGUAGE
    ttl_seconds: Annotated[Whole, Field(ge=definitions.DEFAULT_TTL, le=2_592_000)]


class EditTemplate(Input):
    """The new components of a translation; `language` is en_US by default."""

    meta_waba_id: WabaId
    name: TemplateName
    components: Components
    language: Language = _DEFAULT_LANGUAGE
    category: Category | None = None


type Part = Annotated[ProviderObject, Field(min_length=1)]


class CustomizeTemplate(Input):
    """
    The parts to be replaced: all `components`, or some of header, body, footer and buttons; an empty list removes the
    buttons.
    """

    meta_waba_id: WabaId
    template_name: TemplateName
    language: Language = _DEFAULT_LANGUAGE
    components: Components | None = None
    header: Part | None = None
    body: Part | None = None
    footer: Part | None = None
    buttons: list[ProviderObject] | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        parts = (self.header, self.body, self.footer, self.buttons)
        if (self.components is not None) == any(part is not None for part in parts):
            raise PydanticCustomError(
                "change", "must have components, or some of header, body, footer, buttons"
            )
        return self


class UpdateEumTemplate(EumAccountInput, NamedTemplate):
    """The changes, at least one of the last four; components have at most 3,000 bytes."""

    components: Components | None = None
    category: Category | None = None
    parameter_format: ParameterFormat | None = None
    cta_url_link_tracking_opted_out: Flag | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        names = {"components", "category", "parameter_format", "cta_url_link_tracking_opted_out"}
        if not self.model_dump(include=names, exclude_none=True):
            raise PydanticCustomError("change", "must have something to change")
        return self


@MARKETING.changes("remote_graph", Scope.WHATSAPP_TEMPLATES)
def set_template_ttl(call: Call[SetTtl]) -> TemplateView:
    """
    Set the time for which the provider tries to deliver messages of a template.

    Authentication 30-900 seconds, utility 30-43200, marketing 43200-2592000; -1 for the provider's default.
    """
    given = call.input
    account = accounts.on_graph(call, given.meta_waba_id)
    listed = found(account, given.template_name, given.language)
    definitions.check_ttl(given.ttl_seconds, str(listed.get("category")), may_be_default=True)
    return changed(account, listed, {"message_send_ttl_seconds": given.ttl_seconds})


@META.changes("remote_graph", Scope.WHATSAPP_TEMPLATES)
def edit_template_meta(call: Call[EditTemplate]) -> TemplateView:
    """Edit a template at Graph. Only APPROVED, REJECTED and PAUSED ones can be edited (`state_conflict`)."""
    given = call.input
    account = accounts.on_graph(call, given.meta_waba_id)
    listed = found(account, given.name, given.language)
    change: dict[str, Any] = {"components": given.components}
    if given.category is not None:
        change["category"] = given.category
    return edited(account, listed, change)


@LIBRARY.changes("remote_eum", Scope.WHATSAPP_TEMPLATES)
def customize_template(call: Call[CustomizeTemplate]) -> TemplateView:
    """Replace components of a template at the account's provider, and keep the others."""
    given = call.input
    account = accounts.of_waba(call, given.meta_waba_id)
    listed = found(account, given.template_name, given.language)
    components = given.components
    if components is None:
        components = _replaced(listed.get("components") or [], given)
    return edited(account, listed, {"components": components})


@EUM.changes("remote_eum", Scope.WHATSAPP_TEMPLATES)
def eum_update_template(call: Call[UpdateEumTemplate]) -> TemplateView:
    """Edit a template at AWS. Only APPROVED, REJECTED and PAUSED ones can be edited (`state_conflict`)."""
    given, account = call.input, accounts.on_eum(call)
    names = {"components", "category", "parameter_format", "cta_url_link_tracking_opted_out"}
    change = given.model_dump(include=names, exclude_none=True)
    return edited(account, named(account, given), change)


def named(account: Templates, given: NamedTemplate) -> Listed:
    """Return the translation that an input names. Raises NotFound."""
    if given.meta_template_id is not None:
        return account.by_id(given.meta_template_id)
    return found(account, str(given.template_name), str(given.language))


def found(account: Templates, name: str, language: str) -> Listed:
    """Return the present translation at the provider. Raises NotFound."""
    listed = account.find(name, language)
    if listed is None or not listed.get("id"):
        raise NotFound("template: not found in this language at the provider")
    return listed


def edited(account: Templates, listed: Listed, change: dict[str, Any]) -> TemplateView:
    """
    Edit a template and return its new state; one that has this content already is not edited again, as after a call
    whose answer was lost. Raises StateConflict and InvalidInput.
    """
    if all(listed.get(name) == value for name, value in change.items()):
        accounts.remember(account, listed)
        return views.of_listed(listed, has_components=False)
    status = str(listed.get("status"))
    if status not in EDITABLE:
        raise StateConflict(f"template: its status is {status}; it cannot be edited now")
    category = str(change.get("category", listed.get("category")))
    if status == "APPROVED" and category != listed.get("category"):
        raise StateConflict("template: the category of an approved template cannot be edited")
    if "components" in change:
        parameter_format = change.get("parameter_format") or listed.get("parameter_format")
        definitions.check(
            change["components"], category, str(parameter_format or "positional").lower()
        )
    return changed(account, listed, change)


def changed(account: Templates, listed: Listed, change: dict[str, Any]) -> TemplateView:
    """Make a change, read the template again, and cache it."""
    template_id = str(listed["id"])
    account.edit(template_id, change)
    now = account.by_id(template_id)
    accounts.remember(account, now)
    return views.of_listed(now, has_components=False)


def _replaced(components: list[dict[str, Any]], given: CustomizeTemplate) -> list[dict[str, Any]]:
    """Return the components with the parts of the input in their places; new ones in the provider's order."""
    parts = {"HEADER": given.header, "BODY": given.body, "FOOTER": given.footer}
    new = {kind: {**part, "type": kind} for kind, part in parts.items() if part is not None}
    if given.buttons is not None:
        new["BUTTONS"] = {"type": "BUTTONS", "buttons": given.buttons}
    if not components and "BODY" not in new:
        problem = "is required, as the provider does not show the present components"
        raise InvalidInput([{"field": "body", "problem": problem}])
    kept = {str(one.get("type")).upper(): one for one in components}
    if given.buttons == []:
        del new["BUTTONS"]
        kept.pop("BUTTONS", None)
    order = dict.fromkeys(["HEADER", "BODY", "FOOTER", *kept, "BUTTONS"])
    merged = kept | new
    return [merged[kind] for kind in order if kind in merged]
