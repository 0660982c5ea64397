"""The item of the audit log: its outcome, and which ids it shows."""

from __future__ import annotations

import pytest

from shared.api.audit_log.items import Change, Outcome
from shared.runtime import clock
from tests.cases import each


def begun(object_id: str | None = "ref-1") -> Change:
    return Change.begun(
        company="acme",
        principal="user:ada",
        context="whatsapp",
        change="add_note",
        object_id=object_id,
        request_id="request-1",
        keep_days=400,
    )


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, Outcome.MADE),
        (201, Outcome.MADE),
        (202, Outcome.OPEN),
        (400, Outcome.REFUSED),
        (429, Outcome.REFUSED),
        (500, Outcome.FAILED),
        (503, Outcome.FAILED),
    ],
)
def test_the_status_of_an_answer_decides_the_outcome(status: int, outcome: Outcome) -> None:
    ended = begun().ended(status)

    assert (ended.outcome, ended.status) == (outcome, status)


def test_a_change_is_open_until_it_ends() -> None:
    assert begun().outcome is Outcome.OPEN
    assert begun().status is None


@pytest.mark.parametrize("shown", ["ref-1", "01HQ3V7Z8K", "a" * 64, "102290129340398"])
def test_ids_are_stored(shown: str) -> None:
    assert begun(shown).object == shown


@each(
    "hidden",
    [
        None,
        "",
        "+491701234567",
        "491701234567",
        "0170 1234567",
        "ada@example.com",
        "a b",
        "x" * 129,
    ],
)
def test_what_could_be_a_phone_number_or_an_address_is_not_stored(hidden: str | None) -> None:
    item = begun(hidden)

    assert item.object is None
    assert "object" not in item.attributes()


def test_a_client_that_chooses_its_request_id_hides_no_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: clock.from_text("2026-11-27T12:00:01.123Z"))

    item, other = begun(), begun()

    assert item.request_id == other.request_id
    assert item.sk != other.sk
    assert item.pk == "COMPANY#acme"
    assert item.sk.startswith("2026-11-27T12:00:01.123Z#")
    assert item.ttl == clock.from_text("2028-01-01T12:00:01.123Z") // 1000
