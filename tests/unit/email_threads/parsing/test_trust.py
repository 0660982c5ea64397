"""Which verdicts are believed."""

import pytest

from email_threads.parsing.headers import addresses
from email_threads.parsing.headers.fields import Headers
from email_threads.parsing.trust import Trust, Verdicts, verdicts
from tests.cases import each
from tests.unit.email_threads.samples import sample

DOMAIN = "example.com"
PASSED = "spf=pass (ok) client-ip=203.0.113.7; envelope-from=a@example.com; dkim=pass header.i=@example.com"


def block(
    results: str, *, spam: str = "PASS", virus: str = "PASS", returned: str = "<a@example.com>"
) -> Verdicts:
    fields = (
        ("return-path", returned),
        ("received", "from x by inbound-smtp.eu-west-1.amazonaws.com with SMTP"),
        ("x-ses-spam-verdict", spam),
        ("x-ses-virus-verdict", virus),
        ("authentication-results", results),
        ("x-ses-receipt", "AE"),
        ("from", "a@example.com"),
    )
    return verdicts(Headers(fields), f"a@{DOMAIN}")


def test_a_mail_that_ses_verified_is_trusted_and_fields_of_the_sender_are_ignored() -> None:
    found = sample("verified-by-ses").verdicts

    assert found.trust is Trust.VERIFIED
    assert found.spam_score == 0
    assert found.client_ip == "203.0.113.7"


def test_verdicts_that_the_sender_wrote_are_not_believed() -> None:
    assert sample("forged-verdicts").verdicts == Verdicts()
    assert Verdicts().trust is Trust.UNVERIFIED


@each(
    ("results", "trust"),
    [
        (f"{PASSED}; dmarc=pass header.from=example.com", "verified"),
        (f"{PASSED}; dmarc=pass header.from=other.com", "unverified"),
        (f"{PASSED}; dmarc=none header.from=example.com", "verified"),
        ("spf=fail; dkim=pass header.d=mail.example.com; dmarc=none", "verified"),
        (
            "spf=pass; envelope-from=a@other.com; dkim=pass header.i=@other.com; dmarc=none",
            "unverified",
        ),
        ("spf=pass; envelope-from=a@com; dmarc=none", "unverified"),
        (f"{PASSED}; dmarc=fail header.from=example.com", "failed"),
        (f"{PASSED}; dmarc=temperror", "unverified"),
        (PASSED, "unverified"),
        ("", "unverified"),
        ("none", "unverified"),
    ],
)
def test_trust_follows_dmarc_or_aligned_results(results: str, trust: str) -> None:
    assert block(f"amazonses.com; {results}").trust == trust


def test_results_of_another_authority_are_not_believed() -> None:
    assert block(f"mx.{DOMAIN}; dmarc=pass header.from={DOMAIN}").trust is Trust.UNVERIFIED


@pytest.mark.parametrize(
    "injected",
    [
        '"a;dmarc=pass header.from=example.com;"@evil.example',
        r'"a\";dmarc=pass header.from=example.com;\""@evil.example',
        '"a(";dmarc=pass header.from=example.com;")"@evil.example',
        "a;dmarc=pass header.from=example.com;@evil.example",
    ],
)
def test_the_envelope_address_cannot_carry_a_verdict(injected: str) -> None:
    results = (
        f"amazonses.com; spf=pass; envelope-from={injected}; dmarc=none header.from=example.com"
    )

    assert block(results).trust is Trust.UNVERIFIED


@pytest.mark.parametrize(
    ("spam", "virus", "trust", "score"),
    [
        ("FAIL", "PASS", "failed", 1),
        ("PASS", "FAIL", "failed", 0),
        ("GRAY", "PASS", "unverified", 0.5),
        ("PASS", "PROCESSING_FAILED", "unverified", 0),
        ("DISABLED", "DISABLED", "unverified", None),
    ],
)
def test_a_mail_that_the_filters_did_not_pass_is_never_verified(
    spam: str, virus: str, trust: str, score: float | None
) -> None:
    found = block(
        f"amazonses.com; {PASSED}; dmarc=pass header.from=example.com", spam=spam, virus=virus
    )

    assert (found.trust, found.spam_score) == (trust, score)
    assert found.has_virus == (virus == "FAIL")


def test_an_envelope_without_sender_is_known() -> None:
    assert block("amazonses.com", returned="<>").is_null_sender


@each(
    ("value", "is_ambiguous"),
    [
        ("ann@orchard.example", False),
        ("Ann <ann@orchard.example>", False),
        ('"ann@mill.example" <ann@orchard.example>', False),
        ("ann@orchard.example <ann@orchard.example>", False),
        ("ann@orchard.example (ann@mill.example)", False),
        ("=?utf-8?q?ann=40mill=2Eexample?= <ann@orchard.example>", False),
        ("ann@mill.example <ann@orchard.example>", True),
        ("ann@mill.example, ann@orchard.example", True),
        ("<ann@mill.example> <ann@orchard.example>", True),
        ('"<ann@mill.example>"@orchard.example', True),
        ("<@mill.example:ann@orchard.example>", True),
        ("ann@mill.example(c)@orchard.example", True),
        ("a" * 60_000 + " <ann@orchard.example>", True),
    ],
)
def test_a_field_that_programs_may_read_differently_is_ambiguous(
    value: str, *, is_ambiguous: bool
) -> None:
    assert addresses.is_ambiguous(Headers((("from", value),)), "from") is is_ambiguous


def test_two_from_fields_are_ambiguous() -> None:
    fields = (("from", "ann@orchard.example"), ("from", "ann@orchard.example"))

    assert addresses.is_ambiguous(Headers(fields), "from")


def test_an_ambiguous_sender_is_never_verified() -> None:
    passed = f"amazonses.com; {PASSED}; dmarc=pass header.from=example.com"
    fields = (
        ("return-path", "<a@example.com>"),
        ("received", "from x by inbound-smtp.eu-west-1.amazonaws.com with SMTP"),
        ("x-ses-spam-verdict", "PASS"),
        ("x-ses-virus-verdict", "PASS"),
        ("authentication-results", passed),
        ("x-ses-receipt", "AE"),
    )

    trusts = [
        verdicts(Headers(fields), f"a@{DOMAIN}", is_ambiguous=one).trust for one in (False, True)
    ]
    assert trusts == ["verified", "unverified"]
