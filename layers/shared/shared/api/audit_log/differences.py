"""
The fields of settings that a change has changed, before and after, masked for the audit log.

A value is shown if its form says that it is no secret and nothing of a person: switches, numbers, times, codes, and
words that their class declares as shown. Secrets are only `set`; addresses and phone numbers keep a few characters; all
other texts are a count of characters, so no part of a message, of a prompt or of a name can get into a row.

The form of a value says nothing where people choose the name (`iban_type`, `pregnant`), so maps are a count of entries
unless the class declares their names as fixed (`shared.aws.audited.Shown`). What describes a person is `set`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from shared.aws import audited
from shared.aws.audited import Shown, snake
from shared.aws.observation import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shared.aws.observation import Observation

MOST_FIELDS: Final = 12  # of a row
_MOST_CHARACTERS: Final = 60  # of a shown value
_LONGEST_ADDRESS: Final = 320
_MOST_ENTRIES: Final = 20  # of a shown list
_DEEPEST: Final = 3
_LONG_NUMBER: Final = 100_000_000  # may be a phone number
# Times, keys, owners and counters that change with every write, or that the row has already.
_NOT_SETTINGS: Final = frozenset(
    {
        *("pk", "sk", "ttl", "activity_pk", "item_type", "id", "tokens", "covers"),
        *("company", "company_id", "conversation_id", "cause", "revision", "version", "turn", "principal"),
        *("updated_at", "updated_by", "created_at", "created_by", "changed_at", "changed_by", "set_at", "set_by"),
        *("owner_id", "lease_owner", "lease_until", "hold_until", "failed_runs", "failing_since", "delivered_at"),
        *("owner", "dry_run", "confirm", "requested_at", "contact_id", "named_by", "details_version"),
        "last_activity_at",
    }
)  # fmt: skip
_TECHNICAL: Final = re.compile(r"(?i)^gsi|order$")  # keys of indexes, and the order of reports
_SECRET: Final = re.compile(
    r"secret|token|password|credential|private|signing|cipher|(^|_)(pin|key|keys|hash)$"
)
_NO_SECRET: Final = re.compile(r"tokens$|(^|_)(api_key_reference|key_id|token_ref)$")
_CODES: Final = re.compile(
    r"(^|_)(languages?|locale|zone|time_?zone|state|status|mode|kind|type|types|automation|model|provider|region|"
    r"currency|country|channels?|contexts?|category|roles?|scopes?|teams?|projects?|priority|layout|font_stack|"
    r"format|frequency|days|weekdays|start|end|unit|time|day|as_of|effort|domain|domains|hosts|switch|"
    r"version|number|live|decided_by|key_id|list_id|template_id|mcc|purpose_code|availability|vertical|step)$"
)
# Fields of calls whose numbers, times and words say nothing of a customer, also in a call to or about a person.
_ASKED: Final = re.compile(
    r"(^|_)(mode|status|type|kind|category|automation|scopes?|roles?|teams?|tier|days|hours|minutes|seconds|percent|"
    r"limit|live|switch|domain|version|verb|enabled|scheduled_for|expires_at|until)$"
)
_WORD: Final = re.compile(r"[A-Za-z0-9#*][A-Za-z0-9_.:/*+#-]{0,59}")
_TIME: Final = re.compile(r"20[0-9]{2}-[01][0-9]-[0-3][0-9](T[0-9:.]{5,12}(Z|[+-][0-9:]{5})?)?")
_ADDRESS: Final = re.compile(
    r"[^\s@\"'{}<>()\[\],;:]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,10}"
)
_HAS_ADDRESS: Final = re.compile(r"\S@\S")
_PHONE: Final = re.compile(r"\+?[0-9][0-9 ()./-]{5,24}[0-9]")
_MOMENT: Final = re.compile(r"(_at|_ms|_until|_for|_run|not_after)$")
_EMPTY: Final[tuple[object, ...]] = ("", [], {}, set(), ())
UNREAD: Final = "?"  # a value that the call has not read
_POSTAL: Final = frozenset({"street", "city", "postal_code", "house_number", "address_line1"})
_STATES: Final = frozenset({"true", "false"})
SET: Final = "set"  # the only thing that a row says of a secret
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")


type _Path = tuple[str, ...]


class FieldChange(BaseModel):
    """A changed field of settings: masked values; None where there is none."""

    model_config = ConfigDict(populate_by_name=True, frozen=True)

    field: str = Field(alias="f")
    before: str | None = Field(default=None, alias="b")
    after: str | None = Field(default=None, alias="a")


def of_call(seen: Observation) -> list[FieldChange]:
    """Return what a call has changed of settings, in the order of its writes."""
    found: list[FieldChange] = []
    for one in seen.written:
        some = one.after if one.after is not None else one.before
        shown = audited.shown_of(some) if some is not None else None
        if shown is not None:
            changes = differences(one.before, one.after, shown)
            unread = {"before": UNREAD}
            found += changes if one.is_whole else [c.model_copy(update=unread) for c in changes]
    for noted in seen.noted:
        found += differences(noted.before, noted.after, Shown(noted.shows, maps=None))
    return list(dict.fromkeys(found))


def asked(given: Mapping[str, Any]) -> list[FieldChange]:
    """
    Return what a call has asked for, of a change whose state before is not known.

    A call may be to a customer or about one, so only switches and some fields have their values.
    """
    return differences(None, given, Shown(), of_call=True)


def differences(
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    shows: Shown,
    *,
    of_call: bool = False,
) -> list[FieldChange]:
    """Return the fields in which two states differ, by name; *of_call*: of what a call asks for."""
    old, new = dict(_leaves(before or {}, shows)), dict(_leaves(after or {}, shows))
    private = _addresses(old) | _addresses(new)

    def shown(path: _Path, value: Any) -> str | None:  # noqa: ANN401 - any JSON value
        if value is UNKNOWN:
            return UNREAD
        if path[:-1] in private and isinstance(value, str) and value and not shows.is_of_person:
            return _counted(value)
        name = _shown_name(path)
        return _asked(name, value) if of_call else masked(name, value, shows)

    paths = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
    found = (
        FieldChange(
            field=_shown_name(path),
            before=shown(path, old.get(path)),
            after=shown(path, new.get(path)),
        )
        for path in paths
    )
    return [one for one in found if (one.before, one.after) != (None, None)]


def masked(name: str, value: Any, shows: Shown) -> str | None:  # noqa: ANN401 - any JSON value
    """Return a value of the field *name* (`settings.model`) as a row may have it; None for no value."""
    own = snake(name.rpartition(".")[2])
    if value is None or value in _EMPTY:
        return None
    is_secret = _SECRET.search(own) and not _NO_SECRET.search(own) and not isinstance(value, bool)
    if is_secret or shows.is_of_person:
        return SET
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # The patterns would take minutes for a megabyte.
        is_short = len(value) <= _LONGEST_ADDRESS
        return _of_text(name, own, value, shows.texts) if is_short else _counted(value)
    if isinstance(value, int | float | Decimal):
        return _of_number(own, value)
    return _of_list(name, value, shows)


def _asked(name: str, value: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Return a value of a call, whose form alone says nothing: it may be a place, a birthday or an amount."""
    text = masked(name, value, Shown())
    if text in {None, SET} or isinstance(value, bool) or _ASKED.search(snake(name)):
        return text
    if isinstance(value, str):
        is_contact = value.startswith("+") or "@" in str(text)  # masked
        return text if is_contact else _counted(value)
    return "a number" if isinstance(value, int | float | Decimal) else f"{len(value)} entries"


