"""One row of a file as what it says of a contact; a row that breaks a rule is refused with line, column and rule."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from console.contacts.changes.inputs import LONGEST_NAME, Labels, LanguageTag, Name
from console.contacts.imports.fields import ATTRIBUTE, IDENTIFIERS
from shared.identity.addresses import AddressInvalid
from shared.identity.contacts import attributes
from shared.identity.contacts.attributes import Kind, ValuesRefused
from shared.identity.identifiers import Identifier, identifier
from shared.runtime.csv_files import original
from shared.runtime.validation.timezones import ZoneName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.identity.contacts.attributes import Definition, Definitions
    from shared.identity.contacts.items import AttributeValue
    from shared.runtime.csv_files import Record

_RULES: Final[dict[str, tuple[TypeAdapter[Any], str]]] = {
    "name": (TypeAdapter(Name), "must be a name of at most 100 characters on one line"),
    "given_names": (TypeAdapter(Name), "must be a name of at most 100 characters on one line"),
    "family_name": (TypeAdapter(Name), "must be a name of at most 100 characters on one line"),
    "organisation": (TypeAdapter(Name), "must be a name of at most 100 characters on one line"),
    "language": (TypeAdapter(LanguageTag), "must be a language tag such as en or de-AT"),
    "zone": (TypeAdapter(ZoneName), "must be a time zone such as Europe/Berlin"),
    "labels": (TypeAdapter(Labels), "must be labels with commas between them"),
}
_IDENTIFIER_RULES: Final = {
    "phone": "must be a phone number; a national one needs the region of the import",
    "email": "must be an e-mail address",
    "external": "must be an id of the form system:id",
}
_TRUE: Final = frozenset({"true", "yes", "ja", "wahr", "1", "x"})
_FALSE: Final = frozenset({"false", "no", "nein", "falsch", "0"})
_DAY: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)


class RowRefused(Exception):
    """The row breaks a rule. *column* is counted from 1, 0 for the whole row; the rule repeats no content."""

    def __init__(self, rule: str, column: int = 0) -> None:
        super().__init__(rule)
        self.rule = rule
        self.column = column


@dataclass(frozen=True, slots=True)
class Row:
    """The content of a row: identifiers in the order of the columns, details, values of attributes; no empty one."""

    line: int
    identifiers: Sequence[Identifier] = field(repr=False)
    details: dict[str, Any] = field(repr=False)
    values: dict[str, AttributeValue] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of rows: the field of each column, the region of national numbers, the company's attributes."""

    columns: Sequence[str | None]
    region: str | None
    definitions: Definitions

    def row(self, record: Record) -> Row:
        """Return what a row says. Raises RowRefused."""
        if record.fault is not None:
            raise RowRefused(record.fault.rule, record.fault.column)
        found: dict[str, Any] = {}
        identifiers: list[Identifier] = []
        values: dict[str, AttributeValue] = {}
        for number, (name, cell) in enumerate(zip(self.columns, record.given, strict=True), 1):
            text = original(cell.strip())
            if name is None or not text:
                continue
            if name in IDENTIFIERS:
                identifiers.append(self._identifier(name, text, number))
            elif name.startswith(ATTRIBUTE):
                known = name.removeprefix(ATTRIBUTE)
                values[known] = self._value(known, text, number)
            else:
                found[name] = _detail(name, text, number)
        if not identifiers:
            raise RowRefused("the row has no phone number, e-mail address or external id")
        return Row(record.line, list(dict.fromkeys(identifiers)), _named(found), values)

    def _identifier(self, name: str, text: str, column: int) -> Identifier:
        try:
            return identifier(IDENTIFIERS[name], text, region=self.region)
        except AddressInvalid:
            raise RowRefused(_IDENTIFIER_RULES[name], column) from None

    def _value(self, name: str, text: str, column: int) -> AttributeValue:
        known = self.definitions.definitions.get(name)
        if known is None:
            raise RowRefused("the attribute is not defined any more", column)
        try:
            value = attributes.parsed(self.definitions, {name: _given(known, text)})[name]
        except ValuesRefused as refusal:
            raise RowRefused(refusal.problems[name], column) from None
        if value is None:
            raise TypeError("a text is parsed to a value")
        return value


def _detail(name: str, text: str, column: int) -> object:
    given: object = text
    if name == "labels":
        given = list(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
    adapter, rule = _RULES[name]
    try:
        value = adapter.validate_python(given)
    except ValidationError:
        raise RowRefused(rule, column) from None
    return set(value) if name == "labels" else value


def _named(found: dict[str, Any]) -> dict[str, Any]:
    """Return details with one name: of given and family name, if the file has no whole one."""
    family = found.pop("family_name", None)
    if family and "name" not in found:
        whole = " ".join(filter(None, (found.get("given_names"), family)))
        found["name"] = whole if len(whole) <= LONGEST_NAME else family
    elif "given_names" in found and "name" not in found:
        found["name"] = found["given_names"]
    return found


def _given(known: Definition, text: str) -> object:
    """Return a text as a value of an attribute's kind; what is none is refused by the attribute's rule."""
    match known.kind:
        case Kind.NUMBER:
            return _number(text)
        case Kind.BOOLEAN:
            return True if text.casefold() in _TRUE else text.casefold() not in _FALSE and text
        case Kind.DATE:
            day = _DAY.fullmatch(text)
            return f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}" if day else text
        case Kind.CHOICE:
            same = [one for one in known.choices if one.casefold() == text.casefold()]
            return same[0] if len(same) == 1 else text
        case Kind.TEXT:
            return text


def _number(text: str) -> object:
    """A comma is a decimal point if the text has one comma and no point."""
    plain = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    try:
        return Decimal(plain)
    except InvalidOperation:
        return text
