"""
The settings of an owner's item that its versions have, if they differ from their defaults.

An owner that was stored before there were versions has settings, but no version: they become one before they change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from shared.ai.versions.stored import PARLEY, Version
from shared.aws.sqs_fifo import digest, to_json
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel


class Owner(Protocol):
    """An item that has the settings of its live version, and their author and time."""

    @property
    def ai_version(self) -> int | None:
        """The number of the live version; None if it has none."""

    @property
    def updated_by(self) -> str | None:
        """The author of the settings."""

    @property
    def updated_at(self) -> str | None:
        """The time of the settings, in UTC."""

    def model_dump(self, *, include: set[str]) -> dict[str, Any]:
        """Return attributes by name."""


@dataclass(frozen=True, slots=True)
class OwnerSettings:
    """The settings *names* of items of the class *owner*."""

    owner: type[BaseModel]
    names: tuple[str, ...]

    def of(self, item: Owner | None) -> dict[str, Any]:
        """Return the settings of an item; none of an absent one."""
        return self._without_defaults(item.model_dump(include={*self.names})) if item else {}

    def changed(self, settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return *settings* of a version with the ones *given*; None removes one."""
        whole = {**settings, **given}
        return self._without_defaults({name: v for name, v in whole.items() if v is not None})

    def values_of(self, version: Version) -> dict[str, Any]:
        """Return the attributes of an item with which *version* is live."""
        values = {name: version.settings.get(name, self._default_of(name)) for name in self.names}
        return {**values, "ai_version": version.number}

    def first_version(self, item: Owner) -> Version | None:
        """Return the version to store for an item whose settings have none; None if it has one, or no settings."""
        settings = self.of(item)
        if item.ai_version is not None or not settings:
            return None
        return _version(item, settings, "stored before")

    def new_version(
        self, before: Owner | None, item: Owner, cause: str, *, live: int | None
    ) -> Version | None:
        """
        Return the version to store for *item*, which replaces *before* with its version *live*; None if the settings
        are equal. Equal for repeated calls with the same *cause*, which names the call.
        """
        settings = self.of(item)
        if settings == self.of(before):
            return None
        return _version(item, settings, cause, based_on=live)

    def _without_defaults(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                name: value
                for name, value in settings.items()
                if name in self.names and value != self._default_of(name)
            }
        )
        return found

    def _default_of(self, name: str) -> Any:  # noqa: ANN401 - of any setting
        return self.owner.model_fields[name].get_default(call_default_factory=True)


def _version(
    item: Owner, settings: dict[str, Any], cause: str, *, based_on: int | None = None
) -> Version:
    return Version(
        settings=settings,
        by=item.updated_by or PARLEY,
        at=item.updated_at or clock.to_text(clock.now_ms()),
        based_on=based_on,
        made_for=digest(cause, to_json(settings)),
    )
