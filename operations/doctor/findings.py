"""The results of checks, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The result of one check of one subject."""

    OK = "ok"
    ACTION = "action needed"
    UNCHECKED = "not checkable"


@dataclass(frozen=True, slots=True)
class Finding:
    """
    The result for one subject, such as a table or a number. *subject* and *text* contain no secret and no address.

    *step* is the next step for an operator, empty if nothing needs to be done.
    """

    status: Status
    subject: str
    text: str
    step: str = ""


def ok(subject: str, text: str) -> Finding:
    """Return the result of a subject that is as it has to be."""
    return Finding(Status.OK, subject, text)


def action(subject: str, text: str, step: str) -> Finding:
    """Return the result of a subject that an operator has to change."""
    return Finding(Status.ACTION, subject, text, step)


def unchecked(subject: str, reason: str, step: str = "") -> Finding:
    """Return the result of a subject that could not be checked; without *step* nothing can be done about it."""
    return Finding(Status.UNCHECKED, subject, reason, step)


def table(rows: Sequence[tuple[str, Finding]]) -> str:
    """Render (check, finding) rows as aligned columns, then the distinct next steps as a numbered list."""
    cells = [("STATUS", "CHECK", "SUBJECT", "RESULT")]
    cells += [(finding.status, check, finding.subject, finding.text) for check, finding in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in cells
    ]
    steps = dict.fromkeys(finding.step for _, finding in rows if finding.step)
    if steps:
        lines += ["", "Next steps:"]
        lines += [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    return "\n".join(lines)
