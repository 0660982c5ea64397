"""Shows forms at the provider, and checks their JSON."""

from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.aws.tables.dynamodb_json import plain
from whatsapp import store
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, FlowId, Input, PageInput, S3Key, WabaId
from whatsapp.actions.calls.provider_objects import FormError, HealthStatus
from whatsapp.actions.flows import documents, flow_json
from whatsapp.actions.flows.builder import BUILDER, MESSAGING, FormInput
from whatsapp.actions.flows.documents import FlowJson
from whatsapp.actions.flows.providers import accounts
from whatsapp.actions.flows.providers.provider import Asset, Form, Preview
from whatsapp.sending.views import View

_AFTER = "after"


class GetFlow(FormInput):
    """A form, with its files if `assets` is true."""

    assets: Flag = False


class ListFlows(PageInput):
    """The forms of an account."""

    meta_waba_id: WabaId


class GetFlowPreview(FormInput):
    """A form; `invalidate` makes a new preview, and the old address stops working."""

    invalidate: Flag = False


class FlowHealthCheck(Input):
    """A form's JSON, or a form at the provider: `flowId` with `metaWabaId`."""

    flow_json: FlowJson | None = None
    flow_json_s3_key: S3Key | None = Field(default=None, alias="flowJsonS3Key")
    flow_id: FlowId | None = None
    meta_waba_id: WabaId | None = None

    @model_validator(mode="after")
    def _names_one_form(self) -> Self:
        given = sum(
            one is not None for one in (self.flow_json, self.flow_json_s3_key, self.flow_id)
        )
        if given != 1 or (self.flow_id is None) != (self.meta_waba_id is None):
            problem = "must have one of flowJson, flowJsonS3Key, or flowId with metaWabaId"
            raise PydanticCustomError("form", problem)
        return self


class StoredRouting(View):
    """
    The routing of the data endpoint: *routes* from a screen to the next one or SUCCESS, and the stored *screen_data*.

    *endpoint_url*: of the company's system, without its query, which may be a secret; *endpoint_has_query*: it has one.
    """

    first_screen: str
    routes: dict[str, str]
    screen_data: dict[str, dict[str, Any]]
    endpoint_url: str | None = None
    endpoint_has_query: bool = False
    secret_reference: str | None = None


class ShownForm(Form):
    """A form with its files, and its routing if one was set."""

    assets: list[Asset] | None = None
    routing: StoredRouting | None = None


class Forms(View):
    """A page of forms."""

    flows: list[Form]


class ProblemOfJson(View):
    """A broken rule at a *path* of the JSON."""

    path: str
    problem: str


class Health(View):
    """
    Whether a form is without known problems. *problems*: of the JSON's structure. *validation_errors* and *health*: the
    provider's own objects or texts.
    """

    healthy: bool
    problems: list[ProblemOfJson] = Field(default_factory=list)
    status: str | None = None
    validation_errors: list[FormError | str] = Field(default_factory=list)
    health: HealthStatus | None = None


@BUILDER.reads("remote_eum", Scope.WHATSAPP_FLOWS)
def get_flow(call: Call[GetFlow]) -> ShownForm:
    """Return a form with status, validation errors, health and routing and, if asked, its files."""
    asked = call.input
    forms, _ = accounts.forms_of(call, asked.meta_waba_id)
    found = forms.get(asked.flow_id)
    assets = forms.assets(asked.flow_id) if asked.assets else None
    return ShownForm(**found.model_dump(), assets=assets, routing=_routing(call))


def _routing(call: Call[GetFlow]) -> StoredRouting | None:
    """Return the routing that the company has set; None if there is none."""
    config = store.forms.config(call.table, call.input.flow_id)
    if config is None or config.company != call.company or config.first_screen is None:
        return None
    screens = plain(config.screens)
    address = urlsplit(config.endpoint_url or "")
    return StoredRouting(
        first_screen=config.first_screen,
        routes={name: one["next"] for name, one in screens.items() if "next" in one},
        screen_data={name: one["data"] for name, one in screens.items() if "data" in one},
        endpoint_url=address._replace(query="").geturl() or None,
        endpoint_has_query=bool(address.query),
        secret_reference=config.endpoint_secret,
    )


@BUILDER.reads("remote_eum", Scope.WHATSAPP_FLOWS)
def list_flows(call: Call[ListFlows]) -> Page[Forms]:
    """List the forms of an account, as the provider pages them."""
    forms, _ = accounts.forms_of(call, call.input.meta_waba_id)
    start = paging.start_of(call)
    found, after = forms.page(call.input.limit, start[_AFTER] if start else None)
    return Page(Forms(flows=found), paging.cursor_of(call, {_AFTER: after} if after else None))


@BUILDER.reads("remote_eum", Scope.WHATSAPP_FLOWS)
def get_flow_preview(call: Call[GetFlowPreview]) -> Preview:
    """Return the address of a form's preview, and its expiry. Anyone with the address sees the form."""
    asked = call.input
    forms, _ = accounts.forms_of(call, asked.meta_waba_id)
    forms.get(asked.flow_id)  # Refuses forms of other accounts.
    return forms.preview(asked.flow_id, invalidate=asked.invalidate)


@MESSAGING.reads("remote_eum", Scope.WHATSAPP_FLOWS)
def flow_health_check(call: Call[FlowHealthCheck]) -> Health:
    """
    Check a form: the structure of its JSON, without any call of the provider, or a form at the provider.

    The structure: version, unique ids of screens, a terminal screen, routes to existing screens, at most 10 MB.
    """
    asked = call.input
    document = documents.document_of(call, asked.flow_json, asked.flow_json_s3_key)
    if document is not None:
        found = flow_json.problems(document)
        shown = [ProblemOfJson(path=one.path, problem=one.problem) for one in found]
        return Health(healthy=not shown, problems=shown)
    forms, _ = accounts.forms_of(call, str(asked.meta_waba_id))
    form = forms.get(str(asked.flow_id))
    return Health(
        healthy=not form.validation_errors,
        status=form.status,
        validation_errors=form.validation_errors,
        health=form.health,
    )
