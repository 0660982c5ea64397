"""
The DNS records of a sender's domain: its policy of DMARC (RFC 7489), and SPF (RFC 7208).

What no name server answers is unknown, and not absent.
"""

from __future__ import annotations

from typing import Final, Literal

from shared.providers import dns

type Policy = Literal["none", "quarantine", "reject", "absent", "unknown"]

_POLICIES: Final[tuple[Policy, ...]] = ("none", "quarantine", "reject")
_MOST_NAMES: Final = 5  # of a domain and those above it
_FEWEST_LABELS: Final = 2


def dmarc_policy(domain: str) -> Policy:
    """Return the policy of a domain, else of the nearest one above it."""
    labels = domain.split(".")
    names = [".".join(labels[at:]) for at in range(len(labels) - _FEWEST_LABELS + 1)]
    for name in names[:_MOST_NAMES]:
        records = dns.published(f"_dmarc.{name}", "TXT")
        if records is None:
            return "unknown"
        found = [one for one in records if one.replace(" ", "").lower().startswith("v=dmarc1")]
        if len(found) == 1:  # several count as none
            return _policy_in(found[0])
    return "absent"


def has_spf(domain: str) -> bool | None:
    """Return whether a domain has a record of SPF; None if that is unknown."""
    records = dns.published(domain, "TXT")
    if records is None:
        return None
    return any(one.lower().split(" ")[0] == "v=spf1" for one in records)


def _policy_in(record: str) -> Policy:
    tags = {
        name.strip().lower(): value.strip().lower()
        for name, _, value in (tag.partition("=") for tag in record.split(";"))
    }
    return next((one for one in _POLICIES if one == tags.get("p")), "none")
