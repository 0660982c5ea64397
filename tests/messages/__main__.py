"""
`make rules`: how well the rules of the help desk classify the labelled messages, per intent and for Tier 0.

`--write` saves the F1 of each intent in figures.json; the tests fail if a later change loses more than the allowance.
`--wrong` lists the ids of misclassified messages.
"""

from __future__ import annotations

import argparse
import json

from richpanel.classification.taxonomy import Intent
from tests.messages.corpus import HERE, PARTS, read
from tests.messages.measure import Report, measure

FIGURES = HERE / "figures.json"


def main() -> None:
    """Print a table for each part."""
    parser = argparse.ArgumentParser(prog="make rules", description="How well the rules classify.")
    parser.add_argument("--write", action="store_true", help="keep the figures in figures.json")
    parser.add_argument("--wrong", action="store_true", help="list what came out differently")
    options = parser.parse_args()
    reports = {part: measure(read(part)) for part in PARTS}
    for part, report in reports.items():
        print(table(part, report))
        if options.wrong:
            for name, (expected, answer) in report.wrong.items():
                print(f"  {name}: {expected}, came out as {answer}")
    if options.write:
        FIGURES.write_text(json.dumps(kept(reports), indent=1, sort_keys=True) + "\n", "utf-8")


def table(part: str, report: Report) -> str:
    """The figures of a part, one intent a line in the order of the taxonomy."""
    count = sum(each.messages for each in report.by_intent.values())
    lines = [
        f"{part}: {count} messages, F1 macro {report.macro:.3f}, weighted {report.weighted:.3f}, "
        f"five commonest {report.commonest(5):.3f}; Tier 0 missed {len(report.tier0_missed)}, "
        f"false {len(report.tier0_false)}",
        f"  {'intent':30} precision recall    f1 messages",
    ]
    for intent in Intent:
        if intent in report.by_intent:
            each = report.by_intent[intent]
            lines.append(
                f"  {intent:30} {each.precision:9.2f} {each.recall:6.2f} {each.f1:5.2f} {each.messages:8}"
            )
    return "\n".join(lines)


def kept(reports: dict[str, Report]) -> dict[str, dict[str, float]]:
    """The content of figures.json: F1 by part and intent, and `macro`."""
    return {
        part: {"macro": round(report.macro, 4)}
        | {intent: round(each.f1, 4) for intent, each in report.by_intent.items()}
        for part, report in reports.items()
    }


if __name__ == "__main__":
    main()
