"""Subscriptions to webhooks at Meta, and the event destinations of accounts on AWS."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.providers.whatsapp import aws_social, meta_graph
from local.sandbox.responses import json_response

APP = "1029384756"
ACCOUNT = "123456789012"
# Whose topics may be used: the accounts of moto and of the local stack.
_ACCOUNTS_OF_TOPICS = (ACCOUNT, "000000000000")
_NUMBER_KEY = "0123456789abcdef0123456789abcdef"
# The account of the number on AWS: as the other operations derive it from the number, and as the sample events name it.
_ACCOUNT_KEYS = (_NUMBER_KEY, "fedcba9876543210fedcba9876543210")
_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:[a-z0-9-]+:(\d{12}):[A-Za-z0-9_-]+")
_LINK_DATE = 1_760_000_000


_Role = Annotated[str, Field(pattern=r"^arn:.*:iam::\d{12}:role/[a-zA-Z0-9+=,.@_-]+$")]


class Destination(BaseModel):
    """A topic, and the role that publishes to it."""

    eventDestinationArn: str = Field(max_length=2048, pattern=r"^arn:.*:[a-z-]+([/:](.*))?$")  # noqa: N815 - the API's name
    roleArn: _Role | None = None  # noqa: N815 - the API's name


class PutDestinations(BaseModel):
    """Input of PutWhatsAppBusinessAccountEventDestinations."""

    id: str = Field(max_length=115, pattern=r"^waba-.*$|^arn:.*:waba/[0-9a-zA-Z]+$")
    eventDestinations: list[Destination] = Field(max_length=1)  # noqa: N815 - the API's name


async def subscribe(call: Call) -> Answer:
    """`POST /{version}/{waba}/subscribed_apps`: our app gets the account's events, perhaps at another address."""
    waba, body = _waba(call), _body(call)
    url, token = body.get("override_callback_uri"), body.get("verify_token")
    if url is not None and (not str(url).startswith("https://") or not token):
        raise meta_graph.invalid(
            "Param override_callback_uri must be an https URL, with verify_token"
        )
    call.sandbox.objects["subscriptions"][waba] = {"override_callback_uri": url} if url else {}
    return Answer(json_response({"success": True}), body)


async def unsubscribe(call: Call) -> Answer:
    """`DELETE /{version}/{waba}/subscribed_apps`."""
    call.sandbox.objects["subscriptions"].pop(_waba(call), None)
    return Answer(json_response({"success": True}))


async def list_subscribed(call: Call) -> Answer:
    """`GET /{version}/{waba}/subscribed_apps`."""
    app = {"id": APP, "name": "Parley", "link": f"https://www.facebook.com/games/?app_id={APP}"}
    found = call.sandbox.objects["subscriptions"].get(_waba(call))
    apps = [] if found is None else [{"whatsapp_business_api_data": app, **found}]
    return Answer(json_response({"data": apps}))


