"""Types and parts of the input models of actions. Names are camelCase, as in requests. Limits are the provider's."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    StringConstraints,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from shared.api.models import inputs
from shared.runtime.validation import patterns, web_addresses
from whatsapp.actions.calls import names
from whatsapp.sending.inputs import Input as CamelCaseInput

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_DIGITS_OF_ID = re.compile(r"(?:phone-number-id-|.*/)?([0-9A-Za-z-]{5,64})")
_NUMBER = r"[+(]?[0-9(][0-9 ().\-/]{4,30}"
_USER_ID = r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}"
_LARGEST_OBJECT_BYTES = 65_536
_DEEPEST = 12


def _clean(text: str) -> str:
    if _CONTROL.search(text):
        raise PydanticCustomError("control", "must not contain control characters")
    return text


def _safe_key(key: str) -> str:
    if key.startswith("/") or ".." in key.split("/"):
        raise PydanticCustomError("key", "must be a key of the media bucket")
    return key


def _web_address(url: str) -> str:
    if not web_addresses.is_link(url):
        raise PydanticCustomError("url", web_addresses.LINK_RULE)
    return url


def _depth(value: object) -> int:
    children = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    )
    return 1 + max(map(_depth, children), default=0) if isinstance(value, dict | list) else 0


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    if len(repr(value)) > _LARGEST_OBJECT_BYTES or _depth(value) > _DEEPEST:
        problem = f"must have at most {_LARGEST_OBJECT_BYTES} bytes and {_DEEPEST} levels"
        raise PydanticCustomError("size", problem)
    return value


def _iso_date(text: object) -> object:
    if isinstance(text, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise PydanticCustomError("date", "must be a date such as 2026-01-31")
    return text


# Texts that people read: no control characters but line ends and tabs.
type Text = Annotated[
    str, StringConstraints(min_length=1, max_length=4_096), AfterValidator(_clean)
]
type Flag = Annotated[bool, Strict()]
type Whole = Annotated[int, Strict()]
type Money = Annotated[
    int, Strict(), Field(ge=0, le=999_999_999_999)
]  # in minor units: 50000 is INR 500.00
type Amount = Annotated[Decimal, Field(allow_inf_nan=False)]
type Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
type WabaId = Annotated[str, Field(pattern=r"^[0-9]{5,20}$")]  # Meta's id of an account
# Meta's id, AWS's id, ARN, or the number itself with `+`.
type PhoneId = Annotated[str, Field(min_length=5, max_length=200)]
# In any form; made one number in the region of the business's number (`participants.number_of`).
type PhoneNumber = Annotated[
    str,
    Field(pattern=patterns.worded(rf"^{_NUMBER}$", "must be a phone number such as +447700900123")),
]
type PhoneOrUserId = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            rf"^(?:{_NUMBER}|{_USER_ID})$",
            "must be a user id or a phone number such as +447700900123",
        )
    ),
]
type MessageRef = Annotated[str, Field(min_length=5, max_length=512)]
type MediaId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]
type S3Key = Annotated[str, Field(min_length=1, max_length=1_024), AfterValidator(_safe_key)]
type HttpsUrl = Annotated[str, Field(max_length=2_000), AfterValidator(_web_address)]
type TemplateName = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,512}$")]
type Language = Annotated[
    str,
    Field(pattern=patterns.worded(r"^[a-z]{2,3}(_[A-Z]{2})?$", "must be a language such as pt_BR")),
]
type TenantId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
type ConfigName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,60}$")]
type ReferenceId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,35}$")]
type CatalogId = Annotated[str, Field(pattern=r"^[0-9]{5,25}$")]
type RetailerId = Annotated[str, Field(min_length=1, max_length=100)]
type FlowId = Annotated[str, Field(pattern=r"^[0-9]{5,25}$")]
type Ulid = Annotated[str, Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$")]
# An object in the provider's own structure.
type ProviderObject = Annotated[
    dict[str, Any],
    AfterValidator(_bounded),
    Field(json_schema_extra={"x-maxBytes": _LARGEST_OBJECT_BYTES, "x-maxLevels": _DEEPEST}),
]
type Components = Annotated[list[ProviderObject], Field(max_length=20)]
type Cursor = Annotated[str, Field(min_length=1, max_length=4_096)]
type Day = Annotated[date, BeforeValidator(_iso_date)]
type Moment = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC))]


class Described(BaseModel):
    """An input model whose parameters may have several names, and whose JSON Schema says what each one is."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Add the descriptions of `parameters`."""
        # No call needs them.
        from whatsapp.actions.calls import parameters  # noqa: PLC0415 - see above

        schema = handler(core_schema)
        described = handler.resolve_ref_schema(schema)
        names.describe(cls, described)
        parameters.describe(described)
        return schema

    @model_validator(mode="before")
    @classmethod
    def _has_one_value_for_each_parameter(cls, given: object) -> object:
        return names.without_repeats(cls, given)


class Input(CamelCaseInput, Described):
    """Base of the input models. Unknown parameters are refused."""

    model_config = ConfigDict(alias_generator=names.GENERATOR)


class NoInput(Input):
    """No parameters."""


class SenderInput(Input):
    """The business's number: `phone`, or `metaWabaId` if that account has one number or a default one."""

    meta_waba_id: WabaId | None = None
    phone: PhoneId | None = Field(default=None, validation_alias=names.PHONE)

    @model_validator(mode="after")
    def _names_a_sender(self) -> Self:
        if self.meta_waba_id is None and self.phone is None:
            raise PydanticCustomError("sender", "must have one of metaWabaId, phone")
        return self


class PhoneFilter(Input):
    """One of the business's numbers, or none."""

    meta_waba_id: WabaId | None = None
    phone: PhoneId | None = Field(default=None, validation_alias=names.PHONE)


class RecipientInput(SenderInput):
    """The business's number and the customer."""

    to: PhoneOrUserId = Field(validation_alias=names.CUSTOMER)


class SendInput(RecipientInput):
    """A message. `dryRun` checks it, asks the send policy and shows the provider's JSON; nothing is sent or stored."""

    dry_run: Flag = False


class ReplyInput(SendInput):
    """A message that may answer another one of the same conversation."""

    reply_to_message_id: MessageRef | None = None


class PageInput(inputs.Input, Described):
    """A page of a listing."""

    model_config = ConfigDict(alias_generator=names.GENERATOR)

    limit: Annotated[int, Strict(), Field(ge=1, le=100)] = 50
    cursor: Cursor | None = None


def is_user_id(text: str) -> bool:
    """Whether the id of a customer is a business-scoped user id, not a number."""
    return text[:2].isalpha()


def own_id_of(phone_id: str) -> str:
    """Return the last part of a number's id: `phone-number-id-...` and ARNs name a number too."""
    found = _DIGITS_OF_ID.fullmatch(phone_id)
    return found.group(1) if found else phone_id
