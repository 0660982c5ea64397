"""
Structural checks of a form's JSON, before the provider sees it. Pure; the provider checks components and expressions.

Meta, "Flow JSON": a version, screens with unique ids, at least one terminal one, and routes to existing screens.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LARGEST_BYTES = 10 << 20
MOST_PROBLEMS = 100
_VERSION = re.compile(r"\d+\.\d+")
_SCREEN_ID = re.compile(r"[A-Za-z_]{1,100}")
_RESERVED = "SUCCESS"


class Problem(NamedTuple):
    """A broken rule at a *path*, such as `screens.2.id`. Texts have ids of screens, never other content."""

    path: str
    problem: str


def problems(flow: Mapping[str, Any]) -> list[Problem]:
    """Return the first broken rules of a form's JSON; an empty list if it has none."""
    found = [*_of_version(flow), *_of_screens(flow), *_of_routes(flow)]
    return found[:MOST_PROBLEMS]


def _of_version(flow: Mapping[str, Any]) -> Iterator[Problem]:
    if not isinstance(flow.get("version"), str) or not _VERSION.fullmatch(flow["version"]):
        yield Problem("version", "must be a version such as 7.0")
    if "data_api_version" in flow and flow["data_api_version"] not in ("3.0", "4.0"):
        yield Problem("data_api_version", "must be 3.0 or 4.0")


def _of_screens(flow: Mapping[str, Any]) -> Iterator[Problem]:
    screens = flow.get("screens")
    if not isinstance(screens, list) or not screens:
        yield Problem("screens", "must be a list of at least one screen")
        return
    for index, screen in enumerate(screens):
        if not isinstance(screen, dict):
            yield Problem(f"screens.{index}", "must be an object")
        elif not isinstance(screen.get("id"), str) or not _SCREEN_ID.fullmatch(screen["id"]):
            yield Problem(f"screens.{index}.id", "must have letters and underscores only")
        elif screen["id"] == _RESERVED:
            yield Problem(f"screens.{index}.id", f"{_RESERVED} is reserved")
        elif not isinstance(screen.get("layout"), dict):
            yield Problem(f"screens.{index}.layout", "must be an object")
    for name, count in Counter(_ids(flow)).items():
        if count > 1:
            yield Problem("screens", f"{name}: the id must be unique")
    if not any(isinstance(one, dict) and one.get("terminal") is True for one in screens):
        yield Problem("screens", "must have a terminal screen")


def _of_routes(flow: Mapping[str, Any]) -> Iterator[Problem]:
    ids = _ids(flow)  # a list, as names may be unhashable
    model = flow.get("routing_model")
    if model is None:
        if "data_api_version" in flow:
            yield Problem("routing_model", "is required with data_api_version")
    elif not isinstance(model, dict):
        yield Problem("routing_model", "must be an object")
    else:
        for screen, following in model.items():
            if screen not in ids:
                yield Problem("routing_model", f"{screen[:100]}: no screen has this id")
            for name in following if isinstance(following, list) else [None]:
                if name not in ids:
                    yield Problem(f"routing_model.{screen[:100]}", "must list ids of screens")
    for path, name in _navigations(flow.get("screens"), "screens"):
        if name not in ids:
            yield Problem(path, "must name an existing screen")


def _ids(flow: Mapping[str, Any]) -> list[str]:
    screens = flow.get("screens")
    return [
        screen["id"]
        for screen in (screens if isinstance(screens, list) else [])
        if isinstance(screen, dict) and isinstance(screen.get("id"), str)
    ]


def _navigations(part: object, path: str) -> Iterator[tuple[str, object]]:
    """Yield the screens that actions of the layout navigate to, with their paths."""
    if isinstance(part, dict):
        target = part.get("next")
        if (
            part.get("name") == "navigate"
            and isinstance(target, dict)
            and target.get("type") == "screen"
        ):
            yield f"{path}.next.name", target.get("name")
        for name, child in part.items():
            yield from _navigations(child, f"{path}.{str(name)[:100]}")
    elif isinstance(part, list):
        for index, child in enumerate(part):
            yield from _navigations(child, f"{path}.{index}")
