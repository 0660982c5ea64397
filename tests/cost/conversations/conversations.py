"""
Costs of conversations of several lengths: kinds of events, figures, measurement.

Every worker processes one record at a time here, so each pays for a receive and a delete of its own. Write units are
counted by table: *item* is the conversation's own, stored seven times with its index entries; *rest* is the log table
with ledger, markers and caps.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from conversations.outbound.compose.content import memory
from events.conversations import sample_data
from shared.runtime import clock
from tests.cost import harness
from tests.cost.conversations import questions
from tests.cost.harness import Measured, pricing_of
from tests.cost.units.meter import metered, unlogged
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    model_answer,
    model_says,
    with_model,
)
from tests.simulation.conversations.scenarios import (
    run_begins,
    sends_pictures,
    with_set,
    with_trial,
)
from tests.simulation.conversations.system import NOON_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.cost.units.dynamodb import Pricing
    from tests.cost.units.meter import Metered
    from tests.simulation.conversations.system import Snapshot, System

LENGTHS = (1, 10, 100)
SHORT = 10
# So many messages are really sent. Older ones than window and prompt are only written to the tables.
REALLY_SAID = 60
# Rare enough to reach no cap on answers, and an answer with every optional value.
PAUSE_SECONDS = 30 * 60
DAY_MS = 24 * clock.HOUR_MS
QUESTION = "Which shift is it?"
BOB = "+447700900456"

# Actions, and the functions that process them.
type Steps = Callable[[System], None]


@dataclass(frozen=True, slots=True)
class Figures:
    """
    The costs of one event. The first two are write units; *requests* are those to AWS, *sqs* the part of them to
    queues. *log_bytes* are an upper bound for log and metrics (EMF); the other figures are exact.
    """

    item: int
    rest: int
    requests: int
    sqs: int
    log_lines: int
    metric_lines: int
    log_bytes: int


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of event: the unmeasured set-up *before*, and the measured *steps*.

    *young* are the figures that differ in a conversation of one message, whose first answer changes the status; *short*
    those that differ in one of up to ten, all of which the model reads.
    """

    name: str
    steps: Steps
    figures: Figures
    most_reads: float
    before: Steps = lambda _: None
    young: Mapping[str, int] = field(default_factory=dict)
    short: Mapping[str, int] = field(default_factory=dict)

    def at(self, length: int) -> dict[str, int]:
        """The figures by name in a conversation of this length."""
        differing = {
            **(self.short if length <= SHORT else {}),
            **(self.young if length == 1 else {}),
        }
        return {**asdict(self.figures), **differing}


def _asks(system: System) -> None:
    status, answer = system.ask(sample_data.request("sms", "req-2"))
    assert status == 200, answer


def _works(system: System) -> None:
    system.drain()


def _writes(system: System) -> None:
    system.text("last", QUESTION)
    system.run_intake()


def _question(number: int) -> str:
    """A question as long as the usual one: agents answer a customer who asks the same again and again."""
    return f"Which shift is n{number}?"


def _unlike(number: int) -> str:
    """A question that is about nothing else than its number: many of them are not the same one again."""
    return f"Is n{number} far?"


def _says_three(system: System) -> None:
    for name, text in (("one", "Hello"), ("two", "one thing"), ("three", QUESTION)):
        system.text(name, text)
    system.drain()


def _stops(system: System) -> None:
    system.text("stop", "STOP")
    system.drain()


def _sends_a_picture(system: System) -> None:
    sends_pictures(system, "picture", 1)
    system.drain()


def _with_long_answers(system: System) -> None:
    """The model's answer needs three messages, also after its repair."""
    with_model(system)
    channels = sample_data.project()["channel_config"]
    system.change(channel_config=channels | {"sms": channels["sms"] | {"max_segments": 1}})
    _writes(system)
    long = model_answer(" ".join(f"It is the night shift{' so' * 40}." for _ in range(3)))
    model_says(system, long, long)


def _with_voice_notes(system: System) -> None:
    speech = {"provider": "openai", "api_key_reference": OPENAI_SECRET_ID}
    with_model(system, transcription=speech)


def _says_aloud(system: System) -> None:
    system.sandbox.openai.transcripts.append(QUESTION)
    model_says(system, model_answer("It is the night shift."))
    sends_pictures(system, "voice", 1, "audio/ogg")
    system.drain()


def _with_memory(system: System) -> None:
    """The next answer is the one after which the memory is renewed."""
    with_model(system)
    while len(system.log(_ref(system))) < memory.WINDOW - 2:
        system.clock.sleep(PAUSE_SECONDS)
        model_says(system, model_answer("It is not."))
        system.text(f"more {system.clock.ms}", _unlike(system.clock.ms))
        system.drain()
    system.change(memory={"summary": True})
    _writes(system)
    model_says(system, model_answer("It is the night shift."))
    model_says(system, json.dumps({"summary": "Ann asks about shifts.", "facts": []}))


