"""An erasure may be killed before or after any call: repeated, it has the result of an undisturbed run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest

from events.conversations import sample_data
from shared.aws.s3 import Bucket
from tests.simulation.conversations.erasure import erase, traces
from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import READS, Died, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

WORDS = (
    sample_data.CANDIDATE.removeprefix("+"),
    "447700900456",
    sample_data.CANDIDATE_EMAIL,
    "night shift",
    "Ann",
)
SECOND = "+447700900456"
TIMES = ("ttl", "erased_at")


def _before(system: System) -> None:
    """Two channels, an answer, a long text, an alias, a parked event, an attached message of another address."""
    ref = system.begin("whatsapp")
    system.begin("email", request_id="req-2")
    user = "whatsapp:GB.20417733968512046377"
    system.whatsapp("a", "Is there a night shift?", ExternalUserId=user)
    system.whatsapp("long", "night shift " * 2_000)
    system.whatsapp("a", "A night shift, once more?")  # parked: the same id with other content
    system.whatsapp("second", "Is there a night shift?", From=f"whatsapp:{SECOND}", WaId=SECOND)
    system.settle()
    (waiting,) = system.call_admin_api("GET /unmatched")["messages"]
    line = "POST /unmatched/{unmatched_id}/attach"
    system.call_admin_api(line, {"ref": ref}, unmatched_id=waiting["id"])
    system.settle()


def _left(system: System) -> dict[tuple[str, ...], dict[str, object]]:
    return {
        key: {name: value for name, value in row.items() if name not in TIMES}
        for key, row in system.rows().items()
        if not key[1].startswith("PRIVACY#")
    }


def _counted(system: System) -> dict[str, int]:
    """What all runs of the one job have counted; the job names the person no more."""
    (job,) = (row for key, row in system.rows().items() if key[1].startswith("PRIVACY#"))
    assert job["state"] == "done"
    assert not {"given", "addresses", "start", "planned"} & job.keys()
    counts: dict[str, int] = {}
    for receipt in job["receipts"]:
        for kind, count in receipt["counts"].items():
            counts[kind] = max(counts.get(kind, 0), int(count))
    return counts


@pytest.mark.long
@pytest.mark.parametrize(
    "addresses",
    [
        (sample_data.CANDIDATE,),
        (sample_data.CANDIDATE_EMAIL,),
        (SECOND,),
    ],
)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, addresses: tuple[str, ...]
) -> None:
    _before(system)
    start, objects = system.snapshot(), system.objects()
    bucket = Bucket(
        lambda: boto3.Session().client("s3"), system.bucket
    )  # not through the interceptor
    system.interceptor.rewind()
    erase(system, *addresses)
    calls, clean = list(system.interceptor.calls), _left(system)
    counted = _counted(system)
    assert traces(system, *WORDS) == []
    deaths = [
        number
        for number, call in enumerate(calls, start=1)
        if EFFORT > 1 or call.split(" ")[0] not in READS
    ]
    assert len(deaths) > 30

    for number in deaths if EFFORT > 1 else deaths[::4]:
        system.restore(start)
        for key, body in objects.items():
            bucket.put(key, body)
        system.interceptor.die_at = (number, When.AFTER)
        with pytest.raises(Died):
            erase(system, *addresses)
        system.new_process()
        erase(system, *addresses)
        assert _left(system) == clean, f"died after {number} {calls[number - 1]}"
        assert _counted(system) == counted, f"died after {number} {calls[number - 1]}"
        assert system.objects() == {}