def _of_number(own: str, value: float | Decimal) -> str:
    if abs(int(value)) >= _LONG_NUMBER and not _MOMENT.search(own):
        return "a long number"
    return str(int(value)) if value == int(value) else str(value)


def _of_list(name: str, values: Any, shows: Shown) -> str:  # noqa: ANN401 - a list or a set
    if isinstance(values, _Map):
        return f"{len(values)} entries"
    entries = sorted(values, key=str) if isinstance(values, set | frozenset) else list(values)
    plain = all(isinstance(one, str | int) for one in entries)
    if plain and len(entries) <= _MOST_ENTRIES:
        text = ", ".join(str(masked(name, one, shows)) for one in entries)
        if len(text) <= _MOST_CHARACTERS and "characters" not in text:
            return text
    return f"{len(entries)} entries"


def _of_text(name: str, own: str, value: str, shows: frozenset[str]) -> str:
    if value in _STATES or _TIME.fullmatch(value):
        return value
    if _HAS_ADDRESS.search(value):
        return _masked_address(value) if _ADDRESS.fullmatch(value) else _counted(value)
    if _PHONE.fullmatch(value):
        return f"…{value[-2:]}"
    is_declared = own in shows or name in shows or name.partition(".")[0] in shows
    is_text = is_declared and len(value) <= _MOST_CHARACTERS and value.isprintable()
    is_code = _CODES.search(own) and _WORD.fullmatch(value)
    return value if is_text or is_code else _counted(value)


def _masked_address(address: str) -> str:
    own, _, domain = address.rpartition("@")
    return f"{own[:1]}…@{domain[:1]}….{domain.rpartition('.')[2][:10]}"


def _counted(text: str) -> str:
    return f"{len(text)} characters"


def _addresses(leaves: Mapping[_Path, Any]) -> set[_Path]:
    """Return the paths of maps that are a postal address, of which also the state is a person's."""
    return {path[:-1] for path in leaves if snake(path[-1]) in _POSTAL}


class _Map(list[str]):
    """A map that is compared as texts, and shown as a number of entries."""


def _leaves(
    fields: Mapping[str, Any], shows: Shown, path: _Path = ()
) -> Iterator[tuple[_Path, Any]]:
    """Yield the fields of nested maps by their paths, but for those that are no settings."""
    for key, value in fields.items():
        name = str(key)
        if not path and (snake(name) in _NOT_SETTINGS or _TECHNICAL.search(name)):
            continue
        if isinstance(value, BaseModel):
            value = value.model_dump(mode="json")  # noqa: PLW2901 - the same value in another form
        is_open = path or shows.maps is None or snake(name) in shows.maps or shows.is_of_person
        if isinstance(value, dict) and value and is_open and len(path) + 1 < _DEEPEST:
            yield from _leaves(value, shows, (*path, name))
        elif isinstance(value, dict):
            yield (*path, name), _entries(value)
        else:
            yield (*path, name), value


def _entries(fields: Mapping[str, Any]) -> _Map | None:
    """Return a map that is too deep, or has free names, as texts."""
    return _Map(f"{name}={value}" for name, value in sorted(fields.items())) or None


def _shown_name(path: _Path) -> str:
    """Return a dotted name without parts that may be an address or a number, as keys of maps may be."""
    return ".".join(part if _NAME.fullmatch(part) else "…" for part in path)
