"""The channels that rules know, and the help desk's own names for them."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from shared.runtime.settings import SettingInvalid


class Channel(StrEnum):
    """Where a message came in. On all but mail and chat, and on what nobody mapped, messages are only routed."""

    EMAIL = "email"
    LIVECHAT = "livechat"
    SOCIAL = "social"
    TIKTOK = "tiktok"
    PHONE = "phone"
    UNKNOWN = "unknown"


def channel_names(pairs: Iterable[str]) -> Mapping[str, Channel]:
    """
    The channel of each name a help desk may use, in lower case; our own words are among them.

    *pairs* are `name=channel`, as the setting has them. Raises SettingInvalid for a pair that says nothing, or says
    something else than a pair before it.
    """
    names = {channel.value: channel for channel in Channel}
    for pair in pairs:
        name, _, channel = pair.lower().partition("=")
        if not name or channel not in set(Channel) or names.get(name, channel) != channel:
            raise SettingInvalid(f"CHANNEL_NAMES: {pair}")
        names[name] = Channel(channel)
    return names
