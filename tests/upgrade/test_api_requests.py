"""Requests that were answered by earlier versions get the same status, and at least the same attributes."""

from __future__ import annotations

import re

import pytest

from tests.integration.isolation import surfaces
from tests.upgrade import api_requests, recordings, shapes
from tests.upgrade.recordings import COMMAND, UNRELEASED

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", api_requests.CONTEXTS)
def test_requests_of_every_recorded_version_are_answered_as_they_were(name: str) -> None:
    with api_requests.running(name) as companies:
        for records in recordings.read(f"requests/{name}").values():
            for record in records:
                answered = api_requests.answer(companies, record)

                missing = list(shapes.missing(record["result"], answered["result"]))
                result = (record["line"], answered["status"], missing)
                assert result == (record["line"], record["status"], []), UNRELEASED


def test_an_attribute_that_an_answer_has_no_more_is_missing() -> None:
    before = shapes.shape_of({"events": [{"id": 1}, {"reason": "late", "at": {"day": 2}}]})
    now = shapes.shape_of({"events": [{"reason": "late", "at": 3, "new": True}]})

    assert list(shapes.missing(before, before)) == []
    assert list(shapes.missing(before, now)) == ["events.[].id", "events.[].at.day"]
    assert list(shapes.missing(before, shapes.shape_of({"events": []}))) == ["events.[]"]


def test_every_route_is_recorded() -> None:
    recorded = {
        surfaces.shape(record["line"])
        for name in api_requests.CONTEXTS
        for records in recordings.read(f"requests/{name}").values()
        for record in records
    }
    # Providers define the webhooks' requests; the samples in events/ are tests of their own.
    # The page of a signed link is requested by itself; links that were sent are in the tests of links.
    is_recorded = re.compile("(?!.*(?:/webhooks/|/satisfaction/|/u/|/n/))").match
    routes = {route for route in surfaces.routes() if is_recorded(route)}

    missing = sorted(routes - recorded)

    assert missing == [], f"{missing} are served but not recorded: {COMMAND}"
