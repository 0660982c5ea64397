"""The address form of WhatsApp in India, in the provider's structure (Meta, "Address messages")."""

from typing import Annotated, Literal

from pydantic import Field

from shared.runtime.validation import patterns
from whatsapp.actions.calls.inputs import Text
from whatsapp.actions.messages.interactive.parts import Part

MOST_SAVED = 20

type _Line = Annotated[Text, Field(max_length=1_024)]


class AddressValues(Part):
    """The fields of the form."""

    name: _Line | None = None
    phone_number: (
        Annotated[
            str,
            Field(
                pattern=patterns.worded(
                    r"^\+?[0-9 ().-]{7,20}$", "must be a phone number such as +447700900123"
                )
            ),
        ]
        | None
    ) = None
    in_pin_code: Annotated[str, Field(pattern=r"^[0-9]{6}$")] | None = None
    house_number: _Line | None = None
    floor_number: _Line | None = None
    tower_number: _Line | None = None
    building_name: _Line | None = None
    address: _Line | None = None
    landmark_area: _Line | None = None
    city: _Line | None = None
    state: _Line | None = None


class AddressErrors(Part):
    """The problems of the form that the customer sent, by field."""

    name: _Line | None = None
    phone_number: _Line | None = None
    in_pin_code: _Line | None = None
    house_number: _Line | None = None
    floor_number: _Line | None = None
    tower_number: _Line | None = None
    building_name: _Line | None = None
    address: _Line | None = None
    landmark_area: _Line | None = None
    city: _Line | None = None
    state: _Line | None = None


class SavedAddress(Part):
    """An address that the customer can choose; the answer has its *id*."""

    id: Annotated[Text, Field(max_length=128)]
    value: AddressValues


class AddressForm(Part):
    """The initial values of the form."""

    country: Literal["IN"]
    values: AddressValues | None = None
    saved_addresses: (
        Annotated[list[SavedAddress], Field(min_length=1, max_length=MOST_SAVED)] | None
    ) = None
    validation_errors: AddressErrors | None = None
