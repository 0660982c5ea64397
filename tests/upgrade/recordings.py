"""
The recordings in `recorded/<version>/`:

    items.json                  items of every item class, by `<table>/<class>`: the first one, and how others differ
    queues/<context>.json       events of every queue, one of each type and shape
    requests/<context>.json     requests to every route
    tables.json                 keys and indexes of the tables

Two runs record the same: ids of the simulated systems are not random, and the time of their providers stands still.
"""

from __future__ import annotations

import json
import random
import re
import threading
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from local.sandbox import state
from tests.simulation.clock import START_MS
from tests.template import ROOT
from tests.upgrade import api_requests, queued_events, stored_items, tables
from tests.upgrade.stored_items import Attributes

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


def items() -> dict[str, dict[str, Any]]:
    """The recorded item classes by version and `<table>/<class>`: their keys, and their items in full."""
    return {
        version: {
            name: {"keys": one["keys"], "items": _in_full(one["items"])}
            for name, one in classes.items()
        }
        for version, classes in read("items").items()
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
        with _without_chance(), context.running() as system:
            found.append((f"queues/{name}", context.recorded(system)))
    for name in api_requests.CONTEXTS:
        with _without_chance(), api_requests.running(name) as companies:
            found.append((f"requests/{name}", api_requests.recorded(name, companies)))
    return found


def _of_class(one: stored_items.ItemClass) -> dict[str, Any]:
    first, *others = one.samples()
    return {"keys": one.keys, "items": [first, *(_difference(first, other) for other in others)]}


def _difference(first: Attributes, other: Attributes) -> dict[str, Attributes | None]:
    """The attributes of *other* that differ from those of *first*; None if it does not have one."""
    names = sorted(first.keys() | other.keys())
    return {name: other.get(name) for name in names if other.get(name) != first.get(name)}


def _in_full(recorded: list[dict[str, Attributes | None]]) -> list[Attributes]:
    """The items of a class, from the first one and the differences of the others."""
    first, *differences = recorded
    merged = [first, *(first | difference for difference in differences)]
    return [{n: value for n, value in item.items() if value is not None} for item in merged]


@contextmanager
def _without_chance() -> Iterator[None]:
    """Make the random ids of one recording the same in each run, and stop the clock of the providers."""
    # The provider sandbox runs in a thread of its own: each thread has its own sequence of ids.
    sequences = [random.Random(seed) for seed in (1, 2)]  # noqa: S311 - repeatable on purpose

    def bits(count: int) -> int:
        is_main = threading.current_thread() is threading.main_thread()
        return sequences[is_main].getrandbits(count)

    def uuid4() -> uuid.UUID:
        return uuid.UUID(int=bits(128), version=4)

    def token_hex(size: int = 32) -> str:
        return f"{bits(8 * size):0{2 * size}x}"

    with (
        mock.patch("uuid.uuid4", new=uuid4),
        mock.patch("secrets.token_hex", new=token_hex),
        mock.patch.object(state.Clock, "now", return_value=START_MS / 1_000),
    ):
        yield


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
