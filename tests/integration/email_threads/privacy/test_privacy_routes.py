"""The routes of erasures and exports: jobs, runs, scopes, bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.simulation.email_threads.people import (
    SCOPES,
    alone,
    finished,
    requested,
)
from tests.simulation.email_threads.system import ANN, System


def test_a_repeated_request_returns_the_same_job_and_after_its_end_starts_the_next_run(
    system: System,
) -> None:
    alone(system)
    first = requested(system, "erase", ANN)
    second = requested(system, "erase", f"  {ANN.upper()} ")
    assert (second["id"], second["run"], second["state"]) == (first["id"], 1, "queued")
    system.drain()

    third = finished(system, "erase", ANN)

    assert (third["id"], third["run"]) == (first["id"], 2)
    assert [one["run"] for one in third["receipts"]] == [2, 1]
    assert third["counts"] == {}


def test_a_finished_job_does_not_hold_the_address(system: System) -> None:
    alone(system)
    job = finished(system, "erase", ANN)

    assert ANN not in json.dumps(system.rows()[f"privacy#{job['id']}"], default=str)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"address": "no address"},
        {"address": 5},
        {"address": None},
        {"address": [ANN]},
        {"address": ANN, "other": 1},
    ],
)
def test_a_bad_request_names_the_field(system: System, body: dict[str, Any]) -> None:
    status, answer = system.call("POST", "/email-threads/contacts/erase", body, scopes=SCOPES)

    assert (status, answer["error"]["code"]) == (400, "invalid_input")
    assert answer["error"]["details"][0]["field"] in {"address", "other"}


def test_the_routes_need_their_scope_and_hide_jobs_of_other_companies(system: System) -> None:
    alone(system)
    status, _ = system.call("POST", "/email-threads/contacts/erase", {"address": ANN})
    assert status == 403
    job = requested(system, "export", ANN)

    path = f"/email-threads/privacy-jobs/{job['id']}"
    assert system.call("GET", path, scopes=SCOPES, company="globex")[0] == 404


def test_the_id_of_no_job_is_not_found(system: System) -> None:
    for name in ("0" * 32, "x", "0" * 3_000):
        path = f"/email-threads/privacy-jobs/{name}"
        assert system.call("GET", path, scopes=SCOPES)[0] == 404