def _with_follow_ups(system: System) -> None:
    """A follow-up is due, and the schedule has enqueued it."""
    system.change(
        follow_ups=[{"after_hours": 1, "text": "Are you still there?"}],
        policy={"initiated_per_day": 9, "initiated_per_week": 9},
    )
    _writes(system)
    _works(system)
    system.advance(clock.HOUR_MS)
    system.sweep()


def _with_a_question(system: System) -> None:
    """A conversation was closed, and the schedule has enqueued the question how satisfied the customer is."""
    system.change(satisfaction={"after_minutes": 60})
    _writes(system)
    _works(system)
    system.call_admin_api("POST /conversations/{ref}/close", {}, ref=_ref(system))
    system.advance(clock.HOUR_MS)
    system.sweep()


def _status(word: str) -> Steps:
    """Twilio reports a status of the newest message to Ann."""

    def steps(system: System) -> None:
        sid = system.log(_ref(system))[-1]["provider_message_id"]
        sent = system.row("log", f"OUT#twilio#{sid}", "#")
        assert sent
        system.status(sid, word, sent["action_id"])
        system.drain()

    return steps


def _status_later(system: System) -> None:
    """The same status again, after the queue's deduplication interval."""
    system.clock.sleep(6 * 60)
    _status("delivered")(system)


def _with_shadow(system: System) -> None:
    """A version in shadow, which is asked after the answer."""
    with_trial(mode="shadow", most_answers=5)(system)
    _warm_up(system)
    _writes(system)


def _with_run(system: System) -> None:
    with_set(system)
    run_begins(system)


def _writes_into_the_largest(system: System) -> None:
    """An item of the largest size: inline project data, and a window of long messages."""
    facts = {f"fact{n}": "x" * 80 for n in range(10)}
    system.begin("sms", request_id="req-3", project_data={**facts, "shift": "nights"})
    for number in range(6):
        system.text(f"long {number}", f"{_question(number)} {'y' * 900}")
        system.drain()
        system.clock.sleep(PAUSE_SECONDS)
    _writes(system)


KINDS = (
    # Figures: WRU (item, rest), requests (all, SQS), lines (log, EMF), their bytes; then read units.
    Kind("a request", _asks, Figures(0, 9, 7, 1, 1, 1, 600), 1),
    Kind("its first message", _works, Figures(32, 16, 32, 2, 2, 1, 1_100), 18, _asks),
    Kind("a message of the customer", _writes, Figures(0, 3, 16, 4, 1, 2, 800), 10),
    Kind("its answer", _works, Figures(14, 14, 36, 2, 2, 1, 1_100), 26, _writes, {"item": 16, "rest": 15}),
    Kind("its answer, in the largest item", _works, Figures(21, 14, 40, 2, 2, 1, 1_100), 30, _writes_into_the_largest),
    Kind("an answer in three messages", _works, Figures(14, 29, 61, 2, 4, 2, 2_200), 43, _with_long_answers,
         {"item": 16, "rest": 30}),
    # A trigger that is held until its time counts as received twice.
    Kind("three fragments, one answer", _says_three, Figures(14, 23, 96, 21, 7, 9, 4_100), 61,
         young={"item": 16, "rest": 24}),
    Kind("status: sent", _status("sent"), Figures(0, 1, 9, 3, 1, 2, 800), 5),
    Kind("status: delivered", _status("delivered"), Figures(0, 1, 9, 3, 1, 2, 800), 5, _status("sent")),
    Kind("status again", _status_later, Figures(0, 1, 11, 3, 1, 2, 800), 6, _status("delivered")),
    Kind("stop, and its confirmation", _stops, Figures(30, 28, 58, 6, 2, 3, 1_300), 36,
         young={"rest": 25}),
    Kind("a picture, and its answer", _sends_a_picture, Figures(14, 20, 72, 12, 4, 4, 2_300), 44,
         young={"item": 16, "rest": 21}),
    Kind("a voice note, and its answer", _says_aloud, Figures(14, 24, 84, 12, 4, 4, 2_300), 52, _with_voice_notes,
         {"item": 16, "rest": 25}),
    Kind("an answer, and a new memory", _works, Figures(14, 19, 50, 2, 3, 1, 1_700), 50, _with_memory,
         short={"requests": 48}),
    Kind("a follow-up, from its queue", _works, Figures(14, 14, 36, 2, 1, 1, 600), 24, _with_follow_ups),
    Kind("a question of satisfaction, from its queue", _works, Figures(14, 20, 43, 2, 1, 1, 600), 30, _with_a_question),
    Kind("an answer, and one in shadow", _works, Figures(14, 26, 61, 5, 4, 2, 2_000), 42.5, _with_shadow,
         {"item": 16, "rest": 27}),
    # The function of the API writes no line of metrics.
    Kind("suggestions of two questions, by meaning", questions.read(2), Figures(0, 3, 13, 0, 2, 0, 900), 11,
         questions.asked(2), {"requests": 14}),
    Kind("suggestions of ten questions, by meaning", questions.read(10), Figures(0, 11, 41, 0, 2, 0, 900), 39,
         questions.asked(10), {"requests": 42}),
    Kind("these ten again", questions.read(10), Figures(0, 0, 29, 0, 1, 0, 400), 38, questions.read_before(10)),
    Kind("a run of two recorded scenarios", _works, Figures(0, 8, 18, 4, 2, 2, 1_000), 12, _with_run),
)  # fmt: skip
WRITTEN_DOWN = {kind.name: kind.figures for kind in KINDS}


