"""Erase or export a person in all contexts by one request; show its state and receipts."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from console.api.bulk.calls import Call, event_of
from console.privacy.inputs import LONGEST_REASON, PRINCIPAL
from console.store import person_requests
from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse, matching
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import to_json
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.privacy.parts import NameKind
from shared.privacy.settings import PrivacySettings, settings_of
from shared.runtime import clock

# Outputs of template.yaml.
INBOX, CONTACTS, MEDIA = "InboxTableName", "ContactsTableName", "MediaBucketName"
OUTPUTS = (INBOX, CONTACTS, MEDIA)
BY = "invoke:operations"
POLL_MS = 5 * clock.SECOND_MS
PROBLEM = "the request continues; run the command again, or `status`"
# A dry run reads all conversations of the person.
PATIENT = Config(connect_timeout=2, read_timeout=30, retries={"total_max_attempts": 1})


@dataclass(frozen=True)
class Requests:
    """The API of the stack, as API Gateway calls it: the command is one more caller of the company."""

    client: Any
    stage: str
    company: str
    contacts: Table
    bucket: Bucket

    def call(self, line: str, request_id: str = "", **body: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Return the result of a call of a route. Raises Refused, with the error's text."""
        path = {"request_id": request_id} if request_id else {}
        call = Call(line=line, path=path, body=body or None, key=uuid4().hex)
        caller = Caller(company=self.company, scopes=frozenset({Scope.PRIVACY_ADMIN}), principal=BY)
        payload = to_json(event_of(caller, call, uuid4().hex)).encode()
        name = f"parley-{self.stage}-inbox-api:live"
        answer = self.client.invoke(FunctionName=name, Payload=payload)
        response = json.loads(answer["Payload"].read())
        if answer.get("FunctionError"):
            raise Refused("the API has failed; run the command again")
        content = json.loads(response["body"])
        if response["statusCode"] >= HTTPStatus.BAD_REQUEST:
            raise Refused(f"{content['error']['code']}: {content['error']['message']}")
        result: dict[str, Any] = content["result"]
        return result

    def shown(self, request_id: str) -> dict[str, Any]:
        """Return a request with its receipts."""
        return self.call("GET /privacy/requests/{request_id}", request_id)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 1 if the request is not done yet, or a copy is left to an operator."""
    return arguments.run(parser(), argv, _run)


def _run(options: argparse.Namespace) -> int:
    try:
        return int(options.run(options))
    except (ClientError, BotoCoreError) as failure:
        raise Refused(f"{failure}; {PROBLEM}") from None


def _act(options: argparse.Namespace) -> int:
    subject = {kind: getattr(options, kind) for kind in NameKind if getattr(options, kind)}
    if len(subject) != 1:
        raise WrongUse("exactly one name of the person, such as --phone, or --ticket-id")
    api = requests_of(options)
    body = {"kind": options.kind, "subject": subject, "reason": options.reason}
    if options.reference is not None:
        body["reference"] = options.reference
    answer = api.call("POST /privacy/requests", **body, dry_run=options.dry_run)
    if options.dry_run:
        for name in answer["names"]:
            print(name["kind"], name["value"], sep="\t")
        print("profiles", answer["profiles"], sep="\t")
        for context, number in answer["conversations"].items():
            print(f"conversations of {context}", number, sep="\t")
        return 0
    print("an erasure takes some minutes, most of them waits for running workers", file=sys.stderr)
    request = _waited_for(api, answer["id"], options.wait)
    return _show(api, request, getattr(options, "output", None))


def _waited_for(api: Requests, request_id: str, seconds: int) -> dict[str, Any]:
    """Return the request when it needs no more wait: it has ended, it waits for a person, or the time is over."""
    until = clock.now_ms() + seconds * clock.SECOND_MS
    while (request := api.shown(request_id))["stage"] == "running" and clock.now_ms() < until:
        clock.sleep_ms(POLL_MS)
    return request


def _status(options: argparse.Namespace) -> int:
    api = requests_of(options)
    return _show(api, api.shown(options.request), options.output)


def _settings(options: argparse.Namespace) -> int:
    """Set whether a second administrator confirms requests. No route does: one person would switch it off."""
    table = requests_of(options).contacts
    if options.four_eyes is not None:
        found = PrivacySettings(
            **PrivacySettings.key_of(options.company),
            company_id=options.company,
            four_eyes=options.four_eyes == "on",
        )
        table.put(found.attributes())
    is_on = settings_of(table, options.company).four_eyes
    print("four_eyes", "on" if is_on else "off", sep="\t")
    return 0


def _show(api: Requests, request: dict[str, Any], output: Path | None) -> int:
    for name in ("id", "kind", "stage"):
        print("request" if name == "id" else name, request[name], sep="\t")
    for receipt in request["receipts"]:
        _show_receipt(receipt)
    if request["stage"] == "waiting":
        print(f"another administrator confirms it before {request['expires_at']}", file=sys.stderr)
    elif request["stage"] == "running":
        print(f"{PROBLEM}; {request.get('problem') or 'no failure'}", file=sys.stderr)
    if request["stage"] != "done":
        return 1
    if output is not None:
        _write(api, request, output)
    for thread in request["copies_left"]:
        print(f"error: delete the thread at the model's provider: {thread}", file=sys.stderr)
    return 1 if request["copies_left"] else 0


def _show_receipt(receipt: dict[str, Any]) -> None:
    context = receipt["context"]
    for kind, count in sorted(receipt["counts"].items()):
        print(context, kind, count, sep="\t")
    for word in ("kept", "outside"):
        for one in receipt.get(word) or []:
            print(context, word, one["kind"], one.get("until") or "-", one["reason"], sep="\t")


def _write(api: Requests, request: dict[str, Any], path: Path) -> None:
    """Write the ZIP of an export, readable by its owner only. Raises OSError."""
    stored = person_requests.get(api.contacts, api.company, request["id"])
    if request.get("link") is None or stored is None or stored.archive is None:
        raise Refused("the request has no ZIP, or not any more")
    path.touch(mode=0o600)
    with path.open("wb") as file:
        for chunk in api.bucket.chunks(stored.archive):
            file.write(chunk)
    print("bytes", path.stat().st_size, sep="\t")


def requests_of(options: argparse.Namespace) -> Requests:
    """Return the API of the stack."""
    outputs = arguments.outputs_of(options.stack, *OUTPUTS)
    return Requests(
        client=boto3.client("lambda", config=PATIENT),
        stage=outputs[INBOX].removeprefix("inbox-"),
        company=options.company,
        contacts=Table(boto3.client("dynamodb"), outputs[CONTACTS]),
        bucket=Bucket(lambda: boto3.client("s3"), outputs[MEDIA]),
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations privacy", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    for kind, summary in (
        ("erase", "erase a person in all contexts"),
        ("export", "export a person from all contexts"),
    ):
        of_person = arguments.sub_command(commands, kind, _act, summary)
        of_person.set_defaults(kind=kind)
        _add_person(of_person)
        if kind == "export":
            of_person.add_argument("--output", type=Path, help="the ZIP to write")
    status = arguments.sub_command(commands, "status", _status, "show a request and its receipts")
    _add_company(status)
    status.add_argument("--request", required=True, type=arguments.word, help="its id")
    status.add_argument("--output", type=Path, help="the ZIP to write, of an export")
    settings = arguments.sub_command(commands, "settings", _settings, "show or set the settings")
    _add_company(settings)
    help_ = "whether a second administrator confirms each request"
    settings.add_argument("--four-eyes", choices=["on", "off"], help=help_)
    return own


def _add_company(command: argparse.ArgumentParser) -> None:
    arguments.add_stack(command)
    command.add_argument("--company", required=True, type=arguments.word, help="the company's id")


def _add_person(command: argparse.ArgumentParser) -> None:
    _add_company(command)
    for kind, read, what in (
        (NameKind.PHONE, addresses.phone_number, "a phone number with + and country code"),
        (NameKind.EMAIL, addresses.email_address, "an e-mail address"),
        (NameKind.USER_ID, addresses.user_id, "a business-scoped user id of WhatsApp"),
        (NameKind.EXTERNAL, str, "an id of another system, `system:id`"),
        (NameKind.CONTACT, arguments.word, "the id of a contact"),
        (NameKind.PRINCIPAL, matching(PRINCIPAL, "user:<id> or api-key:<id>"), "a colleague"),
        (NameKind.TICKET, arguments.word, "the id of a ticket of the help desk"),
    ):
        command.add_argument(f"--{kind.replace('_', '-')}", type=_named(read, what), help=what)
    command.add_argument(
        "--reason",
        required=True,
        type=matching(rf"[^\x00-\x1f]{{1,{LONGEST_REASON}}}", f"up to {LONGEST_REASON} characters"),
        help="why; it is kept with the receipt, so it names no person",
    )
    command.add_argument("--reference", type=arguments.word, help="number of the case elsewhere")
    command.add_argument(
        "--dry-run", action="store_true", help="show the names of the person, change nothing"
    )
    command.add_argument(
        "--wait", type=int, default=1_800, help="seconds to wait for the end (default: 1800)"
    )


def _named(read: Callable[[str], str], what: str) -> Callable[[str], str]:
    """Return an argparse type for a name of a person. Errors do not repeat the input."""

    def checked(text: str) -> str:
        try:
            read(text)
        except AddressInvalid:
            raise argparse.ArgumentTypeError(f"must be {what}") from None
        return text

    return checked
