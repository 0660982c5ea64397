"""AWS End User Messaging SMS (`pinpoint-sms-voice-v2`): sends text messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ParamValidationError,
)

from shared.providers.outcomes import InDoubt, Misconfigured, NotSent, OptedOut, Refused, Sent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

QUEUED = "TEXT_QUEUED"  # the service's status for a returned MessageId
_THROTTLED = frozenset({"ThrottlingException", "TooManyRequestsException"})
_OPTED_OUT = "DESTINATION_PHONE_NUMBER_OPTED_OUT"
_SERVER_ERRORS = 500


class SmsVoice(Protocol):
    """The single call of the SDK's client that this module uses."""

    def send_text_message(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Send one message."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMessage:
    """
    One SMS. *origination* is a number, a sender id, a pool or an ARN; *to* is E.164, *body* 1,600 characters at most.

    *time_to_live_seconds* is 5 to 259,200: a message not handed to a carrier by then is dropped, with an event.
    Delivery events repeat *action_id* and *ref*; without a configuration set there are no events.
    """

    to: str = field(repr=False)
    origination: str
    body: str = field(repr=False)
    message_type: Literal["TRANSACTIONAL", "PROMOTIONAL"]
    configuration_set: str | None
    time_to_live_seconds: int
    action_id: str
    ref: str

    def request(self) -> dict[str, Any]:
        """Return the parameters of SendTextMessage."""
        parameters: dict[str, Any] = {
            "DestinationPhoneNumber": self.to,
            "OriginationIdentity": self.origination,
            "MessageBody": self.body,
            "MessageType": self.message_type,
            "TimeToLive": self.time_to_live_seconds,
            "Context": {"action": self.action_id, "ref": self.ref},
        }
        if self.configuration_set is not None:
            parameters["ConfigurationSetName"] = self.configuration_set
        return parameters


@dataclass(eq=False)
class AwsSms:
    """The SMS service. Its client has SDK retries off (`total_max_attempts` 1), because it has no idempotency token."""

    make_client: Callable[[], SmsVoice]

    @cached_property
    def _client(self) -> SmsVoice:
        return self.make_client()

    def send(self, message: TextMessage) -> Sent:
        """
        Send one message.

        One attempt. Raises Refused (including OptedOut and Misconfigured), NotSent or InDoubt. (AWS API reference,
        SendTextMessage.)
        """
        try:
            answer = self._client.send_text_message(**message.request())
        except (ClientError, BotoCoreError) as error:
            raise _failure(error) from None
        if not answer.get("MessageId"):
            raise InDoubt("aws_sms_no_id")
        return Sent(str(answer["MessageId"]), QUEUED)


def _failure(error: ClientError | BotoCoreError) -> Refused | NotSent | InDoubt:
    if isinstance(error, ClientError):
        return _service_failure(error)
    if isinstance(error, ParamValidationError):
        return Refused("aws_sms_ParamValidationError")  # The SDK validates before it sends.
    if isinstance(error, EndpointConnectionError | ConnectTimeoutError):
        return NotSent(type(error).__name__)
    return InDoubt(type(error).__name__)


def _service_failure(error: ClientError) -> Refused | NotSent | InDoubt:
    name = error.response["Error"]["Code"]
    code = f"aws_sms_{name}"
    if name in _THROTTLED:
        return NotSent(code)
    if error.response["ResponseMetadata"]["HTTPStatusCode"] >= _SERVER_ERRORS:
        return InDoubt(code)
    if name == "InternalServerException":
        return InDoubt(code)
    if name == "ConflictException":
        reason = str(error.response.get("Reason"))
        return OptedOut(code) if reason == _OPTED_OUT else Misconfigured(f"aws_sms_{reason}")
    if name == "ServiceQuotaExceededException":
        # Usually the spending limit: no message is sent until it is raised.
        return Misconfigured(code)
    return Refused(code)
