"""The fields of contacts that columns of a file may have, and the field that the name of a column proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.api.errors import InvalidInput
from shared.identity.contacts import attributes
from shared.identity.contacts.words import PHONE_COLUMNS, column_name
from shared.identity.identifiers import IdentifierKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.identity.contacts.attributes import Definitions

ATTRIBUTE: Final = "attribute:"  # before the name of an attribute
IDENTIFIERS: Final = {
    "phone": IdentifierKind.PHONE,
    "email": IdentifierKind.EMAIL,
    "external": IdentifierKind.EXTERNAL,
}
DETAILS: Final = (
    *("name", "given_names", "family_name"),
    *("language", "zone", "organisation", "labels"),
)
# Names of columns in English and German files; of phone numbers in more.
_NAMES: Final = {
    "email": "email emailaddress mail mailaddress mailadresse emailadresse",
    "external": "externalid customerid customernumber id crmid kundennummer kundennr kundenid",
    "name": "name fullname displayname contact contactname customer kunde kontakt vollername",
    "given_names": "firstname givenname givennames forename vorname vornamen",
    "family_name": "lastname familyname surname nachname familienname zuname",
    "language": "language locale lang sprache",
    "zone": "timezone zone zeitzone",
    "organisation": "company organisation organization firma unternehmen organisation",
    "labels": "labels label tags tag groups schlagworte schlagwort etiketten gruppen",
}
_FIELDS: Final = dict.fromkeys(PHONE_COLUMNS, "phone") | {
    name: field for field, names in _NAMES.items() for name in names.split()
}


def proposals(header: Sequence[str], definitions: Definitions) -> list[str | None]:
    """Return the field that each column's name proposes, each field once; None for a column of no field."""
    found: list[str | None] = []
    known = _FIELDS | _of_attributes(definitions)
    for name in header:
        field = name if is_field(name, definitions) else known.get(column_name(name))
        found.append(None if field in found else field)
    return found


def is_field(field: str, definitions: Definitions) -> bool:
    """Whether a column may have this field."""
    name = field.removeprefix(ATTRIBUTE)
    if name != field:
        return name in definitions.definitions
    return field in IDENTIFIERS or field in DETAILS


def _of_attributes(definitions: Definitions) -> dict[str, str]:
    names = {
        column_name(text): f"{ATTRIBUTE}{name}"
        for name, one in definitions.definitions.items()
        if attributes.is_name(name)
        for text in (name, one.title)
    }
    return {name: field for name, field in names.items() if name}


def all_of(definitions: Definitions) -> list[str]:
    """Return the fields that columns may have."""
    return [
        *IDENTIFIERS,
        *DETAILS,
        *(f"{ATTRIBUTE}{one}" for one in sorted(definitions.definitions)),
    ]


def check_fields(columns: Sequence[str | None], definitions: Definitions) -> None:
    """Raise InvalidInput for an unknown field, and for one of two columns."""
    problems = []
    for number, field in enumerate(columns):
        if field is None:
            continue
        if not is_field(field, definitions):
            problems.append({"field": f"columns.{number}", "problem": "is no field of contacts"})
        elif field in columns[:number] and field not in IDENTIFIERS:
            problems.append({"field": f"columns.{number}", "problem": "another column has it"})
    if problems:
        raise InvalidInput(problems)


def check(columns: Sequence[str | None], definitions: Definitions) -> None:
    """Raise InvalidInput unless rows with these columns can be imported."""
    check_fields(columns, definitions)
    if not any(field in IDENTIFIERS for field in columns):
        problem = "must have a phone number, an e-mail address or an external id"
        raise InvalidInput([{"field": "columns", "problem": problem}])


def check_width(columns: Sequence[str | None], width: int) -> None:
    """Raise InvalidInput unless each column of a file has a field or null."""
    if len(columns) != width:
        problem = f"must have one entry for each of the {width} columns"
        raise InvalidInput([{"field": "columns", "problem": problem}])
