"""
WhatsApp templates: values known from project data, variables that the AI must fill, and the rendered body.

A value has no line breaks, tabs or runs of blanks (all are collapsed to one blank), is not empty, and respects the
maximum length of its variable; the whole body has at most 1,024 characters (spec, section 4.4).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from conversations.ai.checks.faults import Fault
from shared.aws.tables.dynamodb_json import plain
from shared.runtime.validation.validation_errors import errors_of, rule_of

LONGEST_VALUE = 250
LONGEST_BODY = 1_024
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]{1,64}?)\s*\}\}")


class TemplateBroken(Exception):
    """The configured template is invalid. *attribute* is the path in it, *rule* what it breaks; never a value."""

    def __init__(self, attribute: str, rule: str = "is missing or invalid") -> None:
        super().__init__(attribute)
        self.attribute = attribute
        self.rule = rule


class _Configured(BaseModel):
    model_config = ConfigDict(
        frozen=True, strict=True, extra="ignore", populate_by_name=True, defer_build=True
    )


class Variable(_Configured):
    """One variable: its description for the AI, and the optional source of its value."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    describe: str = ""
    source: str | None = None
    longest: Annotated[int, Field(alias="max", ge=1, le=LONGEST_VALUE)] = LONGEST_VALUE


class Template(_Configured):
    """
    An approved template. `{{name}}` in the body is the variable of that name; otherwise `{{2}}` is the second one.

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
    def _placeholders_have_variables(self) -> Template:
        names = [variable.name for variable in self.variables]
        if len(set(names)) < len(names):
            raise ValueError("variable names must be unique")
        for placeholder in _PLACEHOLDER.findall(self.body):
            if placeholder not in names and not (
                placeholder.isascii()
                and placeholder.isdecimal()
                and 1 <= int(placeholder) <= len(names)
            ):
                raise ValueError("every placeholder of the body must have a variable")
        return self

    @classmethod
    def read(cls, name: str, configured: object) -> Template:
        """Parse an entry of `channel_config.whatsapp.templates`. Raises TemplateBroken."""
        if not isinstance(configured, Mapping):
            raise TemplateBroken(name)
        try:
            return cls.model_validate_json(json.dumps(plain(dict(configured)) | {"name": name}))
        except TypeError:
            raise TemplateBroken(name) from None
        except ValidationError as error:
            first = errors_of(error)[0]
            raise TemplateBroken(
                ".".join(map(str, (name, *first["loc"]))), rule_of(first)
            ) from None


def mismatches(template: Template) -> Iterator[tuple[str, str]]:
    """
    Yield what a project with this template should not be stored with: the attribute and the rule.

    Providers that receive variables by name, as Twilio does, do not find the value of a positional placeholder whose
    variable has another name, nor one of a variable without a placeholder.
    """
    names = [variable.name for variable in template.variables]
    used = _PLACEHOLDER.findall(template.body)
    positional = [placeholder for placeholder in used if placeholder not in names]
    for placeholder in dict.fromkeys(positional):
        yield "body", f"the placeholder {{{{{placeholder}}}}} must be the name of a variable"
    for position, name in enumerate(names):
        if not positional and name not in used:
            yield f"variables.{position}", "its name must be a placeholder of the body"
    if any(name.isdecimal() for name in names) and names != [str(n + 1) for n in range(len(names))]:
        yield "variables", "must be named 1, 2 and so on in order, or all by words"
    rest = _PLACEHOLDER.sub("", template.body)
    if "{{" in rest or "}}" in rest:
        yield "body", "has double braces that are no placeholder"


@dataclass(frozen=True, slots=True)
class Filled:
    """A complete template: *values* by variable in the template's order, and the rendered *body*."""

    values: Mapping[str, str] = field(repr=False)
    body: str = field(repr=False)


def known_values(template: Template, sources: Mapping[str, Any]) -> dict[str, str]:
    """
    Return the values that need no AI: of variables whose *source*, such as `project_data.jobRole`, has a value.

    *sources* holds `recipient_first_name`, `company_rep_1`, `project_data` and so on. If a source's value is empty or
    too long, the AI fills the variable from its description.
    """
    texts = {
        variable.name: _text(_at(sources, variable.source))
        for variable in template.variables
        if variable.source
    }
    longest = {variable.name: variable.longest for variable in template.variables}
    return {name: value for name, value in texts.items() if 1 <= len(value) <= longest[name]}


def missing_variables(
    template: Template, project_values: Mapping[str, str]
) -> tuple[Variable, ...]:
    """Return the variables that the AI must fill."""
    return tuple(variable for variable in template.variables if variable.name not in project_values)


def completed(
    template: Template,
    project_values: Mapping[str, str],
    supplied_values: Mapping[str, str],
    longest: int = LONGEST_BODY,
) -> Filled | tuple[Fault, ...]:
    """
    Complete the template with *project_values* and *supplied_values*, or return all faults of the supplied ones.

    *longest* is the project's limit in characters; WhatsApp's own limit applies as well.
    """
    missing = missing_variables(template, project_values)
    values = {name: collapsed(value) for name, value in supplied_values.items()}
    faults = []
    if set(values) - {variable.name for variable in missing}:
        faults.append(Fault.VARIABLE_UNKNOWN)
    if not all(values.get(variable.name) for variable in missing):
        faults.append(Fault.VARIABLE_MISSING)
    if any(len(values.get(variable.name, "")) > variable.longest for variable in missing):
        faults.append(Fault.VARIABLE_TOO_LONG)
    if faults:
        return tuple(faults)
    whole = {
        variable.name: {**values, **project_values}[variable.name]
        for variable in template.variables
    }
    body = rendered(template, whole)
    is_too_long = len(body) > min(longest, LONGEST_BODY)
    return (Fault.BODY_TOO_LONG,) if is_too_long else Filled(whole, body)


def rendered(template: Template, values: Mapping[str, str]) -> str:
    """Insert the values into the body. Values are not expanded again: they may contain braces."""
    in_order = [variable.name for variable in template.variables]

    def value(placeholder: re.Match[str]) -> str:
        name = placeholder[1] if placeholder[1] in values else in_order[int(placeholder[1]) - 1]
        return values[name]

    return _PLACEHOLDER.sub(value, template.body)


def by_placeholder(body: str, names: Sequence[str], values: Mapping[str, str]) -> dict[str, str]:
    """
    Return the *values* of the variables *names* (in order) under the placeholders of *body*: `{{2}}` is the second one.

    Providers that keep the template know only its placeholders. Raises ValueError if a placeholder has no value, or a
    value no placeholder.
    """
    placeholders: dict[str, str] = {}
    for placeholder in _PLACEHOLDER.findall(body):
        is_position = placeholder.isascii() and placeholder.isdecimal()
        position = int(placeholder) if is_position and placeholder not in values else 0
        name = names[position - 1] if 1 <= position <= len(names) else placeholder
        if name not in values:
            raise ValueError("a placeholder has no value")
        placeholders[placeholder] = name
    if values.keys() - placeholders.values():
        raise ValueError("a value has no placeholder")
    return {placeholder: values[name] for placeholder, name in placeholders.items()}


def collapsed(text: str) -> str:
    """Return *text* in one line, with single blanks."""
    return " ".join(text.split())


def _at(sources: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401 - any JSON value
    value: Any = sources
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a scalar value as text; empty for booleans, null, lists and maps."""
    if isinstance(value, bool) or value is None or isinstance(value, Mapping | list):
        return ""
    return collapsed(str(plain(value)))
