"""
Names of parameters. A parameter has one name in all actions: the first choice of its alias. The other choices are names
that it has at the provider or had in older versions: a call may use them, and the reference lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import AliasChoices, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

PHONE: Final = AliasChoices("phone", "phoneNumberId")
CUSTOMER: Final = AliasChoices("to", "recipient")


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
