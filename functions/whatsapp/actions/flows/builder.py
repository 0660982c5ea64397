"""Creates and changes forms at the provider."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from whatsapp import store
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict, Unsupported
from whatsapp.actions.calls.inputs import Flag, FlowId, Input, S3Key, Text, WabaId
from whatsapp.actions.calls.provider_objects import FormError
from whatsapp.actions.calls.views import Done
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.flows import documents
from whatsapp.actions.flows.documents import FlowJson
from whatsapp.actions.flows.providers import accounts, provider
from whatsapp.actions.flows.providers.provider import Definition, Form, FormsAtProvider
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import ProviderRejected
from whatsapp.sending.views import View
from whatsapp.store.items.contacts.customers import FlowConfig

BUILDER = Group("flows_builder")
MESSAGING = Group("flows_messaging")
ENDPOINT_PATH = "/webhooks/whatsapp/flows"

type Category = Literal[
    "SIGN_UP", "SIGN_IN", "APPOINTMENT_BOOKING", "LEAD_GENERATION", "SHOPPING", "CONTACT_US", "CUSTOMER_SUPPORT",
    "SURVEY", "OTHER",
]  # fmt: skip
type Categories = Annotated[list[Category], Field(min_length=1, max_length=9)]
type Name = Annotated[Text, Field(max_length=200)]


class FormInput(Input):
    """A form of a business account."""

    meta_waba_id: WabaId
    flow_id: FlowId


class CreateFlow(Input):
    """
    A new form. Its JSON may be given in the request, or up to 10 MB as an object of the media bucket.

    With `useDataEndpoint` the form asks this deployment for its screens (`set_flow_routing`).
    """

    meta_waba_id: WabaId
    name: Annotated[Name, Field(description="the name of the form")]
    categories: Categories
    flow_json: FlowJson | None = None
    flow_json_s3_key: S3Key | None = Field(default=None, alias="flowJsonS3Key")
    publish: Flag = False
    clone_flow_id: FlowId | None = None
    use_data_endpoint: Flag = False

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        given = (self.flow_json, self.flow_json_s3_key, self.clone_flow_id)
        if sum(one is not None for one in given) > 1:
            problem = "must have at most one of flowJson, flowJsonS3Key, cloneFlowId"
            raise PydanticCustomError("source", problem)
        return self


class UpdateFlow(FormInput):
    """Another name, categories or endpoint. An endpoint cannot be removed."""

    name: Annotated[Name | None, Field(description="the name of the form; absent: unchanged")] = (
        None
    )
    categories: Categories | None = None
    use_data_endpoint: Flag | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.name is None and self.categories is None and self.use_data_endpoint is None:
            problem = "must have at least one of name, categories, useDataEndpoint"
            raise PydanticCustomError("change", problem)
        return self


class UpdateFlowJson(FormInput):
    """The form's new JSON: exactly one of `flowJson` and `flowJsonS3Key`."""

    flow_json: FlowJson | None = None
    flow_json_s3_key: S3Key | None = Field(default=None, alias="flowJsonS3Key")

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.flow_json is None) == (self.flow_json_s3_key is None):
            problem = "must have exactly one of flowJson, flowJsonS3Key"
            raise PydanticCustomError("source", problem)
        return self


class Validated(View):
    """The provider's findings about a form's JSON; the list may be empty. The JSON is stored in both cases."""

    flow_id: str
    validation_errors: list[FormError | str]


@BUILDER.changes("remote_eum", Scope.WHATSAPP_FLOWS, idempotent=False)
def create_flow(call: Call[CreateFlow]) -> Form:
    """
    Create a form as DRAFT, or with `publish` as PUBLISHED, and return it with the provider's validation errors.

    The JSON is checked for its structure first. With validation errors the provider does not publish. If the answer is
    lost, the call is left in doubt; `list_flows` shows whether the form exists.
    """
    asked = call.input
    forms, phone = accounts.forms_of(call, asked.meta_waba_id)
    document = documents.document_of(call, asked.flow_json, asked.flow_json_s3_key)
    definition = Definition(
        name=asked.name,
        categories=asked.categories,
        document=documents.checked(document) if document is not None else None,
        publish=asked.publish,
        clone_of=asked.clone_flow_id,
        endpoint=_endpoint(call, asked.meta_waba_id) if asked.use_data_endpoint else None,
    )
    if asked.clone_flow_id is not None:
        forms.get(asked.clone_flow_id)  # Refuses forms of other accounts.
    find = "list_flows shows whether the form was created"
    flow = remote.once(call, phone, find, lambda: forms.attempt_create(definition))
    store.forms.add_config(call.table, FlowConfig(pk=FlowConfig.key(flow), company=call.company))
    return forms.get(flow)


