"""The demo of the help desk: customers write in tickets; shows the decisions, tags, replies and totals."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from events.richpanel.scenarios import SCENARIOS, Run, Scenario
from local.demo.delivery_totals import rows_of
from local.demo.scenarios import help_desk_scenarios

if TYPE_CHECKING:
    from local.demo.chapter import Chapter
    from local.demo.scenarios.help_desk_scenarios import HelpDeskTotals, SceneResult
    from local.stack.cli import Stack

LONGEST = 220  # of a message, in characters
COMMON_TAGS = {"mw-processed", "mw-routing-applied"}


def play(stack: Stack, chapter: Chapter) -> bool:
    """Play all scenarios; return whether each had the expected result and every webhook call was handled."""
    run = Run.now()
    help_desk_scenarios.seed_help_desk(stack, run)
    answers = [status for scenario in SCENARIOS for status in _play(stack, run, scenario, chapter)]
    totals = help_desk_scenarios.wait_until_handled(stack, run, report=chapter.progress)
    results = help_desk_scenarios.results(stack, run)
    chapter.heading("Tickets")
    for result in results:
        _show(result, chapter)
    _show_totals(totals, answers.count(200), chapter)
    failed = [result.scenario.name for result in results if not result.is_expected]
    if not help_desk_scenarios.hides_other_orders(results):
        failed.append(
            "the replies about another customer's order and about an unknown order differ"
        )
    if failed or not totals.handled == answers.count(200) == len(answers):
        unexpected = f"{len(answers)} webhook calls; {', '.join(failed)}"
        chapter.line(f"Unexpected results: {unexpected}", "fault")
        return False
    return True


def _play(stack: Stack, run: Run, scenario: Scenario, chapter: Chapter) -> list[int | None]:
    answers = help_desk_scenarios.play(stack, run, scenario)
    statuses = " ".join(str(status or "none") for status in answers)
    chapter.step(statuses, scenario.name, scenario.description)
    return answers


def _show(result: SceneResult, chapter: Chapter) -> None:
    """Add a ticket: its messages, and the decision with its reason."""
    decision = result.decision
    chapter.line(f"{result.scenario.name}, {result.scenario.channel}", "strong")
    for comment in result.ticket["comments"]:
        chapter.message(
            comment["created_at"][11:19],
            textwrap.shorten(comment["body"], LONGEST, placeholder=" ..."),
            is_outbound=comment["body"] in result.replies,
        )
    assignee = result.ticket["assignee_id"]
    tags = ", ".join(tag for tag in result.ticket["tags"] if tag not in COMMON_TAGS)
    summary = f"{decision['intent']} {decision['confidence']:.2f}, {decision['reason']}"
    assigned = f", assigned to {assignee}" if assignee else ""
    chapter.line(f"   {summary}: {tags}{assigned}", "result")


def _show_totals(totals: HelpDeskTotals, accepted: int, chapter: Chapter) -> None:
    chapter.heading("Totals")
    outcomes = " + ".join(f"{count} {name}" for name, count in sorted(totals.outcomes.items()))
    chapter.summary = f"{accepted} webhook calls accepted = {outcomes}"
    chapter.line(chapter.summary)
    chapter.table(("intent", "calls", "write units", "per call"), rows_of(totals.costs))
