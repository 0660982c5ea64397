"""Sends messages of templates with the values of their slots. What an action sends is named by its required slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.identity.keyed_hashes import keyed_hash
from shared.runtime import clock
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Amount, CatalogId, Day, Whole, is_user_id
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.actions.templates.sending import slots
from whatsapp.actions.templates.sending.inputs import CouponCode, Parts, Section, TemplateSend
from whatsapp.actions.templates.sending.slots import Given
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.sending.failures import TemplateNotFitting, TemplateNotSendable
from whatsapp.sending.payloads import of_template
from whatsapp.sending.templates import approval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whatsapp.actions.templates.sending.slots import Components, Definition

TEMPLATES = Group("marketing_templates")
DEFAULT_LANGUAGE = "en_US"
MARKETING, UTILITY, AUTHENTICATION = "MARKETING", "UTILITY", "AUTHENTICATION"


class SendCode(TemplateSend):
    """
    A one-time code. `expiryMinutes` must equal the expiry in the template's footer, or else fills the second variable
    of its body.
    """

    otp_code: Annotated[SecretStr, Field(min_length=4, max_length=15)]
    expiry_minutes: Annotated[Whole, Field(ge=1, le=90)] | None = None

    @model_validator(mode="after")
    def _fills_the_body_by_its_code(self) -> Self:
        if self.body_params is not None:
            raise PydanticCustomError("body", "bodyParams: otpCode fills the body")
        return self

    def model_dump(self, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - of any dump
        """Return the fields, with a keyed hash in place of the code: records of calls keep hashes of dumps."""
        # A plain hash of so short a code could be searched for. Not a serializer: these hide why a key is unreadable.
        hashed = keyed_hash("one-time code", self.otp_code.get_secret_value())
        return super().model_dump(**options) | {"otp_code": hashed}


class SendCoupon(TemplateSend):
    """A coupon. Without `bodyParams`, `discountPercent` and `expiryDate` are the values of the body, in this order."""

    coupon_code: CouponCode
    discount_percent: Annotated[Amount, Field(ge=0, le=100)] | None = None
    expiry_date: Day | None = None

    def given(self, place: str = "") -> Iterator[Given]:
        """Return the values with the slots that they fill."""
        yield from super().given(place)
        percent = self.discount_percent
        values = [] if percent is None else [f"{percent.normalize():f}"]
        values += [self.expiry_date.isoformat()] if self.expiry_date else []
        if self.body_params is None and values:
            yield Given("bodyParams", values, "bodyParams")


class SendCarousel(TemplateSend):
    """Two to ten cards, as many as the template has."""

    cards: Annotated[list[Parts], Field(min_length=2, max_length=10)]


class SendProducts(TemplateSend):
    """Products of a catalog."""

    catalog_id: CatalogId
    sections: Annotated[list[Section], Field(min_length=1, max_length=10)]


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_marketing_message(call: Call[TemplateSend]) -> Draft:
    """
    Send a marketing template, to customers who agreed to marketing.

    A number whose account is onboarded to Meta's API for marketing messages sends through it. A template of another
    category is refused (`template_not_sendable`).
    """
    return _draft(call, MARKETING)


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_utility_template(call: Call[TemplateSend]) -> Draft:
    """
    Send a utility template.

    A template that the provider has in another category is refused (`template_not_sendable`), because the category
    decides about consent and price.
    """
    return _draft(call, UTILITY)


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_coupon_template(call: Call[SendCoupon]) -> Draft:
    """Send a template with a button that copies a coupon code. Refused if the template has no such button."""
    return _draft(call)


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_limited_offer_template(call: Call[TemplateSend]) -> Draft:
    """
    Send a template with an offer, and maybe a coupon code. `offerExpirationTimestamp` is its end, a time in the future
    in milliseconds since 1970. Meta requires it unless the template has `has_expiration: false`; then there is none.
    """
    definition = definition_of(call)
    if not slots.has_offer(definition):
        raise TemplateNotFitting("templateName: the template has no limited-time offer")
    return of_template(used(call.input, filled_slots(call, definition, call.input.given())))


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_carousel_template(call: Call[SendCarousel]) -> Draft:
    """Send a template with a carousel. Refused if the number of cards differs from the template's."""
    return _draft(call)


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_catalog_template(call: Call[TemplateSend]) -> Draft:
    """Send a template with a button that opens the catalog, or that shows one `product` of it."""
    return _draft(call)


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_mpm_template(call: Call[SendProducts]) -> Draft:
    """
    Send a template with a button that shows products of the catalog.

    The provider takes the catalog that is connected to the account; its message names none. The thumbnail is the first
    product by default.
    """
    return _draft(call)


@TEMPLATES.sends(Scope.WHATSAPP_SEND)
def send_auth_template(call: Call[SendCode]) -> Draft:
    """
    Send an authentication template with a code, in the text and in the button that copies it.

    The code is not stored: the message shows the template's name only. Needs a phone number (`to`), as the provider
    refuses user ids here.
    """
    given = call.input
    if is_user_id(given.to):
        raise _invalid("to", "must be a phone number: codes are not sent to user ids")
    code, definition = given.otp_code.get_secret_value(), definition_of(call)
    values = [code, *_shown_minutes(definition, given.expiry_minutes)]
    filled = [
        *given.given(),
        Given("bodyParams", values, "expiryMinutes"),
        Given("otpCode", code, "otpCode"),
    ]
    components = filled_slots(call, definition, filled)
    return of_template(used(given, components, AUTHENTICATION), hides_values=True)


def definition_of(call: Call[Any]) -> Definition:
    """
    Return the components of the template at the account of the call's number.

    Raises InvalidInput for an offer that has ended, TemplateNotSendable, and the exceptions of `approval.described`.
    """
    ends = call.input.offer_expiration_timestamp
    if ends is not None and ends <= clock.now_ms():
        raise _invalid("offerExpirationTimestamp", "must be in the future, in milliseconds")
    phone = participants.sender_of(call)
    given, resources = call.input, call.resources
    language = given.language_code or DEFAULT_LANGUAGE
    found = approval.described(resources, resources.gate, phone, given.template_name, language)
    if found.components is None:
        raise TemplateNotSendable("template: its components are not known")
    return found.components


def filled_slots(call: Call[Any], definition: Definition, given: Iterable[Given]) -> Components:
    """Return the values of a message. Raises TemplateNotFitting, and as `check_files` for files of headers."""
    components = slots.components_of(definition, given)
    check_files(call, components, "components")
    return components


def used(given: TemplateSend, components: Components, category: str | None = None) -> UsedTemplate:
    """Return the template of a call with its values; it must be of *category*, if given."""
    return UsedTemplate(
        name=given.template_name,
        language=given.language_code or DEFAULT_LANGUAGE,
        components=components,
        category=category,
    )


def _draft(call: Call[Any], category: str | None = None) -> Draft:
    components = filled_slots(call, definition_of(call), call.input.given())
    return of_template(used(call.input, components, category))


def _shown_minutes(definition: Definition, minutes: int | None) -> list[str]:
    """Return the value of the body for the expiry; none if the footer shows it. Raises InvalidInput."""
    if minutes is None:
        return []
    stated = slots.stated_expiry(definition)
    if stated is None:
        return [str(minutes)]
    if stated != minutes:
        raise _invalid("expiryMinutes", f"must be {stated}, as the template's text says")
    return []


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
