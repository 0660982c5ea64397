"""Stores and tests the answers of the data endpoint for a form."""

import json
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.aws.tables.dynamodb_json import storable
from shared.identity.secret_owners import SECRET_RULE, owns_secret
from shared.runtime.settings import is_local_stage
from shared.runtime.validation import patterns, web_addresses
from whatsapp import store
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import Unsupported
from whatsapp.actions.calls.inputs import FlowId, Input, ProviderObject
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.flows.builder import BUILDER
from whatsapp.actions.flows.providers import accounts
from whatsapp.api.queries import NotFound
from whatsapp.inbound.flows import exchange
from whatsapp.inbound.flows.routing import SUCCESS as END
from whatsapp.inbound.flows.routing import Exchange
from whatsapp.sending.views import View
from whatsapp.store.items.contacts.customers import FlowConfig

MESSAGING = Group("flows_messaging")
MOST_SCREENS = 50
LARGEST_DATA_BYTES = 16 << 10

type Screen = Annotated[str, Field(min_length=1, max_length=100)]


def _checked_url(text: str) -> str:
    try:
        return web_addresses.checked(text, local=is_local_stage())
    except web_addresses.WebAddressInvalid as fault:
        raise PydanticCustomError("url", str(fault)) from None


class ScreenEndpoint(Input):
    """
    The company's own endpoint for the data of screens. `secretReference`: the company's secret with the key that signs
    the requests, `{"signing_key": "whsec_..."}`.
    """

    url: Annotated[str, Field(max_length=2_048, repr=False), AfterValidator(_checked_url)]
    secret_reference: Annotated[str, Field(min_length=1, max_length=512)]


class SetFlowRouting(Input):
    """
    `routes`: screen -> next screen, or SUCCESS, which ends the form; at most 50 screens.

    `screenData`: screen -> data that the form shows there, at most 16 KB in all. `endpoint`: asked for the data of each
    screen; `screenData` is shown when it does not answer.
    """

    flow_id: FlowId
    first_screen: Screen
    routes: dict[Screen, Screen] = Field(min_length=1)
    screen_data: dict[Screen, ProviderObject] = Field(default_factory=dict)
    endpoint: ScreenEndpoint | None = None

    @property
    def screens(self) -> set[str]:
        """The ids of all screens, without SUCCESS."""
        return {self.first_screen, *self.routes, *self.routes.values()} - {END}

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.screens) > MOST_SCREENS:
            raise PydanticCustomError("screens", f"must have at most {MOST_SCREENS} screens")
        if END in self.routes or self.first_screen == END:
            raise PydanticCustomError(
                "success", "SUCCESS must have no route and be no first screen"
            )
        if len(json.dumps(self.screen_data).encode()) > LARGEST_DATA_BYTES:
            problem = f"screenData must have at most {LARGEST_DATA_BYTES} bytes"
            raise PydanticCustomError("data", problem)
        if not self.screen_data.keys() <= self.screens:
            raise PydanticCustomError("unknown", "screenData must be of screens in routes")
        return self


class Routing(View):
    """The stored routing. *screens_without_route*: shown, but their answers have no next screen."""

    flow_id: str
    first_screen: str
    screens: list[str]
    screens_without_route: list[str]
    uses_endpoint: bool = False


class FlowDataExchange(Input):
    """A request as the client would send it, unencrypted."""

    flow_token: Annotated[str, Field(min_length=1, max_length=200)]
    flow_id: FlowId | None = None
    screen: Screen | None = None
    data: ProviderObject = Field(default_factory=dict)
    version: Annotated[str, Field(min_length=1, max_length=10)] = "3.0"
    action_type: Annotated[
        str,
        Field(
            pattern=patterns.worded(
                "^(ping|INIT|BACK|data_exchange)$", "must be ping, INIT, BACK or data_exchange"
            ),
            alias="action_type",
        ),
    ] = "data_exchange"


class Answered(View):
    """The answer of the data endpoint: *screen* and its *data*."""

    screen: str | None = None
    data: dict[str, Any]


@BUILDER.changes("local", Scope.WHATSAPP_FLOWS)
def set_flow_routing(call: Call[SetFlowRouting]) -> Routing:
    """
    Store the routing of the data endpoint for a form that uses it (`useDataEndpoint`); replaces an earlier routing.

    For the first routing of a form that was not created here, the provider is asked whether one of the company's
    accounts has it: another company's form is not found.

    With an `endpoint` each screen's data is asked for from the company's system: a signed POST of `flow_id`, `action`,
    `screen`, `next_screen` and `answers`, to be answered within four seconds with `{"data": {...}}`.
    """
    asked = call.input
    if asked.endpoint and not owns_secret(call.company, asked.endpoint.secret_reference):
        raise InvalidInput([{"field": "endpoint.secretReference", "problem": SECRET_RULE}])
    known = store.forms.config(call.table, asked.flow_id)
    if known is None or known.company != call.company or known.deleted_by is not None:
        accounts.check_company_has(call, asked.flow_id)
    screens = {
        screen: {
            **({"next": asked.routes[screen]} if screen in asked.routes else {}),
            **({"data": storable(found)} if (found := asked.screen_data.get(screen)) else {}),
        }
        for screen in sorted(asked.screens)
    }
    config = FlowConfig(
        pk=FlowConfig.key(asked.flow_id),
        company=call.company,
        first_screen=asked.first_screen,
        screens=screens,
        endpoint_url=asked.endpoint.url if asked.endpoint else None,
        endpoint_secret=asked.endpoint.secret_reference if asked.endpoint else None,
    )
    if not store.forms.replace_config(call.table, config):
        raise NotFound("flowId: form not found")
    return Routing(
        flow_id=asked.flow_id,
        first_screen=asked.first_screen,
        screens=list(screens),
        screens_without_route=[name for name in screens if name not in asked.routes],
        uses_endpoint=asked.endpoint is not None,
    )


@MESSAGING.reads("local", Scope.WHATSAPP_FLOWS)
def flow_data_exchange(call: Call[FlowDataExchange]) -> Answered:
    """
    Try the data endpoint without encryption: the same routing and stored data, but nothing is stored.

    A screen whose data comes from the company's own endpoint is `not_supported`: the endpoint would count a request as
    a customer's, and the function of the actions cannot read the secret that signs it. A token that is unknown,
    finished, expired, or of another form is not found. The encrypted endpoint is `POST /webhooks/whatsapp/flows`.
    """
    asked = call.input
    request = Exchange(
        action=asked.action_type,
        token=asked.flow_token,
        screen=asked.screen or "",
        data=storable(asked.data),
    )
    try:
        shown = exchange.rehearse(call.table, call.company, request, flow=asked.flow_id)
    except exchange.AsksEndpoint:
        problem = "the company's own endpoint gives the data of this screen; only forms call it"
        raise Unsupported(f"flowToken: {problem}") from None
    except exchange.TokenOver:
        raise NotFound("flowToken: token not found, finished or expired") from None
    return Answered(screen=shown.get("screen"), data=shown["data"])
