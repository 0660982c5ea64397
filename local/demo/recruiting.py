"""The demo of conversations: a recruiting company writes to a candidate on all channels until it gets STOP."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from local.demo import conversation_probe, recruiting_scenarios
from local.demo.screen import console
from local.stack.processes import StackError

if TYPE_CHECKING:
    from local.demo.conversation_probe import LoggedConversation
    from local.demo.delivery_totals import Cost
    from local.demo.recruiting_scenarios import Totals
    from local.stack.cli import Stack

LONGEST = 220  # of a message, in characters


def play(stack: Stack, key: str) -> bool:
    """Play all scenarios; return whether each reached its expected state and the totals match."""
    started_ms = int(time.time() * 1_000)
    console.rule("A day at cucumber recruitment")
    try:
        with console.status("waiting for the workers"):
            demo = recruiting_scenarios.play(stack, key, report=_print_action)
    except StackError as error:
        console.print(f"[red]A scenario failed:[/] {error}")
        return False
    console.rule("Conversations")
    for name in demo.refs:
        _show(name, demo.conversation(name))
    totals = demo.totals()
    _show_totals(totals, conversation_probe.costs(stack, started_ms))
    if not totals.match:
        console.print("[red]The totals do not match.[/]")
    return totals.match


def _print_action(line: str) -> None:
    status, _, rest = line.partition("  ")
    console.print(f"  [green]{status:>4}[/]  {escape(rest)}")


def _show(name: str, conversation: LoggedConversation) -> None:
    """Print a conversation: its messages with author and delivery status, and the statuses that it went through."""
    reason = conversation.state.get("status_reason")
    suffix = f" ({reason})" if reason else ""
    console.print(f"[bold]{name}[/], [cyan]{conversation.status}{suffix}[/]")
    for message in conversation.messages:
        text = textwrap.shorten(message.text, LONGEST, placeholder=" ...")
        arrow = "->" if message.is_outbound else "<-"
        mark = f" [dim]({message.author}, {message.delivery})[/]" if message.is_outbound else ""
        console.print(Padding(f"{message.at[11:19]} {arrow} {escape(text)}{mark}", (0, 0, 0, 3)))
    console.print(Padding(f"[dim]{' > '.join(conversation.changes)}[/]", (0, 0, 0, 3)))


def _show_totals(totals: Totals, costs: dict[str, Cost]) -> None:
    console.rule("Totals")
    console.print(
        f"{totals.accepted} requests accepted = {totals.started} conversations started + {totals.repeated} repeats"
        f" + {totals.blocked} blocked"
    )
    console.print(
        f"{totals.webhook_calls} webhook calls of Twilio = {totals.stored} messages stored"
        f" + {totals.repeated_calls} repeats"
    )
    console.print(
        f"{len(totals.sent)} messages sent = {len(totals.received)} accepted by the providers"
    )
    table = Table("function", "records", "write units", "per record", box=None, pad_edge=False)
    for name, cost in sorted(costs.items()):
        units_per_record = cost.write_units / cost.events
        table.add_row(name, str(cost.events), f"{cost.write_units:.0f}", f"{units_per_record:.1f}")
    console.print(table)
