"""The demo of conversations: a recruiting company writes to a candidate on all channels until it gets STOP."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING

from local.demo.delivery_totals import rows_of
from local.demo.scenarios import conversation_probe, recruiting_scenarios
from local.stack.processes import StackError

if TYPE_CHECKING:
    from local.demo.chapter import Chapter
    from local.demo.delivery_totals import Cost
    from local.demo.scenarios.conversation_probe import LoggedConversation
    from local.demo.scenarios.recruiting_scenarios import Totals
    from local.stack.cli import Stack

LONGEST = 220  # of a message, in characters


def play(stack: Stack, key: str, chapter: Chapter) -> bool:
    """Play all scenarios; return whether each reached its expected state and the totals match."""
    started_ms = int(time.time() * 1_000)

    def report(line: str) -> None:
        status, _, action = line.partition("  ")
        chapter.step(status, "", action)

    try:
        demo = recruiting_scenarios.play(stack, key, report=report)
    except StackError as error:
        chapter.line(f"A scenario failed: {error}", "fault")
        return False
    chapter.heading("Conversations")
    for name in demo.refs:
        _show(name, demo.conversation(name), chapter)
    totals = demo.totals()
    _show_totals(totals, conversation_probe.costs(stack, started_ms), chapter)
    if not totals.match:
        chapter.line("The totals do not match.", "fault")
    return totals.match


def _show(name: str, conversation: LoggedConversation, chapter: Chapter) -> None:
    """Add a conversation: its messages with author and delivery status, and the statuses that it went through."""
    reason = conversation.state.get("status_reason")
    suffix = f" ({reason})" if reason else ""
    chapter.line(f"{name}, {conversation.status}{suffix}", "strong")
    for message in conversation.messages:
        chapter.message(
            message.at[11:19],
            textwrap.shorten(message.text, LONGEST, placeholder=" ..."),
            is_outbound=message.is_outbound,
            note=f"{message.author}, {message.delivery}" if message.is_outbound else "",
        )
    chapter.line(f"   {' > '.join(conversation.changes)}", "faint")


def _show_totals(totals: Totals, costs: dict[str, Cost], chapter: Chapter) -> None:
    chapter.heading("Totals")
    chapter.line(
        f"{totals.accepted} requests accepted = {totals.started} conversations started + {totals.repeated} repeats"
        f" + {totals.blocked} blocked"
    )
    chapter.line(
        f"{totals.webhook_calls} webhook calls of Twilio = {totals.stored} messages stored"
        f" + {totals.repeated_calls} repeats"
    )
    sent = f"{len(totals.sent)} messages sent = {len(totals.received)} accepted by the providers"
    chapter.line(sent)
    chapter.summary = f"{totals.accepted} requests, {totals.webhook_calls} webhook calls, {sent}"
    chapter.table(("function", "records", "write units", "per record"), rows_of(costs))
