"""Keys of browser tests reach no disabled control: Playwright waits for one before a click, but before no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import Locator, expect

if TYPE_CHECKING:
    from collections.abc import Callable


def install() -> None:
    """Let `press` and `focus` wait until the control is enabled: a key on a disabled one is lost without an error."""
    for name in ("press", "focus"):
        setattr(Locator, name, _waiting(getattr(Locator, name)))


def _waiting(act: Callable[..., None]) -> Callable[..., None]:
    def acted(locator: Locator, *given: Any, **options: Any) -> None:
        expect(locator).to_be_enabled()
        act(locator, *given, **options)

    return acted
