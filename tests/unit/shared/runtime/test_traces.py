"""Traces: a queue message is handled in the trace of its sender, and nothing personal is recorded."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from aws_xray_sdk.core import xray_recorder
from aws_xray_sdk.core.lambda_launcher import LambdaContext
from aws_xray_sdk.core.recorder import AWSXRayRecorder

from shared.aws.workers.sqs_worker import Record
from shared.runtime import trace_header, tracing
from shared.runtime.failures import Transient
from tests.unit.shared.aws.test_sqs_worker import Bench, sqs_record

ROOT = "1-5759e988-bd862e3fe1be46a994272793"
SENDER = "53995c3f42cd8ad8"
SENT = f"Root={ROOT};Parent={SENDER};Sampled=1"
INVOCATION = "Root=1-67890abc-aaaaaaaaaaaaaaaaaaaaaaaa;Parent=1111111111111111;Sampled=1"
SECRET = "call me at +14155550123"
# The SDK's own recorder is not used here, and would never close its socket.
xray_recorder.emitter._socket.close()


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
    recorder.streaming_threshold = 0  # as Powertools sets it
    monkeypatch.setattr(tracing, "recorder", lambda: recorder)
    monkeypatch.setenv(trace_header.VARIABLE, INVOCATION)
    return sent


def test_a_message_is_handled_in_the_trace_of_its_sender_and_the_next_one_in_its_own(
    segments: Segments,
) -> None:
    for number in (1, 2):
        with tracing.record(f"Root={ROOT};Parent=000000000000000{number};Sampled=1"):
            pass
    with tracing.record(
        "Root=1-67890abc-bbbbbbbbbbbbbbbbbbbbbbbb;Parent=abcdefabcdefabcd;Sampled=1"
    ):
        pass

    assert [(segment["trace_id"], segment["parent_id"]) for segment in segments] == [
        (ROOT, "0000000000000001"),
        (ROOT, "0000000000000002"),
        ("1-67890abc-bbbbbbbbbbbbbbbbbbbbbbbb", "abcdefabcdefabcd"),
    ]
    assert os.environ[trace_header.VARIABLE] == INVOCATION


def test_a_message_sent_meanwhile_continues_the_trace_below_its_subsegment(
    segments: Segments,
) -> None:
    with tracing.record(SENT):
        in_record = trace_header.current()
        with tracing.step("send", provider="twilio"):
            in_step = trace_header.current()

    step, record = segments
    assert in_record == f"Root={ROOT};Parent={record['id']};Sampled=1"
    assert in_step == f"Root={ROOT};Parent={step['id']};Sampled=1"
    assert (step["name"], step["parent_id"]) == ("send", record["id"])
    assert step["annotations"] == {"context": "whatsapp", "provider": "twilio"}


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Root=1-5759e988-short;Parent=53995c3f42cd8ad8;Sampled=1",
        f"Root={ROOT}",
        "x" * 999,
    ],
)
def test_without_a_valid_header_a_message_belongs_to_the_trace_of_the_invocation(
    segments: Segments, header: str | None
) -> None:
    with tracing.record(header):
        pass

    assert [segment["parent_id"] for segment in segments] == ["1111111111111111"]


def test_the_lineage_of_lambda_stays_that_of_the_invocation(
    segments: Segments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda detects loops with it: a function that used its message's lineage would never be counted."""
    monkeypatch.setenv(trace_header.VARIABLE, f"{INVOCATION};Lineage=1:a87bd80c:3")

    with tracing.record(f"{SENT};Lineage=1:a87bd80c:2"):
        sent = trace_header.current()

    assert sent is not None
    assert sent.startswith(f"Root={ROOT};")
    assert sent.endswith(";Lineage=1:a87bd80c:3")


def test_an_exception_is_recorded_by_its_type_and_by_the_reason_of_our_own_code(
    segments: Segments,
) -> None:
    for failure in (RuntimeError(SECRET), Transient("not_sent")):
        with pytest.raises(type(failure)), tracing.record(SENT):
            raise failure

    unexpected, expected = segments
    assert unexpected["fault"]
    assert unexpected["annotations"] == {
        "context": "whatsapp",
        "outcome": "failed",
        "error": "RuntimeError",
    }
    assert (expected["annotations"]["error"], expected["annotations"]["reason"]) == (
        "Transient",
        "not_sent",
    )
    assert SECRET not in json.dumps(segments)


def test_an_unsampled_trace_is_not_recorded_and_its_header_is_passed_on(segments: Segments) -> None:
    with tracing.record(SENT.replace("Sampled=1", "Sampled=0")), tracing.step("send"):
        tracing.annotate(outcome="sent")
        sent = trace_header.current()

    assert sent == f"Root={ROOT};Parent={SENDER};Sampled=0"
    assert segments == []


def test_with_tracing_off_the_header_is_still_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(trace_header.VARIABLE, raising=False)

    with tracing.record(SENT), tracing.step("send"):
        tracing.annotate(outcome="sent")
        sent = trace_header.current()

    assert tracing.recorder() is None  # as the environment of the tests has it
    assert sent == SENT
    assert trace_header.VARIABLE not in os.environ


def test_a_failure_of_the_sdk_changes_nothing_for_the_record(
    segments: Segments, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the SDK is broken")

    for part in ("in_subsegment", "put_annotation", "current_subsegment", "clear_trace_entities"):
        monkeypatch.setattr(tracing.recorder(), part, fail)

    with tracing.record(SENT):
        done = True
    with pytest.raises(KeyError), tracing.record(SENT):
        raise KeyError("of the record")

    assert done
    assert os.environ[trace_header.VARIABLE] == INVOCATION


def test_a_batch_is_traced_record_by_record_with_conversation_attempt_and_outcome(
    segments: Segments,
) -> None:
    sent: dict[str, str | None] = {}

    class Tracing(Bench):
        def report(self, record: Record, result: str) -> None:
            sent[record.message_id] = trace_header.current()

        def note(self, record: Record, reason: str) -> None:
            sent[record.message_id] = trace_header.current()

    records = [sqs_record("1", "a"), sqs_record("2", "b", attempt=5), sqs_record("3", "b")]
    for number, record in enumerate(records):
        record["attributes"]["AWSTraceHeader"] = (
            f"Root={ROOT};Parent=000000000000000{number};Sampled=1"
        )
    Tracing({"2": Transient("busy")}).work(*records)

    assert [segment["annotations"] for segment in segments] == [
        {"context": "whatsapp", "conversation": "a", "attempt": 1, "outcome": "done"},
        {
            "context": "whatsapp",
            "conversation": "b",
            "attempt": 5,
            "outcome": "failed",
            "error": "Transient",
            "reason": "busy",
        },
        # The last attempt is over: the message is a dead letter, and its group goes on.
        {"context": "whatsapp", "conversation": "b", "attempt": 1, "outcome": "done"},
    ]
    # Messages sent by a hook, such as a notice of the last failure, also continue the trace.
    assert sent == {
        name: f"Root={ROOT};Parent={segment['id']};Sampled=1"
        for name, segment in zip("123", segments, strict=True)
    }