async def subscribe_fields(call: Call) -> Answer:
    """`POST /{version}/{app}/subscriptions`: the fields of an app, under the app's own token."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    app, body = call.request.path_params["app"], _body(call)
    token = call.request.headers.get("authorization", "").partition(" ")[2]
    if not token.startswith(f"{app}|"):
        raise Refused(meta_graph.graph_error(403, 15, "Requires an app access token"))
    missing = {"object", "callback_url", "fields", "verify_token"} - body.keys()
    if missing or body["object"] != "whatsapp_business_account":
        raise meta_graph.invalid("Param object, callback_url, fields and verify_token are required")
    call.sandbox.objects["app fields"][app] = body["fields"].split(",")
    return Answer(json_response({"success": True}), body)


async def put_destinations(call: Call) -> Answer:
    """PutWhatsAppBusinessAccountEventDestinations: replace all destinations of an account."""
    _check_signed(call)
    try:
        request = PutDestinations.model_validate(parse_json(call.raw))
    except (ValidationError, ValueError):
        raise Refused(aws_social.aws_error("ValidationException", "eventDestinations")) from None
    account = _linked(call, request.id)
    for one in request.eventDestinations:
        topic = _TOPIC.fullmatch(one.eventDestinationArn)
        if topic is None or topic.group(1) not in _ACCOUNTS_OF_TOPICS:
            raise Refused(
                aws_social.aws_error("InvalidParametersException", "the destination is not usable")
            )
    found = [one.model_dump(exclude_none=True) for one in request.eventDestinations]
    call.sandbox.objects["event destinations"][account["id"]] = found
    return Answer(json_response({}), request.model_dump(exclude_none=True))


async def get_linked(call: Call) -> Answer:
    """GetLinkedWhatsAppBusinessAccount: an account with its destinations and numbers."""
    _check_signed(call)
    account = _linked(call, call.request.query_params.get("id", ""))
    found = call.sandbox.objects["event destinations"].get(account["id"], [])
    return Answer(json_response({"account": account | {"eventDestinations": found}}))


def _linked(call: Call, account_id: str) -> dict[str, Any]:
    """Return the account of the numbers on AWS. Raises Refused."""
    prefix = f"arn:aws:social-messaging:us-east-1:{ACCOUNT}:waba/"
    key = account_id.removeprefix(prefix).removeprefix("waba-")
    numbers = [n for n in call.sandbox.config.numbers if n.aws_id is not None]
    if key not in _ACCOUNT_KEYS or not numbers:
        raise Refused(aws_social.aws_error("ResourceNotFoundException", "no account with this id"))
    return {
        "arn": f"{prefix}{key}",
        "id": f"waba-{key}",
        "wabaId": numbers[0].waba,
        "registrationStatus": "COMPLETE",
        "linkDate": _LINK_DATE,
        "wabaName": "Sandbox",
        "phoneNumbers": [
            {
                "arn": f"arn:aws:social-messaging:us-east-1:{ACCOUNT}:phone-number-id/{_NUMBER_KEY}",
                "phoneNumber": f"+{number.display}",
                "phoneNumberId": number.aws_id,
                "metaPhoneNumberId": number.phone_number_id,
                "displayPhoneNumberName": "Sandbox",
                "displayPhoneNumber": number.display,
                "qualityRating": "GREEN",
            }
            for number in numbers
        ],
    }


def _check_signed(call: Call) -> None:
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(
            aws_social.aws_error("MissingAuthenticationTokenException", "the request is not signed")
        )


def _waba(call: Call) -> str:
    """Return the account on Graph of a request. Raises Refused."""
    meta_graph.check_token(call.request)
    meta_graph.check_version(call.request)
    waba = str(call.request.path_params["waba"])
    if not any(n.waba == waba and n.aws_id is None for n in call.sandbox.config.numbers):
        raise meta_graph.no_such_object(waba)
    return waba


def _body(call: Call) -> dict[str, Any]:
    try:
        body = parse_json(call.raw or b"{}")
    except ValueError:
        raise meta_graph.invalid("body must be JSON") from None
    if not isinstance(body, dict):
        raise meta_graph.invalid("body must be an object")
    return body


_SUBSCRIBED = "/{version}/{waba}/subscribed_apps"
GRAPH = (
    Endpoint("POST", _SUBSCRIBED, ("subscribe_app",), subscribe),
    Endpoint("GET", _SUBSCRIBED, ("list_subscribed_apps",), list_subscribed),
    Endpoint("DELETE", _SUBSCRIBED, ("unsubscribe_app",), unsubscribe),
    Endpoint("POST", "/{version}/{app}/subscriptions", ("subscribe_fields",), subscribe_fields),
)
AWS = (
    Endpoint(
        "PUT",
        "/v1/whatsapp/waba/eventdestinations",
        ("PutWhatsAppBusinessAccountEventDestinations",),
        put_destinations,
    ),
    Endpoint("GET", "/v1/whatsapp/waba/details", ("GetLinkedWhatsAppBusinessAccount",), get_linked),
)
