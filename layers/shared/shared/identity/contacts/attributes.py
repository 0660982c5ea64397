"""
Attributes of contacts: a company defines names and kinds, and each contact has values of them.

    text      1 to 500 characters                       number    up to 15 digits, at most 6 after the point
    date      YYYY-MM-DD                                boolean   true or false
    choice    one of the definition's choices

A contact is found by its values of *filterable* attributes, which are booleans and choices. Kind and filterable of a
definition never change, so that stored values stay valid; values without a definition are not shown.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from shared.aws.audited import audited
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item, filled
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.items import AttributeValue

    type _Change = Callable[[Mapping[str, Definition]], dict[str, Definition]]

MOST_DEFINITIONS: Final = 50
MOST_FILTERABLE: Final = 10  # each costs a write when a contact gets a value
MOST_CHOICES: Final = 50
MOST_BYTES: Final = 8 * 1024  # of all names and values of a contact
LONGEST_TEXT: Final = 500
MOST_ROUNDS: Final = 4
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOST_DIGITS, _MOST_DECIMALS = 15, 6


class Kind(StrEnum):
    """The kinds of attributes."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"
    CHOICE = "choice"


FILTERABLE: Final = frozenset({Kind.BOOLEAN, Kind.CHOICE})


class Definition(BaseModel):
    """An attribute. `choices`: of a choice; values that were removed from them stay on contacts, unseen."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    kind: Kind
    title: str
    choices: list[str] = []
    filterable: bool = False

    def problem_of(self, value: object) -> str | None:
        """Return the rule that a value breaks; None if it is a value of this attribute."""
        return None if _FITS[self.kind](self, value) else _RULES[self.kind]


@audited("definitions", maps=("definitions",))
class Definitions(Item):
    """The attributes of a company by name."""

    pk_pattern: ClassVar[str] = "ATTRIBUTES#{company}"
    sk_pattern: ClassVar[str] = "DEFINITIONS"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = sk_pattern
    company_id: str
    definitions: Annotated[dict[str, Definition], Field(default_factory=dict)]
    version: int = 0

    @classmethod
    def key(cls, company: str) -> Attributes:
        """Return the key of a company's definitions."""
        return {"pk": filled(cls.pk_pattern, company), "sk": cls.sk_pattern}

    def shown(self, values: Mapping[str, AttributeValue] | None) -> dict[str, AttributeValue]:
        """Return the values that the definitions allow, by name."""
        return {
            name: value
            for name, value in sorted((values or {}).items())
            if (known := self.definitions.get(name)) is not None and known.problem_of(value) is None
        }

    def filters_of(self, values: Mapping[str, AttributeValue] | None) -> list[tuple[str, str]]:
        """Return name and text of the values by which a contact is found."""
        return [
            (name, text_of(value))
            for name, value in self.shown(values).items()
            if self.definitions[name].filterable
        ]


class ValuesRefused(Exception):
    """Values break rules; *problems* has the rule by the name of the attribute, "" for all of them together."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("attributes break rules")
        self.problems = problems


class DefinitionRefused(Exception):
    """A definition cannot be stored; the text is the rule, *field* the field that breaks it."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(rule)
        self.field = field


def is_name(text: str) -> bool:
    """Whether a definition may have this name."""
    return _NAME.fullmatch(text) is not None


def of_company(table: Table, company: str) -> Definitions:
    """Return the definitions of a company (strongly consistent)."""
    key = Definitions.key(company)
    item = table.get(key)
    return Definitions.read(item) if item else Definitions(**key, company_id=company)


def define(table: Table, company: str, name: str, made: Definition) -> Definitions:
    """Create or change a definition. Safe to repeat. Raises DefinitionRefused, Transient and ClientError."""

    def defined(present: Mapping[str, Definition]) -> dict[str, Definition]:
        _check(name, made, present)
        return {**present, name: made}

    return _changed(table, company, defined)


def remove(table: Table, company: str, name: str) -> Definitions:
    """Remove a definition; values of it are not shown any more. Safe to repeat. Raises Transient and ClientError."""
    return _changed(
        table, company, lambda present: {key: one for key, one in present.items() if key != name}
    )


