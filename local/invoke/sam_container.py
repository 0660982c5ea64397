"""
Runs a built function in Lambda's container image, on the local stack: `sam local invoke`.

    python -m local.invoke.sam_container WhatsAppWebhook events/whatsapp/text.json

Requires Docker, or an engine with its API, on Linux. The stack listens on the loopback only, so relays on the address
of Docker's bridge give the container access to it during the run.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from local.invoke.functions import LAYER, functions_of
from local.stack import build
from local.stack.cli import running_stack
from local.stack.processes import LOCAL, StackError, as_program
from local.stack.seed import seed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.invoke.functions import Function
    from local.stack.cli import Stack

TEMPLATE = LOCAL / "container.json"
_IMAGE = "public.ecr.aws/lambda/python:3.13-"
_LOOPBACK = "127.0.0.1"
_CHUNK = 1 << 16
# Variables that `functions_of` sets for a process on this machine; in the container Lambda sets them.
_OF_THE_PROCESS = {"PATH", "LANG", "PYTHONPATH", "LAMBDA_TASK_ROOT"}


def missing_engine() -> str:
    """Return why no container engine is available; empty if one responds."""
    docker = shutil.which("docker")
    if docker is None:
        return "there is no docker command"
    command = [docker, "info", "--format", "{{.ServerVersion}}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stderr.strip() if result.returncode else ""


def invoke(stack: Stack, function: Function, event: Path) -> Any:  # noqa: ANN401 - any response of the function
    """Send the event in a file to a function. Raises StackError with SAM's error output if the container cannot run."""
    with _reachable(stack) as host:
        TEMPLATE.write_text(json.dumps(_template(function, host), indent=2))
        image = f"{_IMAGE}{build.host_architecture()}"
        pulled = ["--skip-pull-image"] if _docker("images", "--quiet", image) else []
        command = build.sam_command(
            *("local", "invoke", function.name, "--template", str(TEMPLATE)),
            *("--event", str(event), "--region", stack.region, *pulled),
        )
        result = subprocess.run(
            command, env=build.sam_environment(), capture_output=True, text=True, check=False
        )
    if result.returncode:
        raise StackError(f"sam local invoke failed:\n{result.stderr[-2_000:]}")
    return json.loads(result.stdout or "null")


def _template(function: Function, host: str) -> dict[str, Any]:
    """
    Return a template of the one function, with the variables of its deployment.

    Not the deployed template: its variables are resource names, which SAM would invent, and it sets no endpoint.
    """
    variables = {
        name: value.replace(_LOOPBACK, host)
        for name, value in function.environment.items()
        if name == "AWS_ENDPOINT_URL" or not (name in _OF_THE_PROCESS or name.startswith("AWS_"))
    }
    properties = {
        "Runtime": "python3.13",
        "Handler": function.handler,
        "CodeUri": str(function.folder),
        "Layers": [{"Ref": "SharedLayer"}],
        "Architectures": [build.host_architecture()],
        "Timeout": int(function.environment["AWS_LAMBDA_FUNCTION_TIMEOUT"]),
        "MemorySize": int(function.environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]),
        "Environment": {"Variables": variables},
    }
    layer = {"ContentUri": str(LAYER.parent), "CompatibleRuntimes": ["python3.13"]}
    return {
        "Transform": "AWS::Serverless-2016-10-31",
        "Resources": {
            function.name: {"Type": "AWS::Serverless::Function", "Properties": properties},
            "SharedLayer": {"Type": "AWS::Serverless::LayerVersion", "Properties": layer},
        },
    }


def _docker(*arguments: str) -> str:
    result = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        raise StackError(f"docker {arguments[0]} failed:\n{result.stderr}")
    return result.stdout.strip()


@contextmanager
def _reachable(stack: Stack) -> Iterator[str]:
    """Yield the address at which containers reach the emulator and the sandbox, on their own ports."""
    (bridge,) = json.loads(_docker("network", "inspect", "bridge"))
    network = bridge["IPAM"]["Config"][0]
    # Older engines report the gateway only if it was configured.
    host = network.get("Gateway") or str(ip_network(network["Subnet"])[1])
    with ExitStack() as relays:
        for url in (stack.aws_endpoint, stack.sandbox_url):
            port = urlsplit(url).port or 80
            relay = relays.enter_context(_Relay((host, port), _Forward))
            threading.Thread(target=relay.serve_forever, daemon=True).start()
            relays.callback(relay.shutdown)
        yield host


class _Relay(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class _Forward(socketserver.BaseRequestHandler):
    """Forwards one connection to the same port of the loopback."""

    def handle(self) -> None:
        """Forward data in both directions until both ends have closed."""
        _, port = self.request.getsockname()
        with socket.create_connection((_LOOPBACK, port)) as inner:
            back = threading.Thread(target=_pass_on, args=(inner, self.request), daemon=True)
            back.start()
            _pass_on(self.request, inner)
            back.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):  # a closed connection at one end closes the other
        while piece := source.recv(_CHUNK):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


def main() -> None:
    """`python -m local.invoke.sam_container <function> <event file>`: prints the response as JSON."""
    match sys.argv[1:]:
        case [name, event]:
            print(json.dumps(_invoke_once(name, Path(event)), indent=2))
        case _:
            sys.exit(__doc__)


def _invoke_once(name: str, event: Path) -> Any:  # noqa: ANN401 - any response of the function
    if why := missing_engine():
        sys.exit(f"no container engine answers: {why}")
    with running_stack() as stack:
        functions = functions_of(stack)
        if name not in functions:
            sys.exit(f"there is no function {name}; there are {', '.join(functions)}")
        seed(stack)
        return invoke(stack, functions[name], event)


if __name__ == "__main__":
    as_program(main)
