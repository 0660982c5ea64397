"""E-mail addresses in header fields."""

from __future__ import annotations

import re
import unicodedata
from email.headerregistry import HeaderRegistry
from email.utils import getaddresses
from typing import TYPE_CHECKING, Any, Final

from email_threads.parsing import caps
from email_threads.parsing.headers.fields import decoded
from email_threads.parsing.headers.normal_form import normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from email_threads.parsing.headers.fields import Headers

MOST_ADDRESS: Final = 320
_LONGEST_NAME: Final = 100

# The structured parser takes quadratic time on long values.
_LONGEST_STRUCTURED: Final = 8_000
_registry: Final[Any] = HeaderRegistry()
# Nothing invisible, and no halves of characters, which the structured parser makes of damaged encoded words.
_PART: Final = r"[^\s<>,;:\"()\[\]\\@\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_ADDRESS: Final = re.compile(f"{_PART}@{_PART}")
_LONGEST_PLAIN: Final = 2_000  # the search for addresses takes quadratic time, too
_HIDDEN_TEXT: Final = re.compile(r"\"(?:[^\"\\]++|\\.)*+\"|\((?:[^()\\]++|\\.)*+\)")


def in_field(headers: Headers, name: str) -> tuple[str, ...]:
    """
    Return the addresses of all fields with this name in normal form, each once.

    Groups, as `undisclosed-recipients:;`, give none. Raises MailHeld over a cap.
    """
    found: list[str] = []
    for value in headers.all(name):
        caps.check_addresses(value)
        found += _addresses(value)
    return tuple(dict.fromkeys(found))


def is_ambiguous(headers: Headers, name: str) -> bool:
    """
    Whether programs may read different addresses from a field: several fields, addresses or `@`, beside those in quoted
    display names and comments. SES has checked one of them; which one is unknown.
    """
    values = headers.all(name)
    visible = " ".join(_HIDDEN_TEXT.sub(" ", value) for value in values)
    if len(values) > 1 or len(visible) > _LONGEST_PLAIN:
        return True
    found = [address.casefold() for address in _ADDRESS.findall(visible)]
    is_one = len(set(found)) == 1 and visible.count("@") == len(found)
    return not is_one or in_field(headers, name) != (found[0],)


def in_text(text: str) -> tuple[str, ...]:
    """Return the addresses that a short text names, in normal form, each once."""
    named = (one.strip(".'") for one in _ADDRESS.findall(text[:_LONGEST_PLAIN]))
    return tuple(dict.fromkeys(_valid(named)))


def display_name(value: str, address: str | None = None) -> str:
    """
    Return the display name of an *address* (in normal form) in a field, or of its first one, decoded.

    "" if it has none, or if it names an address: a name must not pass for the address that it stands beside.
    """
    names = (name for name, found in _pairs(value) if address in {None, normal(found)})
    name = decoded(next(names, ""))
    return "" if "@" in unicodedata.normalize("NFKC", name) else name[:_LONGEST_NAME].rstrip()


def _addresses(value: str) -> list[str]:
    if len(value) <= _LONGEST_STRUCTURED and (found := _valid(_structured(value))):
        return found
    if value.count(":") and value.rstrip().endswith(";"):
        return []  # a group
    if found := _valid(address for _, address in _pairs(value)):
        return found
    return _valid(_ADDRESS.findall(value))


def _pairs(value: str) -> list[tuple[str, str]]:
    """Return display names and addresses by the older parser of the standard library, which reads more spellings."""
    try:
        return getaddresses([value], strict=False)
    except RecursionError:
        return []  # nested groups


def _structured(value: str) -> Iterator[str]:
    try:
        groups = _registry("to", value).groups
        for group in groups:
            if group.display_name is None:
                yield from (address.addr_spec for address in group.addresses)
    except Exception:  # noqa: BLE001 - the standard library's parser raises many types on hostile values
        return


def _valid(candidates: Iterable[str]) -> list[str]:
    """Return the addresses that have one name and one domain, in normal form."""
    return [
        normal(candidate)
        for candidate in candidates
        if len(candidate) <= MOST_ADDRESS and _ADDRESS.fullmatch(candidate)
    ]
