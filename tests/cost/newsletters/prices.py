"""The price of one issue of a newsletter from its creation to its exports, and the tokens of its model."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from tests.cost import harness
from tests.cost.email_threads.prices import (
    DOLLARS_A_GIGABYTE_OF_LOGS,
    DOLLARS_A_GIGABYTE_SECOND,
    DOLLARS_A_QUEUE_CALL,
    DOLLARS_AN_INVOCATION,
    EXAMPLE,
)
from tests.cost.newsletters.kinds import KINDS
from tests.cost.report import DOLLARS_A_READ_UNIT, DOLLARS_A_WRITE_UNIT
from tests.cost.richpanel.model_calls import STEP, Call
from tests.cost.richpanel.model_calls import markdown as calls_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.cost.harness import Figures, Measured

ISSUES: Final = 1_000
MILLION: Final = 1_000_000
# The measured kinds of each step, and how often an issue has them. A client asks for the state of a job every 5 s.
STEPS: Final[dict[str, dict[str, int]]] = {
    "created": {"its creation": 1, "its topics selected": 1},
    "retrieved": {"25 passages retrieved": 1, "the state of its draft": 2},
    "outline": {"its outline": 1, "the state of its draft": 4, "a whole newsletter": 1},
    "draft": {"its draft of 5 sections": 1, "the state of its draft": 12, "a whole newsletter": 1},
    "edited": {"its draft edited": 3, "a whole newsletter": 1},
    "exported": {"an export": 2, "the state of its draft": 2},
}
# Estimates: seconds and gigabytes of each run. The worker waits for the model 10 s for an outline or a section.
API_RUN: Final = (0.2, 0.5)
RUNS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "retrieved": ((2.0, 1.0),),
    "outline": ((11.0, 1.0),),
    "draft": ((52.0, 1.0),),
    "exported": ((3.0, 1.5), (3.0, 1.5)),
}
DOLLARS_A_CALL: Final = (
    3.5 + DOLLARS_A_WRITE_UNIT
)  # of the REST API, with the rate limit of the key; per million
DOLLARS_A_WRITE_OF_S3: Final = 5.0  # reads cost less


def parts(costs: Mapping[str, Measured[Figures]]) -> dict[str, dict[str, float]]:
    """The $ for a thousand issues by part of the bill, then by step."""
    found: dict[str, dict[str, float]] = {
        name: {}
        for name in ("DynamoDB", "Lambda (estimate)", "S3, at most", "SQS", "REST API", "logs")
    }
    for step, names in STEPS.items():
        spent = [(costs[name], times) for name, times in names.items()]
        calls = sum(names.values())
        dollars = {
            "DynamoDB": sum(
                times
                * (
                    one.figures.write_units * DOLLARS_A_WRITE_UNIT
                    + one.read_units * DOLLARS_A_READ_UNIT
                )
                for one, times in spent
            ),
            "Lambda (estimate)": sum(
                DOLLARS_AN_INVOCATION + seconds * gigabytes * DOLLARS_A_GIGABYTE_SECOND
                for seconds, gigabytes in (*RUNS.get(step, ()), *[API_RUN] * calls)
            ),
            "S3, at most": sum(times * one.figures.s3 for one, times in spent)
            * DOLLARS_A_WRITE_OF_S3,
            "SQS": sum(times * one.figures.sqs for one, times in spent) * DOLLARS_A_QUEUE_CALL,
            "REST API": calls * DOLLARS_A_CALL,
            "logs": sum(times * one.figures.log_bytes for one, times in spent)
            / 1_000
            * DOLLARS_A_GIGABYTE_OF_LOGS,
        }
        for name, a_million in dollars.items():
            found[name][step] = a_million * ISSUES / MILLION
    return found


def dollars_an_issue(costs: Mapping[str, Measured[Figures]]) -> float:
    """The $ for one issue, without the model's tokens."""
    return sum(sum(part.values()) for part in parts(costs).values()) / ISSUES


def markdown(costs: Mapping[str, Measured[Figures]], tokens: Mapping[str, tuple[int, int]]) -> str:
    """The tables for docs/costs.md."""
    bill, steps = parts(costs), list(STEPS)
    rows = [[name, *_row(found, steps)] for name, found in bill.items()]
    total = {step: sum(found[step] for found in bill.values()) for step in steps}
    rows.append(["**sum**", *_row(total, steps)])
    table = harness.table([f"$ for {ISSUES:,} issues", *steps, "sum"], rows)
    calls = [Call(f"its {name}", *map(_rounded, counted)) for name, counted in tokens.items()]
    issue = INTRODUCTION.format(dollars=dollars_an_issue(costs))
    sending = f"{RECIPIENTS}\n{recipients_markdown()}"
    return f"{issue}\n{table}\n\n{TOKENS}\n{calls_markdown(calls, EXAMPLE)}\n\n{sending}"


def recipients_markdown() -> str:
    """The table of what 1,000 recipients of a new domain cost with all events, by the written figures."""
    rows, kinds = [], {kind.name: kind for kind in KINDS}
    for shown, kind, times, seconds in SENDING:
        one = kinds[kind]
        units = one.figures.write_units * DOLLARS_A_WRITE_UNIT
        units += one.most_reads * DOLLARS_A_READ_UNIT
        queue = one.figures.sqs * DOLLARS_A_QUEUE_CALL
        logs = one.figures.log_bytes / 1_000 * DOLLARS_A_GIGABYTE_OF_LOGS
        run = DOLLARS_AN_INVOCATION + seconds * DOLLARS_A_GIGABYTE_SECOND
        spent = [times * part / MILLION for part in (units, run, queue + logs)]
        rows.append((shown, *spent, sum(spent)))
    rows.append(("mails at SES", 0.0, 0.0, 0.0, RECIPIENTS_OF_ROW * DOLLARS_A_MAIL))
    rows.append(("**sum**", *(sum(float(row[at]) for row in rows) for at in range(1, 5))))
    texts = [[str(name), *(f"{one:.4f}" for one in numbers)] for name, *numbers in rows]
    head = [f"$ for {RECIPIENTS_OF_ROW:,} recipients", "DynamoDB", "Lambda (estimate)"]
    return harness.table([*head, "SQS, logs", "sum"], texts)


def _rounded(tokens: int) -> int:
    return ceil(tokens / STEP) * STEP


def _row(found: Mapping[str, float], steps: Iterable[str]) -> list[str]:
    return [*(f"{found[step]:.2f}" for step in steps), f"{sum(found.values()):.2f}"]


RECIPIENTS_OF_ROW: Final = 1_000
DOLLARS_A_MAIL: Final = 0.0001  # of SES, without attachments
# What is shown, the measured kind, how often 1,000 recipients have it, and the estimated seconds of a gigabyte.
SENDING: Final = (
    ("the issue, ten times to 100 readers", "an issue to 100 readers", 10, 12.0),
    ("deliveries, bounces and complaints", "an event of its mail", 1_005, 0.1),
    ("readers who leave", "a reader who leaves", 10, 0.1),
)
RECIPIENTS: Final = """\
1,000 recipients of a domain in its warm-up, with the delivery or bounce of each mail, five complaints and ten readers
who leave; the mails without attachments:
"""
INTRODUCTION: Final = """\
One issue, with three edits of its draft and two exports, costs about ${dollars:.4f} without the model's tokens:
"""
TOKENS: Final = """\
The tokens of its model, a quarter of the characters of all calls; the scripted model gives the answers. The
price is an example; check the price of your model.
"""
