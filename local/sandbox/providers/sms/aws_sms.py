"""AWS End User Messaging SMS (`pinpoint-sms-voice-v2`): outgoing text messages, and the events on its topic."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.background import BackgroundTask

from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.sandbox.accounts.text_messages import CustomerText
    from local.sandbox.state import Sandbox

_TARGET = "PinpointSMSVoiceV2.SendTextMessage"
_PART = 153
_log = logging.getLogger(__name__)

# Final status of a message -> the service's event type
_EVENTS = {
    "sent": "TEXT_SUCCESSFUL",
    "delivered": "TEXT_DELIVERED",
    "read": "TEXT_DELIVERED",
    "undelivered": "TEXT_UNREACHABLE",
    "failed": "TEXT_BLOCKED",
}


class SendRequest(BaseModel):
    """Input of SendTextMessage, with the bounds of the service model."""

    model_config = ConfigDict(extra="forbid")

    DestinationPhoneNumber: str = Field(max_length=20, pattern=r"^\+?[1-9][0-9]{1,18}$")
    OriginationIdentity: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_:/\+-]{1,256}$")
    MessageBody: str = Field(min_length=1, max_length=1_600, pattern=r"\S")
    MessageType: Literal["TRANSACTIONAL", "PROMOTIONAL"] = "TRANSACTIONAL"
    ConfigurationSetName: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_:/-]{1,256}$")
    TimeToLive: int | None = Field(default=None, ge=5, le=259_200)
    Context: dict[
        Annotated[str, Field(pattern=r"^\S{1,100}$")],
        Annotated[str, Field(min_length=1, max_length=800)],
    ] = Field(default_factory=dict, max_length=5)


def aws_error(name: str, status: int = 400, **facts: str) -> Response:
    """Return an error of the JSON 1.0 protocol."""
    return json_response({"__type": name, "Message": "Simulated by the sandbox", **facts}, status)


def failure(status: int) -> Response:
    """Return the service's failure with this HTTP status."""
    if status == 429:  # noqa: PLR2004 - too many requests
        return aws_error("ThrottlingException")
    name = "InternalServerException" if status >= 500 else "ValidationException"  # noqa: PLR2004 - server errors
    return aws_error(name, status)


async def send_text_message(call: Call) -> Answer:
    """SendTextMessage: queues the message and returns its id."""
    request = _parsed(call)
    sandbox, to = call.sandbox, request.DestinationPhoneNumber
    if request.OriginationIdentity not in sandbox.config.sms_numbers:
        raise Refused(aws_error("ResourceNotFoundException", ResourceType="phone-number"))
    if (request.OriginationIdentity, to) in sandbox.texts.stopped:
        raise Refused(aws_error("ConflictException", Reason="DESTINATION_PHONE_NUMBER_OPTED_OUT"))
    message_id = str(uuid.uuid4())
    response = json_response({"MessageId": message_id})
    if request.ConfigurationSetName is not None:
        response.background = BackgroundTask(_report, sandbox, request, message_id)
    return Answer(response, request.model_dump(exclude_none=True))


async def publish_inbound(sandbox: Sandbox, text: CustomerText) -> bool:
    """Publish a customer's message to one of the service's numbers; return False without a topic."""
    message = {
        "originationNumber": text.sender,
        "destinationNumber": text.to,
        "messageKeyword": text.body.split()[0].upper() if text.body.split() else "",
        "messageBody": text.body,
        "inboundMessageId": str(uuid.uuid4()),
    }
    return await publish(sandbox, sandbox.config.sms_topic_arn, message)


async def _report(sandbox: Sandbox, request: SendRequest, message_id: str) -> None:
    """Publish the events queued, sent, and the configured final one."""
    ending = sandbox.texts.endings.get(request.DestinationPhoneNumber)
    final_type = _EVENTS[ending.status if ending else "delivered"]
    for event_type in dict.fromkeys(("TEXT_QUEUED", "TEXT_SUCCESSFUL", final_type)):
        await publish(
            sandbox,
            sandbox.config.sms_topic_arn,
            _event(sandbox, request, message_id, event_type, is_final=event_type == final_type),
        )


def _event(
    sandbox: Sandbox, request: SendRequest, message_id: str, event_type: str, *, is_final: bool
) -> dict[str, Any]:
    now = int(sandbox.clock.now() * 1_000)
    parts = -(-len(request.MessageBody) // _PART)
    return {
        "eventType": event_type,
        "eventVersion": "1.0",
        "eventTimestamp": now,
        "isFinal": is_final,
        "originationPhoneNumber": request.OriginationIdentity,
        "destinationPhoneNumber": request.DestinationPhoneNumber,
        "isoCountryCode": "US",
        "messageId": message_id,
        "messageRequestTimestamp": now,
        "messageEncoding": "GSM",
        "messageType": request.MessageType,
        "messageStatus": event_type.removeprefix("TEXT_"),
        "messageStatusDescription": "Simulated by the sandbox",
        "context": request.Context,
        "totalMessageParts": parts,
        "totalMessagePrice": 0.00581 * parts,
        "totalCarrierFee": 0.003,
    }


async def publish(sandbox: Sandbox, topic: str | None, message: dict[str, Any]) -> bool:
    """Publish a message as JSON; return False without a topic, and if the topic cannot be reached."""
    if topic is None or sandbox.publish is None:
        return False
    try:
        await asyncio.to_thread(sandbox.publish, topic, json.dumps(message))
    except Exception as error:  # noqa: BLE001 - a failure only means that the message is not published
        _log.warning("the topic cannot be reached: %s", type(error).__name__)
        return False
    return True


def _parsed(call: Call) -> SendRequest:
    headers = call.request.headers
    if not headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(aws_error("MissingAuthenticationTokenException", 403))
    if headers.get("x-amz-target") != _TARGET:
        raise Refused(aws_error("UnknownOperationException", 404))
    try:
        return SendRequest.model_validate(parse_json(call.raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refused(
            aws_error("ValidationException", Reason="FIELD_VALIDATION_FAILED", Field=field)
        ) from None
    except ValueError:
        raise Refused(aws_error("SerializationException")) from None


PROVIDER = Provider(
    name="sms_voice",
    endpoints=(Endpoint("POST", "/", ("SendTextMessage",), send_text_message),),
    failure=failure,
)
