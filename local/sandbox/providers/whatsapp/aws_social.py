"""AWS End User Messaging Social (`socialmessaging`): outgoing WhatsApp messages, and media copied to S3."""

import asyncio
import base64
import json
import math
import secrets
import uuid
from pathlib import PurePath
from typing import Annotated

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import Response

from local.sandbox.accounts.media import MediaFile
from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import rules
from local.sandbox.responses import json_response

_MESSAGE_LIMIT_BYTES = 2_048_000

# error -> HTTP status; all but the first two are in the service model
_STATUS = {
    "MissingAuthenticationTokenException": 403,
    "NotImplementedException": 501,
    "InvalidParametersException": 400,
    "ValidationException": 400,
    "AccessDeniedException": 403,
    "ResourceNotFoundException": 404,
    "ThrottledRequestException": 429,
    "InternalServiceException": 500,
    "DependencyException": 502,
}
# HTTP status -> error name; of two names with the same status the later one.
_FAILURES = {status: name for name, status in _STATUS.items()}

Origination = Annotated[
    str,
    Field(max_length=115, pattern=r"^phone-number-id-.+$|^arn:.*:phone-number-id/[0-9a-zA-Z]+$"),
]


class SendRequest(BaseModel):
    """Input of SendWhatsAppMessage; `message` is Meta's JSON in base64."""

    originationPhoneNumberId: Origination  # noqa: N815 - the API's name
    message: str = Field(min_length=1)
    metaApiVersion: str = Field(pattern=r"^v\d+\.\d+$")  # noqa: N815 - the API's name


class S3File(BaseModel):
    """The destination of a file. `key` is a prefix, see `object_key`."""

    bucketName: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")  # noqa: N815 - the API's name
    key: str = Field(max_length=1024)


class MediaRequest(BaseModel):
    """Input of GetWhatsAppMessageMedia."""

    originationPhoneNumberId: Origination  # noqa: N815 - the API's name
    mediaId: str = Field(max_length=100, pattern=r"^[A-Za-z0-9]+$")  # noqa: N815 - the API's name
    metadataOnly: bool = False  # noqa: N815 - the API's name
    destinationS3File: S3File | None = None  # noqa: N815 - the API's name
    destinationS3PresignedUrl: dict[str, object] | None = None  # noqa: N815 - the API's name


def aws_error(name: str, message: str, status: int | None = None) -> Response:
    """Return an error of the REST-JSON protocol: name in a header, message in the body."""
    headers = {"x-amzn-ErrorType": name, "x-amzn-RequestId": str(uuid.uuid4())}
    return json_response({"message": message}, status or _STATUS[name], headers)


def failure(status: int) -> Response:
    """Return the service's failure with this HTTP status."""
    otherwise = "InternalServiceException" if status >= 500 else "ValidationException"  # noqa: PLR2004 - server errors
    name = _FAILURES.get(status, otherwise)
    return aws_error(name, "A fault of the sandbox", status)


async def send_message(call: Call) -> Answer:
    """SendWhatsAppMessage: a message to a customer, or a read receipt."""
    request = parsed(SendRequest, call)
    check_number(call, request.originationPhoneNumberId)
    try:
        blob = base64.b64decode(request.message, validate=True)
        message = parse_json(blob)
    except ValueError:
        raise Refused(aws_error("ValidationException", "message: not base64 of JSON")) from None
    if len(blob) > _MESSAGE_LIMIT_BYTES:
        raise Refused(
            aws_error("ValidationException", f"message: over {_MESSAGE_LIMIT_BYTES} bytes")
        )
    try:
        if rules.is_receipt(message):
            rules.check_receipt(message)
        else:
            rules.check_message(message, call.sandbox.sendable_media)
    except rules.BrokenRule as broken:
        raise Refused(aws_error("InvalidParametersException", broken.details)) from None
    answer = json_response({"messageId": str(uuid.uuid4())})
    return Answer(answer, request.model_dump() | {"message": message})


async def get_media(call: Call) -> Answer:
    """GetWhatsAppMessageMedia: copy a customer's file to S3, or only return its type and size."""
    request = parsed(MediaRequest, call)
    check_number(call, request.originationPhoneNumberId)
    if request.destinationS3PresignedUrl is not None:
        if request.destinationS3File is not None:
            raise Refused(aws_error("InvalidParametersException", "more than one destination"))
        raise Refused(aws_error("NotImplementedException", "the sandbox copies to S3 files only"))
    file = call.sandbox.media.get(request.mediaId)
    if file is None or file.gone:
        raise Refused(aws_error("ResourceNotFoundException", "no media with this id"))
    if not request.metadataOnly:
        if request.destinationS3File is None:
            raise Refused(aws_error("InvalidParametersException", "a destination is required"))
        await _copy(call, file, request.destinationS3File)
    answer = json_response({"mimeType": file.mime_type, "fileSize": file_size(file)})
    return Answer(answer, request.model_dump(exclude_none=True))


