"""Input models of requests about a person."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.identity.identifiers import IdentifierKind, identifier
from shared.privacy.parts import Named, NameKind
from shared.runtime import clock

LONGEST_REASON: Final = 200
PRINCIPAL: Final = r"(user|api-key):[!-~]{1,190}"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_PROBLEMS: Final = {
    NameKind.PHONE: "must be a phone number with + and country code",
    NameKind.EMAIL: "must be an e-mail address",
    NameKind.USER_ID: "must be a user id of WhatsApp",
    NameKind.EXTERNAL: "must be {system}:{id}",
    NameKind.PRINCIPAL: "must be user:{id} or api-key:{id}",
}

type _Text = Annotated[str, Field(min_length=1, max_length=254)]


class SubjectInput(Input):
    """
    The person, by one name: the id of a contact, a number with + and country code, an address, a business-scoped user
    id of WhatsApp, an external id, `{system}:{id}`, for a colleague who writes newsletters the caller of the APIs,
    `user:{id}` or `api-key:{id}`, or the id of a ticket of the help desk, which no other name leads to.
    """

    contact_id: Annotated[str, Field(pattern=r"^[a-zA-Z0-9]{1,64}$")] | None = None
    phone: _Text | None = Field(default=None, repr=False)
    email: _Text | None = Field(default=None, repr=False)
    user_id: _Text | None = Field(default=None, repr=False)
    external_id: _Text | None = Field(default=None, repr=False)
    principal: _Text | None = Field(default=None, repr=False)
    ticket_id: Annotated[str, Field(pattern=r"^[!-~]{1,128}$")] | None = None

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        if sum(getattr(self, kind) is not None for kind in NameKind) != 1:
            raise PydanticCustomError("subject", "must have exactly one name of the person")
        return self


def _is_of_the_last_year(day: date) -> date:
    today = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()
    if not timedelta() <= today + timedelta(days=1) - day <= timedelta(days=366):
        raise PydanticCustomError("received_on", "must be a day of the last year")
    return day


def _on_one_line(text: str) -> str:
    if _CONTROL.search(text) or not text.strip():
        raise PydanticCustomError("reason", "must be a text on one line")
    return text


class PersonInput(Input):
    """
    What is requested, and why. `reason` and `reference`, the number of the case elsewhere, stay with the receipt, so
    they name no person. `received_on` is the day on which the person asked, by default today: an answer is due a month
    later. With `dry_run` the answer shows the names of the person, and nothing changes.
    """

    kind: Literal["export", "erase"]
    subject: SubjectInput
    reason: Annotated[
        str, Field(min_length=1, max_length=LONGEST_REASON), AfterValidator(_on_one_line)
    ]
    reference: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:/-]{1,64}$")] | None = None
    received_on: Annotated[date, AfterValidator(_is_of_the_last_year)] | None = None
    dry_run: bool = False


class RequestsQuery(Input):
    """A page of the company's requests."""

    limit: int = Field(default=20, ge=1, le=50)
    cursor: str | None = None


def named(subject: SubjectInput) -> Named:
    """Return the name of a subject in its normal form. Raises InvalidInput."""
    kind = next(one for one in NameKind if getattr(subject, one) is not None)
    text = str(getattr(subject, kind))
    try:
        return Named(kind, _normal(kind, text))
    except AddressInvalid:
        raise InvalidInput([{"field": f"subject.{kind}", "problem": _PROBLEMS[kind]}]) from None


def _normal(kind: NameKind, text: str) -> str:
    match kind:
        case NameKind.PRINCIPAL if not re.fullmatch(PRINCIPAL, text):
            raise AddressInvalid("malformed")
        case NameKind.CONTACT | NameKind.PRINCIPAL | NameKind.TICKET:
            return text
        case NameKind.USER_ID:
            return addresses.user_id(text).removeprefix(addresses.USER_ID_PREFIX)
        case NameKind.PHONE:
            return identifier(IdentifierKind.PHONE, addresses.phone_number(text)).value
        case NameKind.EMAIL:
            return identifier(IdentifierKind.EMAIL, text).value
        case NameKind.EXTERNAL:
            return identifier(IdentifierKind.EXTERNAL, text).value
