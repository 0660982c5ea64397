"""
Prints traces of the local stack, running or just stopped.

    make trace                                          # the newest traces
    make trace ID=1-5759e988-bd862e3fe1be46a994272793   # the waterfall of one

Log lines have the id as `xray_trace_id`.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from local.stack.processes import StackError, as_program
from local.stack.traces.collector import OLDER, TRACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

NEWEST = 20
_ID = re.compile(r"1-[0-9a-f]{8}-[0-9a-f]{24}")
_BAR = 24  # characters


@dataclass
class Span:
    """A segment or subsegment; times in seconds since 1970."""

    id: str
    parent: str | None
    name: str
    start: float
    end: float
    annotations: dict[str, Any]
    is_fault: bool
    children: list[Span] = field(default_factory=list)


def spans_by_trace() -> dict[str, list[Span]]:
    """Return the spans of every collected trace by trace id, each with its children."""
    traces: dict[str, dict[str, Span]] = {}
    for document in _documents():
        spans = traces.setdefault(document["trace_id"], {})
        spans.update((span.id, span) for span in _spans(document))
    for spans in traces.values():
        for span in sorted(spans.values(), key=lambda span: span.start):
            if span.parent in spans:
                spans[span.parent].children.append(span)
    return {trace_id: list(spans.values()) for trace_id, spans in traces.items()}


def _documents() -> Iterator[dict[str, Any]]:
    for file in (OLDER, TRACES):
        if file.exists():
            with file.open(encoding="utf-8") as lines:
                for line in lines:
                    if line.endswith("\n"):  # the collector may be writing the last one
                        yield json.loads(line)


def _spans(document: Mapping[str, Any], parent: str | None = None) -> Iterator[Span]:
    """Yield the span of a document and its nested spans; one in progress ends where it starts."""
    start = float(document["start_time"])
    yield Span(
        id=document["id"],
        parent=document.get("parent_id", parent),
        name=document["name"],
        start=start,
        end=float(document.get("end_time", start)),
        annotations=document.get("annotations", {}),
        is_fault=bool(document.get("fault")),
    )
    for nested in document.get("subsegments", []):
        yield from _spans(nested, document["id"])


def waterfall(trace_id: str, spans: Iterable[Span]) -> str:
    """Return one line per span, children below their parents: start, duration, bar, name, annotations."""
    spans = sorted(spans, key=lambda span: span.start)
    known = {span.id for span in spans}
    began, ended = spans[0].start, max(span.end for span in spans)
    lines = [f"trace {trace_id}, {_time(began)}, {_ms(ended - began)}"]

    def add(span: Span, depth: int) -> None:
        offset, took = span.start - began, span.end - span.start
        facts = " ".join(f"{name}={value}" for name, value in sorted(span.annotations.items()))
        fault = " FAULT" if span.is_fault else ""
        bar = _bar(offset, took, ended - began)
        lines.append(
            f"{_ms(offset):>9} {_ms(took):>9} |{bar}| {'  ' * depth}{span.name}{fault}  {facts}"
        )
        for child in span.children:
            add(child, depth + 1)

    for span in spans:
        if (
            span.parent not in known
        ):  # the parent of a batch's or an API's first segment is not collected
            add(span, 0)
    return "\n".join(line.rstrip() for line in lines)


def listing(traces: Mapping[str, list[Span]]) -> str:
    """Return the newest traces, the newest last: id, start, duration, number of spans, functions."""
    by_start = sorted(traces.items(), key=lambda entry: min(span.start for span in entry[1]))
    lines = []
    for trace_id, spans in by_start[-NEWEST:]:
        ordered = sorted(spans, key=lambda span: span.start)
        took = max(span.end for span in ordered) - ordered[0].start
        names = " > ".join(dict.fromkeys(span.name for span in ordered))
        lines.append(
            f"{trace_id}  {_time(ordered[0].start)} {_ms(took):>9} {len(ordered):>3}  {names}"
        )
    return "\n".join(lines)


def _bar(offset: float, took: float, total: float) -> str:
    scale = _BAR / total if total else 0
    before = min(int(offset * scale), _BAR - 1)
    length = max(1, min(round(took * scale), _BAR - before))
    return (" " * before + "=" * length).ljust(_BAR)


def _ms(seconds: float) -> str:
    return f"{seconds * 1_000:,.0f} ms"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S.%f")[:-3]


def shown(arguments: list[str]) -> str:
    """Return the text for the command's arguments. Raises StackError that names what is wrong with them."""
    traces = spans_by_trace()
    if not traces:
        raise StackError("There are no traces: `make up` or `make demo` starts the stack.")
    match arguments:
        case []:
            return listing(traces)
        case [trace_id] if not _ID.fullmatch(trace_id):
            raise StackError(f"ID is not a trace id, such as {next(reversed(traces))}.")
        case [trace_id] if trace_id not in traces:
            raise StackError(f"There is no trace {trace_id}; `make trace` lists the newest.")
        case [trace_id]:
            return waterfall(trace_id, traces[trace_id])
        case _:
            raise StackError("Give one trace id, or none for a list of the newest traces.")


def main() -> None:
    """`python -m local.stack.traces.report [trace id]`."""
    print(shown(sys.argv[1:]))


if __name__ == "__main__":
    as_program(main)
