"""List the parked events and dead letters of a deployment, and put them back on their queues."""

import argparse
import json
import sys
from collections.abc import Sequence

from botocore.exceptions import BotoCoreError, ClientError

from operations import arguments
from operations.arguments import Refused, matching
from operations.recovery import conversations, whatsapp
from operations.recovery.port import PutBack, Shown, Unhandled, Wanted
from shared.failures import Transient

MOST_SHOWN = 100
CONTEXTS = {"whatsapp": whatsapp.of_stack, "conversations": conversations.of_stack}


def main(given: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if an event was refused."""
    parser = _parser()
    options = parser.parse_args(given)
    try:
        refused: int = options.run(CONTEXTS[options.context](options.stack), options)
    except (Refused, Transient, ClientError, BotoCoreError) as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return 1
    return 1 if refused else 0


def _parked(events: Unhandled, options: argparse.Namespace) -> int:
    is_waiting = options.state == "waiting"
    wanted = Wanted(company=options.company, reason=options.reason, is_waiting=is_waiting)
    for shown in events.parked(wanted):
        _show(shown, options)
    return 0


def _replay(events: Unhandled, options: argparse.Namespace) -> int:
    if options.over_quota:
        if options.events or options.reason or options.all:
            raise Refused("--over-quota: it takes --company, but no ids, --reason or --all")
    else:
        _check_choice(options, options.events, "event_id", options.reason or options.company)
    refused = 0

    def tell(one: PutBack) -> None:
        nonlocal refused
        refused += one.refused is not None
        if one.columns:
            print(*one.columns, sep="\t")
        else:
            print(f"error: {one.id}: {one.refused}", file=sys.stderr)

    if options.over_quota:
        events.replay_over_quota(options.company, tell)
        return refused
    for event_id in options.events:
        events.replay(event_id, options.company, tell)
    if not options.events:
        events.replay_all(Wanted(company=options.company, reason=options.reason), tell)
    return refused


def _dead_letters(events: Unhandled, options: argparse.Namespace) -> int:
    for shown in events.letters(options.limit):
        _show(shown, options)
    print(_waiting(events), file=sys.stderr)
    return 0


def _redrive(events: Unhandled, options: argparse.Namespace) -> int:
    _check_choice(options, options.letters, "letter_id", given=None)
    told: list[PutBack] = []

    def tell(one: PutBack) -> None:
        told.append(one)
        print(*one.columns, sep="\t")

    events.redrive(options.letters or None, tell)
    missing = set(options.letters) - {one.id for one in told}
    for letter_id in sorted(missing):
        print(f"error: {letter_id}: dead letter not found or in flight", file=sys.stderr)
    print(_waiting(events), file=sys.stderr)
    return len(missing) + sum(one.refused is not None for one in told)


def _check_choice(
    options: argparse.Namespace, ids: Sequence[str], name: str, given: str | None
) -> None:
    """Require either ids, or a filter or --all: never everything by mistake. Raises Refused."""
    if bool(ids) == bool(given or options.all):
        raise Refused(f"{name}: ids, a filter or --all is required, and ids exclude the others")


def _show(shown: Shown, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(shown.facts))
    else:
        print(*(("" if column is None else column) for column in shown.columns), sep="\t")


def _waiting(events: Unhandled) -> str:
    counts = events.waiting().items()
    return ", ".join(f"about {count} in the queue `{queue}`" for queue, count in counts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m operations recovery", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    parked = commands.add_parser("parked", help="list parked events, newest first")
    parked.set_defaults(run=_parked)
    _add_filters(parked)
    parked.add_argument(
        "--state",
        choices=["waiting", "all"],
        default="waiting",
        help="only open events (default), or all stored events",
    )

    again = commands.add_parser("replay", help="put parked events back on the queue")
    again.set_defaults(run=_replay)
    again.add_argument(
        "events",
        nargs="*",
        metavar="event_id",
        type=matching(
            r"[0-9a-f]{64}|[0-9TZ:.-]{24}\.[0-9a-f]{24}", "an event id printed by `parked`"
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

    letters = commands.add_parser("dead-letters", help="list dead letters")
    letters.set_defaults(run=_dead_letters)
    letters.add_argument(
        "--limit",
        type=_limit,
        default=MOST_SHOWN,
        help=f"maximum per queue (default: {MOST_SHOWN})",
    )

    redrive = commands.add_parser("redrive", help="return dead letters to their source queues")
    redrive.set_defaults(run=_redrive)
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
        command.add_argument(
            "--stack",
            required=True,
            type=arguments.stack,
            help="CloudFormation stack, such as parley-prod",
        )
        command.add_argument(
            "--context",
            choices=list(CONTEXTS),
            default="whatsapp",
            help="events of the WhatsApp inbox (default) or of the AI conversations",
        )
    return parser


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
