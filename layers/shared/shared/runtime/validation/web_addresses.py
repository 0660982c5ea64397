"""
Validation of configured web addresses: base URLs, origins, targets of functions. All follow one syntax.

An address is `https://host[:port][/path][?query]` with a public DNS name: no IP address, no credentials, no fragment.
The local stack is the exception: it also uses `http://` with an IPv4 address of this machine or its network.
"""

import ipaddress
import re
from urllib.parse import urlsplit

LONGEST = 2_048
RULE = "must be an https address with a public host name, without credentials, fragment or template"
LINK_RULE = "must be an https URL with a public host name, without user or port"
ORIGIN_RULE = "must be https:// and a public host name, without path or credentials"

_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# The last label begins with a letter, which excludes every spelling of an IPv4 address.
_NAME = rf"(?:{_LABEL}\.)+[A-Za-z][A-Za-z0-9-]{{0,61}}[A-Za-z0-9]"
_IPV4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
# The characters of RFC 3986. Excludes braces, spaces, quotes, controls and letters outside ASCII.
_REST = r"(?:[/?](?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
_ADDRESS = re.compile(
    rf"(?:https://(?P<name>{_NAME})|http://(?P<ip>{_IPV4}))(?::(?P<port>[0-9]{{1,5}}))?(?P<rest>{_REST})"
)
_HOST = re.compile(_NAME)
_HTTPS_PORT = 443
_LONGEST_NAME = 253
_LARGEST_PORT = 65_535
# Names of private networks: RFC 6761, RFC 8375, and RFC 6762 with its appendix G.
_PRIVATE_SUFFIXES = (
    *(".localhost", ".localdomain", ".local", ".internal", ".home.arpa"),
    *(".intranet", ".private", ".corp", ".home", ".lan"),
)


class WebAddressInvalid(ValueError):
    """The text breaks the rule that the message states; the message does not repeat the text."""


def checked(text: str, *, local: bool = False) -> str:
    """Return *text* if it is such an address; *local* also permits the local stack's. Raises WebAddressInvalid."""
    if _parts(text, local=local) is None:
        raise WebAddressInvalid(RULE)
    return text


def checked_origin(text: str, *, local: bool = False) -> str:
    """Return *text* if it is such an address without path and query. Raises WebAddressInvalid."""
    parts = _parts(text, local=local)
    if parts is None or parts["rest"]:
        raise WebAddressInvalid(ORIGIN_RULE)
    return text


def is_link(text: str) -> bool:
    """
    Whether *text* is a link that others open, such as a provider or a customer: https, a public DNS name, no user, no
    other port. Its path may have any characters: Parley makes no request to it.
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    return (
        parts.scheme == "https"
        and "@" not in parts.netloc
        and port in {None, _HTTPS_PORT}
        and _HOST.fullmatch(host) is not None
        and _is_public(host)
    )


def _parts(text: str, *, local: bool) -> re.Match[str] | None:
    parts = _ADDRESS.fullmatch(text) if len(text) <= LONGEST else None
    if parts is None or (parts["port"] and not 0 < int(parts["port"]) <= _LARGEST_PORT):
        return None
    is_allowed = _is_public(parts["name"]) if parts["name"] else local and _is_near(parts["ip"])
    return parts if is_allowed else None


def _is_public(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and not f".{name.lower()}".endswith(_PRIVATE_SUFFIXES)


def _is_near(ip: str) -> bool:
    """Whether an IPv4 address belongs to this machine or, for a function in a container, to its network."""
    try:
        address = ipaddress.IPv4Address(ip)
    except ValueError:
        return False
    return address.is_loopback or (address.is_private and not address.is_link_local)
