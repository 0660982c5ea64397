"""What closed and unreadable switches of the help desk leave to the worker."""

from __future__ import annotations

import pytest
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from shared.runtime.failures import Transient
from tests.integration.richpanel.harness import WHERE, Harness


def break_switches(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parameter store is unreachable."""

    def fails(**_: object) -> None:
        raise GetParameterError

    monkeypatch.setattr(
        harness.resources.switchboard.provider(), "get_multiple", lambda *_, **__: fails()
    )


def test_a_dry_run_decides_and_writes_nothing_to_the_help_desk(harness: Harness) -> None:
    harness.switch(dry_run="true")
    harness.ticket(WHERE)

    harness.handle()

    assert harness.tags() == set()
    assert harness.replies() == []
    assert harness.audit() == [("route", "skipped: dry_run")]


def test_a_closed_switch_routes_and_does_not_reply(harness: Harness) -> None:
    harness.switch(safe_mode="yes please")
    harness.ticket(WHERE)

    harness.handle()

    assert harness.replies() == []
    assert "route-email-support-team" in harness.tags()
    assert harness.decided()["reason"] == "safe_mode_route_only"


def test_switches_that_cannot_be_read_close_everything(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ticket(WHERE)
    harness.resources.switchboard.current()
    harness.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    break_switches(harness, monkeypatch)

    harness.handle()

    assert harness.replies() == []
    assert "route-email-support-team" in harness.tags()
    assert harness.decided()["reason"] == "safe_mode_route_only"


def test_switches_that_were_never_read_block_processing(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the switches the worker cannot know whether this is a dry run."""
    harness.ticket(WHERE)
    break_switches(harness, monkeypatch)

    with pytest.raises(Transient, match="switches_unreadable"):
        harness.handle()
    assert harness.tags() == set()


def test_a_dry_run_continues_when_the_switches_cannot_be_read(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.switch(dry_run="true")
    harness.resources.switchboard.current()
    harness.resources.switchboard.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    break_switches(harness, monkeypatch)
    harness.ticket(WHERE)

    harness.handle()

    assert harness.tags() == set()
