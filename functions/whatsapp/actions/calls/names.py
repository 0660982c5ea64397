"""
Names of parameters. A parameter has one name in all actions: the first choice of its alias. The other choices are names
that it has at the provider or had in older versions: a call may use them, and the reference lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import AliasChoices, AliasGenerator, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

PHONE: Final = AliasChoices("phone", "phoneNumberId")
CUSTOMER: Final = AliasChoices("to", "recipient")
# The names of fields that mean the same as a parameter of other actions: the one name, and the one from the field's.
_ONE_NAME: Final = {
    "body_text": "body",
    "configuration_name": "configName",
    "footer_text": "footer",
    "header_image_id": "headerMediaId",
    "language_code": "language",
    "payment_configuration_name": "configName",
    "payment_id": "referenceId",
    "product_id": "productRetailerId",
    "wa_message_id": "messageId",
}


def choices_of(field: str) -> str | AliasChoices:
    """Return the names under which a field is given."""
    name = to_camel(field)
    return AliasChoices(_ONE_NAME[field], name) if field in _ONE_NAME else name


GENERATOR: Final = AliasGenerator(alias=to_camel, validation_alias=choices_of)


def first_of(field: FieldInfo, name: str) -> str:
    """Return the one name of a parameter; *name*: of its field."""
    if isinstance(field.validation_alias, AliasChoices):
        return str(field.validation_alias.choices[0])
    return field.alias or name


def others_of(model: type[BaseModel]) -> dict[str, list[str]]:
    """Return the other names of each parameter that has some."""
    return dict(_others_of(model))


def without_repeats(model: type[BaseModel], given: object) -> object:
    """
    Return the parameters of a call, each under one of its names.

    Raises ValidationError for a parameter that has different values under several names.
    """
    if not isinstance(given, dict):
        return given
    repeated: dict[str, str] = {}  # further names of a parameter: the one that counts
    for name, others in _others_of(model):
        present = [one for one in (name, *others) if one in given]
        repeated |= dict.fromkeys(present[1:], present[0] if present else name)
    differing = [(kept, other) for other, kept in repeated.items() if given[kept] != given[other]]
    if differing:
        raise ValidationError.from_exception_data(
            model.__name__, [_differing(*names) for names in differing]
        )
    return {name: value for name, value in given.items() if name not in repeated}


def describe(model: type[BaseModel], schema: dict[str, Any]) -> None:
    """Add the other names to the JSON Schema of an input model, as deprecated, with the type of the parameter."""
    properties = schema.get("properties", {})
    for name, others in _others_of(model):
        same = {key: value for key, value in properties[name].items() if key != "default"}
        for other in others:
            about = {"deprecated": True, "description": f"another name of `{name}`"}
            properties[other] = same | about


def _others_of(model: type[BaseModel]) -> Iterator[tuple[str, list[str]]]:
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            name, *others = (str(choice) for choice in field.validation_alias.choices)
            yield name, others


def _differing(kept: str, other: str) -> InitErrorDetails:
    problem = f"is another name of {kept}: must be given once, or with the same value"
    return InitErrorDetails(
        type=PydanticCustomError("names", problem),
        loc=(other,),
        input=None,
    )
