"""The channels that rules distinguish, and the mapping from the help desk's names for them."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from shared.runtime.settings import SettingInvalid


class Channel(StrEnum):
    """Channel of a message. Only mail and chat can get replies; on all others, and unmapped ones, it is only routed."""

    EMAIL = "email"
    LIVECHAT = "livechat"
    SOCIAL = "social"
    TIKTOK = "tiktok"
    PHONE = "phone"
    UNKNOWN = "unknown"


def channel_names(pairs: Iterable[str]) -> Mapping[str, Channel]:
    """
    Map each name that a help desk may use, in lower case, to its channel; the values of `Channel` are included.

    *pairs* are `name=channel`, as in the setting. Raises SettingInvalid for a malformed pair, or one that contradicts
    an earlier pair.
    """
    names = {channel.value: channel for channel in Channel}
    for pair in pairs:
        name, _, channel = pair.lower().partition("=")
        if not name or channel not in set(Channel) or names.get(name, channel) != channel:
            raise SettingInvalid(f"CHANNEL_NAMES: {pair}")
        names[name] = Channel(channel)
    return names
