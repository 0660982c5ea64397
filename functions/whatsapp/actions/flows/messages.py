"""Sends messages with a form, and templates with a form's button."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.identity.keyed_hashes import keyed_hash
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import delivery, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import FlowId, ProviderObject, ReplyInput, Text, Whole
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.actions.templates.sending import sends, slots
from whatsapp.actions.templates.sending.inputs import TemplateSend
from whatsapp.actions.templates.sending.slots import Definition, Given
from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.sending.payloads import of_template
from whatsapp.store.items.contacts.customers import FlowToken

MESSAGING = Group("flows_messaging")
LEGACY = Group("legacy")
_MESSAGE_VERSION = "3"
_TOKEN = "flow_token"  # noqa: S105 - the name of a field

type FlowTokenText = Annotated[str, Field(min_length=16, max_length=200, pattern=r"^[!-~]+$")]
type FlowAction = Literal["navigate", "data_exchange"]


class FormMessage(ReplyInput):
    """
    A message with a button that opens a form. `navigate` first shows the screen of `flowActionPayload` ({screen,
    data}), `data_exchange` asks the data endpoint for it.

    `flowToken` identifies the customer's answers, by default an unguessable text; an own one must be unguessable, too.
    """

    flow_id: FlowId
    flow_token: FlowTokenText | None = None
    body: Annotated[Text, Field(max_length=1_024)]
    flow_cta: Annotated[Text, Field(max_length=30)] = "Open"
    flow_action: FlowAction = "navigate"
    flow_action_payload: ProviderObject | None = None
    header: Annotated[Text, Field(max_length=60)] | None = None
    footer: Annotated[Text, Field(max_length=60)] | None = None

    @model_validator(mode="after")
    def _navigates_to_a_screen(self) -> Self:
        payload = self.flow_action_payload or {}
        if self.flow_action == "navigate" and not _is_screen(payload.get("screen")):
            problem = "flowActionPayload must have a screen if flowAction is navigate"
            raise PydanticCustomError("screen", problem)
        if not payload.keys() <= {"screen", "data"}:
            raise PydanticCustomError("payload", "flowActionPayload must have screen and data only")
        return self


class SendFlowMessage(FormMessage):
    """As a draft, only testers of the business can open the form."""

    mode: Literal["draft", "published"] = "published"


class SendFlowTemplate(TemplateSend):
    """
    A template with a form's button, the first one or the one at `buttonIndex`. The template names the first screen;
    `flowActionPayload` has the data of that screen, as it is or as {screen, data}.
    """

    flow_id: FlowId
    flow_token: FlowTokenText | None = None
    button_index: Annotated[Whole, Field(ge=0, le=9)] | None = None
    flow_action: FlowAction = "navigate"
    flow_action_payload: ProviderObject | None = None


@MESSAGING.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def send_flow_message(call: Call[SendFlowMessage]) -> SentMessage:
    """
    Send a message with a form. Refused while the 24-hour window is closed.

    The form's token is stored before the send, so that answers and requests of the data endpoint find their form; it is
    valid for 30 days. A repeat of the call sends the same token.
    """
    return _send_message(call, call.input.mode)


@LEGACY.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def send_flow(call: Call[FormMessage]) -> SentMessage:
    """Send a message with a published form, as `send_flow_message` does."""
    return _send_message(call, "published")


@MESSAGING.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def send_flow_template(call: Call[SendFlowTemplate]) -> SentMessage:
    """
    Send a template with a form's button. The form's token is stored before the send and is valid for 30 days.

    Refused with `template_not_sendable` if the template has no such button, or needs other parameters.
    """
    asked = call.input
    token = _token_of(call)
    payload = asked.flow_action_payload or {}
    draft = template_draft(asked, sends.definition_of(call), token)
    check_files(call, draft.content, "template")
    return _send(call, token, draft, payload)


def message_draft(asked: FormMessage, token: str, mode: str) -> Draft:
    """Return the message of a form. The inbox shows it without the token, which allows answering as the customer."""
    parameters: dict[str, Any] = {
        "flow_message_version": _MESSAGE_VERSION,
        _TOKEN: token,
        "flow_id": asked.flow_id,
        "flow_cta": asked.flow_cta,
        "flow_action": asked.flow_action,
    }
    if asked.flow_action_payload:
        parameters["flow_action_payload"] = asked.flow_action_payload
    if mode == "draft":
        parameters["mode"] = mode
    content = {
        "type": "flow",
        **({"header": {"type": "text", "text": asked.header}} if asked.header else {}),
        "body": {"text": asked.body},
        **({"footer": {"text": asked.footer}} if asked.footer else {}),
        "action": {"name": "flow", "parameters": parameters},
    }
    public = {name: value for name, value in parameters.items() if name != _TOKEN}
    return Draft(
        type="interactive",
        content=content,
        shown={
            "type": "interactive",
            "text_body": asked.body,
            "preview": asked.body[:PREVIEW_CHARACTERS],
            "content": content | {"action": {"name": "flow", "parameters": public}},
        },
        reply_to=asked.reply_to_message_id,
    )


def template_draft(asked: SendFlowTemplate, definition: Definition, token: str) -> Draft:
    """Return the template's message. The inbox shows it without the token. Raises TemplateNotFitting."""
    payload = asked.flow_action_payload or {}
    data = payload.get("data", payload if "screen" not in payload else {})
    public = {"flow_action_data": data} if data else {}

    def used(action: dict[str, Any]) -> UsedTemplate:
        button = Given("flowId", action, "flowId", asked.button_index)
        return sends.used(asked, slots.components_of(definition, [*asked.given(), button]))

    draft = of_template(used({_TOKEN: token, **public}))
    shown = of_template(used({"flow_id": asked.flow_id, **public})).shown
    return Draft(type=draft.type, content=draft.content, shown=shown, template=draft.template)


def _send_message(call: Call[Any], mode: str) -> SentMessage:
    token = _token_of(call)
    payload = call.input.flow_action_payload or {}
    return _send(call, token, message_draft(call.input, token, mode), payload)


def _send(call: Call[Any], token: str, draft: Draft, payload: dict[str, Any]) -> SentMessage:
    """Store the token unless this is a dry run, and send the message. Raises StateConflict."""
    phone = participants.sender_of(call)
    conversation = participants.conversation_of(call, phone)
    if not call.input.dry_run:
        screen = payload.get("screen")
        new = FlowToken(
            pk=FlowToken.of(token),
            company=call.company,
            ttl=clock.expires_in(int(FlowToken.ttl_days or 0) * clock.DAY_SECONDS),
            flow=call.input.flow_id,
            customer_phone=conversation.from_,
            created_at=clock.to_text(clock.now_ms()),
            phone=phone.phone,
            action_id=call.action_id(),
            screen=str(screen) if _is_screen(screen) else None,
        )
        stored = store.forms.add_token(call.table, new)
        if (stored.company, stored.action_id) != (new.company, new.action_id):
            raise StateConflict("flowToken: is in use; each message needs a token of its own")
    return delivery.send(call, phone, conversation, draft)


def _token_of(call: Call[Any]) -> str:
    """Return the token of the call: the given one, or a keyed hash, which is the same for every repeat."""
    return call.input.flow_token or keyed_hash("flow token", call.company, call.action_id())


def _is_screen(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 100  # noqa: PLR2004 - as `screens.Screen`
