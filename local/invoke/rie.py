"""
Runs a built function under AWS's own runtime interface emulator, without a container.

    python -m local.invoke.rie WhatsAppWebhook events/whatsapp/text.json

The emulator is in the SAM CLI's package. Cold start, timeouts, error responses and the response size limit are
Lambda's; it has no memory limit and no read-only disk. It handles one event at a time. The stack stands in for AWS; if
it is not running, the command starts it with the demo company.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import secrets
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.stack import environments
from local.stack.builds import build
from local.stack.cli import free_ports, running_stack
from local.stack.functions import Function, functions_of
from local.stack.processes import LOGS, MARK, as_program, launch, stop, wait_for
from local.stack.seed import seed

if TYPE_CHECKING:
    from collections.abc import Iterator

_READY_WITHIN_SECONDS = 30
_LONGEST_INVOCATION_SECONDS = 120
_PATH = "/2015-03-31/functions/function/invocations"
_INIT = re.compile(r"INIT REPORT\(durationMs: ([\d.]+)")
_INVOKED = re.compile(r"INVOKE RTDONE\(status: success, .*duration: ([\d.]+)ms\)")


@dataclass(frozen=True)
class Runtime:
    """A function that waits for events; its environment starts with the first one."""

    log: Path
    port: int

    def invoke(self, event: object) -> Any:  # noqa: ANN401 - any response of the function
        """Send an event and return the response; for a failure it is {errorType, errorMessage, ...}, as on AWS."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=_LONGEST_INVOCATION_SECONDS
        )
        with contextlib.closing(connection):
            # As Lambda does; the emulator creates no trace.
            trace = f"Root=1-{int(time.time()):08x}-{secrets.token_hex(12)}"
            header = f"{trace};Parent={secrets.token_hex(8)};Sampled=1"
            connection.request(
                "POST", _PATH, body=json.dumps(event), headers={"X-Amzn-Trace-Id": header}
            )
            return json.loads(connection.getresponse().read() or b"null")

    def init_ms(self) -> float:
        """Return the duration of the cold start in milliseconds; available after the first event."""
        (took,) = _INIT.findall(self.log.read_text())
        return float(took)

    def invocations_ms(self) -> list[float]:
        """Return the durations of the successful events in ms, without the cold start; complete once it has stopped."""
        return [float(took) for took in _INVOKED.findall(self.log.read_text())]


@contextlib.contextmanager
def running(function: Function) -> Iterator[Runtime]:
    """Run the function under the emulator until the block ends."""
    port, runtime_port = free_ports(2)
    name = f"rie-{function.name}"
    command = [
        str(_emulator()),
        *("--runtime-interface-emulator-address", f"127.0.0.1:{port}"),
        *("--runtime-api-address", f"127.0.0.1:{runtime_port}"),
        *(str(environments.python_of("sam")), "-X", MARK, "-m", "awslambdaric", function.handler),
    ]
    process = launch(name, command, function.environment)
    try:
        wait_for(name, process, lambda: _listens(port), _READY_WITHIN_SECONDS)
        yield Runtime(LOGS / f"{name}.log", port)
    finally:
        stop(process)


def _emulator() -> Path:
    packages = environments.python_of("sam").parent.parent / "lib" / "python3.13" / "site-packages"
    return packages / "samcli" / "local" / "rapid" / f"aws-lambda-rie-{build.host_architecture()}"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def main() -> None:
    """`python -m local.invoke.rie <function> <event file>`: prints the response as JSON."""
    match sys.argv[1:]:
        case [name, event]:
            answer = _invoke_once(name, json.loads(Path(event).read_text(encoding="utf-8")))
            print(json.dumps(answer, indent=2))
        case _:
            sys.exit(__doc__)


def _invoke_once(name: str, event: object) -> Any:  # noqa: ANN401 - any response of the function
    with running_stack() as stack:
        functions = functions_of(stack)
        if name not in functions:
            sys.exit(f"there is no function {name}; there are {', '.join(functions)}")
        seed(stack)
        with running(functions[name]) as runtime:
            return runtime.invoke(event)


if __name__ == "__main__":
    as_program(main)