def parsed(
    definitions: Definitions, given: Mapping[str, object]
) -> dict[str, AttributeValue | None]:
    """Return values as they are stored; None removes one. Raises ValuesRefused."""
    values: dict[str, AttributeValue | None] = {}
    problems: dict[str, str] = {}
    for name, value in given.items():
        known = definitions.definitions.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        stored = Decimal(repr(value)) if number else value
        if known is None:
            problems[name] = "is not defined"
        elif stored is None:
            values[name] = None
        elif rule := known.problem_of(stored):
            problems[name] = rule
        elif isinstance(stored, bool | Decimal | str):
            values[name] = stored
    if problems:
        raise ValuesRefused(problems)
    return values


def combined(
    before: Mapping[str, AttributeValue] | None, given: Mapping[str, AttributeValue | None]
) -> dict[str, AttributeValue]:
    """Return the values of a contact after a change. Raises ValuesRefused if they are too many or too large."""
    merged = {**(before or {}), **given}
    values = {name: value for name, value in merged.items() if value is not None}
    size = sum(len(name) + len(text_of(value).encode()) for name, value in values.items())
    if len(values) > MOST_DEFINITIONS:
        raise ValuesRefused({"": f"a contact has at most {MOST_DEFINITIONS} attributes"})
    if size > MOST_BYTES:
        raise ValuesRefused({"": f"names and values must be at most {MOST_BYTES} bytes together"})
    return values


def text_of(value: AttributeValue) -> str:
    """Return a value as filters name it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(name: str, made: Definition, present: Mapping[str, Definition]) -> None:
    before = present.get(name)
    if before is not None and before.kind is not made.kind:
        raise DefinitionRefused("kind", "must stay as it is")
    if before is not None and before.filterable is not made.filterable:
        raise DefinitionRefused("filterable", "must stay as it is")
    if made.filterable and made.kind not in FILTERABLE:
        raise DefinitionRefused("filterable", "must be false for this kind")
    if (made.kind is Kind.CHOICE) is not bool(made.choices):
        raise DefinitionRefused("choices", "must be given for the kind choice, and for no other")
    if before is None and len(present) >= MOST_DEFINITIONS:
        raise DefinitionRefused("name", f"a company has at most {MOST_DEFINITIONS} attributes")
    others = sum(one.filterable for key, one in present.items() if key != name)
    if made.filterable and others >= MOST_FILTERABLE:
        raise DefinitionRefused(
            "filterable", f"at most {MOST_FILTERABLE} attributes are filterable"
        )


def _changed(table: Table, company: str, change: _Change) -> Definitions:
    for _ in range(MOST_ROUNDS):
        before = of_company(table, company)
        wanted = change(before.definitions)
        if wanted == before.definitions:
            return before
        after = before.model_copy(update={"definitions": wanted, "version": before.version + 1})
        version = Definitions.attr("version")
        unchanged: ConditionBase = version.eq(before.version)
        if before.version == 0:
            unchanged = version.not_exists()
        try:
            table.put(after.attributes(), when=unchanged)
        except ConditionFailed:
            continue  # by others, or by our own write whose answer was lost
        return after
    raise Transient("definitions_contended")


def _is_text(_: Definition, value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_TEXT
        and value == value.strip()
        and value.isprintable()
    )


def _is_number(_: Definition, value: object) -> bool:
    if not isinstance(value, Decimal) or not value.is_finite():
        return False
    limit = Decimal(10) ** _MOST_DIGITS
    return abs(value) < limit and value == round(value, _MOST_DECIMALS)


def _is_date(_: Definition, value: object) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_boolean(_: Definition, value: object) -> bool:
    return isinstance(value, bool)


def _is_choice(definition: Definition, value: object) -> bool:
    return isinstance(value, str) and value in definition.choices


_FITS = {
    Kind.TEXT: _is_text,
    Kind.NUMBER: _is_number,
    Kind.DATE: _is_date,
    Kind.BOOLEAN: _is_boolean,
    Kind.CHOICE: _is_choice,
}
_RULES = {
    Kind.TEXT: f"must be a text of 1 to {LONGEST_TEXT} printable characters, without blanks at the ends",
    Kind.NUMBER: f"must be a number below 10^{_MOST_DIGITS} with at most {_MOST_DECIMALS} decimals",
    Kind.DATE: "must be a date, YYYY-MM-DD",
    Kind.BOOLEAN: "must be true or false",
    Kind.CHOICE: "must be one of the choices",
}
