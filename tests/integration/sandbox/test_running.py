"""Starting and stopping the sandbox, inside a process and as a program."""

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from local.sandbox import Config, running
from local.sandbox.__main__ import parse_arguments
from tests.integration.sandbox.client import MESSAGES, TEXT, Client

PROJECT = Path(__file__).parents[3]


def test_a_stopped_sandbox_leaves_no_thread_and_no_listener() -> None:
    before = set(threading.enumerate())

    with running() as sandbox:
        client = Client(sandbox.url)
        client.post(MESSAGES, TEXT)
        port = int(sandbox.url.rpartition(":")[2])
    client.close()

    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_sandbox_stops_also_when_the_test_fails() -> None:
    before = set(threading.enumerate())

    with pytest.raises(RuntimeError, match="the test failed"), running():
        raise RuntimeError("the test failed")

    assert set(threading.enumerate()) == before


def test_a_sandbox_without_requests_stops_too() -> None:
    with running() as sandbox:
        assert sandbox.sent == []


def test_two_sandboxes_share_no_state() -> None:
    with running() as one, running() as other:
        client = Client(one.url)
        client.post(MESSAGES, TEXT)
        client.close()

        assert (len(one.sent), len(other.sent)) == (1, 0)


def test_a_long_delay_does_not_delay_the_shutdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is sent before the delay is over."""
    statuses: list[int] = []
    recorded = threading.Event()
    with running() as sandbox:
        monkeypatch.setattr(sandbox, "record", lambda _: recorded.set())
        sandbox.faults.add(kind="delay", seconds=60)
        client = Client(sandbox.url)
        caller = threading.Thread(
            target=lambda: statuses.append(client.post(MESSAGES, TEXT).status)
        )
        caller.start()
        assert recorded.wait(timeout=120)

    caller.join()
    client.close()
    assert statuses == [200]


def test_a_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        config = Config(port=taken.getsockname()[1])

        with pytest.raises(OSError, match="in use"), running(config):
            pytest.fail("two servers on one port")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_program_prints_its_address_and_stops_on_a_signal(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "local.sandbox", "--port", "0"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        url = program.stdout.readline().removeprefix("sandbox: ").strip()
        client = Client(url)
        health = client.get("/_health").json()
        client.close()

        program.send_signal(number)
        _, errors = program.communicate(timeout=120)

    assert health["status"] == "ok"
    assert (program.returncode, errors) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "--port"),
        (["--port", "70000"], "--port"),
        (["--port", "x"], "--port"),
        (["--port", "0", "--webhook-url", "http://127.0.0.1:1/"], "go together"),
        (["--port", "0", "--app-secret", "x"], "go together"),
        (["--port", "0", "--richpanel-webhook-url", "http://127.0.0.1:1/"], "go together"),
        (["--port", "0", "--richpanel-token", "x"], "go together"),
        (["--port", "0", "--public-url", "https://parley.example"], "go together"),
        (["--port", "0", "--reached-at", "http://127.0.0.1:1/"], "go together"),
        (["--port", "0", "--webhook-url", "ftp://x", "--app-secret", "x"], "--webhook-url"),
        (["--port", "0", "--aws-endpoint", "localhost:4566"], "--aws-endpoint"),
        (["--port", "0", "--media-dir", "/no/such/folder"], "--media-dir"),
    ],
)
def test_a_wrong_command_line_exits_with_2_and_the_reason(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_arguments(arguments)

    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_the_command_line_becomes_the_config(tmp_path: Path) -> None:
    config = parse_arguments(
        [
            *("--port", "8001", "--host", "0.0.0.0"),  # noqa: S104 - only parsed
            *("--aws-endpoint", "http://127.0.0.1:4566", "--media-dir", str(tmp_path)),
            *("--webhook-url", "http://127.0.0.1:1/hook", "--app-secret", "secret"),
            "--read-receipts",
            *("--richpanel-webhook-url", "http://127.0.0.1:1/desk", "--richpanel-token", "token"),
            *("--public-url", "https://parley.example", "--reached-at", "http://127.0.0.1:1/api"),
            *("--twilio-auth-token", "of-twilio", "--sms-topic-arn", "arn:aws:sns:::sms"),
            *("--ses-topic-arn", "arn:aws:sns:::ses"),
        ]
    )

    assert config == Config(
        port=8001,
        host="0.0.0.0",  # noqa: S104 - as above
        aws_endpoint="http://127.0.0.1:4566",
        media_dir=tmp_path,
        webhook_url="http://127.0.0.1:1/hook",
        app_secret="secret",
        read_receipts=True,
        richpanel_webhook_url="http://127.0.0.1:1/desk",
        richpanel_token="token",
        public_url="https://parley.example",
        reached_at="http://127.0.0.1:1/api",
        twilio_auth_token="of-twilio",
        sms_topic_arn="arn:aws:sns:::sms",
        ses_topic_arn="arn:aws:sns:::ses",
    )
    assert "secret'" not in repr(config)
    assert "'token'" not in repr(config)
    assert "of-twilio" not in repr(config)
