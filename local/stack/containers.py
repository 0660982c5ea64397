"""
Opens the local stack to containers: `sam local invoke --config-env local <function> -e <event>` in samconfig.toml.

SAM knows neither the names of deployed resources nor this machine. `admit` writes both to the files that samconfig.toml
names. The stack listens on the loopback only, so a relay on the address of Docker's bridge gives containers access.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from local.stack import deployment
from local.stack.functions import Function, functions_of
from local.stack.processes import LOCAL, StackError, launch, marked, say, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from local.stack.deployment import Stack

PARAMETERS = LOCAL / "parameters.yaml"
VARIABLES = LOCAL / "variables.json"

_LOOPBACK = "127.0.0.1"
# Variables that `functions_of` sets for a process on this machine.
_OF_THE_PROCESS = {"PATH", "LANG", "PYTHONPATH", "LAMBDA_TASK_ROOT"}
_ENDPOINTS = "AWS_ENDPOINT_URL"
_READY_WITHIN_SECONDS = 30
_ENGINE_ANSWERS_WITHIN_SECONDS = 20


def missing_engine() -> str:
    """Return why no container engine is available; empty if one responds."""
    if shutil.which("docker") is None:
        return "there is no docker command"
    try:
        result = _docker("info", "--format", "{{.ServerVersion}}")
    except subprocess.TimeoutExpired:
        return "docker info does not answer"
    return (result.stderr.strip() or "docker info failed") if result.returncode else ""


def admit(stack: Stack) -> None:
    """
    Write the parameters and variables for `sam local invoke`, and start the relay if a container engine responds.

    Without an engine the addresses are loopback addresses. StackError if the relay cannot start. Repeatable.
    """
    host = address()
    PARAMETERS.write_text(json.dumps(_parameters(stack, host), indent=2) + "\n")  # JSON is YAML
    VARIABLES.write_text(
        json.dumps(variables_for(functions_of(stack).values(), host), indent=2) + "\n"
    )
    ports = [urlsplit(url).port or 80 for url in (stack.aws_endpoint, stack.sandbox_url)]
    if host == _LOOPBACK or all(_listens(host, port) for port in ports):
        return
    command = marked(
        Path(sys.executable), "-m", "local.stack.relay", host, *(str(port) for port in ports)
    )
    process = launch("relay", command, {})
    wait_for("relay", process, lambda: all(_listens(host, p) for p in ports), _READY_WITHIN_SECONDS)
    say(f"containers reach the stack at {host}")


def variables_for(functions: Iterable[Function], host: str) -> dict[str, dict[str, str]]:
    """Return each function's variables by its logical id, with addresses of the loopback replaced by the host's."""
    return {
        function.name: {
            name: text.replace(_LOOPBACK, host)
            for name, text in function.environment.items()
            # In the container Lambda sets all others.
            if not (name in _OF_THE_PROCESS or name.startswith("AWS_"))
            or name.startswith(_ENDPOINTS)
        }
        for function in functions
    }


def _parameters(stack: Stack, host: str) -> dict[str, str]:
    given = deployment.parameters(stack.aws_endpoint, stack.sandbox_url)
    return {name: text.replace(_LOOPBACK, host) for name, text in given.items()}


def address() -> str:
    """Return this machine's address on Docker's default network; the loopback address without an engine."""
    if missing_engine():
        return _LOOPBACK
    result = _docker("network", "inspect", "bridge")
    if result.returncode:
        raise StackError(f"docker network inspect bridge failed:\n{result.stderr}")
    (bridge,) = json.loads(result.stdout)
    network = bridge["IPAM"]["Config"][0]
    # Older engines report the gateway only if it was configured.
    return str(network.get("Gateway") or ip_network(network["Subnet"])[1])


def _docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["docker", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=_ENGINE_ANSWERS_WITHIN_SECONDS,
    )


def _listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0
