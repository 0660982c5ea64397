"""The chapter of the help desk: customers write in tickets, and what the middleware decided, tagged and answered."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from events.richpanel.scenes import SCENES, Run, Scene
from local.demo import help_desk_scenes
from local.demo.screen import console

if TYPE_CHECKING:
    from local.demo.help_desk_scenes import DeskAccount, Ending
    from local.stack.cli import Stack

LONGEST = 220  # of a message, in characters
ON_EACH = {"mw-processed", "mw-routing-applied"}


def play(stack: Stack) -> bool:
    """Play all scenes; whether each ended as it had to, and every call is accounted for."""
    run = Run.now()
    console.rule("A morning at acme's help desk")
    help_desk_scenes.set_the_stage(stack, run)
    answers = [status for scene in SCENES for status in _play(stack, run, scene)]
    with console.status("waiting for the workers") as status:
        account = help_desk_scenes.wait_until_through(stack, run, tell=status.update)
    ended = help_desk_scenes.endings(stack, run)
    console.rule("The tickets")
    for ending in ended:
        _show(ending)
    _show_account(account, answers.count(200))
    wrong = [ending.scene.name for ending in ended if not ending.is_right]
    if not help_desk_scenes.nobody_learns_whose_orders_exist(ended):
        wrong.append("two who asked for orders that are not theirs got different words")
    if wrong or not account.through == answers.count(200) == len(answers):
        console.print(f"[red]It does not add up:[/] {len(answers)} calls; {', '.join(wrong)}")
        return False
    return True


def _play(stack: Stack, run: Run, scene: Scene) -> list[int | None]:
    answers = help_desk_scenes.play(stack, run, scene)
    told = " ".join(str(status or "none") for status in answers)
    console.print(f"  [green]{told:<11}[/]  {scene.name:<10} {scene.description}")
    return answers


def _show(ending: Ending) -> None:
    """A ticket: what was said in it, what was decided about it, and why."""
    decided = ending.decision
    console.print(f"[bold]{ending.scene.name}[/], {ending.scene.channel}")
    for said in ending.ticket["comments"]:
        who = "->" if said["body"] in ending.replies else "<-"
        text = textwrap.shorten(said["body"], LONGEST, placeholder=" ...")
        console.print(Padding(f"{said['created_at'][11:19]} {who} {escape(text)}", (0, 0, 0, 3)))
    given = ending.ticket["assignee_id"]
    tags = ", ".join(tag for tag in ending.ticket["tags"] if tag not in ON_EACH)
    what = f"{decided['intent']} {decided['confidence']:.2f}, {decided['reason']}"
    to = f", given to {given}" if given else ""
    console.print(Padding(f"[cyan]{what}[/][dim]: {tags}{to}[/]", (0, 0, 0, 3)))


def _show_account(account: DeskAccount, accepted: int) -> None:
    console.rule("The account")
    ends = " + ".join(f"{count} {name}" for name, count in sorted(account.outcomes.items()))
    console.print(f"{accepted} calls accepted = {ends}")
    table = Table("what about", "calls", "write units", "per call", box=None, pad_edge=False)
    for kind, cost in sorted(account.costs.items()):
        each = cost.write_units / cost.events
        table.add_row(kind, str(cost.events), f"{cost.write_units:.0f}", f"{each:.1f}")
    console.print(table)
