"""The price of a mail from its receipt to its answer, and the tokens of the model that reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from unittest import mock

from email_threads.analysis import model_call
from shared.ai import port as ai
from shared.ai.port import decodable
from shared.ai.providers.model_creation import model_for
from tests.cost import harness
from tests.cost.report import DOLLARS_A_READ_UNIT, DOLLARS_A_WRITE_UNIT
from tests.cost.richpanel.model_calls import Price, call_of
from tests.cost.richpanel.model_calls import markdown as calls_markdown
from tests.simulation.email_threads.system import ASSISTED, mail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shared.ai.providers.model_creation import ModelDependencies
    from shared.ai.settings import ModelSettings
    from tests.cost.harness import Figures, Measured
    from tests.cost.richpanel.model_calls import Call
    from tests.simulation.email_threads.system import System

# The measured events of each step.
STEPS: Final = {
    "received": ("a further mail",),
    "analysed": ("its analysis, with a draft",),
    "approved": ("its approval",),
    "sent": ("its send", "SES reports: sent", "SES reports: delivered"),
}
# $ per million in us-east-1: list prices without free tiers.
SES: Final = {"received": 100.0, "sent": 100.0}  # files in mails that are sent: $0.12 a GB more
SES_STORES: Final = {"received": 5.0}  # its own PutObject
SNS: Final = {"sent": 1.0}  # two events
API: Final = {"approved": 3.5 + DOLLARS_A_WRITE_UNIT}  # with the rate limit of the key
DOLLARS_A_QUEUE_CALL: Final = 0.5
DOLLARS_A_READ_OF_S3: Final = 0.4
DOLLARS_A_GIGABYTE_OF_LOGS: Final = 0.5
DOLLARS_AN_INVOCATION: Final = 0.2
DOLLARS_A_GIGABYTE_SECOND: Final = 13.3334  # arm64
# Estimates: seconds and gigabytes of each run. A run waits for the model.
RUNS: Final = {
    "received": ((0.1, 0.25), (0.3, 0.5)),
    "analysed": ((5.0, 0.5),),
    "approved": ((0.15, 0.5),),
    "sent": ((0.5, 0.5), (0.1, 0.25), (0.1, 0.5), (0.1, 0.25), (0.1, 0.5)),
}
# Of a model; an example: see docs/connect/richpanel.md.
EXAMPLE: Final = Price(tokens_in=1, tokens_out=5)
LONGEST_TEXT: Final = 4_000  # characters of a mail that the model is shown
MAILS: Final = 10  # that it is shown


def parts(costs: Mapping[str, Measured[Figures]]) -> dict[str, dict[str, float]]:
    """The $ per million mails by part of the bill, then by step."""
    found: dict[str, dict[str, float]] = {
        "SES": dict(SES),
        "DynamoDB": {},
        "Lambda (estimate)": {},
        "S3": dict(SES_STORES),
        "SQS, SNS": dict(SNS),
        "REST API": dict(API),
        "logs": {},
    }
    for step, names in STEPS.items():
        spent = [costs[name] for name in names]
        figures = [one.figures for one in spent]
        written = sum(one.write_units for one in figures) * DOLLARS_A_WRITE_UNIT
        read = sum(one.read_units for one in spent) * DOLLARS_A_READ_UNIT
        found["DynamoDB"][step] = written + read
        found["Lambda (estimate)"][step] = sum(
            DOLLARS_AN_INVOCATION + seconds * gigabytes * DOLLARS_A_GIGABYTE_SECOND
            for seconds, gigabytes in RUNS[step]
        )
        of_queues = sum(one.sqs for one in figures) * DOLLARS_A_QUEUE_CALL
        found["SQS, SNS"][step] = found["SQS, SNS"].get(step, 0) + of_queues
        of_bucket = sum(one.s3 for one in figures) * DOLLARS_A_READ_OF_S3
        found["S3"][step] = found["S3"].get(step, 0) + of_bucket
        logged = sum(one.log_bytes for one in figures) / 1_000
        found["logs"][step] = logged * DOLLARS_A_GIGABYTE_OF_LOGS
    return found


def markdown(costs: Mapping[str, Measured[Figures]]) -> str:
    """The table for docs/costs.md."""
    bill = parts(costs)
    steps = list(STEPS)
    rows = [[name, *_row(found, steps)] for name, found in bill.items()]
    total = {step: sum(found.get(step, 0) for found in bill.values()) for step in steps}
    rows.append(["**sum**", *_row(total, steps)])
    table = harness.table(["$ for a million mails", *steps, "sum"], rows)
    return f"{INTRODUCTION}\n{table}"


def _row(found: Mapping[str, float], steps: Iterable[str]) -> list[str]:
    return [*(f"{found.get(step, 0):.2f}" for step in steps), f"{sum(found.values()):.2f}"]


INTRODUCTION: Final = """\
A mail from its receipt to its answer, in a thread of 11 mails or more, without the model's tokens and without files:
"""


@dataclass(slots=True)
class Counting:
    """A model that counts the characters of its requests and answers; *model* gives the answers."""

    model: ai.Model
    characters: list[tuple[int, int]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        schema = request.schema
        assert schema is not None, "a call without a schema has other costs"
        answer = self.model.reply(request)
        sent = [request.system, json.dumps(decodable(schema.schema))]
        sent += [turn.text for turn in request.history if isinstance(turn, ai.Message)]
        self.characters.append((sum(map(len, sent)), len(answer.text)))
        return answer


def tokens(system: System, text: str) -> list[Call]:
    """The tokens of the analysis of mails of this text, and of the longest ones."""
    usual, longest = _read(system, text), _read(system, (text * 9)[:LONGEST_TEXT])
    return [
        call_of("first mail, of 600 characters", usual[:1]),
        call_of("10th mail and later, of 600 characters", usual[-1:]),
        call_of("10th mail and later, of 4,000 characters or more", longest[-1:]),
    ]


def _read(system: System, text: str) -> list[tuple[int, int]]:
    """The characters of each analysis in a thread of ten mails."""
    system.reset()
    counted: list[tuple[int, int]] = []

    def counting(settings: ModelSettings, deps: ModelDependencies, company_id: str) -> Counting:
        return Counting(model_for(settings, deps, company_id), counted)

    with mock.patch.object(model_call, "model_for", counting):
        for number in range(MAILS):
            system.clock.sleep(60)
            answered = f"t-{number - 1}@x" if number else ""
            raw = mail(f"t-{number}@x", text, to=ASSISTED, in_reply_to=answered)
            system.deliver(raw, name=f"t-{number}", address=ASSISTED)
            system.drain()
    assert len(counted) == MAILS
    return counted


def tokens_markdown(calls: Iterable[Call]) -> str:
    """The table of the model's tokens for docs/costs.md."""
    return f"{TOKENS}\n{calls_markdown(calls, EXAMPLE)}\n"


TOKENS: Final = """\
The model reads the newest mail with the nine before it, 4,000 characters of each at most. Its tokens are a quarter of
the characters, as at the [help desk](connect/richpanel.md), and a scripted model gives the answers: a reply of
600 characters adds 150 tokens. The price is an example; check the price of your model.
"""
