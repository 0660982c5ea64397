"""What a job of an erasure or export writes about the person: nothing, in logs, metrics, traces and queues."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aws_xray_sdk.core.lambda_launcher import LambdaContext
from aws_xray_sdk.core.recorder import AWSXRayRecorder

from email_threads.privacy import jobs
from shared.runtime import trace_header, tracing
from tests.integration import logs
from tests.simulation.email_threads.people import arrive, requested, shown
from tests.simulation.email_threads.system import BOB, MAILBOX, System, mail
from tests.simulation.interceptor import Fault

PERSON = "ann@canary.example"
CANARIES = ("canary-text", "canary-subject", "canary-id", "canary.example", "canary-file")
FAULTS = (None, Fault.LOST_ANSWER, Fault.UNAVAILABLE)
INVOCATION = "Root=1-67890abc-aaaaaaaaaaaaaaaaaaaaaaaa;Parent=1111111111111111;Sampled=1"


class Segments(list[dict[str, Any]]):
    """Replaces the daemon: records every subsegment that the SDK sends."""

    def send_entity(self, entity: Any) -> None:
        self.append(json.loads(entity.serialize()))


@pytest.fixture
def segments(monkeypatch: pytest.MonkeyPatch) -> Segments:
    """The SDK in its state inside Lambda during a traced invocation."""
    recorder = AWSXRayRecorder()
    recorder.emitter._socket.close()
    sent = Segments()
    recorder.context, recorder.emitter = LambdaContext(), sent
    recorder.streaming_threshold = 0
    monkeypatch.setattr(tracing, "recorder", lambda: recorder)
    monkeypatch.setenv(trace_header.VARIABLE, INVOCATION)
    return sent


def stored_mails(system: System) -> None:
    """Mails of the person: alone, with others, and parked."""
    file = "Content-Type: text/plain\nContent-Disposition: attachment; filename=canary-file.txt"
    arrive(
        system,
        mail("canary-id1@x", "canary-text", subject="canary-subject", sender=PERSON),
        mail("canary-id2@x", "canary-text", subject="canary-subject", sender=PERSON, more=file),
        mail("t@x", sender=BOB, subject="Tables", more=f"Cc: {PERSON}"),
        mail("o@shop", "canary-text", sender=MAILBOX, to=f"{BOB}, {PERSON}", in_reply_to="t@x"),
        mail("canary-id3@x", "canary-text", sender=PERSON, in_reply_to="t@x"),
    )
    arrive(system, mail("canary-id4@x", sender=PERSON), address="sales@shop.example")


@pytest.mark.parametrize(
    "case", [(kind, fault) for kind in ("erase", "export") for fault in FAULTS], ids=str
)
def test_the_person_is_in_no_log_line_metric_trace_or_queued_event(
    system: System,
    segments: Segments,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, Fault | None],
) -> None:
    kind, fault = case
    monkeypatch.setattr(jobs, "TURN_MS", 0)
    stored_mails(system)
    stream = logs.recorded(monkeypatch)
    capsys.readouterr()
    segments.clear()
    if fault is not None:
        system.interceptor.rewind()
        system.interceptor.fault_at = (20, fault)

    job = requested(system, kind, PERSON)
    system.drain()

    assert shown(system, job["id"])["state"] == "done"
    queued = system.fifo_queues.queues[system.queue].accepted.values()
    events = [body for body in queued if "email.privacy" in body]
    written = stream.getvalue() + capsys.readouterr().out + json.dumps([segments, events])
    assert "event handled" in written
    assert len(segments) > 5
    assert len(events) > 5
    assert [word for word in CANARIES if word in written] == []


def test_a_failing_job_becomes_a_dead_letter_without_the_person(
    system: System, segments: Segments, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_mails(system)
    stream = logs.recorded(monkeypatch)
    segments.clear()
    system.interceptor.fails_if = lambda call: call.startswith("s3.DeleteObject")

    requested(system, "erase", PERSON)
    system.drain()

    (letter,) = system.fifo_queues.dead_letters
    notes = [row for key, row in system.rows().items() if key.startswith("letter#")]
    written = stream.getvalue() + letter + json.dumps([segments, notes], default=str)
    assert [word for word in CANARIES if word in written] == []
