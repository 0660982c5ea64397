"""What the demo prints, and its report, from recorded chapters."""

from __future__ import annotations

import io
import re
import signal
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from local.demo import report, screen
from local.demo.chapter import Chapter
from local.demo.delivery_totals import Cost, Totals, rows_of

if TYPE_CHECKING:
    from pathlib import Path

CHAPTERS = 10
LOGINS = "\n".join(
    ["console: http://127.0.0.1:1", *(f"  person-{n}@acme.example" for n in range(9))]
)
# What `make` and the stack print before: environments, builds, deployment, on a machine that has none of them.
BEFORE = 30
# What the chapters of a customer print: contact, merge, export, and the receipt of four contexts below its head.
PRINTED = 8


def told(chapter: Chapter, *, is_matching: bool = True) -> Chapter:
    """A chapter after a long day, with one of each part."""
    for number in range(90):
        chapter.step(200, f"event_{number}", "A customer writes <b>markup</b> & [red]more[/].")
    chapter.heading("Inbox of number 1")
    chapter.line("Ada Byrne, 3 unread", "strong")
    chapter.message("16:25:25", "Hello, my chain broke.", is_outbound=False)
    chapter.message("16:27:00", "It is ready.\nCome by!", is_outbound=True, note="delivered")
    chapter.table(("kind", "events"), [("text", "12"), ("a|b", "1")])
    chapter.summary = "99 events accepted = 91 stored + 2 duplicates + 6 parked"
    if not is_matching:
        chapter.step(503, "late", "not accepted", is_expected=False)
        for number in range(20):
            chapter.line(f"Not as expected: {number}", "fault")
    chapter.is_matching = is_matching
    return chapter


def printed(*, is_verbose: bool = False, failing: int = 0) -> list[str]:
    output = io.StringIO()
    console = Console(file=output, width=118, highlight=False)
    chapters = []
    for number in range(CHAPTERS):
        with screen.chapter_on(console, f"Chapter {number}", is_verbose=is_verbose) as chapter:
            chapter.progress("waiting for the workers")
            told(chapter, is_matching=number >= failing)
        chapters.append(chapter)
    screen.finish(console, chapters, report.FILE, LOGINS)
    return output.getvalue().splitlines()


def test_the_demo_prints_one_line_for_each_chapter_and_at_most_60_lines_with_the_stack() -> None:
    lines = printed()

    assert len(lines) <= 60 - BEFORE - PRINTED
    results = [line for line in lines if line.startswith("  ok  Chapter")]
    assert len(results) == CHAPTERS
    assert all("99 events accepted = 91 stored" in line for line in results)
    assert "All totals match: no event was lost or processed twice." in lines
    assert f"details: {report.FILE}" in lines


def test_a_failed_chapter_is_printed_with_its_first_faults_only() -> None:
    lines = printed(failing=2)

    assert len([line for line in lines if line.startswith("FAIL  Chapter")]) == 2
    assert len([line for line in lines if "Not as expected" in line]) == 6
    assert f"2 of {CHAPTERS} chapters failed." in lines
    assert "All totals match" not in "\n".join(lines)


def test_a_verbose_demo_prints_every_step_message_and_table() -> None:
    text = "\n".join(printed(is_verbose=True))

    assert text.count("  200  event_") == 90 * CHAPTERS
    assert "A customer writes <b>markup</b> & [red]more[/]." in text
    assert "   16:25:25 <- Hello, my chain broke." in text
    assert "-> It is ready." in text
    assert "(delivered)" in text
    assert "text  12" in text


@pytest.mark.parametrize("is_verbose", [True, False])
def test_parts_that_are_printed_are_shown_once(*, is_verbose: bool) -> None:
    console = Console(file=io.StringIO(), width=118, highlight=False)
    with screen.chapter_on(console, "Mail", is_verbose=is_verbose) as chapter:
        chapter.line("of the details")
        chapter.is_printed = True
        chapter.table(("context", "removed"), [("whatsapp", "1 MESSAGE")])

    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert text.count("1 MESSAGE") == 1
    assert ("of the details" in text) is is_verbose


def test_the_progress_of_a_chapter_names_it() -> None:
    console = Console(file=io.StringIO())
    with screen.chapter_on(console, "Mail", is_verbose=False) as chapter:
        assert chapter.parts == []
        chapter.progress("3 of 9 mails are stored")
    assert not chapter.is_matching


class Page(HTMLParser):
    """The tags and attributes of a page, and those that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.addresses += [value for name, value in attrs if name in {"src", "href"} and value]
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_report_has_all_chapters_with_what_was_sent_and_what_is_stored() -> None:
    chapters = [told(Chapter(f"Chapter {number}"), is_matching=number > 0) for number in range(3)]

    page = Page(report.page(chapters, {}, "", []))

    assert page.open == []
    assert page.tags["section"] == len(chapters) + 2  # pictures and newsletter
    assert "Not all totals match." in page.text
    assert page.text.count("90 sent, 90 with the expected response") == len(chapters)
    assert page.text.count("Hello, my chain broke.") == len(chapters)
    assert page.text.count("A customer writes <b>markup</b> & [red]more[/].") == 90 * len(chapters)
    assert page.text.count("99 events accepted = 91 stored") == len(chapters)
    assert "there is no Chromium" in page.text
    assert "It was not exported." in page.text


def test_the_report_says_that_all_totals_match() -> None:
    assert "All totals match" in report.page([told(Chapter("A day"))], {}, "", [])


def test_pictures_and_newsletter_are_inside_the_report() -> None:
    newsletter = '<h1 class="x">Highland</h1><script>alert(1)</script>'

    text = report.page(
        [told(Chapter("A day"))], {"inbox": b"JPEG"}, newsletter, ["newsletter-pdf.pdf"]
    )

    page = Page(text)
    assert page.addresses == ["#chapter-1", "data:image/jpeg;base64,SlBFRw==", "newsletter-pdf.pdf"]
    assert page.tags["script"] == 0
    assert re.search(r"<iframe sandbox [^>]*srcdoc=\"&lt;h1 class=&quot;x&quot;&gt;Highland", text)


def test_the_report_is_written_beside_the_exported_newsletter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    monkeypatch.setattr(report, "FILE", tmp_path / "report.html")
    (tmp_path / "newsletter-html.html").write_text("<h1>Highland</h1>")
    (tmp_path / "newsletter-text.txt").write_text("Highland")

    written = report.write([told(Chapter("A day"))], {})

    assert written == tmp_path / "report.html"
    assert 'href="newsletter-text.txt"' in written.read_text()
    assert "&lt;h1&gt;Highland" in written.read_text()


def test_totals_match_if_each_event_is_stored_parked_or_a_known_repeat() -> None:
    costs = {"message": Cost(4, 10.0), "account": Cost(1, 1.0)}
    totals = Totals(9, Counter(persisted=6, parked=1, duplicate=1), Counter(), 2, costs)

    assert totals.match(9, repeats=2)
    assert not totals.match(9, repeats=1)
    assert not totals.match(10, repeats=2)
    assert totals.dropped_by_queue == 1
    assert list(rows_of(costs)) == [("account", "1", "1", "1.0"), ("message", "4", "10", "2.5")]


def test_without_input_the_stack_is_kept_until_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[str] = []
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr(signal, "pause", lambda: waits.append("until a signal"))
    out = io.StringIO()

    screen.wait_for_enter(Console(file=out))

    assert waits == ["until a signal"]
    assert "until this program is stopped" in out.getvalue()
