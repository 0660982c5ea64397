"""
The API Gateway event of all HTTP samples.

The format of a REST API with Lambda proxy integration (`sam local generate-event apigateway aws-proxy`).
"""

import uuid
from datetime import UTC, datetime
from typing import Any

type Json = dict[str, Any]

_HOST = "parleylocal.execute-api.us-east-1.amazonaws.com"
_CALLER = "203.0.113.7"  # of the range reserved for documentation


def proxy_event(
    route: str, name: str, at: int, *, method: str, headers: dict[str, str], agent: str
) -> Json:
    """Return a request for *route* at *at* (seconds since 1970) without a body; its request id is made from *name*."""
    all_headers = headers | {
        "Host": _HOST,
        "User-Agent": agent,
        "X-Forwarded-For": _CALLER,
        "X-Forwarded-Port": "443",
        "X-Forwarded-Proto": "https",
    }
    return {
        "resource": route,
        "path": route,
        "httpMethod": method,
        "headers": all_headers,
        "multiValueHeaders": {key: [value] for key, value in all_headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "parleylocal",
            "domainName": _HOST,
            "domainPrefix": "parleylocal",
            "extendedRequestId": "c2FtcGxlLWV2ZW50",
            "httpMethod": method,
            "identity": {"sourceIp": _CALLER, "userAgent": agent},
            "path": f"/local{route}",
            "protocol": "HTTP/1.1",
            "requestId": made_up_id(f"request {name} {at}"),
            "requestTime": f"{datetime.fromtimestamp(at, UTC):%d/%b/%Y:%H:%M:%S} +0000",
            "requestTimeEpoch": at * 1000,
            "resourceId": "webhook",
            "resourcePath": route,
            "stage": "local",
        },
    }


def made_up_id(seed: str) -> str:
    """Return an id in the format of AWS, always the same for the same *seed*."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"parley:{seed}"))