@BUILDER.changes("remote_eum", Scope.WHATSAPP_FLOWS)
def update_flow(call: Call[UpdateFlow]) -> Form:
    """Change name, categories or endpoint of a DRAFT. Another state is refused with `state_conflict`."""
    asked = call.input
    if asked.use_data_endpoint is False:
        raise Unsupported("useDataEndpoint: no provider removes the endpoint of a form")
    forms, _ = accounts.forms_of(call, asked.meta_waba_id)
    provider.draft_of(forms, asked.flow_id)
    endpoint = _endpoint(call, asked.meta_waba_id) if asked.use_data_endpoint else None
    forms.update(
        asked.flow_id, Definition(name=asked.name, categories=asked.categories, endpoint=endpoint)
    )
    return forms.get(asked.flow_id)


@BUILDER.changes("remote_eum", Scope.WHATSAPP_FLOWS)
def update_flow_json(call: Call[UpdateFlowJson]) -> Validated:
    """
    Replace the JSON of a DRAFT and return the provider's validation errors.

    The structure is checked before the call. Another state is refused with `state_conflict`.
    """
    asked = call.input
    forms, _ = accounts.forms_of(call, asked.meta_waba_id)
    document = documents.document_of(call, asked.flow_json, asked.flow_json_s3_key)
    encoded = documents.checked(document or {})
    provider.draft_of(forms, asked.flow_id)
    errors = forms.update_document(asked.flow_id, encoded)
    return Validated(flow_id=asked.flow_id, validation_errors=errors)


@BUILDER.changes("remote_eum", Scope.WHATSAPP_FLOWS)
def publish_flow(call: Call[FormInput]) -> Form:
    """Publish a DRAFT. It cannot be changed afterwards. A form that is PUBLISHED already is returned."""
    return _moved(call, lambda forms: forms.publish, provider.DRAFT, provider.PUBLISHED)


@BUILDER.changes("remote_eum", Scope.WHATSAPP_FLOWS)
def deprecate_flow(call: Call[FormInput]) -> Form:
    """Deprecate a PUBLISHED form: it can no longer be sent or opened. A DEPRECATED one is returned."""
    return _moved(call, lambda forms: forms.deprecate, provider.PUBLISHED, provider.DEPRECATED)


@MESSAGING.changes("remote_eum", Scope.WHATSAPP_FLOWS)
def delete_flow(call: Call[FormInput]) -> Done:
    """Delete a DRAFT and its routing. Another state is refused with `state_conflict`: use `deprecate_flow`."""
    asked = call.input
    forms, _ = accounts.forms_of(call, asked.meta_waba_id)
    config = store.forms.config(call.table, asked.flow_id)
    is_repeat = config is not None and (config.company, config.deleted_by) == (
        call.company,
        call.cause,
    )
    if not is_repeat or _exists(forms, asked.flow_id):
        _delete(call, forms)
    store.forms.remove_routing(call.table, asked.flow_id, call.company, call.cause)
    return Done()


def _delete(call: Call[FormInput], forms: FormsAtProvider) -> None:
    """Delete a draft at the provider. Raises StateConflict."""
    asked = call.input
    found = forms.get(asked.flow_id)
    if found.status != provider.DRAFT:
        raise StateConflict(f"flowId: the form is {found.status}; use deprecate_flow")
    store.forms.intend_deletion(call.table, asked.flow_id, call.company, call.cause)
    try:
        forms.delete(asked.flow_id)
    except ProviderRejected:
        # A repeated attempt whose first answer was lost is refused, because the form is gone.
        if _exists(forms, asked.flow_id):
            raise


def _moved(
    call: Call[FormInput],
    change_of: Callable[[FormsAtProvider], Callable[[str], None]],
    before: str,
    wanted: str,
) -> Form:
    """Move a form from one status to the next, and return it. Raises StateConflict."""
    flow = call.input.flow_id
    forms, _ = accounts.forms_of(call, call.input.meta_waba_id)
    found = forms.get(flow)
    if found.status == wanted:
        return found
    if found.status != before:
        raise StateConflict(f"flowId: the form is {found.status}; it must be {before}")
    return provider.moved(forms, flow, change_of(forms), wanted)


def _exists(forms: FormsAtProvider, flow: str) -> bool:
    try:
        forms.get(flow)
    except (NotFound, ProviderRejected):
        return False
    return True


def _endpoint(call: Call[Any], waba: str) -> str:
    """Return the address of the data endpoint for forms of an account. Raises InvalidInput."""
    if call.api_url is None:
        problem = "needs a call over HTTP: a direct invocation does not know the API's address"
        raise InvalidInput([{"field": "useDataEndpoint", "problem": problem}])
    return f"{call.api_url}{ENDPOINT_PATH}?account={waba}"
