"""Sends messages of templates with a coupon, or with an offer that ends."""

from typing import Annotated

from pydantic import Field

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.runtime import clock
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Amount, Day, MediaId, Text, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates.sending import sends, values
from whatsapp.actions.templates.sending.sends import TemplateSend, Values
from whatsapp.sending.drafts import Draft

MARKETING = Group("marketing_templates")
type CouponCode = Annotated[Text, Field(max_length=20)]


class SendCoupon(TemplateSend):
    """A coupon. Without `bodyParams`, `discountPercent` and `expiryDate` are the values of the body, in this order."""

    coupon_code: CouponCode
    discount_percent: Annotated[Amount, Field(ge=0, le=100)] | None = None
    expiry_date: Day | None = None
    body_params: Values | None = None


class SendLimitedOffer(TemplateSend):
    """An offer; `offerExpirationTimestamp` is its end in milliseconds since 1970."""

    offer_expiration_timestamp: Whole
    coupon_code: CouponCode | None = None
    body_params: Values | None = None
    header_media_id: MediaId | None = None


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_coupon_template(call: Call[SendCoupon]) -> Draft:
    """Send a template with a button that copies a coupon code. Refused if the template has no such button."""
    definition = sends.definition_of(call)
    components = [
        *values.body(definition, _body_of(call.input)),
        values.coupon(definition, call.input.coupon_code),
    ]
    return sends.draft_of(call, components)


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_limited_offer_template(call: Call[SendLimitedOffer]) -> Draft:
    """Send a template with an offer that ends at a time in the future, and maybe a coupon code."""
    given = call.input
    if given.offer_expiration_timestamp <= clock.now_ms():
        problem = "must be in the future, in milliseconds"
        raise InvalidInput([{"field": "offerExpirationTimestamp", "problem": problem}])
    definition = sends.definition_of(call)
    coupon = [values.coupon(definition, given.coupon_code)] if given.coupon_code else []
    components = [
        *values.header(definition, given.header_media_id),
        *values.body(definition, given.body_params),
        values.offer(given.offer_expiration_timestamp),
        *coupon,
    ]
    return sends.draft_of(call, components)


def _body_of(given: SendCoupon) -> list[str]:
    if given.body_params is not None:
        return given.body_params
    percent = [] if given.discount_percent is None else [f"{given.discount_percent.normalize():f}"]
    return percent + ([given.expiry_date.isoformat()] if given.expiry_date else [])
