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
    """The config that a command line asks for; a wrong one ends the program with 2."""
    parser = argparse.ArgumentParser(prog="python -m local.sandbox", description=__doc__)
    parser.add_argument("--port", type=_port, required=True, help="0 chooses one and prints it")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--aws-endpoint", type=_url, metavar="URL", help="where S3 is, for media")
    parser.add_argument(
        "--media-dir",
        type=_folder,
        metavar="DIR",
        help="more media: files called <media id>.<extension>",
    )
    parser.add_argument("--webhook-url", type=_url, metavar="URL", help="takes status webhooks")
    parser.add_argument("--app-secret", metavar="S", help="signs them")
    parser.add_argument("--read-receipts", action="store_true", help="customers read what they get")
    parser.add_argument("--richpanel-webhook-url", type=_url, metavar="URL", help="takes messages")
    parser.add_argument("--richpanel-token", metavar="T", help="goes with them")
    parser.add_argument("--twilio-auth-token", metavar="T", help="of the account; signs webhooks")
    parser.add_argument("--public-url", type=_url, metavar="URL", help="what Parley calls itself")
    parser.add_argument("--reached-at", type=_url, metavar="URL", help="where that really is")
    parser.add_argument("--sms-topic-arn", metavar="ARN", help="takes what AWS says of SMS")
    given = parser.parse_args(arguments)
    if (given.webhook_url is None) != (given.app_secret is None):
        parser.error("--webhook-url and --app-secret go together")
    if (given.richpanel_webhook_url is None) != (given.richpanel_token is None):
        parser.error("--richpanel-webhook-url and --richpanel-token go together")
    if (given.public_url is None) != (given.reached_at is None):
        parser.error("--public-url and --reached-at go together")
    return Config(**vars(given))


def main() -> None:
    """Serve until told to stop; prints one line with the address."""
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
