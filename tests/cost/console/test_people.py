"""The costs of requests about a person, compared with the figures in `people.py`."""

from __future__ import annotations

import pytest

from tests.cost.console.people import ERASURE, WRITTEN_DOWN, differences, measure


@pytest.mark.long
def test_a_request_about_a_person_costs_the_written_figures() -> None:
    measured = measure()

    assert measured.keys() == WRITTEN_DOWN.keys()
    assert differences(measured) == []


def test_an_erasure_costs_less_than_a_cent() -> None:
    figures = WRITTEN_DOWN[ERASURE]
    units = figures.write_units * 0.625e-6 + figures.read_units * 0.125e-6

    assert units + figures.seconds * 0.5 * 16.7e-6 < 0.01
