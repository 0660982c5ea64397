"""Creation: free codes, repeated calls, and codes that are used for good."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from newsletters.api import configuration
from newsletters.store.content.newsletters import (
    CODE_ATTEMPTS,
    NoCode,
    delete_newsletter,
    generate_newsletter_code,
    get_newsletter_full,
)
from shared.runtime import clock
from tests.integration.newsletters.deployment import COLLEAGUE, NOW, OTHER_COMPANY

if TYPE_CHECKING:
    from tests.integration.newsletters.deployment import Deployment


def drawn(monkeypatch: pytest.MonkeyPatch, *suffixes: str) -> list[int]:
    """Each attempt draws the next of these codes, and the last one from then on; the attempts are returned."""
    attempts: list[int] = []

    def generate(_: str, attempt: int, __: int) -> str:
        attempts.append(attempt)
        return f"NL-20261102-{suffixes[min(attempt, len(suffixes) - 1)]}"

    monkeypatch.setattr(configuration, "generate_newsletter_code", generate)
    return attempts


def test_two_newsletters_that_draw_the_same_code_get_different_ones(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(monkeypatch, "AAAA", "BBBB")

    first = newsletters.create("call-1")
    second = newsletters.create("call-2", company=OTHER_COMPANY, user=COLLEAGUE, title="Second")

    assert (first, second) == ("NL-20261102-AAAA", "NL-20261102-BBBB")
    assert newsletters.read(first).metadata.title == "Field notes"
    assert newsletters.read(second).metadata.title == "Second"


def test_a_repeated_call_finds_the_first_newsletter_also_after_a_collision(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(monkeypatch, "AAAA", "BBBB")
    newsletters.create("call-1")
    second = newsletters.create("call-2")
    before = newsletters.items()

    assert newsletters.create("call-2", title="Another title") == second

    assert newsletters.items() == before


def test_the_code_of_a_deleted_newsletter_is_never_used_again(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(monkeypatch, "AAAA", "BBBB")
    first = newsletters.create("call-1")
    delete_newsletter(newsletters.store, newsletters.read(first).metadata)

    second = newsletters.create("call-2")

    assert (first, second) == ("NL-20261102-AAAA", "NL-20261102-BBBB")
    assert get_newsletter_full(newsletters.store, first) is None


def test_after_eight_collisions_there_is_no_code_and_nothing_is_written(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(monkeypatch, "AAAA")
    newsletters.create("call-1")
    before = newsletters.items()
    attempts = drawn(monkeypatch, "AAAA")

    with pytest.raises(NoCode):
        newsletters.create("call-2")

    assert attempts == list(range(CODE_ATTEMPTS)) == list(range(8))
    assert newsletters.items() == before


def test_a_code_that_another_system_uses_is_not_taken_from_it(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(monkeypatch, "AAAA", "BBBB")
    theirs = {"PK": "NEWSLETTER#NL-20261102-AAAA", "SK": "METADATA", "title": "Theirs"}
    newsletters.table.put(theirs)

    assert newsletters.create() == "NL-20261102-BBBB"
    assert newsletters.table.get({"PK": theirs["PK"], "SK": "METADATA"}) == theirs
    # It names no company, so it belongs to none.
    assert get_newsletter_full(newsletters.store, "NL-20261102-AAAA") is None


def test_codes_have_the_date_in_utc_and_four_characters_of_crockfords_alphabet() -> None:
    last_ms_of_day = NOW + 12 * 3_600_000 - 1
    codes = [
        generate_newsletter_code(f"call-{number}", 0, last_ms_of_day) for number in range(2_000)
    ]

    assert all(re.fullmatch(r"NL-20261102-[0-9A-HJKMNP-TV-Z]{4}", code) for code in codes)
    assert {character for code in codes for character in code[-4:]} == set(
        "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    )
    assert generate_newsletter_code("call-1", 0, last_ms_of_day + 1).startswith("NL-20261103-")
    assert len({generate_newsletter_code("call-1", n, NOW) for n in range(8)}) == 8


def test_a_call_that_is_repeated_after_midnight_finds_the_newsletter_of_the_day_before(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    midnight = NOW + 12 * 3_600_000
    monkeypatch.setattr(clock, "now_ms", lambda: midnight - 1)
    first = newsletters.create("call-1")
    monkeypatch.setattr(clock, "now_ms", lambda: midnight + 60_000)

    assert first.startswith("NL-20261102-")
    assert newsletters.create("call-1") == first
    assert newsletters.create("call-2").startswith("NL-20261103-")
