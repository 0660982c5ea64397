"""Commands about many tickets: a report on old tickets, and the routing of tickets decided in dry run."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from operations.command_line.arguments import Refused
from operations.contexts.richpanel import deployment
from operations.contexts.richpanel.deployment import deadline_ms, with_retries
from richpanel.api.access import ApiDependencies
from richpanel.api.dry_runs import report as reports
from richpanel.api.dry_runs.report import Reported
from richpanel.api.dry_runs.ticket_snapshots import NotSetUp
from richpanel.clients.helpdesk import HelpDesk
from richpanel.decisions.switches import Switches, all_open
from richpanel.recovery import backfill as backfills
from richpanel.recovery.backfill import Candidate, Result
from richpanel.store.rate_limit import Priority
from shared.runtime import clock
from shared.runtime.failures import Permanent

_COUNTED = ("outcome", "intent", "team", "reason")


def report(deps: ApiDependencies, options: argparse.Namespace) -> None:
    """Print what would have become of each ticket, and the counts on standard error. Changes nothing."""
    switches = replace(deps.switchboard.current(), dry_run=False) if options.as_set else all_open()
    if options.rules_only:
        deps.judge = None
    since_ms = _since_ms(options)
    counts: Counter[tuple[str, str]] = Counter()
    failed = 0
    for ticket_id in islice(_ids(deps, since_ms), options.most):
        try:
            reported = _reported(deps, ticket_id, switches, since_ms)
        except Permanent as failure:
            failed += 1
            print(f"error: {ticket_id}: {failure.reason}", file=sys.stderr)
            continue
        if reported is None:
            continue
        _show(reported, options)
        facts = {"outcome": reported.outcome, **reported.decision}
        counts.update((name, str(facts[name])) for name in _COUNTED)
    _print_counts(counts, failed)


def _reported(
    deps: ApiDependencies, ticket_id: str, switches: Switches, since_ms: int
) -> Reported | None:
    def once() -> Reported | None:
        return reports.report(deps, _help_desk(deps), ticket_id, switches, since_ms)

    return with_retries(once)


def backfill(deps: ApiDependencies, options: argparse.Namespace) -> None:
    """Print the tickets whose newest message was decided in dry run, and with --apply have them routed."""
    if options.apply and deps.switchboard.current().dry_run:
        raise Refused("--apply: dry run is on; set the switch dry_run to false first")
    by = deployment.caller() if options.apply else ""
    counts: Counter[tuple[str, str]] = Counter()
    found = backfills.candidates(deps, _since_ms(options))
    for candidate in islice(found, options.most):
        result = _examined(deps, candidate)
        if options.apply and result is Result.ROUTE:
            backfills.queue(deps, candidate, by)
        shown = "queued" if options.apply and result is Result.ROUTE else str(result)
        intent, team = candidate.facts.get("intent"), candidate.facts.get("team")
        print(candidate.conversation_id, candidate.decided_at, intent, team, shown, sep="\t")
        counts["result", shown] += 1
    _print_counts(counts, 0)
    if next(found, None):
        print("more tickets remain: raise --most, or repeat after --apply", file=sys.stderr)


def _examined(deps: ApiDependencies, candidate: Candidate) -> str:
    try:
        return with_retries(lambda: backfills.examine(deps, candidate, deadline_ms()))
    except Permanent as failure:
        return failure.reason
    except NotSetUp as missing:
        raise Refused(f"--stack: {missing}") from None


def _ids(deps: ApiDependencies, since_ms: int) -> Iterator[str]:
    """Yield the tickets' ids; each page of the list uses a new client, which lives as long as one request."""
    return reports.ticket_ids(
        lambda *page: with_retries(lambda: _help_desk(deps).tickets(*page)), since_ms
    )


def _help_desk(deps: ApiDependencies) -> HelpDesk:
    help_desk = deps.help_desk(Priority.BACKGROUND, deadline_ms())
    if help_desk is None:
        raise Refused("--stack: the help desk API key is missing")
    return help_desk


def _since_ms(options: argparse.Namespace) -> int:
    days: int = options.days
    return clock.now_ms() - days * clock.DAY_SECONDS * clock.SECOND_MS


def _show(reported: Reported, options: argparse.Namespace) -> None:
    if options.json:
        facts = {"ticket": reported.ticket_id, "at": reported.at, "outcome": reported.outcome}
        print(json.dumps(facts | reported.decision, default=str))
        return
    decision = reported.decision
    columns = [decision[name] for name in ("intent", "team", "reason", "template", "language")]
    shown = ("" if column is None else column for column in columns)
    print(reported.ticket_id, reported.at, reported.outcome, *shown, sep="\t")


def _print_counts(counts: Counter[tuple[str, str]], failed: int) -> None:
    for (name, value), count in sorted(counts.items(), key=lambda entry: (entry[0][0], -entry[1])):
        print(f"{name}\t{value}\t{count}", file=sys.stderr)
    if failed:
        print(f"failed\t{failed}", file=sys.stderr)
