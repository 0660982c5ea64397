"""The sandbox as a program: `python -m local.sandbox --port N`; SIGTERM or Ctrl-C stops it."""

import argparse
import logging
import signal
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

from local.sandbox.config import Config
from local.sandbox.server import running


def parse_arguments(arguments: Sequence[str] | None = None) -> Config:
    """Return the config of a command line; invalid arguments end the program with status 2."""
    parser = argparse.ArgumentParser(prog="python -m local.sandbox", description=__doc__)
    parser.add_argument(
        "--port", type=_port, required=True, help="0: a free port, which is printed"
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--aws-endpoint", type=_url, metavar="URL", help="of S3 (media) and SNS (SMS)"
    )
    parser.add_argument(
        "--media-dir",
        type=_folder,
        metavar="DIR",
        help="additional media: files named <media id>.<extension>",
    )
    parser.add_argument("--webhook-url", type=_url, metavar="URL", help="receives status webhooks")
    parser.add_argument("--app-secret", metavar="S", help="signs status webhooks")
    parser.add_argument("--read-receipts", action="store_true", help="also report messages as read")
    parser.add_argument(
        "--richpanel-webhook-url",
        type=_url,
        metavar="URL",
        help="receives the help desk's webhooks",
    )
    parser.add_argument("--richpanel-token", metavar="T", help="token of the help desk's webhooks")
    parser.add_argument(
        "--twilio-auth-token", metavar="T", help="auth token of the account; signs webhooks"
    )
    parser.add_argument("--public-url", type=_url, metavar="URL", help="Parley's public address")
    parser.add_argument(
        "--reached-at", type=_url, metavar="URL", help="the address that serves --public-url"
    )
    parser.add_argument(
        "--sms-topic-arn", metavar="ARN", help="receives SMS messages and events of AWS"
    )
    parser.add_argument("--ses-topic-arn", metavar="ARN", help="receives events of e-mails")
    options = parser.parse_args(arguments)
    if (options.webhook_url is None) != (options.app_secret is None):
        parser.error("--webhook-url and --app-secret go together")
    if (options.richpanel_webhook_url is None) != (options.richpanel_token is None):
        parser.error("--richpanel-webhook-url and --richpanel-token go together")
    if (options.public_url is None) != (options.reached_at is None):
        parser.error("--public-url and --reached-at go together")
    return Config(**vars(options))


def main() -> None:
    """Serve until a signal arrives; prints one line with the address."""
    config = parse_arguments()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with running(config) as sandbox:
        print(f"sandbox: {sandbox.url}", flush=True)
        stop.wait()


def _port(text: str) -> int:
    port = int(text)
    if port not in range(65536):
        raise ValueError
    return port


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError
    return text


def _folder(text: str) -> Path:
    folder = Path(text)
    if not folder.is_dir():
        raise ValueError
    return folder


if __name__ == "__main__":
    main()