class UploadRequest(BaseModel):
    """Input of PostWhatsAppMessageMedia. The sandbox does not read the file."""

    originationPhoneNumberId: Origination  # noqa: N815 - the API's name
    sourceS3File: S3File  # noqa: N815 - the API's name


async def upload_media(call: Call) -> Answer:
    """PostWhatsAppMessageMedia: upload a file of S3, to be sent by its media id."""
    request = parsed(UploadRequest, call)
    check_number(call, request.originationPhoneNumberId)
    media_id = str(secrets.randbelow(10**15) + 10**15)
    call.sandbox.sendable_media.add(media_id)
    return Answer(json_response({"mediaId": media_id}), request.model_dump())


class TemplateRequest(BaseModel):
    """Input of GetWhatsAppMessageTemplate, in the query: an id, or a name with a language."""

    id: str = Field(max_length=115, pattern=r"^waba-.*$|^arn:.*:waba/[0-9a-zA-Z]+$")
    metaTemplateId: str | None = Field(default=None, pattern=r"^[0-9]+$")  # noqa: N815 - the API's name
    templateName: str | None = Field(default=None, min_length=1, max_length=512)  # noqa: N815 - the API's name
    templateLanguageCode: str | None = Field(default=None, min_length=1, max_length=6)  # noqa: N815 - the API's name


async def get_template(call: Call) -> Answer:
    """GetWhatsAppMessageTemplate: one translation of a template, as Meta's JSON in a text."""
    query = call.request.query_params
    request = parsed(TemplateRequest, call, json.dumps(dict(query)).encode())
    named = (request.templateName, request.templateLanguageCode)
    if request.metaTemplateId is None and None in named:
        raise Refused(aws_error("InvalidParametersException", "an id, or name and language"))
    for template in call.sandbox.templates:
        is_named = (template["name"], template["language"]) == named
        if template["waba"] == request.id and (
            template.get("id") == request.metaTemplateId if request.metaTemplateId else is_named
        ):
            described = {name: value for name, value in template.items() if name != "waba"}
            return Answer(json_response({"template": json.dumps(described)}))
    raise Refused(aws_error("ResourceNotFoundException", "no template with this name and language"))


def file_size(file: MediaFile) -> int:
    """Return `fileSize` in KB, rounded up, as in the service model."""
    return math.ceil(len(file.content) / 1024)


def object_key(prefix: str, file: MediaFile) -> str:
    """Return the key of a copied file: the prefix, directly followed by media id and extension."""
    return f"{prefix}{file.media_id}{PurePath(file.filename).suffix}"


async def _copy(call: Call, file: MediaFile, destination: S3File) -> None:
    put_object = call.sandbox.put_object
    if put_object is None:
        raise Refused(
            aws_error("DependencyException", "the sandbox has no S3: start it with --aws-endpoint")
        )
    key = object_key(destination.key, file)
    try:
        await asyncio.to_thread(
            put_object, destination.bucketName, key, file.content, file.mime_type
        )
    except ClientError as error:
        reason = error.response["Error"]["Code"]
        raise Refused(aws_error("DependencyException", f"S3 refused the file: {reason}")) from None
    except BotoCoreError as error:
        reason = type(error).__name__
        raise Refused(aws_error("DependencyException", f"S3 cannot be reached: {reason}")) from None


def check_signature(call: Call) -> None:
    """Raise Refused unless the request is signed."""
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(aws_error("MissingAuthenticationTokenException", "the request is not signed"))


def parsed[Input: BaseModel](shape: type[Input], call: Call, raw: bytes | None = None) -> Input:
    """Return the input of a signed request, from its body or from *raw*. Raises Refused."""
    check_signature(call)
    try:
        return shape.model_validate(parse_json(call.raw if raw is None else raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refused(aws_error("ValidationException", f"{field}: {first['msg']}")) from None
    except ValueError:
        raise Refused(aws_error("ValidationException", "body: not JSON")) from None


def check_number(call: Call, origination: str) -> None:
    """Raise Refused unless the number is linked to the account."""
    if call.sandbox.config.aws_number(origination) is None:
        raise Refused(aws_error("ResourceNotFoundException", "no phone number with this id"))


ENDPOINTS = (
    Endpoint("POST", "/v1/whatsapp/send", ("SendWhatsAppMessage",), send_message),
    Endpoint("POST", "/v1/whatsapp/media", ("PostWhatsAppMessageMedia",), upload_media),
    Endpoint("GET", "/v1/whatsapp/template", ("GetWhatsAppMessageTemplate",), get_template),
    Endpoint("POST", "/v1/whatsapp/media/get", ("GetWhatsAppMessageMedia",), get_media),
)
