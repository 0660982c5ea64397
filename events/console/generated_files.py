"""The events of the inbox over all contexts as files. README.md is written by hand."""

from pathlib import Path

from events.console.direct import direct_events


def files() -> dict[Path, str]:
    """Return the content of every generated file, by path."""
    return {event.path: event.file_text for event in direct_events()}
