"""The events of newsletters as files. README.md is written by hand."""

from pathlib import Path

from events.newsletters.direct import direct_events


def files() -> dict[Path, str]:
    """Return the content of every generated file, by path."""
    return {event.path: event.file_text for event in direct_events()}
