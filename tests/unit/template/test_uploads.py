"""stacks/shared.yaml: pages of the console may upload to the media bucket, if its origin is a parameter."""

from __future__ import annotations

from tests.cases import each
from tests.template import properties
from tests.unit.template.test_web_addresses import allows

CONSOLE = "https://console.example.com"


def test_the_media_bucket_permits_uploads_from_the_console_only() -> None:
    [rule] = properties("MediaBucket", ConsoleOrigin=CONSOLE)["CorsConfiguration"]["CorsRules"]

    assert (rule["AllowedOrigins"], rule["AllowedMethods"]) == ([CONSOLE], ["POST"])


def test_without_a_console_the_media_bucket_has_no_rule_for_browsers() -> None:
    assert "CorsConfiguration" not in properties("MediaBucket")


@each(
    ("origin", "is_allowed"),
    [
        *(("", True), (CONSOLE, True), (f"{CONSOLE}:8443", True), ("http://127.0.0.1:4700", True)),
        *(("*", False), (f"{CONSOLE}/", False), ("http://console.example.com", False)),
        *((f"{CONSOLE},{CONSOLE}", False), ("https://*.example.com", False)),
    ],
)
def test_the_origin_of_the_console_is_one_https_origin(origin: str, is_allowed: bool) -> None:
    assert allows("ConsoleOrigin", origin) == is_allowed
