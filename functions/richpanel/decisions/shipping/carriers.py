"""Tracking links: the provider's link if its host is trusted, else the carrier's own."""

import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

# USPS before UPS, because its name contains the letters of UPS.
_CARRIERS = (
    (
        re.compile(r"\busps\b|\bu\.s\.p\.s\b|\bunited states postal\b|\bus postal\b"),
        "https://tools.usps.com/go/TrackConfirmAction?tLabels=",
    ),
    (
        re.compile(r"\bups\b|\bu\.p\.s\b|\bunited parcel\b"),
        "https://www.ups.com/track?tracknum=",
    ),
    (
        re.compile(r"\bfedex\b|\bfed ex\b|\bfederal express\b"),
        "https://www.fedex.com/fedextrack/?trknbr=",
    ),
)
KNOWN_HOSTS = frozenset({"tools.usps.com", "www.ups.com", "www.fedex.com"})


def tracking_link(
    *,
    url: str | None,
    number: str | None,
    company: str | None,
    hosts: Collection[str] = KNOWN_HOSTS,
) -> str | None:
    """
    Return the tracking link of a parcel, or None if there is no trusted one.

    *url* is the provider's; it is used if it is https and on one of *hosts*. Otherwise the link is built from *number*
    if *company* is the name of a known carrier.
    """
    if url and is_trusted(url, hosts):
        return url
    if not number or not company:
        return None
    name = re.sub(r"[\s_-]+", " ", company.casefold())
    for pattern, prefix in _CARRIERS:
        if pattern.search(name):
            return prefix + quote(number.strip(), safe="")
    return None


def is_trusted(url: str, hosts: Collection[str]) -> bool:
    """
    Return whether *url* is https and its host is exactly one of *hosts*. URLs with credentials, port, spaces or control
    characters are not trusted.
    """
    if re.search(r"[\x00-\x20\x7f\\<>\"]", url):
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = parts.username is None and parts.password is None and port is None
    return parts.scheme == "https" and plain and parts.hostname in {host.lower() for host in hosts}
