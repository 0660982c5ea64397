"""Today's workers handle events of earlier versions, and retry events of newer ones until newer workers handle them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from shared.events import versions
from shared.events.versions import NEWER, VERSION
from tests.upgrade import recordings
from tests.upgrade.queued_events import CONTEXTS
from tests.upgrade.queues.context import Context
from tests.upgrade.recordings import COMMAND, UNRELEASED


@pytest.fixture(scope="module", params=CONTEXTS)
def running(request: pytest.FixtureRequest) -> Iterator[tuple[str, Context[Any], Any]]:
    """A context by name, with its system."""
    context = CONTEXTS[request.param]
    with context.running() as system:
        yield request.param, context, system


def test_events_of_every_recorded_version_are_handled_as_they_were(
    running: tuple[str, Context[Any], Any],
) -> None:
    name, context, system = running
    for version, records in recordings.read(f"queues/{name}").items():
        outcomes = context.handled(system, records)

        differing = [
            (record["type"], "handled" if is_handled else "not handled")
            for record, is_handled in zip(records, outcomes, strict=True)
            if is_handled != record["is_handled"]
        ]
        assert differing == [], f"recorded by version {version}: {UNRELEASED}"


def test_every_type_of_event_is_recorded(running: tuple[str, Context[Any], Any]) -> None:
    name, context, _ = running
    recorded = {
        record["type"]
        for records in recordings.read(f"queues/{name}").values()
        for record in records
    }

    missing = sorted(context.types() - recorded)

    assert missing == [], f"{missing} are enqueued but not recorded: {COMMAND}"


def newer_event(name: str) -> dict[str, Any]:
    """The first recorded event, as a newer release might write it."""
    record: dict[str, Any] = list(recordings.read(f"queues/{name}").values())[-1][0]
    return record | {"body": record["body"] | {"v": VERSION + 1}}


def upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers are those of the newer release."""
    monkeypatch.setattr(versions, "PREVIOUS", VERSION)
    monkeypatch.setattr(versions, "VERSION", VERSION + 1)


def test_an_event_of_a_newer_release_waits_in_the_queue_until_the_new_code_runs(
    running: tuple[str, Context[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, context, system = running
    context.begin(system)
    before = context.rows(system)
    context.put(system, newer_event(name))

    context.try_once(system)

    assert context.rows(system) == before
    assert not context.is_done(system)
    upgrade(monkeypatch)
    system.drain()
    assert context.is_done(system)
    assert NEWER not in {row.get("reason") for row in context.rows(system)}


def test_an_event_of_a_release_never_deployed_becomes_a_dead_letter_with_that_reason(
    running: tuple[str, Context[Any], Any],
) -> None:
    name, context, system = running
    context.begin(system)
    before = context.rows(system)
    context.put(system, newer_event(name))

    system.drain()

    (note,) = [row for row in context.rows(system) if row not in before]
    assert note["reason"] == NEWER
    assert not context.is_done(system)
