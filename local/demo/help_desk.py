"""The demo of the help desk: customers write in tickets; prints the decisions, tags, replies and totals."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from events.richpanel.scenarios import SCENARIOS, Run, Scenario
from local.demo import help_desk_scenarios
from local.demo.screen import console

if TYPE_CHECKING:
    from local.demo.help_desk_scenarios import HelpDeskTotals, SceneResult
    from local.stack.cli import Stack

LONGEST = 220  # of a message, in characters
COMMON_TAGS = {"mw-processed", "mw-routing-applied"}


def play(stack: Stack) -> bool:
    """Play all scenarios; return whether each had the expected result and every webhook call was handled."""
    run = Run.now()
    console.rule("A day at acme's help desk")
    help_desk_scenarios.seed_help_desk(stack, run)
    answers = [status for scenario in SCENARIOS for status in _play(stack, run, scenario)]
    with console.status("waiting for the workers") as status:
        totals = help_desk_scenarios.wait_until_handled(stack, run, report=status.update)
    results = help_desk_scenarios.results(stack, run)
    console.rule("Tickets")
    for result in results:
        _show(result)
    _show_totals(totals, answers.count(200))
    failed = [result.scenario.name for result in results if not result.is_expected]
    if not help_desk_scenarios.hides_other_orders(results):
        failed.append(
            "the replies about another customer's order and about an unknown order differ"
        )
    if failed or not totals.handled == answers.count(200) == len(answers):
        console.print(
            f"[red]Unexpected results:[/] {len(answers)} webhook calls; {', '.join(failed)}"
        )
        return False
    return True


def _play(stack: Stack, run: Run, scenario: Scenario) -> list[int | None]:
    answers = help_desk_scenarios.play(stack, run, scenario)
    statuses = " ".join(str(status or "none") for status in answers)
    console.print(f"  [green]{statuses:<11}[/]  {scenario.name:<13} {scenario.description}")
    return answers


def _show(result: SceneResult) -> None:
    """Print a ticket: its messages, and the decision with its reason."""
    decision = result.decision
    console.print(f"[bold]{result.scenario.name}[/], {result.scenario.channel}")
    for comment in result.ticket["comments"]:
        arrow = "->" if comment["body"] in result.replies else "<-"
        text = textwrap.shorten(comment["body"], LONGEST, placeholder=" ...")
        console.print(
            Padding(f"{comment['created_at'][11:19]} {arrow} {escape(text)}", (0, 0, 0, 3))
        )
    assignee = result.ticket["assignee_id"]
    tags = ", ".join(tag for tag in result.ticket["tags"] if tag not in COMMON_TAGS)
    summary = f"{decision['intent']} {decision['confidence']:.2f}, {decision['reason']}"
    assigned = f", assigned to {assignee}" if assignee else ""
    console.print(Padding(f"[cyan]{summary}[/][dim]: {tags}{assigned}[/]", (0, 0, 0, 3)))


def _show_totals(totals: HelpDeskTotals, accepted: int) -> None:
    console.rule("Totals")
    outcomes = " + ".join(f"{count} {name}" for name, count in sorted(totals.outcomes.items()))
    console.print(f"{accepted} webhook calls accepted = {outcomes}")
    table = Table("intent", "calls", "write units", "per call", box=None, pad_edge=False)
    for kind, cost in sorted(totals.costs.items()):
        units_per_call = cost.write_units / cost.events
        table.add_row(kind, str(cost.events), f"{cost.write_units:.0f}", f"{units_per_call:.1f}")
    console.print(table)
