"""
`python -m tests.redaction [SEED]`: scores the redaction, by kind.

A hit is a string with exactly the expected result: secrets masked in the notation of their kind, all other text
unchanged.
"""

import sys

from shared.runtime.redaction import redact
from tests.redaction.corpus import HIDDEN, SEED, figures, part_wrong
from tests.redaction.left_alone import LEFT_ALONE


def main() -> None:
    """Print the table and the failed cases."""
    found = figures(redact, int(sys.argv[1]) if len(sys.argv) > 1 else SEED)
    for title, kinds in (("hidden", HIDDEN), ("left alone", LEFT_ALONE)):
        print(f"{title:<36}strings  wrong   right")
        for kind in kinds:
            count, wrong = found[kind].count, len(found[kind].wrong)
            print(f"  {kind:<34}{count:>7}{wrong:>7}{1 - wrong / count:>8.1%}")
    print(f"recall {1 - part_wrong(found, HIDDEN):.2%}")
    print(f"false positives {part_wrong(found, LEFT_ALONE):.2%}")
    for figure in found.values():
        for case, out in figure.wrong:
            print(f"{case.kind}: {case.text!r} -> {out!r}")


if __name__ == "__main__":
    main()
