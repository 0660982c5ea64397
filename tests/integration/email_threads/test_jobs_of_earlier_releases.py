"""Erasures and exports that an earlier release began, at any of its positions, end as those of this release."""

from __future__ import annotations

from typing import Any

import pytest

from email_threads.privacy import jobs
from email_threads.privacy.sources import shared_threads, whole_threads
from email_threads.store.items.privacy import THREAD_LISTS
from shared.aws.dynamodb import Table
from tests.simulation.email_threads.people import ZOE, alone, parked, requested, shown, together
from tests.simulation.email_threads.system import ANN, System

EXPIRES_MS = 31 * 86_400_000


def in_earlier_form(row: dict[str, Any]) -> dict[str, Any]:
    """A job as releases stored it that had a position in lists, one in a thread, and one in further lists."""
    position, source = row.get("start") or {}, int(row.get("source", 0))
    if row["step"] == "fence" and source > 1:
        return row  # That release fenced last and began to wait in one step.
    place = position.get("place", {})
    acts = [entry.get("act", "") for entry in row.get("planned", [])]
    # The subjects were kept until the last page of their thread was removed.
    subjects = sorted(
        {*place.get("subjects", ()), *(one for act in acts for one in act.split()[1:])}
    )
    earlier = {name: value for name, value in row.items() if name not in {"start", "source"}}
    earlier |= {"list_number": 0, "source": 0, "n": 0, "is_named": False, "subjects": subjects}
    for entry, act in zip(row.get("planned", []), acts, strict=True):
        entry["act"] = act.split()[0] if act else "whole"
    if row["state"] == "queued":
        return earlier | {"step": "fence" if row["kind"] == "erase" else "threads"}
    if row["step"] == "fence":
        return earlier | {"list_number": source} | ({"start": position} if position else {})
    if row["step"] != "pages":
        return earlier
    if source >= THREAD_LISTS:
        further = {"step": "parked", "source": source - THREAD_LISTS}
        return earlier | further | ({"start": position} if position else {})
    is_last_page = bool(position.get("threads")) and "after" not in position
    earlier |= {"step": "threads", "list_number": source + 1 if is_last_page else source}
    earlier |= {"threads": position.get("threads", [])} | {**place, "subjects": subjects}
    return earlier | ({"start": position["after"]} if "after" in position else {})


def ended(system: System, job: dict[str, Any], *, is_earlier: bool) -> dict[str, Any]:
    """The job after its end; *is_earlier*: each of its turns continues a job in the earlier form."""
    table, key = Table(system.dynamodb, system.tables["threads"]), f"privacy#{job['id']}"
    steps: list[str] = []

    def rewrite() -> None:
        row = system.rows()[key]
        if is_earlier and row["state"] != "done":
            earlier = in_earlier_form(row)
            steps.append(earlier["step"])
            table.put(earlier)

    rewrite()
    system.drain(rewrite)
    if is_earlier:
        assert {"threads", "parked"} <= set(steps)
        assert ("settle" in steps) == (job["kind"] == "erase")
    return shown(system, job["id"])


def left(system: System, job_id: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """All items but the job and the answer to its request, without times; and all objects."""
    rows = {
        key: {name: value for name, value in row.items() if "ttl" not in name}
        for key, row in system.rows().items()
        if key != f"privacy#{job_id}" and not key.startswith("request#")
    }
    objects = {key: body for key, body in system.objects().items() if "/parts/" not in key}
    return rows, objects


@pytest.mark.parametrize("kind", ["erase", "export"])
@pytest.mark.parametrize("case", ["alone", "expired", "together"])
def test_a_job_continued_from_any_position_of_an_earlier_release_ends_the_same(
    system: System, monkeypatch: pytest.MonkeyPatch, kind: str, case: str
) -> None:
    monkeypatch.setattr(jobs, "TURN_MS", 0)
    for module in (whole_threads, shared_threads):
        monkeypatch.setattr(module, "MAILS_A_PAGE", 2)
    if case == "together":
        together(system)
    else:
        alone(system)
        parked(system)
        system.clock.ms += EXPIRES_MS if case == "expired" else 0
    person = ZOE if case == "together" else ANN
    before = system.snapshot()
    job = requested(system, kind, person)
    present, clean = ended(system, job, is_earlier=False), left(system, job["id"])
    system.restore(before)

    earlier = ended(system, requested(system, kind, person), is_earlier=True)

    assert (earlier["state"], earlier["counts"]) == ("done", present["counts"])
    assert present["counts"]
    assert left(system, job["id"]) == clean
    row = system.rows()[f"privacy#{job['id']}"]
    assert {"list_number", "threads", "n", "subjects", "is_named", "requested_for"}.isdisjoint(row)


def test_a_new_export_has_no_step_at_which_a_worker_of_an_earlier_release_fences(
    system: System,
) -> None:
    made = {kind: requested(system, kind, ANN)["id"] for kind in ("erase", "export")}

    steps = {kind: system.rows()[f"privacy#{job_id}"]["step"] for kind, job_id in made.items()}
    assert steps == {"erase": "fence", "export": "pages"}
