"""`make mail FILE=mail.eml TO=support@example.com`: puts a mail into the running local stack, as SES does."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from local.mail.receipt import Verdicts, deliver, received
from local.stack.cli import running_stack
from local.stack.processes import as_program
from local.stack.shutdown import DESCRIPTION


def main() -> int:
    """Deliver the mail and print its key."""
    parser = argparse.ArgumentParser(prog="python -m local.mail", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--to", required=True, help="address of the mailbox")
    parser.add_argument("--dmarc", choices=("pass", "fail", "none"), default="pass")
    parser.add_argument("--spam", choices=("PASS", "GRAY", "FAIL"), default="PASS")
    parser.add_argument("--virus", choices=("PASS", "FAIL"), default="PASS")
    parser.add_argument("--unchecked", action="store_true", help="without the verdicts of SES")
    given = parser.parse_args()
    try:
        raw = given.file.read_bytes()
    except OSError as error:
        parser.error(f"{given.file}: {error.strerror}")
    if not DESCRIPTION.exists():
        parser.error("no local stack is running: `make up` starts one")
    if not given.unchecked:
        verdicts = Verdicts(dmarc=given.dmarc, spam=given.spam, virus=given.virus)
        raw = received(raw, given.to, verdicts)
    with running_stack() as stack:
        print(deliver(stack, raw, given.to.casefold()))
    return 0


if __name__ == "__main__":
    as_program(lambda: sys.exit(main()))
