"""
Builders for what AWS hands to a function: API Gateway proxy events and SNS events, signed; and schedules.

An API Gateway event is that of a REST API with Lambda proxy integration, as
`sam local generate-event apigateway aws-proxy` prints it.
"""

import base64
import hashlib
import hmac
import json
import uuid
from datetime import UTC, datetime

from events.whatsapp.cast import APP_SECRET, SOCIAL_TOPIC_ARN, VERIFY_TOKEN, BusinessNumber
from events.whatsapp.payloads import Json

ROUTE = "/webhooks/whatsapp"
CHALLENGE = "1158201444"

_HOST = "parleylocal.execute-api.us-east-1.amazonaws.com"
_CALLER = "203.0.113.7"  # of the range kept for documentation
_AGENT = "facebookexternalua"


def meta_bytes(body: Json) -> bytes:
    r"""The body as Meta writes and signs it: non-ASCII as \uXXXX (emoji as two), / as \/."""
    return json.dumps(body, separators=(",", ":")).replace("/", "\\/").encode("ascii")


def utf8_bytes(body: Json) -> bytes:
    """The same body as another sender may write it: UTF-8, nothing escaped that need not be."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def sign(raw: bytes, secret: str = APP_SECRET) -> str:
    """The value of `X-Hub-Signature-256` for these bytes."""
    return "sha256=" + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()


def post(
    name: str,
    at: int,
    raw: bytes,
    *,
    secret: str = APP_SECRET,
    signature_header: str = "X-Hub-Signature-256",
    in_base64: bool = False,
) -> Json:
    """A POST of these bytes, signed; `at` is when it arrives, in seconds since 1970."""
    headers = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        signature_header: sign(raw, secret),
    }
    body = base64.b64encode(raw).decode() if in_base64 else raw.decode()
    return proxy_event(name, at, "POST", headers) | {"body": body, "isBase64Encoded": in_base64}


def handshake(name: str, at: int, token: str = VERIFY_TOKEN) -> Json:
    """The GET by which Meta checks an endpoint; the answer to the right `token` is CHALLENGE."""
    query = {"hub.mode": "subscribe", "hub.challenge": CHALLENGE, "hub.verify_token": token}
    return proxy_event(name, at, "GET", {"Accept": "*/*"}) | {
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {key: [value] for key, value in query.items()},
        "body": None,
        "isBase64Encoded": False,
    }


def social_message(name: str, at: int, number: BusinessNumber, webhook_entry: Json | str) -> Json:
    """What AWS End User Messaging Social publishes: its own header around one entry of Meta's."""
    arrived = datetime.fromtimestamp(at, UTC)
    return {
        "context": {
            "MetaWabaIds": [{"wabaId": number.waba, "arn": number.waba_arn}],
            "MetaPhoneNumberIds": [{"metaPhoneNumberId": number.phone, "arn": number.arn}],
        },
        "whatsAppWebhookEntry": webhook_entry,
        "aws_account_id": "000000000000",
        "message_timestamp": f"{arrived:%Y-%m-%dT%H:%M:%S}.271279391Z",
        "messageId": _request_id(f"social {name} {at}"),
    }


def sns(name: str, at: int, published: Json, topic: str = SOCIAL_TOPIC_ARN) -> Json:
    """The Lambda event of one SNS notification."""
    notification: Json = {
        "Type": "Notification",
        "MessageId": _request_id(f"sns {name} {at}"),
        "TopicArn": topic,
        "Subject": None,
        "Message": json.dumps(published),
        "Timestamp": f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}.000Z",
        "SignatureVersion": "1",
        "Signature": "not-checked-by-lambda-subscriptions",
        "SigningCertUrl": "https://sns.us-east-1.amazonaws.com/sample.pem",
        "UnsubscribeUrl": "https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe",
        "MessageAttributes": {},
    }
    record = {
        "EventSource": "aws:sns",
        "EventVersion": "1.0",
        "EventSubscriptionArn": f"{topic}:{_request_id('subscription')}",
        "Sns": notification,
    }
    return {"Records": [record]}


def schedule(name: str, at: int, rule: str) -> Json:
    """What a rule of EventBridge sends when it is time; `rule` is its logical id."""
    return {
        "version": "0",
        "id": _request_id(f"schedule {name} {at}"),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}",
        "region": "us-east-1",
        "resources": [f"arn:aws:events:us-east-1:000000000000:rule/parley-local-{rule}"],
        "detail": {},
    }


def proxy_event(
    name: str, at: int, method: str, headers: dict[str, str], *, route: str = ROUTE
) -> Json:
    """What a call of this route has in common with all others: everything but query and body."""
    every_header = headers | {
        "Host": _HOST,
        "User-Agent": _AGENT,
        "X-Forwarded-For": _CALLER,
        "X-Forwarded-Port": "443",
        "X-Forwarded-Proto": "https",
    }
    return {
        "resource": route,
        "path": route,
        "httpMethod": method,
        "headers": every_header,
        "multiValueHeaders": {key: [value] for key, value in every_header.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": _request_context(name, at, method, route),
    }


def _request_context(name: str, at: int, method: str, route: str) -> Json:
    return {
        "accountId": "000000000000",
        "apiId": "parleylocal",
        "domainName": _HOST,
        "domainPrefix": "parleylocal",
        "extendedRequestId": "c2FtcGxlLWV2ZW50",
        "httpMethod": method,
        "identity": {"sourceIp": _CALLER, "userAgent": _AGENT},
        "path": f"/local{route}",
        "protocol": "HTTP/1.1",
        "requestId": _request_id(f"request {name} {at}"),
        "requestTime": f"{datetime.fromtimestamp(at, UTC):%d/%b/%Y:%H:%M:%S} +0000",
        "requestTimeEpoch": at * 1000,
        "resourceId": "webhook",
        "resourcePath": route,
        "stage": "local",
    }


def _request_id(of: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"parley:{of}"))
