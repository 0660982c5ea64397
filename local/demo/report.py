"""The report of the demo: one HTML page with everything in it, beside the exported newsletter."""

from __future__ import annotations

import base64
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Final

from local.demo.chapter import Heading, Line, Message, Step, Table
from local.demo.chapters.newsletters import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from local.demo.chapter import Chapter, Part

FILE: Final = FOLDER / "report.html"
_HTML_EXPORT: Final = "newsletter-html.html"
_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --ok: #1a7f37; --bad: #cf222e }
@media (prefers-color-scheme: dark) { :root { --ok: #57ab5a; --bad: #f47067 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto }
td, th { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line) }
summary { cursor: pointer }
p { margin: .3rem 0; white-space: pre-wrap }
.ok { color: var(--ok) } .bad, .fault { color: var(--bad) }
.strong { font-weight: 600; margin-top: 1rem } .faint, small, time { opacity: .7 } .result { font-family: monospace }
.message { max-width: 42rem; margin: .25rem 0; padding: .35rem .7rem; border-radius: .6rem; background: var(--soft) }
.outbound { margin-left: 6rem; background: #2a6fdb22 }
img, iframe { width: 100%; border: 1px solid var(--line) } iframe { height: 60rem; background: #fff }
"""


def write(chapters: Sequence[Chapter], pictures: Mapping[str, bytes]) -> Path:
    """Write the report of these chapters and return its file; the newsletter is read from the same folder."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    exports = {path.name: path for path in sorted(FOLDER.glob("newsletter-*"))}
    shown = exports.get(_HTML_EXPORT)
    newsletter = shown.read_text("utf-8") if shown else ""
    FILE.write_text(page(chapters, pictures, newsletter, list(exports)), encoding="utf-8")
    return FILE


def page(
    chapters: Sequence[Chapter],
    pictures: Mapping[str, bytes],
    newsletter: str,
    exports: Iterable[str],
) -> str:
    """Return the report: totals, chapters, pictures by name, the newsletter as HTML and links to its files."""
    parts = [
        *_totals(chapters),
        *(line for number, chapter in enumerate(chapters, 1) for line in _chapter(number, chapter)),
        *_pictures(pictures),
        *_newsletter(newsletter, exports),
    ]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    return "\n".join(
        [
            f'<!doctype html>\n<html lang="en"><head>{head}<title>Parley: report of the demo</title>',
            f"<style>{_STYLE}</style></head><body>",
            *parts,
            "</body></html>\n",
        ]
    )


def _totals(chapters: Sequence[Chapter]) -> Iterator[str]:
    is_matching = all(chapter.is_matching for chapter in chapters)
    result = "All totals match: no event was lost or processed twice."
    yield "<h1>A day with Parley</h1>"
    yield "<p>Sample events of providers and customers, sent to the shipped template on this machine.</p>"
    yield (
        f'<p class="ok">{result}</p>' if is_matching else '<p class="bad">Not all totals match.</p>'
    )
    rows = [
        f'<tr><td>{_mark(chapter)}</td><td><a href="#chapter-{number}">{escape(chapter.title)}</a></td>'
        f"<td>{escape(chapter.summary)}</td></tr>"
        for number, chapter in enumerate(chapters, 1)
    ]
    yield f"<table>{''.join(rows)}</table>"


def _mark(chapter: Chapter) -> str:
    return '<b class="ok">ok</b>' if chapter.is_matching else '<b class="bad">failed</b>'


def _chapter(number: int, chapter: Chapter) -> Iterator[str]:
    yield f'<section id="chapter-{number}"><h2>{escape(chapter.title)} {_mark(chapter)}</h2>'
    for is_step, parts in groupby(chapter.parts, lambda part: isinstance(part, Step)):
        if is_step:
            yield _steps([part for part in parts if isinstance(part, Step)])
        else:
            yield from map(_part, parts)
    yield "</section>"


def _steps(steps: list[Step]) -> str:
    """Return a table of what was sent, which is folded."""
    expected = sum(step.is_expected for step in steps)
    rows = [
        f'<tr><td class="{"ok" if step.is_expected else "bad"}">{escape(step.status)}</td>'
        f"<td>{escape(step.name)}</td><td>{escape(step.text)}</td></tr>"
        for step in steps
    ]
    summary = f"{len(steps)} sent, {expected} with the expected response"
    return f"<details><summary>{summary}</summary><table>{''.join(rows)}</table></details>"


def _part(part: Part) -> str:
    match part:
        case Heading(text):
            return f"<h3>{escape(text)}</h3>"
        case Message(at, text, is_outbound, note):
            direction = "message outbound" if is_outbound else "message"
            suffix = f" <small>({escape(note)})</small>" if note else ""
            return f'<p class="{direction}"><time>{escape(at)}</time> {escape(text)}{suffix}</p>'
        case Line(text, style):
            return f'<p class="{style}">{escape(text)}</p>'
        case Table(columns, rows):
            head = "".join(f"<th>{escape(column)}</th>" for column in columns)
            body = "".join(
                f"<tr>{''.join(f'<td>{escape(v)}</td>' for v in row)}</tr>" for row in rows
            )
            return f"<table><tr>{head}</tr>{body}</table>"
        case Step():
            return _steps([part])


def _pictures(pictures: Mapping[str, bytes]) -> Iterator[str]:
    yield "<section><h2>The console</h2>"
    if not pictures:
        yield "<p>No pictures: there is no Chromium on this machine, or it failed.</p>"
    for name, content in pictures.items():
        source = f"data:image/jpeg;base64,{base64.b64encode(content).decode()}"
        yield f'<h3>{escape(name)}</h3><img alt="The console: {escape(name)}" src="{source}">'
    yield "</section>"


def _newsletter(newsletter: str, exports: Iterable[str]) -> Iterator[str]:
    links = ", ".join(f'<a href="{escape(name)}">{escape(name)}</a>' for name in exports)
    yield f"<section><h2>The exported newsletter</h2><p>{links or 'It was not exported.'}</p>"
    if newsletter:
        # Without scripts, as in a mail program.
        yield f'<iframe sandbox title="The newsletter" srcdoc="{escape(newsletter)}"></iframe>'
    yield "</section>"