# By length of the conversation, then by name of the kind.
type Table = dict[int, dict[str, Measured[Figures]]]


def measure(system: System, lengths: Sequence[int] = LENGTHS) -> Table:
    """The costs of every kind in a conversation of each length."""
    pricing = pricing_of(system, _tables(system))
    found: Table = {}
    with unlogged():
        for length in lengths:
            start = _grown(system, length)
            found[length] = {kind.name: _measured(system, pricing, kind, start) for kind in KINDS}
    return found


def _tables(system: System) -> list[Any]:
    """A table object of each handler; their clients are priced."""
    dependencies = [getattr(module, "deps", module) for module in system.functions.values()]
    places = [getattr(one, "resources", one) for one in dependencies]
    return [place.log for place in places if hasattr(place, "log")]


def _ref(system: System) -> str:
    """Ann's conversation."""
    (ref,) = (
        key[1].removeprefix("CONV#")
        for key, row in system.rows().items()
        if key[2] == "STATE" and f"#{sample_data.CANDIDATE.lstrip('+')}" in row["conversation_id"]
    )
    return ref


def _grown(system: System, length: int) -> Snapshot:
    """A conversation of *length* messages, the last of which is ours."""
    system.reset()
    system.begin("sms")
    for number in range(min(length, REALLY_SAID) // 2):
        system.clock.sleep(PAUSE_SECONDS)
        system.text(f"text {number}", _question(number))
        system.drain()
    ref = _ref(system)
    said = system.log(ref)
    first = clock.from_text(str(said[0]["message_timestamp"]))
    for number in range(length - len(said)):
        like = said[1 + number % 2]
        at = clock.to_text(first - (number + 1) * clock.HOUR_MS)
        sk = f"MSG#{at}#old-{number}"
        system.write(
            "log", {**like, "sk": sk, "message_timestamp": at, "entry_id": f"old-{number}"}
        )
    system.clock.ms += DAY_MS - (system.clock.ms - NOON_MS) % DAY_MS  # within waking hours
    return system.snapshot()


def _measured(system: System, pricing: Pricing, kind: Kind, start: Snapshot) -> Measured[Figures]:
    system.restore(start)
    _warm_up(system)
    kind.before(system)
    return _figures(metered(system, pricing, lambda: kind.steps(system)))


def _warm_up(system: System) -> None:
    """Functions that have read secrets, switches and company data, by turns of another candidate."""
    bob = {"recipient_first_name": "Bob", "recipient_tel": BOB, "comms_consent": True}
    ref = system.begin("sms", request_id="req-0", recipient_data=bob)
    system.text("bob", QUESTION, From=BOB)
    system.drain()
    system.status(system.log(ref)[-1]["provider_message_id"], "sent")
    system.drain()
    system.clock.sleep(1)


def _figures(metered: Metered) -> Measured[Figures]:
    spent: Counter[str] = Counter()
    for call, units in metered.priced:
        is_item = call.partition(" ")[2].startswith(f"{sample_data.COMPANY}#")
        spent["item" if is_item else "rest"] += units.write
    figures = Figures(item=spent["item"], rest=spent["rest"], **metered.requests_and_lines())
    return Measured(figures, metered.read_units)


def differences(measured: Table) -> list[str]:
    """Events whose costs differ from the written figures, at any length; one line each."""
    return harness.differences(KINDS, measured)


def markdown(measured: Table) -> str:
    """The table for docs/costs.md."""
    lengths = list(measured)
    head = ["event", *(f"item at {n:,}" for n in lengths), "rest", "RRU", "requests", "SQS"]
    rows: list[list[object]] = []
    for kind in KINDS:
        spent = [table[kind.name] for table in measured.values()]
        last = spent[-1].figures
        reads = max(one.read_units for one in spent)
        rest = [last.requests, last.sqs, last.log_lines, last.metric_lines]
        longest = max(one.figures.log_bytes for one in spent)
        items = [one.figures.item for one in spent]
        figures = [*items, last.rest, f"{reads:g}", *rest, longest]
        rows.append([kind.name, *figures])
    table = harness.table([*head, "log lines", "EMF lines", "log bytes"], rows)
    return f"{INTRODUCTION}\n{table}\n"


INTRODUCTION = """\
An event of a conversation over SMS: write units (WRU) of the conversation's item, by its number of messages, and of all
other items. The item exists seven times, in its table and in six of its eight indexes. A turn writes it once. Its
newest messages fill the last KB of the item, or one more if that has no room for two short ones. Suggestions compare
the newest 200 questions at most: each further one costs 3.5 read units and 3.5 requests, and when its vector is made a
write unit.
"""
