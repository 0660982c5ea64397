"""`make trace`: the segments of the local stack, collected and printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from local.stack.processes import StackError
from local.stack.traces import report as traces
from local.stack.traces.collector import parsed

TRACE = "1-5759e988-bd862e3fe1be46a994272793"
OTHER = "1-5759e999-bd862e3fe1be46a994272793"


def segment(name: str, start: float, end: float, **facts: Any) -> dict[str, Any]:
    return {
        "trace_id": TRACE,
        "id": name,
        "name": name,
        "start_time": start,
        "end_time": end,
    } | facts


WEBHOOK = segment("webhook", 1_000.0, 1_000.1)
SEND = segment("send", 1_000.3, 1_000.4, parent_id="worker", annotations={"outcome": "sent"})
WORKER = segment(
    "worker", 1_000.2, 1_000.5, parent_id="webhook", fault=True, annotations={"outcome": "failed"}
)


@pytest.fixture
def collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(traces, "TRACES", tmp_path / "traces.jsonl")
    monkeypatch.setattr(traces, "OLDER", tmp_path / "older.jsonl")
    return tmp_path


def write(file: Path, *segments: dict[str, Any]) -> None:
    file.write_text("".join(json.dumps(one) + "\n" for one in segments))


def test_a_waterfall_shows_each_segment_below_its_parent_in_any_order_of_arrival(
    collected: Path,
) -> None:
    write(collected / "older.jsonl", SEND)
    write(collected / "traces.jsonl", WORKER, WEBHOOK)

    assert traces.shown([TRACE]).splitlines() == [
        f"trace {TRACE}, 00:16:40.000, 500 ms",
        "     0 ms    100 ms |=====                   | webhook",
        "   200 ms    300 ms |         ============== |   worker FAULT  outcome=failed",
        "   300 ms    100 ms |              =====     |     send  outcome=sent",
    ]


def test_nested_subsegments_orphans_and_an_incomplete_line_are_handled(
    collected: Path,
) -> None:
    write(collected / "traces.jsonl", WORKER | {"subsegments": [SEND | {"parent_id": "worker"}]})
    with (collected / "traces.jsonl").open("a") as file:
        file.write('{"trace_id": "1-')

    names = [line.split("|")[2].split()[0] for line in traces.shown([TRACE]).splitlines()[1:]]
    assert names == ["worker", "send"]


def test_without_an_id_the_newest_traces_are_listed_the_newest_last(collected: Path) -> None:
    write(
        collected / "traces.jsonl",
        segment("new", 2_000.0, 2_001.0) | {"trace_id": OTHER},
        *(WEBHOOK, WORKER, SEND),
    )

    assert traces.shown([]).splitlines() == [
        f"{TRACE}  00:16:40.000    500 ms   3  webhook > worker > send",
        f"{OTHER}  00:33:20.000  1,000 ms   1  new",
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["4711"], f"ID is not a trace id, such as {TRACE}"),
        ([OTHER], f"There is no trace {OTHER}; `make trace` lists the newest"),
        ([TRACE, OTHER], "Give one trace id"),
    ],
)
def test_an_invalid_id_is_refused_with_instructions(
    collected: Path, arguments: list[str], problem: str
) -> None:
    write(collected / "traces.jsonl", WEBHOOK)

    with pytest.raises(StackError, match=problem):
        traces.shown(arguments)


def test_without_a_stack_there_are_no_traces(collected: Path) -> None:
    with pytest.raises(StackError, match="make up"):
        traces.shown([])


@pytest.mark.parametrize(
    "datagram",
    [
        b"",
        b"hello",
        b'{"format": "xml"}\n{"trace_id": "1"}',
        b'{"format": "json"}\n{"id": "1"}',
        b'{"format": "json"}\nnull',
        b'["format"]\n{}',
        b"\xff\n{}",
    ],
)
def test_the_collector_ignores_data_that_is_not_a_segment(datagram: bytes) -> None:
    assert parsed(datagram) is None


def test_the_collector_accepts_the_format_of_the_sdk() -> None:
    datagram = b'{"format":"json","version":1}\n' + json.dumps(WEBHOOK).encode()

    assert parsed(datagram) == WEBHOOK
