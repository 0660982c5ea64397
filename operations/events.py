"""List what a deployment could not handle, parked events and dead letters, and put it back on the queue."""

import argparse
import json
import sys
from collections.abc import Sequence

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel

from operations import arguments
from operations.arguments import Refused, matching
from shared.dead_letters import DeadLetters
from shared.dynamodb import Table
from shared.failures import Transient
from shared.objects import Bucket
from shared.queues import FifoQueue
from whatsapp import dead_letters, replay
from whatsapp.reading import NotFound
from whatsapp.replay import NotReplayable, Position, Replay, Wanted
from whatsapp.resources import Depot
from whatsapp.views import DeadLetterView, ParkedView, Redriven, parked_view

PAGE = 100
# Outputs of template.yaml.
TABLE = arguments.TABLE_OF_INBOX
BUCKET = "MediaBucketName"
QUEUE = "WhatsAppQueueUrl"
DEAD_LETTERS = "WhatsAppDeadLettersUrl"
SOCIAL_DEAD_LETTERS = "WhatsAppSocialDeadLettersUrl"
SOCIAL_TOPIC = "WhatsAppSocialTopicArn"


def main(given: Sequence[str] | None = None) -> int:
    """Run the command; its exit code: 1 when something was refused."""
    parser = _parser()
    options = parser.parse_args(given)
    try:
        refused: int = options.run(_depot(options.stack), options)
    except (Refused, Transient, ClientError, BotoCoreError) as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        return 1
    return 1 if refused else 0


def _parked(depot: Depot, options: argparse.Namespace) -> int:
    wanted = Wanted(
        company=options.company,
        reason=options.reason,
        states=replay.WAITING if options.state == "waiting" else None,
    )
    start: Position = None
    while True:
        events, start = replay.parked(depot.table, wanted, limit=PAGE, start=start)
        for event in events:
            view = parked_view(event)
            _show(view, _columns_of_parked(view), options)
        if start is None:
            return 0


def _replay(depot: Depot, options: argparse.Namespace) -> int:
    _check_choice(options, options.events, "event_id", options.reason or options.company)
    refused = 0

    def tell(one: Replay) -> None:
        nonlocal refused
        refused += one.refused is not None
        event = one.event
        what = f"refused: {one.refused}" if one.refused else event.state
        print(event.event_id, what, event.reason, event.correlation_id or "", sep="\t")

    for event_id in options.events:
        try:
            tell(replay.replay(depot, event_id, options.company))
        except (NotFound, NotReplayable) as refusal:
            print(f"error: {event_id}: {refusal}", file=sys.stderr)
            refused += 1
    start: Position = None
    is_bulk = not options.events
    wanted = Wanted(company=options.company, reason=options.reason)
    while is_bulk:
        start = replay.replay_all(depot, wanted, limit=PAGE, start=start, tell=tell)
        is_bulk = start is not None
    return refused


def _dead_letters(depot: Depot, options: argparse.Namespace) -> int:
    found = dead_letters.listed(depot, limit=options.limit)
    for letter in found.letters:
        _show(letter, _columns_of_letter(letter), options)
    print(_waiting(found.waiting), file=sys.stderr)
    return 0


def _redrive(depot: Depot, options: argparse.Namespace) -> int:
    _check_choice(options, options.letters, "letter_id", given=None)
    told: list[Redriven] = []

    def tell(one: Redriven) -> None:
        told.append(one)
        what = f"refused: {one.refused}" if one.refused else "redriven"
        print(one.id, one.queue, what, one.correlation_id or "", sep="\t")

    ids = options.letters or None
    dead_letters.redrive(depot, ids=ids, limit=sys.maxsize, tell=tell)
    missing = set(options.letters) - {one.id for one in told}
    for letter_id in sorted(missing):
        print(f"error: {letter_id}: no such dead letter can be seen now", file=sys.stderr)
    print(_waiting(dead_letters.waiting(depot)), file=sys.stderr)
    return len(missing) + sum(one.refused is not None for one in told)


