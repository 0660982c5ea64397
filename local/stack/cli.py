"""
The local stack: the shipped template, deployed into MiniStack, with the provider sandbox beside it.

    make up | make down | make status
    python -m local.stack.cli run <command ...>     # the stack runs as long as the command
    python -m local.stack.cli beside <command ...>  # the same, but the command starts at once and waits for the stack
    with running_stack() as stack: ...              # the same, from Python

Requires Linux: functions run in MiniStack's interpreter, with the Linux wheels that are built for Lambda.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from events.conversations.twilio import AUTH_TOKEN, PUBLIC_URL
from events.richpanel.samples import TOKEN
from local.stack import containers, environments
from local.stack.builds import build, documents
from local.stack.deployment import Stack, deploy
from local.stack.emulator import ministack
from local.stack.processes import (
    LOCAL,
    ROOT,
    StackError,
    as_program,
    launch,
    marked,
    ours,
    say,
    stopping_on_signals,
    wait_for,
)
from local.stack.seed import logins_text, seed
from local.stack.shutdown import DEPLOYED_FROM, DESCRIPTION, KEPT, shut_down
from local.stack.traces import collector as trace_collector

__all__ = ["APP_SECRET", "Stack", "free_ports", "running_stack", "up"]

# The sandbox signs its status webhooks with it; the demo and the tests write it to the stack's secret.
APP_SECRET = "sample-app-secret-not-a-real-one"

_SANDBOX_WITHIN_SECONDS = 30
_COMMAND_ENDS_WITHIN_SECONDS = 10

# Held exclusively while the stack is looked up, started or stopped; _IN_USE is shared by every process that uses it.
_LOCK = LOCAL / "lock"
_IN_USE = LOCAL / "in-use"

# Below Linux's range for outgoing connections, so that no connection of the stack occupies a server's port.
_PORTS = range(20000, 32000)


@contextlib.contextmanager
def running_stack() -> Iterator[Stack]:
    """
    Provide the stack for the duration of the `with` block.

    Uses a running stack if it responds and was built from the current sources; otherwise replaces it. Stops it at the
    end, unless `make up` started it or another process still uses it, which then stops it.
    StackError if the stack cannot start; then none of its processes is left running.
    """
    LOCAL.mkdir(exist_ok=True)
    stack = None
    with stopping_on_signals(), _IN_USE.open("w") as use:
        try:
            with _alone():
                stack = _find_or_bring_up()
                fcntl.flock(use, fcntl.LOCK_SH)
            yield stack
        finally:
            fcntl.flock(use, fcntl.LOCK_UN)
            if stack:
                with _alone():
                    _stop_unless_wanted()


def up() -> Stack:
    """Start the stack, unless it is running, and leave it running. StackError as above."""
    LOCAL.mkdir(exist_ok=True)
    with stopping_on_signals(), _alone():
        stack = _find_or_bring_up()
        KEPT.touch()
    return stack


def _find_or_bring_up() -> Stack:
    """Return the running stack, else a new one; leaves no process running on failure or interrupt. Needs `_alone`."""
    if stack := _current():
        say("the stack runs already")
        containers.admit(stack)
        return stack
    try:
        return _bring_up()
    except BaseException:
        _stop_unless_wanted()
        raise


def _stop_unless_wanted() -> None:
    if not KEPT.exists() and not _in_use():
        shut_down()


def _bring_up() -> Stack:
    """Replace any running stack by a new one. On failure, parts of it keep running."""
    if sys.platform != "linux":
        raise StackError(
            "The local stack needs Linux: it runs the wheels that are built for Lambda."
        )
    if _in_use():
        raise StackError("Another run uses a stack of other sources: wait for it, or `make down`.")
    if shut_down():
        say("what ran before is out of date or broken: replaced")
    environments.ensure(["sam", "ministack"])
    build.build(build.host_architecture(), build.BUILT)
    sources = _sources()
    port, sandbox_port, trace_port = free_ports(3)
    trace_daemon = trace_collector.start(trace_port)
    endpoint = ministack.start(port, trace_daemon)
    say(f"ministack: {endpoint}")
    stack = deploy(endpoint, f"http://127.0.0.1:{sandbox_port}", trace_daemon)
    _start_sandbox(stack, sandbox_port)
    DESCRIPTION.write_text(json.dumps(dataclasses.asdict(stack), indent=2) + "\n")
    DEPLOYED_FROM.write_text(sources)
    containers.admit(stack)
    return stack


def _start_sandbox(stack: Stack, port: int) -> None:
    command = marked(
        Path(sys.executable),
        *("-m", "local.sandbox", "--port", str(port), "--aws-endpoint", stack.aws_endpoint),
        *("--webhook-url", f"{stack.api_url}/webhooks/whatsapp", "--app-secret", APP_SECRET),
        *("--richpanel-webhook-url", f"{stack.api_url}/webhooks/richpanel"),
        *("--richpanel-token", TOKEN),
        *("--twilio-auth-token", AUTH_TOKEN, "--public-url", PUBLIC_URL),
        *("--reached-at", stack.api_url, "--sms-topic-arn", stack.topics["sms_inbound"]),
        *("--ses-topic-arn", stack.topics["email_events"]),
    )
    environment = {**ministack.CREDENTIALS, "AWS_DEFAULT_REGION": stack.region}
    paths = os.pathsep.join(str(ROOT / part) for part in ("functions", "layers/shared"))
    process = launch("sandbox", command, {"PATH": os.defpath, "PYTHONPATH": paths, **environment})
    health = f"{stack.sandbox_url}/_health"
    wait_for("sandbox", process, lambda: ministack.answers(health), _SANDBOX_WITHIN_SECONDS)
    say(f"sandbox: {stack.sandbox_url}")


def _current() -> Stack | None:
    """Return the running stack if it responds and was built from the current sources."""
    if not DESCRIPTION.is_file() or not DEPLOYED_FROM.is_file():
        return None
    if DEPLOYED_FROM.read_text() != _sources():
        return None  # before the description is read, whose keys may be others
    stack = Stack(**json.loads(DESCRIPTION.read_text()))
    return stack if all(map(ministack.answers, _health_urls(stack))) else None


def _sources() -> str:
    parts = (
        *("template.yaml", "stacks", "functions", "layers", "console"),
        "requirements/ministack.txt",
        *(
            "local/sandbox",
            "local/scripted_model",
            "local/stack/deployment.py",
            "events/richpanel/sample_data.py",
        ),
        "events/conversations/twilio.py",
    )
    return build.digest_of([*(ROOT / part for part in parts), *documents.pages()])


def _health_urls(stack: Stack) -> list[str]:
    return [f"{stack.aws_endpoint}/_ministack/ready", f"{stack.sandbox_url}/_health"]


def free_ports(count: int) -> list[int]:
    """Return free loopback ports; the search starts at a port derived from the process id, to avoid collisions."""
    free = []
    for offset in range(len(_PORTS)):
        port = _PORTS[(os.getpid() * 7 + offset) % len(_PORTS)]
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            free.append(port)
        if len(free) == count:
            return free
    raise StackError("There is no free port.")


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    with _LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another run, which starts or stops the stack")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _in_use() -> bool:
    """Whether a process is inside `running_stack`; call only while holding `_alone`."""
    with _IN_USE.open("w") as use:
        try:
            fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _run(command: list[str]) -> int:
    """Run a command while the stack is running; return its exit code."""
    with running_stack():
        return _end_of(subprocess.Popen(command))


def _run_beside(command: list[str]) -> int:
    """Start a command, then the stack, which runs until the command ends; return the command's exit code."""
    process = subprocess.Popen(command)
    try:
        with running_stack():
            return _end_of(process)
    finally:
        process.terminate()  # It is still running only if the stack could not start.
        process.wait()


