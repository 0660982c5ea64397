"""ShipStation's API, version 1: shipments by a prefix of the order number."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from local.sandbox.accounts.shop import SHIPSTATION_REQUESTS
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.sandbox.accounts.shop import ShipmentSeed


def failure(status: int) -> Response:
    """Return the API's failure with this HTTP status."""
    response = json_response({"Message": "An error has occurred."}, status)
    if status == 429:  # noqa: PLR2004 - too many requests
        _set_limit_headers(response, 1)
    return response


async def list_shipments(call: Call) -> Answer:
    """`GET /shipments?orderNumber=...`: shipments whose order number starts with this text."""
    _check_credentials(call)
    seconds = call.sandbox.shop.shipping_window.refused_for(call.sandbox.clock.now())
    if seconds is not None:
        response = json_response({"Message": "Too Many Requests"}, 429)
        _set_limit_headers(response, seconds)
        raise Refused(response)
    order_number = call.request.query_params.get("orderNumber", "")
    matching = [s for s in call.sandbox.shop.shipments if s.order_number.startswith(order_number)]
    page = {
        "shipments": [_as_json(s) for s in matching],
        "total": len(matching),
        "page": 1,
        "pages": 1,
    }
    return Answer(json_response(page))


def _as_json(shipment: ShipmentSeed) -> dict[str, object]:
    return {
        "shipmentId": 1,
        "orderId": shipment.order_id,
        "orderNumber": shipment.order_number,
        "customerEmail": shipment.customer_email,
        "createDate": shipment.create_date,
        "trackingNumber": shipment.tracking_number,
        "isReturnLabel": shipment.is_return_label,
        "carrierCode": shipment.carrier_code,
        "voided": shipment.voided,
    }


def _check_credentials(call: Call) -> None:
    scheme, _, encoded = call.request.headers.get("authorization", "").partition(" ")
    try:
        user, colon, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        user = colon = secret = ""
    if scheme != "Basic" or not (user and colon and secret):
        raise Refused(json_response({"Message": "Authorization has been denied"}, 401))


def _set_limit_headers(response: Response, reset_seconds: int) -> None:
    response.headers["X-Rate-Limit-Limit"] = str(SHIPSTATION_REQUESTS)
    response.headers["X-Rate-Limit-Remaining"] = "0"
    response.headers["X-Rate-Limit-Reset"] = str(reset_seconds)


PROVIDER = Provider(
    name="shipstation",
    endpoints=(Endpoint("GET", "/shipments", ("list_shipments",), list_shipments),),
    failure=failure,
)
