"""List the parked events and dead letters of a deployment, and put them back on their queues."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse, matching
from operations.recovery import contexts
from shared.events.recovery import dead_letters, parked_events
from shared.events.recovery.parked_events import Replay
from shared.events.recovery.port import (
    Filter,
    NotFound,
    NotReplayable,
    ParkedStore,
    Position,
    Recovery,
    Unsupported,
)
from shared.events.recovery.views import DeadLetter, ParkedEvent, Redriven, View

MOST_SHOWN = 100


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if an event was refused."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    try:
        refused: int = options.run(contexts.of_stack(options.context, options.stack), options)
    except Unsupported as refusal:
        raise Refused(str(refusal)) from None
    return 1 if refused else 0


def _parked(recovery: Recovery[Any], options: argparse.Namespace) -> int:
    store = recovery.parked
    states = store.waiting if options.state == "waiting" else None
    criteria = Filter(company=_company(options), reason=options.reason, states=states)
    start: Position = None
    while True:
        page, start = parked_events.listed(store, criteria, limit=MOST_SHOWN, start=start)
        for parked in page:
            _show(parked.view, _columns_of_event(parked.view), options)
        if start is None:
            return 0


def _replay(recovery: Recovery[Any], options: argparse.Namespace) -> int:
    company = _company(options)
    if options.over_quota:
        if options.events or options.reason or options.all:
            raise WrongUse("--over-quota: it takes --company, but no ids, --reason or --all")
        return _replay_over_quota(recovery.parked, company)
    _check_choice(options, options.events, "event_id", options.reason or company)
    if not options.events:
        return _replay_all(recovery.parked, Filter(company=company, reason=options.reason))
    refused = 0
    for event_id in options.events:
        try:
            _print_replay(parked_events.replay(recovery.parked, event_id, company))
        except (NotFound, NotReplayable) as refusal:
            refused += 1
            print(f"error: {event_id}: {refusal}", file=sys.stderr)
    return refused


def _replay_all(store: ParkedStore[Any], criteria: Filter) -> int:
    refused = 0

    def report(replay: Replay) -> None:
        nonlocal refused
        refused += replay.refused is not None
        _print_replay(replay)

    start = parked_events.replay_all(store, criteria, limit=MOST_SHOWN, report=report)
    while start is not None:
        start = parked_events.replay_all(
            store, criteria, limit=MOST_SHOWN, start=start, report=report
        )
    return refused


def _replay_over_quota(store: ParkedStore[Any], company: str | None) -> int:
    refused = 0
    for event, refusal in parked_events.replay_over_quota(store, company):
        refused += refusal is not None
        print(event.key, f"refused: {refusal}" if refusal else "replayed", sep="\t")
    return refused


def _dead_letters(recovery: Recovery[Any], options: argparse.Namespace) -> int:
    listed = dead_letters.listed(recovery.dead_letters, limit=options.limit)
    for letter in listed.letters:
        _show(letter, _columns_of_letter(letter), options)
    _print_waiting(listed.waiting)
    return 0


def _redrive(recovery: Recovery[Any], options: argparse.Namespace) -> int:
    _check_choice(options, options.letters, "letter_id", chosen_filter=None)
    reported: list[Redriven] = []

    def report(redriven: Redriven) -> None:
        reported.append(redriven)
        result = f"refused: {redriven.refused}" if redriven.refused else "redriven"
        print(
            redriven.id,
            redriven.destination or redriven.queue,
            result,
            redriven.correlation_id or "",
            sep="\t",
        )

    queues, ids = recovery.dead_letters, options.letters or None
    dead_letters.redrive(queues, ids=ids, limit=sys.maxsize, report=report)
    missing = set(options.letters) - {redriven.id for redriven in reported}
    for letter_id in sorted(missing):
        print(f"error: {letter_id}: dead letter not found or in flight", file=sys.stderr)
    _print_waiting(dead_letters.waiting(queues))
    return len(missing) + sum(redriven.refused is not None for redriven in reported)


def _company(options: argparse.Namespace) -> str | None:
    """Return the company of the filter. Raises WrongUse where events carry none."""
    if options.context == "richpanel" and options.company:
        raise WrongUse(
            "--company: a deployment serves one help desk, and its events carry no company"
        )
    company: str | None = options.company
    return company


def _check_choice(
    options: argparse.Namespace, ids: Sequence[str], name: str, chosen_filter: str | None
) -> None:
    """Require either ids, or a filter or --all: never everything by mistake. Raises WrongUse."""
    if bool(ids) == bool(chosen_filter or options.all):
        raise WrongUse(f"{name}: ids, a filter or --all is required, and ids exclude the others")


def _columns_of_event(event: ParkedEvent) -> tuple[object, ...]:
    return (
        event.event_id, event.state, event.reason, event.kind, event.company, event.phone or event.source,
        event.received_at or event.parked_at,
        f"replayed {event.replayed_at}" if event.replayed_at else None,
        f"parked again {event.parked_again_at}" if event.parked_again_at else None,
    )  # fmt: skip


def _columns_of_letter(letter: DeadLetter) -> tuple[object, ...]:
    return (
        letter.id, letter.queue, letter.reason, letter.kind, letter.source, letter.correlation_id,
        f"{letter.attempts} attempts" if letter.attempts else None, f"dead since {letter.dead_since}",
        f"redriven {letter.redriven_at}" if letter.redriven_at else None,
    )  # fmt: skip


def _show(view: View, columns: Sequence[object], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(view.model_dump(mode="json", by_alias=True, exclude_none=True)))
    else:
        print(*("" if column is None else column for column in columns), sep="\t")


def _print_replay(replay: Replay) -> None:
    event = replay.event
    result = f"refused: {replay.refused}" if replay.refused else event.state
    print(event.event_id, result, event.reason or "", event.correlation_id or "", sep="\t")


def _print_waiting(counts: dict[str, int]) -> None:
    text = ", ".join(f"about {count} in the queue `{queue}`" for queue, count in counts.items())
    print(text, file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations recovery", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")

    parked = arguments.sub_command(commands, "parked", _parked, "list parked events, newest first")
    _add_filters(parked)
    parked.add_argument(
        "--state",
        choices=["waiting", "all"],
        default="waiting",
        help="only open events (default), or all stored events",
    )

    again = arguments.sub_command(
        commands, "replay", _replay, "put parked events back on the queue"
    )
    again.add_argument(
        "events",
        nargs="*",
        metavar="event_id",
        type=matching(
            r"[0-9a-f]{64}|[0-9TZ:.-]{24}\.[0-9a-f]{24}|evt:rp:[!-~]{3,300}",
            "an event id printed by `parked`",
        ),
        help="event id, as printed by `parked`",
    )
    _add_filters(again)
    again.add_argument("--all", action="store_true", help="all open events")
    again.add_argument(
        "--over-quota",
        action="store_true",
        help="events above the quota of their company, which `parked` does not list",
    )

    letters = arguments.sub_command(commands, "dead-letters", _dead_letters, "list dead letters")
    letters.add_argument(
        "--limit",
        type=_limit,
        default=MOST_SHOWN,
        help=f"maximum per queue (default: {MOST_SHOWN})",
    )

    redrive = arguments.sub_command(
        commands, "redrive", _redrive, "return dead letters to their source queues"
    )
    redrive.add_argument(
        "letters",
        nargs="*",
        metavar="letter_id",
        type=matching(r"[0-9a-f-]{36}", "a message id of SQS"),
        help="message id, as printed by `dead-letters`",
    )
    redrive.add_argument("--all", action="store_true", help="all dead letters")
    for command in (parked, letters):
        command.add_argument("--json", action="store_true", help="print one JSON object per line")
    for command in (parked, again, letters, redrive):
        arguments.add_stack(command)
        command.add_argument(
            "--context",
            choices=list(contexts.OUTPUTS),
            default="whatsapp",
            help="events of the WhatsApp inbox (default), the AI conversations or the help desk",
        )
    return own


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reason",
        type=matching(r"[A-Za-z0-9_]{1,64}", "a reason, such as unknown_phone"),
        help="only events parked for this reason",
    )
    parser.add_argument("--company", type=arguments.company, help="only events of this company")


def _limit(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= MOST_SHOWN:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_SHOWN}")
    return int(text)
