"""
The recordings in `recorded/<version>/`:

    items.json                  items of every item class, by `<table>/<class>`
    queues/<context>.json       events of every queue
    requests/<context>.json     requests to every route
    tables.json                 keys and indexes of the tables
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from tests.template import ROOT
from tests.upgrade import api_requests, queued_events, stored_items, tables

FOLDER = Path(__file__).parent / "recorded"
COMMAND = "run `PYTHONPATH=.:functions:layers/shared .venvs/dev/bin/python -m tests.upgrade`"
UNRELEASED = (
    f"later versions must read what this one stores and queues; before its release, {COMMAND}"
)


class Released(Exception):
    """The version has been released: its recordings represent the data of existing deployments."""


def current_version() -> str:
    """The version in pyproject.toml."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return version


def released_versions(changelog: str) -> list[str]:
    """The versions that have a heading `## 1.2.3` in the changelog, newest first."""
    return re.findall(r"^## (\d+\.\d+\.\d+)\b", changelog, re.MULTILINE)


def versions(folder: Path = FOLDER) -> list[str]:
    """The recorded versions, oldest first."""
    names = [path.name for path in folder.iterdir()]
    return sorted(names, key=lambda name: [int(part) for part in name.split(".")])


def last_released() -> str:
    """The recorded version to compare with: the newest released one; before the first release the one being made."""
    recorded = versions()
    released = released_versions((ROOT / "CHANGELOG.md").read_text())
    return next((version for version in reversed(recorded) if version in released), recorded[-1])


def read(name: str) -> dict[str, Any]:
    """The contents of a recording, `queues/whatsapp`, by version, of those that still have it."""
    files = {version: FOLDER / version / f"{name}.json" for version in versions()}
    return {
        version: json.loads(file.read_text()) for version, file in files.items() if file.exists()
    }


def record(folder: Path = FOLDER) -> Path:
    """Record the current version; return its folder. Raises Released."""
    version = current_version()
    if version in released_versions((ROOT / "CHANGELOG.md").read_text()):
        raise Released(
            f"{version} is released, so its recordings must not change: set the next version in pyproject.toml"
        )
    target = folder / version
    for name, content in _recordings():
        path = target / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(content), encoding="utf-8")
    return target


def _recordings() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = [
        ("tables", tables.declared()),
        ("items", {name: _of_class(one) for name, one in stored_items.item_classes().items()}),
    ]
    for name, context in queued_events.CONTEXTS.items():
        with context.running() as system:
            found.append((f"queues/{name}", context.recorded(system)))
    for name, (running, attacks) in api_requests.CONTEXTS.items():
        with running() as companies:
            found.append((f"requests/{name}", api_requests.recorded(companies, attacks)))
    return found


def _of_class(one: stored_items.ItemClass) -> dict[str, Any]:
    return {"keys": one.keys, "items": one.samples()}


def _text(content: Any) -> str:
    """JSON with a line per record, so that a difference shows which one changed."""
    if isinstance(content, list):
        lines = [json.dumps(entry, sort_keys=True) for entry in content]
        return "[\n" + ",\n".join(lines) + "\n]\n"
    lines = [
        f"{json.dumps(name)}: {json.dumps(content[name], sort_keys=True)}"
        for name in sorted(content)
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
