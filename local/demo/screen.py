"""Prints the demo: one line for each chapter, what some show, and the totals; with all details if asked to."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable

from local.demo.chapter import Chapter, Heading, Line, Message, Step, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from local.demo.chapter import Part, Style

_COLOURS: Final[dict[Style, str]] = {
    "plain": "default",
    "strong": "bold",
    "result": "cyan",
    "faint": "dim",
    "fault": "red",
}
_FAULTS_SHOWN: Final = 3
_INDENTED: Final = (0, 0, 0, 3)


def console_of_the_demo() -> Console:
    """Return the console that the demo prints to."""
    return Console(width=118, highlight=False)


@contextmanager
def chapter_on(console: Console, title: str, *, is_verbose: bool) -> Iterator[Chapter]:
    """Provide a chapter, show its progress, and print its result at the end: all details too if *is_verbose*."""
    with console.status(title) as status:
        chapter = Chapter(title, progress=lambda text: status.update(f"{title}: {text}"))
        if is_verbose:
            console.rule(title)
            chapter.show = lambda part: show(console, part)
        yield chapter
    conclude(console, chapter)
    for part in () if is_verbose else chapter.printed:
        show(console, part)


def show(console: Console, part: Part) -> None:
    """Print one part of a chapter."""
    match part:
        case Heading(text):
            console.rule(text)
        case Step(status, name, text, is_expected):
            colour = "green" if is_expected else "red"
            console.print(f"  [{colour}]{status:>4}[/]  {escape(f'{name:<24} {text}')}")
        case Message(at, text, is_outbound, note):
            arrow = "->" if is_outbound else "<-"
            suffix = f" [dim]({escape(note)})[/]" if note else ""
            console.print(Padding(f"{at} {arrow} {escape(text)}{suffix}", _INDENTED))
        case Line(text, style):
            console.print(text, style=_COLOURS[style], markup=False)
        case Table(columns, rows):
            table = RichTable(*columns, box=None, pad_edge=False)
            for row in rows:
                table.add_row(*map(escape, row))
            console.print(table)


def conclude(console: Console, chapter: Chapter) -> None:
    """Print a chapter's result in one line, and its first faults."""
    mark = "[green]  ok[/]" if chapter.is_matching else "[red]FAIL[/]"
    line = f"{mark}  [bold]{escape(chapter.title)}[/]: {escape(chapter.summary)}"
    console.print(line, no_wrap=True, overflow="ellipsis")
    if not chapter.is_matching:
        for fault in chapter.faults[:_FAULTS_SHOWN]:
            console.print(
                f"      {fault}", style="red", markup=False, no_wrap=True, overflow="ellipsis"
            )


def finish(console: Console, chapters: Sequence[Chapter], report: Path, logins: str) -> None:
    """Print whether the totals of all chapters match, where the details are, and who can log in to the console."""
    if all(chapter.is_matching for chapter in chapters):
        console.print("[green]All totals match:[/] no event was lost or processed twice.")
    else:
        failed = sum(not chapter.is_matching for chapter in chapters)
        console.print(f"[red]{failed} of {len(chapters)} chapters failed.[/]")
    console.print(f"details: {report}", markup=False, soft_wrap=True)
    console.print(logins, markup=False)


def wait_for_enter(console: Console) -> None:
    """Return when Enter is pressed. Without a terminal, wait until a signal ends the program."""
    try:
        console.input("Press Enter to stop the stack. ")
    except EOFError:
        console.print("No input: the stack runs until this program is stopped.")
        signal.pause()