def _end_of(process: subprocess.Popen[bytes]) -> int:
    """Return the exit code of a command; terminates it on interrupt."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        # A Ctrl-C has also reached the command, which is ending; a SIGTERM may have reached only this process.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_COMMAND_ENDS_WITHIN_SECONDS)
        process.terminate()
        process.wait()
        raise


def _status() -> str:
    if not (processes := ours()):
        return "The stack is not running."
    stack = _current()
    state = "The stack is running." if stack else "The stack is out of date or does not answer."
    description = DESCRIPTION.read_text() if stack else ""
    return "\n".join(
        [state, *(f"  {number} {line}" for number, line in processes.items()), description]
    )


def main() -> None:
    """Run `up`, `status`, `run <command>` or `beside <command>`; `python -m local.stack.shutdown` stops the stack."""
    match sys.argv[1:]:
        case ["up"]:
            stack = up()
            seed(stack)
            say("the demo companies are registered, which the sample events name")
            say(f"api: {stack.api_url}")
            for line in logins_text(stack).splitlines():
                say(line)
            say(f"description: {DESCRIPTION}; `make down` stops it")
        case ["status"]:
            print(_status())
        case ["run", *command] if command:
            sys.exit(_run(command))
        case ["beside", *command] if command:
            sys.exit(_run_beside(command))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    as_program(main)
