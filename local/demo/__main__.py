"""
`make demo`: deploys Parley on this machine, sends sample events of customers, and prints and reports the results.

Events pass the same components as on AWS: HTTP requests and SNS messages, queues, workers, tables, bucket. The
results come from Parley's API, from the sandbox that plays the providers, and from the logs and tables.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from local.demo import console_pictures, report
from local.demo.chapters import (
    actions,
    customer,
    email_answers,
    email_threads,
    help_desk,
    inbox,
    issues,
    newsletters,
    recruiting,
)
from local.demo.scenarios.recruiting_scenarios import SCOPES
from local.demo.screen import chapter_on, console_of_the_demo, finish, wait_for_enter
from local.stack.cli import running_stack
from local.stack.processes import ROOT, as_program
from local.stack.seed import logins_text, recruiting_key, seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.demo.chapter import Chapter
    from local.stack.cli import Stack


def chapters_of(stack: Stack) -> dict[str, Callable[[Chapter], bool]]:
    """Return the chapters by title; each returns whether its totals match. Seeds the companies."""
    api_key = seed(stack)
    story = customer.Story(stack)
    editors = newsletters.Editors(stack)
    return {
        "A day at acme, a bicycle repair shop": lambda chapter: inbox.play(stack, api_key, chapter),
        "One customer on three channels": story.play,
        "The WhatsApp Business API by actions": lambda chapter: actions.play(stack, chapter),
        "A day at acme's help desk": lambda chapter: help_desk.play(stack, chapter),
        "A day at cucumber recruitment": lambda chapter: recruiting.play(
            stack, recruiting_key(stack, *SCOPES), chapter
        ),
        "Mail to a shop": lambda chapter: email_threads.play(stack, chapter),
        "Answers by mail, drafted by a model": lambda chapter: email_answers.play(stack, chapter),
        "A newsletter from documents": lambda chapter: newsletters.play(editors, chapter),
        "An issue to readers who signed up": lambda chapter: issues.play(editors, chapter),
        "The erasure of that customer": story.end,
    }


def main() -> int:
    """Run the demo; return 0 if the totals of every chapter match."""
    is_verbose = "verbose" in sys.argv[1:]
    console = console_of_the_demo()
    with running_stack() as stack:
        chapters = []
        for title, play in chapters_of(stack).items():
            with chapter_on(console, title, is_verbose=is_verbose) as chapter:
                chapter.is_matching = play(chapter)
            chapters.append(chapter)
        with console.status("pictures of the console"):
            pictures = console_pictures.taken(stack)
        written = report.write(chapters, pictures)
        finish(console, chapters, written.relative_to(ROOT), logins_text(stack))
        if "keep" in sys.argv[1:]:
            wait_for_enter(console)
        else:
            console.print(
                "The stack stops now. `make demo KEEP=1` keeps it until Enter is pressed."
            )
    return 0 if all(chapter.is_matching for chapter in chapters) else 1


if __name__ == "__main__":
    as_program(lambda: sys.exit(main()))
