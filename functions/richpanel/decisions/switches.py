"""
The switches of the help-desk middleware, set by operators. A missing or unreadable switch is closed.

Names and texts equal the parameters `/parley/{stage}/richpanel/`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from richpanel.decisions.facts import MatchPath
from richpanel.decisions.templates.catalogue import templates
from richpanel.inbound.channels import Channel


class OutboundScope(StrEnum):
    """The recipients to whom replies may be sent."""

    NONE = "none"
    ALLOWLIST = "allowlist"
    ALL = "all"


class SwitchInvalid(Exception):
    """A switch has an invalid value. The text has the switch and the rule (*problem*), not the value."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name} {problem}")
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """All switches. The defaults are the closed values; only a missing `dry_run` closes nothing."""

    safe_mode: bool = True
    automation_enabled: bool = False
    automation_enabled_channels: frozenset[Channel] = frozenset()
    template_enabled: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    tier2_channels: frozenset[Channel] = frozenset()
    tier2_paths: frozenset[MatchPath] = frozenset()
    auto_close_enabled: bool = False
    outbound_scope: OutboundScope = OutboundScope.NONE
    dry_run: bool = False

    def may_automate(self, channel: Channel) -> bool:
        """Return whether messages of this channel are candidates for a reply (`mode` of the event)."""
        in_channel = channel in self.automation_enabled_channels
        return not self.safe_mode and self.automation_enabled and in_channel

    def may_send(self, template_id: str) -> bool:
        """Return whether the template may be sent automatically and is enabled."""
        return (
            templates[template_id].tier is not None
            and self.template_enabled.get(template_id) is True
        )

    def allow(self, channel: Channel, template_id: str) -> bool:
        """Return whether a reply from this template may be sent on this channel now, independent of the decision."""
        is_open = not self.dry_run and self.outbound_scope is not OutboundScope.NONE
        return is_open and self.may_automate(channel) and self.may_send(template_id)


def all_open() -> Switches:
    """Return the switches with which every reply that the other gates allow is sent; tickets are not closed."""
    return Switches(
        safe_mode=False,
        automation_enabled=True,
        automation_enabled_channels=frozenset({Channel.LIVECHAT, Channel.EMAIL}),
        template_enabled={name: each.tier is not None for name, each in templates.items()},
        tier2_channels=frozenset({Channel.EMAIL}),
        tier2_paths=frozenset(MatchPath),
        outbound_scope=OutboundScope.ALL,
    )


def read_switches(texts: Mapping[str, str]) -> Switches:
    """Parse the switches from the texts of the parameter store, one per name. Invalid ones are closed."""
    values: dict[str, Any] = {}
    for name in _READERS.keys() & texts.keys():
        try:
            values[name] = read_switch(name, texts[name])
        except SwitchInvalid:
            if name == "dry_run":
                values[name] = True
    return Switches(**values)


def read_switch(name: str, text: str) -> Any:  # noqa: ANN401 - each switch has another type
    """Parse the value of one switch. Raises SwitchInvalid for an invalid text or an unknown name."""
    if name not in _READERS:
        raise SwitchInvalid(name, "is not a known switch")
    read, rule = _READERS[name]
    try:
        return read(text.strip())
    except (ValueError, KeyError, RecursionError) as error:
        raise SwitchInvalid(name, rule) from error


def _boolean(text: str) -> bool:
    return {"true": True, "false": False}[text]


def _templates(text: str) -> Mapping[str, bool]:
    parsed = json.loads(text)
    if not isinstance(parsed, dict) or not all(
        isinstance(value, bool) for value in parsed.values()
    ):
        raise ValueError("must map templates to true or false")
    return MappingProxyType(parsed)


def _set_of[Kind: StrEnum](kind: type[Kind]) -> Callable[[str], frozenset[Kind]]:
    def read(text: str) -> frozenset[Kind]:
        names = [name.strip() for name in text.split(",")]
        return frozenset(kind(name) for name in names if name not in {"", "none"})

    return read


def _list_rule(kind: type[StrEnum]) -> str:
    return f"must be none or a comma-separated list of {', '.join(kind)}"


_BOOLEAN = (_boolean, "must be true or false")
_CHANNELS = (_set_of(Channel), _list_rule(Channel))
# The parser of each switch, and the rule for its text.
_READERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "safe_mode": _BOOLEAN,
    "automation_enabled": _BOOLEAN,
    "automation_enabled_channels": _CHANNELS,
    "template_enabled": (_templates, "must be a JSON object of templates, each true or false"),
    "tier2_channels": _CHANNELS,
    "tier2_paths": (_set_of(MatchPath), _list_rule(MatchPath)),
    "auto_close_enabled": _BOOLEAN,
    "outbound_scope": (OutboundScope, f"must be one of {', '.join(OutboundScope)}"),
    "dry_run": _BOOLEAN,
}