def _check_choice(
    options: argparse.Namespace, ids: Sequence[str], name: str, given: str | None
) -> None:
    """Ids, or everything that a filter leaves, or everything: never everything by mistake. Raises Refused."""
    if bool(ids) == bool(given or options.all):
        raise Refused(f"{name}: give ids, or say which others with a filter or --all")


def _show(view: BaseModel, columns: Sequence[object], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(view.model_dump(mode="json", by_alias=True, exclude_none=True)))
    else:
        print(*(("" if column is None else column) for column in columns), sep="\t")


def _columns_of_parked(view: ParkedView) -> Sequence[object]:
    return (
        view.event_id, view.state, view.reason, view.kind, view.company, view.phone, view.received_at,
        f"replayed {view.replayed_at}" if view.replayed_at else None,
        f"parked again {view.parked_again_at}" if view.parked_again_at else None,
    )  # fmt: skip


def _columns_of_letter(view: DeadLetterView) -> Sequence[object]:
    return (
        view.id, view.queue, view.reason, view.kind, view.correlation_id,
        f"{view.attempts} attempts" if view.attempts else None, f"dead since {view.dead_since}",
        f"redriven {view.redriven_at}" if view.redriven_at else None,
    )  # fmt: skip


def _waiting(counts: dict[str, int]) -> str:
    return ", ".join(f"about {count} in the queue `{queue}`" for queue, count in counts.items())


def _depot(stack: str) -> Depot:
    names = (TABLE, BUCKET, QUEUE, DEAD_LETTERS, SOCIAL_DEAD_LETTERS, SOCIAL_TOPIC)
    outputs = arguments.outputs_of(stack, *names)
    sqs = boto3.client("sqs")
    return Depot(
        table=Table(boto3.client("dynamodb"), outputs[TABLE]),
        bucket=Bucket(lambda: boto3.client("s3"), outputs[BUCKET]),
        queue=FifoQueue(lambda: sqs, outputs[QUEUE]),
        dead_letters=DeadLetters(sqs, outputs[DEAD_LETTERS]),
        social_dead_letters=DeadLetters(sqs, outputs[SOCIAL_DEAD_LETTERS]),
        social_topic_arns=(outputs[SOCIAL_TOPIC],),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m operations.events", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    parked = commands.add_parser("parked", help="list parked events, newest first")
    parked.set_defaults(run=_parked)
    _add_filters(parked)
    parked.add_argument(
        "--state",
        choices=["waiting", "all"],
        default="waiting",
        help="only those that nobody has handled yet (default), or all of the last 30 days",
    )

    again = commands.add_parser("replay", help="put parked events back on the queue")
    again.set_defaults(run=_replay)
    again.add_argument(
        "events",
        nargs="*",
        metavar="event_id",
        type=matching(r"[0-9a-f]{64}", "64 hex digits"),
        help="its id, as `parked` prints it",
    )
    _add_filters(again)
    again.add_argument("--all", action="store_true", help="every open one")

    letters = commands.add_parser("dead-letters", help="list dead letters")
    letters.set_defaults(run=_dead_letters)
    letters.add_argument(
        "--limit", type=_limit, default=PAGE, help=f"most of each queue (default: {PAGE})"
    )

    redrive = commands.add_parser("redrive", help="put dead letters back where they come from")
    redrive.set_defaults(run=_redrive)
    redrive.add_argument(
        "letters",
        nargs="*",
        metavar="letter_id",
        type=matching(r"[0-9a-f-]{36}", "a message id of SQS"),
        help="its id, as `dead-letters` prints it",
    )
    redrive.add_argument("--all", action="store_true", help="every one")
    for command in (parked, letters):
        command.add_argument("--json", action="store_true", help="one JSON object a line")
    for command in (parked, again, letters, redrive):
        command.add_argument(
            "--stack",
            required=True,
            type=arguments.stack,
            help="CloudFormation stack, such as parley-prod",
        )
    return parser


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reason",
        type=matching(r"[A-Za-z0-9_]{1,64}", "a reason, such as unknown_phone"),
        help="only events that were parked for it",
    )
    parser.add_argument("--company", type=arguments.company, help="only events of this company")


def _limit(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= PAGE:
        raise argparse.ArgumentTypeError(f"it must be a whole number from 1 to {PAGE}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
