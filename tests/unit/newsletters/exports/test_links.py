"""Which URLs may become links."""

import pytest

from newsletters.exports.links import safe_url
from tests.cases import each


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://example.org:8080/a?b=c&d#e",
        "mailto:a@example.org?subject=x",
        "https://[::1]/",
        "HTTPS://EXAMPLE.ORG/",
    ],
)
def test_web_and_mail_addresses_are_safe(url: str) -> None:
    assert safe_url(url) == url


@each(
    "url",
    [
        *(
            "",
            "example.org",
            "/a",
            "#a",
            "//example.org",
            "https:",
            "https://",
            "https:/example.org",
            "mailto:",
            "mailto:a",
        ),
        *(
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "javascript://example.org/%0aalert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "ftp://a.org",
        ),
        *(
            "https://example.org/a b",
            "https://example.org/\n",
            "java\nscript:x",
            'https://example.org/"x',
            "https://a.org/<b>",
        ),
        *(
            "https://example.org:port/",
            "https://[::1",
            "https://example.org/\u202egnp.exe",
            "https://\\example.org",
        ),
    ],
)
def test_all_others_are_not(url: str) -> None:
    assert safe_url(url) == ""
