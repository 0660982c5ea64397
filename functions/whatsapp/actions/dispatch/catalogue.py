"""Finds actions by name: one of them, importing its module only, or all of them."""

from __future__ import annotations

import importlib
from difflib import get_close_matches

from whatsapp.actions import ACTIONS
from whatsapp.actions.dispatch.registration import Action, registered

_MOST_NEAR_NAMES = 3


class UnknownAction(Exception):
    """There is no action with this name; the message has names that are nearly the same."""

    def __init__(self, name: str) -> None:
        near = get_close_matches(name.lower(), ACTIONS, _MOST_NEAR_NAMES)
        super().__init__("action: unknown" + (f"; near names: {', '.join(near)}" if near else ""))


def find(name: str) -> Action:
    """Return the action with this name. Raises UnknownAction, and KeyError if the index is out of date."""
    if name not in ACTIONS:
        raise UnknownAction(name)
    importlib.import_module(f"whatsapp.actions.{ACTIONS[name]}")
    return registered()[name]


def all_actions() -> list[Action]:
    """Return all actions by name. Imports all modules, which takes a second or two on Lambda."""
    return [find(name) for name in sorted(ACTIONS)]
