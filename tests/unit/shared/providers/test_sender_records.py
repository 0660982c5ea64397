"""The records of a sender's domain in DNS: what is absent, and what is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dns.resolver
import pytest

from shared.providers.email.sender_records import dmarc_policy, has_spf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_errors: Any = dns.resolver  # whose exceptions declare no types
ABSENT, EMPTY, BROKEN = _errors.NXDOMAIN(), _errors.NoAnswer(), _errors.NoNameservers()
LATE = _errors.LifetimeTimeout(timeout=2.0, errors=[])


class _Record:
    def __init__(self, text: str) -> None:
        # A record of more than 255 bytes has several strings.
        self.strings = [text[:20].encode(), text[20:].encode()]


def served(
    monkeypatch: pytest.MonkeyPatch, zone: Mapping[str, Sequence[str] | Exception]
) -> list[str]:
    """A name server with these records; return the names that it is asked for."""
    asked: list[str] = []

    def resolve(name: str, kind: str, **options: Any) -> list[_Record]:
        assert (kind, options["search"]) == ("TXT", False)
        asked.append(name)
        found = zone.get(name, ABSENT)
        if isinstance(found, Exception):
            raise found
        return [_Record(one) for one in found]

    monkeypatch.setattr(dns.resolver, "resolve", resolve)
    return asked


@pytest.mark.parametrize(
    ("records", "policy"),
    [
        (["v=DMARC1; p=reject; rua=mailto:a@farms.org"], "reject"),
        (["V=dmarc1;P=Quarantine"], "quarantine"),
        (["v=DMARC1; p=none"], "none"),
        (["v=DMARC1"], "none"),
        (["v=spf1 -all"], "absent"),
        (["v=DMARC1; p=none", "v=DMARC1; p=reject"], "absent"),
        (EMPTY, "absent"),
        (BROKEN, "unknown"),
        (LATE, "unknown"),
        (OSError("network"), "unknown"),
    ],
)
def test_the_policy_is_that_of_the_one_record(
    monkeypatch: pytest.MonkeyPatch, records: Any, policy: str
) -> None:
    served(monkeypatch, {"_dmarc.farms.org": records})
    assert dmarc_policy("farms.org") == policy


def test_a_subdomain_has_the_policy_of_the_nearest_domain_above(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = served(monkeypatch, {"_dmarc.farms.org": ["v=DMARC1; p=reject"]})
    assert dmarc_policy("news.farms.org") == "reject"
    assert asked == ["_dmarc.news.farms.org", "_dmarc.farms.org"]
    assert dmarc_policy(".".join("abcdefgh")) == "absent"
    assert len(asked) == 2 + 5


def test_nothing_is_concluded_about_the_domain_above_while_the_own_one_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    zone: dict[str, Any] = {
        "_dmarc.news.farms.org": LATE,
        "_dmarc.farms.org": ["v=DMARC1; p=none"],
    }
    served(monkeypatch, zone)
    assert dmarc_policy("news.farms.org") == "unknown"


def test_spf_is_found_absent_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    zone: dict[str, Any] = {
        "a.farms.org": ["other", "v=spf1 include:amazonses.com ~all"],
        "b.farms.org": ["v=spf10 x"],
        "c.farms.org": LATE,
    }
    served(monkeypatch, zone)
    names = ("a.farms.org", "b.farms.org", "c.farms.org", "d.farms.org")
    assert [has_spf(one) for one in names] == [True, False, None, False]
