"""Caches of the handlers of conversations between events; a new process has none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def clear_companies(modules: Iterable[Any]) -> None:
    """Forget the projects and claims that handlers have read."""
    for module in modules:
        deps = getattr(module, "deps", None)
        resources = getattr(module, "resources", None) or getattr(deps, "resources", None)
        gateway = getattr(getattr(deps, "turns", None), "gateway", None)
        for cached in (
            getattr(resources, "companies", None),
            getattr(deps, "companies", None),
            getattr(deps, "claims", None),
            getattr(gateway, "claims", None),
        ):
            if cached is not None:
                cached._cache.clear()
                getattr(cached, "versions", {}).clear()


def clear_secrets(modules: Iterable[Any]) -> None:
    """Forget the secrets that handlers have read."""
    for module in modules:
        deps = getattr(module, "deps", None)
        # One object per process: for sending and for the model, or for customers' files.
        credentials = getattr(deps, "credentials", None)
        credentials = credentials or getattr(getattr(deps, "effects", None), "credentials", None)
        if credentials is not None:
            credentials._cache.clear()
        for secret in (
            getattr(module, "secret", None),
            getattr(deps, "accounts", None),
            getattr(module, "identifier_keys", None),
        ):
            if secret is not None:
                secret._value = None
