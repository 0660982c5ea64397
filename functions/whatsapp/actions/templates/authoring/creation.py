"""Creates templates: the definition is checked here, sent once, and cached with the provider's status."""

from typing import Annotated, Any

from pydantic import Field

from shared.api.auth import Scope
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import (
    Components,
    Flag,
    Input,
    Language,
    TemplateName,
    WabaId,
    Whole,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts, definitions, views
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates, Templates
from whatsapp.actions.templates.definitions import Category, ParameterFormat, TemplateType
from whatsapp.actions.templates.views import TemplateView

MARKETING = Group("marketing_templates")
META = Group("templates_meta")
EUM = Group("eum_templates")
FIND = "list the account's templates to find out"
type Ttl = Annotated[Whole, Field(ge=30, le=2_592_000)]


class CreateMarketingTemplate(Input):
    """
    A template. `components` are the provider's; examples are required for each variable.

    `templateType` demands the component or button that makes it one: CAROUSEL, LIMITED_TIME_OFFER, CATALOG, COPY_CODE
    (coupon), MPM. `ttlSeconds`: authentication 30-900, utility 30-43200, marketing 43200-2592000.
    """

    meta_waba_id: WabaId
    template_name: TemplateName
    components: Components
    language: Language = "en_US"
    category: Category = "MARKETING"
    template_type: TemplateType = "custom"
    parameter_format: ParameterFormat = "positional"
    ttl_seconds: Ttl | None = None


class CreateMetaTemplate(Input):
    """A template; with `allowCategoryChange` the provider may choose another category instead of rejecting it."""

    meta_waba_id: WabaId
    name: TemplateName
    components: Components
    language: Language = "en_US"
    category: Category = "UTILITY"
    allow_category_change: Flag = False
    parameter_format: ParameterFormat = "positional"
    ttl_seconds: Ttl | None = None


class CreateEumTemplate(EumAccountInput):
    """A template; its definition has at most 6,000 bytes."""

    name: TemplateName
    components: Components
    language: Language = "en_US"
    category: Category = "UTILITY"
    parameter_format: ParameterFormat = "positional"
    ttl_seconds: Ttl | None = None


@MARKETING.changes("remote_eum", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def create_marketing_template(call: Call[CreateMarketingTemplate]) -> TemplateView:
    """Create a template at the account's provider, which reviews it. It can be sent once its status is APPROVED."""
    given = call.input
    definitions.check_type(given.components, given.template_type)
    definition = checked(given, given.template_name)
    return create(call, accounts.of_waba(call, given.meta_waba_id), definition)


@META.changes("remote_graph", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def create_template_meta(call: Call[CreateMetaTemplate]) -> TemplateView:
    """Create a template at Graph, also for an account that sends through AWS."""
    definition = checked(call.input, call.input.name)
    if call.input.allow_category_change:
        definition["allow_category_change"] = True
    return create(call, accounts.on_graph(call, call.input.meta_waba_id), definition)


@EUM.changes("remote_eum", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def eum_create_template(call: Call[CreateEumTemplate]) -> TemplateView:
    """Create a template at AWS."""
    return create(call, accounts.on_eum(call), checked(call.input, call.input.name))


def checked(
    given: CreateMarketingTemplate | CreateMetaTemplate | CreateEumTemplate, name: str
) -> dict[str, Any]:
    """Return the definition for the provider. Raises InvalidInput."""
    definitions.check(given.components, given.category, given.parameter_format)
    definitions.check_ttl(given.ttl_seconds, given.category)
    definition: dict[str, Any] = {
        "name": name,
        "language": given.language,
        "category": given.category,
        "components": given.components,
    }
    if given.parameter_format == "named":
        definition["parameter_format"] = "named"
    if given.ttl_seconds is not None:
        definition["message_send_ttl_seconds"] = given.ttl_seconds
    return definition


def create(
    call: Call[Any], account: Templates, definition: dict[str, Any], *parts: str
) -> TemplateView:
    """Create a template once per idempotency key and cache it. Raises as `remote.once`."""
    if isinstance(account, EumTemplates):
        definitions.to_bytes(definition, definitions.LARGEST_DEFINITION_BYTES)
    answer: dict[str, Any] = {}

    def attempt() -> str | None:
        answer.update(account.create(definition))
        return str(answer["id"])

    template_id = remote.once(call, account.phone, FIND, attempt, *parts)
    return cached(account, template_id, {**definition, **answer} if answer else None)


def cached(account: Templates, template_id: str, created: dict[str, Any] | None) -> TemplateView:
    """Cache a new template; one of an earlier attempt, whose answer is not known here, is read again."""
    listed = created or account.by_id(template_id)
    accounts.remember(account, listed)
    return views.of_listed(listed, has_components=False)
