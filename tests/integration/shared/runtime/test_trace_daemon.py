"""Powertools Tracer and X-Ray's SDK as a function uses them, in a separate process, with a test daemon."""

import json
import os
import socket
import subprocess
import sys

from local.stack.traces.collector import parsed
from tests.template import ROOT

TRACE = "1-5759e988-bd862e3fe1be46a994272793"
CODE = """
import sys
from shared.runtime import tracing
sent = f"Root={sys.argv[1]};Parent=53995c3f42cd8ad8;Sampled=1"
with tracing.record(sent, conversation="c-1"):
    with tracing.step("send"):
        pass
from aws_xray_sdk.core import patcher
print(sorted(patcher._PATCHED_MODULES))
"""


def test_a_function_writes_its_steps_to_the_daemon_and_patches_no_library() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.settimeout(10)
        variables = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "layers" / "shared"),
            "AWS_XRAY_DAEMON_ADDRESS": f"127.0.0.1:{daemon.getsockname()[1]}",
            "LAMBDA_TASK_ROOT": "/var/task",
            "AWS_LAMBDA_FUNCTION_NAME": "parley-dev-whatsapp-worker",
            "POWERTOOLS_SERVICE_NAME": "whatsapp",
            "POWERTOOLS_TRACE_DISABLED": "false",
            "_X_AMZN_TRACE_ID": "Root=1-67890abc-aaaaaaaaaaaaaaaaaaaaaaaa;Parent=1111111111111111;Sampled=1",
        }
        ran = subprocess.run(  # noqa: S603 - our own interpreter and our own words
            [sys.executable, "-c", CODE, TRACE],
            env=variables,
            capture_output=True,
            text=True,
            check=True,
        )
        step, record = (parsed(daemon.recv(65_535)) or {} for _ in range(2))

    assert ran.stdout.strip() == "[]"
    assert ran.stderr == ""
    assert (record["name"], step["name"]) == ("parley-dev-whatsapp-worker", "send")
    assert record["trace_id"] == step["trace_id"] == TRACE
    assert record["annotations"] == {"context": "whatsapp", "conversation": "c-1"}
    assert not {"metadata", "http", "sql", "cause"} & {*record, *step}, json.dumps(record)
