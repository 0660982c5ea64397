"""
WhatsApp templates: which variables are known already, which the AI has to fill, and what the message then reads.

A value has no line breaks, tabs or runs of blanks (all are collapsed to one blank), is not empty, and is at most as
long as its variable allows; the whole body has at most 1,024 characters (spec, section 4.4).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from conversations.ai.checks.faults import Fault
from conversations.ai.prompt.plain_json import plain

LONGEST_VALUE = 250
LONGEST_BODY = 1_024
_PLACE = re.compile(r"\{\{\s*([^{}]{1,64}?)\s*\}\}")


class TemplateBroken(Exception):
    """The configured template cannot be used. *attribute* says where in it; never a value."""

    def __init__(self, attribute: str) -> None:
        super().__init__(attribute)
        self.attribute = attribute


class _Configured(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", populate_by_name=True)


class Variable(_Configured):
    """One variable: what the AI is told about it, and where its value is known from, if it is."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    describe: str = ""
    source: str | None = None
    longest: Annotated[int, Field(alias="max", ge=1, le=LONGEST_VALUE)] = LONGEST_VALUE


class Template(_Configured):
    """
    An approved template. `{{name}}` in the body is the variable of that name, `{{2}}` else the second one.

    *content_sid* is Twilio's, *meta_name* Meta's.
    """

    name: str
    body: Annotated[str, Field(min_length=1)]
    variables: tuple[Variable, ...] = ()
    language: str | None = None
    category: str | None = None
    content_sid: str | None = None
    meta_name: str | None = None

    @model_validator(mode="after")
    def _places_and_variables_fit(self) -> Template:
        names = [variable.name for variable in self.variables]
        if len(set(names)) < len(names):
            raise ValueError("a variable stands twice")
        for place in _PLACE.findall(self.body):
            if place not in names and not (
                place.isascii() and place.isdecimal() and 1 <= int(place) <= len(names)
            ):
                raise ValueError("the body has a place without a variable")
        return self

    @classmethod
    def read(cls, name: str, configured: object) -> Template:
        """An entry of `channel_config.whatsapp.templates`. Raises TemplateBroken."""
        if not isinstance(configured, Mapping):
            raise TemplateBroken(name)
        try:
            return cls.model_validate_json(json.dumps(plain(dict(configured)) | {"name": name}))
        except TypeError:
            raise TemplateBroken(name) from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            raise TemplateBroken(".".join(map(str, (name, *first["loc"])))) from None


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with all its values, by variable in the template's order, and what the person will read."""

    values: Mapping[str, str] = field(repr=False)
    body: str = field(repr=False)


def known_values(template: Template, sources: Mapping[str, Any]) -> dict[str, str]:
    """
    The values that need no AI: those of variables whose *source*, such as `project_data.jobRole`, has a fitting one.

    *sources* holds `recipient_first_name`, `company_rep_1`, `project_data` and so on. A variable whose source has
    nothing, or too much, is left to the AI, which knows its description.
    """
    found = {
        variable.name: _text(_at(sources, variable.source))
        for variable in template.variables
        if variable.source
    }
    longest = {variable.name: variable.longest for variable in template.variables}
    return {name: value for name, value in found.items() if 1 <= len(value) <= longest[name]}


def left_to_fill(template: Template, known: Mapping[str, str]) -> tuple[Variable, ...]:
    """The variables that the AI has to fill."""
    return tuple(variable for variable in template.variables if variable.name not in known)


def completed(
    template: Template,
    known: Mapping[str, str],
    given: Mapping[str, str],
    longest: int = LONGEST_BODY,
) -> Filled | tuple[Fault, ...]:
    """
    The template with what was known and what somebody gave, or all that is wrong with the latter.

    *longest* is what a project allows a message, in characters; WhatsApp's own bound holds beside it.
    """
    wanted = left_to_fill(template, known)
    values = {name: collapsed(value) for name, value in given.items()}
    faults = []
    if set(values) - {variable.name for variable in wanted}:
        faults.append(Fault.VARIABLE_UNKNOWN)
    if not all(values.get(variable.name) for variable in wanted):
        faults.append(Fault.VARIABLE_MISSING)
    if any(len(values.get(variable.name, "")) > variable.longest for variable in wanted):
        faults.append(Fault.VARIABLE_TOO_LONG)
    if faults:
        return tuple(faults)
    whole = {variable.name: {**values, **known}[variable.name] for variable in template.variables}
    body = rendered(template, whole)
    is_too_long = len(body) > min(longest, LONGEST_BODY)
    return (Fault.BODY_TOO_LONG,) if is_too_long else Filled(whole, body)


def rendered(template: Template, values: Mapping[str, str]) -> str:
    """The body with its values. What a value says is not looked at again: it may hold braces."""
    in_order = [variable.name for variable in template.variables]

    def value(place: re.Match[str]) -> str:
        name = place[1] if place[1] in values else in_order[int(place[1]) - 1]
        return values[name]

    return _PLACE.sub(value, template.body)


def collapsed(text: str) -> str:
    """*text* in one line, with single blanks."""
    return " ".join(text.split())


def _at(sources: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401 - any JSON value
    value: Any = sources
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as people write it; empty for what is no single value."""
    if isinstance(value, bool) or value is None or isinstance(value, Mapping | list):
        return ""
    return collapsed(str(plain(value)))
