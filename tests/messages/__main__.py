"""`make rules`: the decisions without a language model on the held-out messages; WRONG=1 lists the errors."""

from __future__ import annotations

import argparse

from tests.messages.corpus import HELD_OUT, TRAINING, read
from tests.messages.measure import measure


def main() -> None:
    """Print one line for each part, and the errors on request."""
    parser = argparse.ArgumentParser(prog="make rules", description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="list the errors")
    parser.add_argument(
        "--part", action="append", choices=(*HELD_OUT, *TRAINING), help="default: held-out parts"
    )
    options = parser.parse_args()
    for part in options.part or HELD_OUT:
        messages = {each.id: each for each in read(part)}
        report = measure(messages.values())
        print(f"{part}: {report}")
        if options.wrong:
            for kind in ("wrong_replies", "tier0_missed", "tier0_false"):
                for name in getattr(report, kind):
                    expected, found = report.wrong.get(name, (messages[name].intent, "the same"))
                    text = messages[name].message.text.replace("\n", " ")
                    print(f"  {kind}: {expected}, found {found}: {text[:120]}")


if __name__ == "__main__":
    main()
