"""DNS records, as name servers answer now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from dns.rdata import Rdata

WITHIN_SECONDS = 2.0  # for all servers together: a person waits


def published(name: str, kind: Literal["MX", "TXT"]) -> frozenset[str] | None:
    """
    Return the values of the records of a name, of an MX record as `10 mail.example.com`; empty without one, None if no
    name server answered.
    """
    import dns.resolver  # noqa: PLC0415 - takes a tenth of a second, and few calls look records up

    try:
        answer = dns.resolver.resolve(name, kind, lifetime=WITHIN_SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return frozenset()
    except (dns.exception.DNSException, OSError):
        return None
    return frozenset(_text(one) for one in answer)


def _text(record: Rdata) -> str:
    """Return a value without the quotes and the last dot of zone files; a TXT record may have several parts."""
    parts = getattr(record, "strings", None)
    if parts is not None:
        return b"".join(parts).decode(errors="replace")
    return record.to_text().removesuffix(".").lower()
