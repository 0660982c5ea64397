"""
Collects the traces of the local stack: `.local/traces.jsonl`, one segment or subsegment per line.

Stands in for the X-Ray daemon: functions send each segment as one UDP datagram, a line about the format and the JSON
document (X-Ray, "Sending segment documents to the X-Ray daemon"). Each start of the stack begins a new file; it is
kept when the stack ends. `local/stack/traces/report.py` prints it.
"""

import argparse
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from local.stack.processes import LOCAL, launch, marked, wait_for

TRACES = LOCAL / "traces.jsonl"
OLDER = LOCAL / "traces-older.jsonl"
# Beyond it, the file becomes OLDER and replaces the previous one: a load run writes megabytes per minute.
LARGEST_FILE = 32_000_000

_LARGEST_DATAGRAM = 65_535
_READY_WITHIN_SECONDS = 30


def start(port: int) -> str:
    """Start the collector on a free port of the loopback and return its address, as AWS_XRAY_DAEMON_ADDRESS has it."""
    for file in (TRACES, OLDER):
        file.unlink(missing_ok=True)
    arguments = ("-m", "local.stack.traces.collector", "--port", str(port))
    command = marked(Path(sys.executable), *arguments)
    process = launch("trace-collector", command, {"PATH": os.defpath})
    wait_for("trace-collector", process, TRACES.exists, _READY_WITHIN_SECONDS)
    return f"127.0.0.1:{port}"


def collect(server: socket.socket) -> None:
    """Append every segment that the bound socket receives to TRACES; ends with the process."""
    TRACES.touch()  # from now on nothing is lost: `start` waits for the file
    while True:
        segment = parsed(server.recv(_LARGEST_DATAGRAM))
        if segment is None:
            print("ignored: not a segment", flush=True)
            continue
        with TRACES.open("a", encoding="utf-8") as file:
            file.write(json.dumps(segment) + "\n")
        if TRACES.stat().st_size > LARGEST_FILE:
            TRACES.replace(OLDER)


def parsed(datagram: bytes) -> dict[str, Any] | None:
    """Return the segment document of a datagram; None if it is not one."""
    head, _, document = datagram.partition(b"\n")
    try:
        is_json = json.loads(head)["format"] == "json"
        segment = json.loads(document)
    except (ValueError, TypeError, KeyError):
        return None
    return segment if is_json and isinstance(segment, dict) and "trace_id" in segment else None


def main() -> None:
    """Collect until the process is stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", parser.parse_args().port))
        collect(server)


if __name__ == "__main__":
    main()
