"""AWS End User Messaging Social: WhatsApp accounts and numbers that are linked to the AWS account."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
)

from shared.providers.outcomes import ErrorDetails, InDoubt, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_socialmessaging import EndUserMessagingSocialClient as SocialMessagingClient

_THROTTLED = frozenset(
    {"ThrottledRequestException", "ThrottlingException", "TooManyRequestsException"}
)
_MISSING = "ResourceNotFoundException"
_SERVER_ERRORS = 500


@dataclass(eq=False)
class Eum:
    """
    The service. Its client has SDK retries off (`total_max_attempts` 1), because the service has no idempotency token.

    *meta_api_version* is the version of Meta's API that the message JSON follows, such as `v20.0`.
    """

    make_client: Callable[[], SocialMessagingClient]
    meta_api_version: str

    @cached_property
    def _client(self) -> SocialMessagingClient:
        return self.make_client()

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - of any operation
        """
        Make one attempt at any operation, by boto3's name of it (`list_whatsapp_flows`); returns the response without
        its metadata.

        Raises Refused, NotSent or InDoubt.
        """
        try:
            answer = getattr(self._client, operation)(**parameters)
        except (ClientError, BotoCoreError) as error:
            raise _failure(error) from None
        return {name: value for name, value in answer.items() if name != "ResponseMetadata"}

    def post_message(self, phone_id: str, message: Mapping[str, Any]) -> str | None:
        """
        Send message JSON from the number with AWS id *phone_id* (`phone-number-id-...`) and return AWS's message id.

        One attempt. Raises Refused, NotSent or InDoubt. (AWS API reference, SendWhatsAppMessage.)
        """
        try:
            answer = self._client.send_whatsapp_message(
                originationPhoneNumberId=phone_id,
                message=json.dumps(message).encode(),
                metaApiVersion=self.meta_api_version,
            )
        except (ClientError, BotoCoreError) as error:
            raise _failure(error) from None
        return answer.get("messageId")

    def upload_media(self, phone_id: str, bucket: str, key: str) -> str:
        """
        Upload a file of *bucket* for messages of the number with AWS id *phone_id*, and return Meta's media id.

        Raises Refused, NotSent or InDoubt. (AWS API reference, PostWhatsAppMessageMedia.)
        """
        try:
            answer = self._client.post_whatsapp_message_media(
                originationPhoneNumberId=phone_id,
                sourceS3File={"bucketName": bucket, "key": key},
            )
        except (ClientError, BotoCoreError) as error:
            raise _failure(error) from None
        media_id = answer.get("mediaId")
        if not media_id:
            raise InDoubt("no_id")
        return media_id

    def template(self, waba_id: str, name: str, language: str) -> dict[str, Any] | None:
        """
        Return one translation of a template of the account with AWS id *waba_id* (`waba-...`); None if it is unknown.

        Raises Refused, NotSent or InDoubt. (AWS API reference, GetWhatsAppMessageTemplate.) The service returns a text.
        Not confirmed by live traffic: that it is Meta's JSON of the template, with status and category.
        """
        try:
            answer = self._client.get_whatsapp_message_template(
                id=waba_id, templateName=name, templateLanguageCode=language
            )
        except (ClientError, BotoCoreError) as error:
            failure = _failure(error)
            if isinstance(failure, Refused) and failure.code == _MISSING:
                return None
            raise failure from None
        try:
            found = json.loads(answer.get("template", ""))
        except ValueError:
            raise InDoubt("no_json") from None
        return found if isinstance(found, dict) else None

    def copy_media(self, phone_id: str, media_id: str, bucket: str, prefix: str) -> None:
        """
        Copy a media file to *bucket* under *prefix*; the service chooses the rest of the key.

        Raises Refused (also if the file no longer exists), NotSent or InDoubt. (AWS API reference,
        GetWhatsAppMessageMedia.)
        """
        try:
            self._client.get_whatsapp_message_media(
                mediaId=media_id,
                originationPhoneNumberId=phone_id,
                destinationS3File={"bucketName": bucket, "key": prefix},
            )
        except (ClientError, BotoCoreError) as error:
            raise _failure(error) from None


def _failure(error: ClientError | BotoCoreError) -> Refused | NotSent | InDoubt:
    if isinstance(error, ClientError):
        code = error.response["Error"]["Code"]
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        details = details_of(error)
        if code in _THROTTLED:
            return NotSent(code, details=details)
        if status >= _SERVER_ERRORS:
            return InDoubt(code, details)
        return Refused(code, details=details)
    if isinstance(error, ParamValidationError):
        # The SDK checks parameters before it makes a request. Its text repeats them.
        return Refused(type(error).__name__)
    if isinstance(error, EndpointConnectionError | ConnectTimeoutError | NoCredentialsError):
        return NotSent(type(error).__name__)
    return InDoubt(type(error).__name__)


def details_of(error: ClientError) -> ErrorDetails:
    """Return the details of an error of an AWS service, whose request id is the trace id. It has no subcode."""
    response: Mapping[str, Any] = error.response
    said = response.get("Error", {})
    return ErrorDetails.parsed(
        subcode=None,
        title=said.get("Code"),
        message=said.get("Message"),
        trace_id=response.get("ResponseMetadata", {}).get("RequestId"),
        is_transient=said.get("Code") in _THROTTLED,
    )
