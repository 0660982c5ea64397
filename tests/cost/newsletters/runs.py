"""Runs of a company's set of two scenarios of newsletters: a section each, recorded or of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.simulation.newsletters.scenarios import SET

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

_CALL: Final = "The Green Fund opens a call for farmers."
_SECTION: Final = {
    "kind": "newsletter",
    "step": "section",
    "newsletter": {
        "passages": [{"topic": "Funding Opportunities", "title": "Green Fund", "text": _CALL}],
        "section": {"name": "News", "kind": "main", "items": [{"title": "News", "passages": [1]}]},
    },
    "answer": {"blocks": [{"kind": "paragraph", "text": _CALL, "refs": ["c01"]}]},
    "expect": {"cites": "Green Fund"},
}


def begins_recorded(system: System) -> None:
    """A run with recorded answers has begun."""
    _begins(system, recorded=True)


def begins_with_model(system: System) -> None:
    """A run whose scenarios each ask the model for a section has begun."""
    _begins(system, version=1)


def _begins(system: System, **given: Any) -> None:
    scenarios = [_SECTION | {"name": name} for name in ("one", "two")]
    system.act("POST", SET, {"scenarios": scenarios}, key="set")
    system.act("POST", f"{SET}/runs", given, key="run")
