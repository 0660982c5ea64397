"""Contacts as lines of CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Final

from shared.identity.identifiers import IdentifierKind
from shared.runtime import csv_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from console.contacts.views import ContactView

BOM: Final = "\ufeff"  # so that spreadsheets read UTF-8
COLUMNS: Final = (
    *("contact_id", "name", "given_names", "language", "zone", "organisation", "labels", "owner"),
    *("phone", "email", "external_id", "others", "last_activity_at"),
)
_KINDS: Final = {
    "phone": IdentifierKind.PHONE,
    "email": IdentifierKind.EMAIL,
    "external_id": IdentifierKind.EXTERNAL,
}
_CHANNELS: Final = {"whatsapp": "phone", "sms": "phone", "email": "email"}
_NUMBER: Final = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def header(attributes: Sequence[str]) -> str:
    """Return the first line of a CSV file."""
    return BOM + _line([*COLUMNS, *(f"attribute:{one}" for one in attributes)])


def csv_lines(contacts: Iterable[ContactView], attributes: Sequence[str]) -> str:
    """Return the lines of contacts, with the values of these attributes."""
    return "".join(_line(_cells(one, attributes)) for one in contacts)


def json_lines(contacts: Iterable[ContactView]) -> str:
    """Return a line of JSON for each contact, as `GET /contacts/{contact_id}` shows it."""
    return "".join(
        f"{json.dumps(one.model_dump(mode='json', by_alias=True), ensure_ascii=False)}\n"
        for one in contacts
    )


def neutral(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: unless it is a number."""
    return text if _NUMBER.fullmatch(text) else csv_files.harmless(text)


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow([neutral(one) for one in cells])
    return written.getvalue()


def _cells(contact: ContactView, attributes: Sequence[str]) -> list[str]:
    own = contact.model_dump(mode="json")
    cells = {name: own.get(name) or "" for name in COLUMNS} | {"labels": ",".join(contact.labels)}
    named = {
        name: [one.value for one in contact.identifiers if one.kind is kind]
        for name, kind in _KINDS.items()
    }
    others = [f"{name}:{one}" for name, found in named.items() for one in found[1:]]
    for handle in contact.handles:
        column = _CHANNELS.get(handle.channel)
        plain = handle.handle
        if column == "phone":  # or the name or id of a customer who hides the number
            is_number = plain.isascii() and plain.removeprefix("+").isdecimal()
            column = column if is_number else None
            plain = f"+{plain.removeprefix('+')}" if is_number else plain
        if column is not None and not named[column]:
            named[column].append(plain)
        elif column is None or plain not in named[column]:
            others.append(f"{column or handle.channel}:{plain}")
    cells |= {name: found[0] if found else "" for name, found in named.items()}
    cells["others"] = " ".join(others)
    values = [contact.attributes.get(one) for one in attributes]
    return [*cells.values(), *(_text(one) for one in values)]


def _text(value: str | bool | float | None) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
