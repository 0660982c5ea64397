"""Check a deployment: secrets, numbers, projects, switches, webhooks, tables, functions, queues, alarms, mail."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.doctor import (
    account,
    capacity,
    connections,
    findings,
    infrastructure,
    newsletters,
    received_mail,
    secrets,
    switches,
    webhooks,
)
from operations.doctor.deployment import Deployment, describe
from operations.doctor.findings import Finding, unchecked
from shared.access.refusals import ChangeRefused

CHECKS: Mapping[str, Callable[[Deployment], list[Finding]]] = {
    "concurrency": capacity.concurrency,
    "secrets": secrets.of_deployment,
    "connections": connections.anything,
    "numbers": connections.numbers,
    "event destinations": connections.event_destinations,
    "projects": connections.project_settings,
    "switches: whatsapp": switches.whatsapp,
    "switches: e-mail threads": switches.email_threads,
    "switches: conversations": switches.conversations,
    "switches: help desk": switches.help_desk,
    "webhooks": webhooks.answers,
    "tables": infrastructure.tables,
    "newsletters": newsletters.table,
    "functions": infrastructure.functions,
    "event sources": infrastructure.event_sources,
    "contexts": infrastructure.unused_contexts,
    "dead letters": infrastructure.dead_letters,
    "alarms": infrastructure.alarms,
    "receipt rules": account.receipt_rules,
    "access log": account.logging_role,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run all checks; returns 1 if an operator has something to do."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    deployment = describe(
        options.stack,
        arguments.target_of(options),
        options.local.api_url if options.local else None,
    )
    rows = [(name, finding) for name in CHECKS for finding in _checked(name, deployment)]
    if options.mail is not None:
        rows += [("received mail", finding) for finding in received_mail.of_file(options.mail)]
    print(findings.table(rows))
    return 1 if any(finding.step for _, finding in rows) else 0


def _checked(name: str, deployment: Deployment) -> list[Finding]:
    """Run one check. A failure of AWS or of a permission is its result, so that the other checks run."""
    try:
        return CHECKS[name](deployment)
    except ClientError as error:
        code, operation = error.response["Error"]["Code"], error.operation_name
        step = f"allow {operation} to the caller, or try again"
        return [unchecked("all", f"{code} ({operation})", step)]
    except BotoCoreError as error:
        return [unchecked("all", type(error).__name__, "check the network and the AWS settings")]
    except ValueError as error:  # pydantic's errors, whose text repeats the values of an item
        text = f"a stored item is invalid ({type(error).__name__})"
        return [unchecked("all", text, "correct the item of this check")]
    except (Refused, ChangeRefused) as fault:
        return [unchecked("all", str(fault), "correct it, then check again")]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(
        prog="python -m operations doctor",
        description=f"{__doc__} Prints the next steps; exit code 1 if there are any.",
    )
    arguments.add_stack(own)
    own.add_argument(
        "--mail",
        type=Path,
        help="also check a mail of a newsletter that a mailbox has received, saved as .eml",
    )
    return own
