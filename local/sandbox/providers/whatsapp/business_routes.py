"""
The sandbox's control routes for what people do beside the provider's API.

`POST /_template_reviews` (a `Review`) decides about a template of an account at Graph.
`POST /_payments` (a `CustomerPayment`) plays a customer who pays an order.
`POST /_paid_refunds` (`{"reference"}`) pays the open refunds of a payment out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field
from starlette.routing import Route

from local.sandbox.accounts.seeds import Seed
from local.sandbox.providers.whatsapp.operations.commerce import payments
from local.sandbox.responses import bad_input, json_response
from local.sandbox.seed_routes import seed_route

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.sandbox.state import Sandbox


class Review(Seed):
    """The decision about all translations of a template."""

    waba: str
    name: str
    status: Literal["APPROVED", "REJECTED", "PAUSED"] = "APPROVED"


class CustomerPayment(Seed):
    """A payment of an order in paise."""

    reference: str
    paise: Annotated[int, Field(ge=1)]


class PaidRefunds(Seed):
    """The payment whose open refunds reach the customer."""

    reference: str


async def _review(sandbox: Sandbox, review: Review) -> Response:
    wanted = (review.waba, review.name)
    found = [one for one in sandbox.templates if (one["waba"], one["name"]) == wanted]
    if not found:
        return bad_input(("name", "must be a template of the account"), status=404)
    for template in found:
        template["status"] = review.status
    return json_response({"reviewed": len(found)}, 201)


async def _pay(sandbox: Sandbox, payment: CustomerPayment) -> Response:
    if not payments.is_ordered(sandbox, payment.reference):
        return bad_input(("reference", "must be of an order that was sent"), status=404)
    paid = payments.pay(sandbox, payment.reference, payment.paise)
    return json_response({"status": paid["status"]}, 201)


async def _pay_out(sandbox: Sandbox, refunds: PaidRefunds) -> Response:
    payment: dict[str, Any] | None = sandbox.objects[payments.PAYMENTS].get(refunds.reference)
    if payment is None:
        return bad_input(("reference", "must be of a payment"), status=404)
    pending = [one for one in payment["refunds"] if one["status"] == "pending"]
    for refund in pending:
        refund["status"] = "success"
    return json_response({"paid": len(pending)}, 201)


ROUTES = [
    Route("/_template_reviews", seed_route(Review, _review), methods=["POST"]),
    Route("/_payments", seed_route(CustomerPayment, _pay), methods=["POST"]),
    Route("/_paid_refunds", seed_route(PaidRefunds, _pay_out), methods=["POST"]),
]
