"""Stores and lists the answers of completed forms."""

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.aws.tables.dynamodb_json import plain, storable
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    FlowId,
    Input,
    Moment,
    PageInput,
    PhoneOrUserId,
    ProviderObject,
    WabaId,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.items.contacts.customers import FlowResponse, FlowToken

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

MESSAGING = Group("flows_messaging")
LARGEST_DATA_BYTES = 32_000
_LIST = "list"


class FlowCompletion(Input):
    """A completed form that reached the caller in another way than by the chat, such as by an own data endpoint."""

    flow_token: Annotated[str, Field(min_length=1, max_length=200)]
    flow_id: FlowId | None = None
    response_json: ProviderObject
    response_id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$")]


class GetFlowResponses(PageInput):
    """The responses of a form: of an account, of a customer, or of all accounts of the company."""

    flow_id: FlowId
    meta_waba_id: WabaId | None = None
    to: PhoneOrUserId | None = Field(
        default=None, validation_alias=AliasChoices("to", "customerPhone")
    )
    since: Moment | None = None


class ResponseView(View):
    """
    A completed form. *screen_id*: the last screen that is known: of a form without the data endpoint the first one, if
    the message named it. *data*: the customer's answers.
    """

    flow_id: str
    response_id: str
    customer_phone: str
    screen_id: str | None = None
    data: dict[str, Any]
    completed_at: str
    phone: str | None = None
    message_pk: str | None = None


class Completed(View):
    """The stored response; its answers are in `get_flow_responses`."""

    flow_id: str
    response_id: str
    screen_id: str | None = None
    completed_at: str


class Responses(View):
    """A page of responses."""

    responses: list[ResponseView]


@MESSAGING.changes("local", Scope.WHATSAPP_FLOWS)
def flow_completion(call: Call[FlowCompletion]) -> Completed:
    """
    Store the answers of a form once per `responseId`. Completions in the chat are stored without this action.

    A token that is unknown, expired, or of another form is not found. The same `responseId` with other answers is
    refused with `state_conflict`.
    """
    asked = call.input
    token = store.forms.token(call.table, FlowToken.of(asked.flow_token))
    if (
        token is None
        or token.company != call.company
        or asked.flow_id not in {None, token.flow}
        or not token.customer_phone
    ):
        raise NotFound("flowToken: token not found or expired")
    response = _response(call, token)
    stored = store.forms.add_response(call.table, response)
    if stored.company != call.company or plain(stored.data) != plain(response.data):
        raise StateConflict("responseId: a response with this id and other answers is stored")
    store.forms.finish(call.table, token)
    return Completed(
        flow_id=stored.flow_id,
        response_id=stored.response_id,
        screen_id=stored.screen_id,
        completed_at=stored.completed_at,
    )


def _response(call: Call[FlowCompletion], token: FlowToken) -> FlowResponse:
    """Return the response to be stored: the answers of earlier screens and of the call. Raises InvalidInput."""
    data = token.answers | storable(call.input.response_json)
    data.pop("flow_token", None)
    if len(json.dumps(plain(data)).encode()) > LARGEST_DATA_BYTES:
        problem = f"must have at most {LARGEST_DATA_BYTES} bytes"
        raise InvalidInput([{"field": "responseJson", "problem": problem}])
    now = clock.to_text(clock.now_ms())
    phone = participants.phone_by_id(call, str(token.phone))
    return FlowResponse(
        pk=FlowResponse.key(token.flow, call.input.response_id),
        company=call.company,
        flow_id=token.flow,
        response_id=call.input.response_id,
        customer_phone=token.customer_phone,
        screen_id=token.screen,
        data=data,
        completed_at=now,
        created_at=now,
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )


@MESSAGING.reads("local", Scope.WHATSAPP_FLOWS)
def get_flow_responses(call: Call[GetFlowResponses]) -> Page[Responses]:
    """
    List the completed forms of one flow: a customer's newest first, an account's in no order of time.

    A page may have fewer responses than `limit`, even none, and a cursor: go on until there is none.
    """
    asked = call.input
    lists = _lists(call)
    start = paging.start_of(call) or {}
    at = lists.index(start.pop(_LIST)) if _LIST in start else 0
    by_customer = asked.to is not None
    read = store.forms.responses_of_customer if by_customer else store.forms.responses_of_account
    found, last = read(call.table, lists[at], limit=asked.limit, start=start or None)
    since = clock.to_text(int(asked.since.timestamp() * 1_000)) if asked.since else ""
    shown = [
        _view(call, one)
        for one in found
        if one.company == call.company
        and one.flow_id == asked.flow_id
        and one.completed_at >= since
        and asked.meta_waba_id in {None, one.waba_meta_id}
    ]
    following: Attributes | None = None
    if last is not None:
        following = {**last, _LIST: lists[at]}
    elif at + 1 < len(lists):
        following = {_LIST: lists[at + 1]}
    return Page(Responses(responses=shown), paging.cursor_of(call, following))


def _lists(call: Call[GetFlowResponses]) -> list[str]:
    """Return the keys of the lists to be read: contact keys of the customer, or ids of accounts. Raises NotFound."""
    asked = call.input
    phones = (
        participants.account_of(call, asked.meta_waba_id)
        if asked.meta_waba_id
        else participants.phones_of(call)
    )
    if not phones:
        raise NotFound("metaWabaId: the company has no number")
    if asked.to is None:
        return list(dict.fromkeys(phone.waba_meta_id for phone in phones))
    contacts = (participants.contact_of(call, phone, asked.to, "to")[0] for phone in phones)
    return list(dict.fromkeys(contacts))


def _view(call: Call[Any], response: FlowResponse) -> ResponseView:
    data = response.data
    if response.data_s3_key is not None:
        data = json.loads(call.resources.bucket.get(response.data_s3_key))
    return ResponseView(
        flow_id=response.flow_id,
        response_id=response.response_id,
        customer_phone=response.customer_phone,
        screen_id=response.screen_id,
        data=plain(data),
        completed_at=response.completed_at,
        phone=response.phone,
        message_pk=response.message_pk,
    )
