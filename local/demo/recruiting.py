"""The chapter of conversations: a recruiting company writes to somebody, over all channels, until she says STOP."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from local.demo import conversation_probe, recruiting_scenes
from local.demo.screen import console
from local.stack.processes import StackError

if TYPE_CHECKING:
    from local.demo.conversation_probe import Talk
    from local.demo.delivery_totals import Cost
    from local.demo.recruiting_scenes import Account
    from local.stack.cli import Stack

LONGEST = 220  # of a message, in characters


def play(stack: Stack, key: str) -> bool:
    """Play the morning; whether every scene ended as it had to, and the account adds up."""
    started_ms = int(time.time() * 1_000)
    console.rule("A morning at cucumber recruitment")
    try:
        with console.status("waiting for the workers"):
            morning = recruiting_scenes.play(stack, key, tell=_tell)
    except StackError as stuck:
        console.print(f"[red]It does not add up:[/] {stuck}")
        return False
    console.rule("The conversations")
    for name in morning.refs:
        _show(name, morning.talk(name))
    account = morning.account()
    _show_account(account, conversation_probe.costs(stack, started_ms))
    if not account.adds_up:
        console.print("[red]It does not add up.[/]")
    return account.adds_up


def _tell(line: str) -> None:
    status, _, rest = line.partition("  ")
    console.print(f"  [green]{status:>4}[/]  {escape(rest)}")


def _show(name: str, talk: Talk) -> None:
    """A conversation: what was said in it, by whom and how far it came, and the statuses that it went through."""
    reason = talk.state.get("status_reason")
    because = f" ({reason})" if reason else ""
    console.print(f"[bold]{name}[/], [cyan]{talk.status}{because}[/]")
    for said in talk.said:
        text = textwrap.shorten(said.text, LONGEST, placeholder=" ...")
        way = "->" if said.is_ours else "<-"
        mark = f" [dim]({said.author}, {said.delivery})[/]" if said.is_ours else ""
        console.print(Padding(f"{said.at[11:19]} {way} {escape(text)}{mark}", (0, 0, 0, 3)))
    console.print(Padding(f"[dim]{' > '.join(talk.changes)}[/]", (0, 0, 0, 3)))


def _show_account(account: Account, costs: dict[str, Cost]) -> None:
    console.rule("The account")
    console.print(
        f"{account.accepted} requests accepted = {account.begun} conversations + {account.repeated} repeated"
        f" + {account.blocked} blocked"
    )
    console.print(
        f"{account.told} calls of Twilio = {account.stored} texts in the log + {account.retold} told once more"
    )
    console.print(
        f"{len(account.sent)} messages sent = {len(account.received)} that her providers took"
    )
    table = Table("function", "records", "write units", "per record", box=None, pad_edge=False)
    for name, cost in sorted(costs.items()):
        each = cost.write_units / cost.events
        table.add_row(name, str(cost.events), f"{cost.write_units:.0f}", f"{each:.1f}")
    console.print(table)
