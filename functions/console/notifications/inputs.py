"""Input models of notifications."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, Field, model_validator
from pydantic_core import PydanticCustomError

from console.api.inputs import MOST_TEAMS, TeamName, ViewsQuery
from console.store.notification_states import Language  # noqa: TC001 - field of a model
from shared.api.models.inputs import Input
from shared.inbox.notifications.items import NotificationKind
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName  # noqa: TC001 - field of a model

MOST_SHOWN: Final = 100
LONGEST_QUIET_DAYS: Final = 31


type NotificationId = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3,6}Z#[0-9a-f]{24}$",
            "must be the id of a notification",
        )
    ),
]
type TimeOfDay = Annotated[str, Field(pattern=patterns.TIME)]


# The push services of Chrome, Firefox, Edge and Safari: Parley posts to no other address that a caller names.
type PushEndpoint = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^https://(fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com"
            r"|[a-z0-9-]+\.notify\.windows\.com|[a-z0-9-]+\.push\.apple\.com)/[!-~]{1,1000}$",
            "must be an address at the push service of a browser",
        )
    ),
]


class NotificationsQuery(ViewsQuery):
    """Whose notifications to list beside the caller's own: names of teams, with commas between them; of one kind."""

    kind: NotificationKind | None = None
    limit: int = Field(default=20, ge=1, le=MOST_SHOWN)


class ReadInput(Input):
    """Read notifications: the ones with these ids, or all of the caller and their teams up to one (`upTo`)."""

    ids: Annotated[list[NotificationId], Field(min_length=1, max_length=MOST_SHOWN)] | None = None
    up_to: NotificationId | None = Field(default=None, alias="upTo")

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if (self.ids is None) == (self.up_to is None):
            raise PydanticCustomError("ids", "must have ids or upTo")
        return self


class BrowserInput(Input):
    """
    A browser that is to get pushes: its address at its push service (`endpoint`), as the browser gives it. `teams`:
    names of teams whose notifications are wanted, too.
    """

    endpoint: PushEndpoint
    teams: Annotated[list[TeamName], Field(max_length=MOST_TEAMS)] = Field(default_factory=list)


class EndedBrowserInput(Input):
    """A browser that gets no pushes any more."""

    endpoint: PushEndpoint


class SettingsInput(Input):
    """
    How the caller wants to be notified: all of it. `muted` kinds are not listed. Tones and notifications of the desktop
    are silent until `quietUntil`, and from `quietFrom` to `quietTo` (HH:MM) in `zone`. With `digestHours`
    a mail in `language` counts what is unread, while no page is open, at most once in these hours.
    """

    muted: Annotated[list[NotificationKind], Field(max_length=len(NotificationKind))] = Field(
        default_factory=list
    )
    quiet_until: AwareDatetime | None = Field(default=None, alias="quietUntil")
    quiet_from: TimeOfDay | None = Field(default=None, alias="quietFrom")
    quiet_to: TimeOfDay | None = Field(default=None, alias="quietTo")
    zone: ZoneName | None = None
    digest_hours: Literal[4, 24] | None = Field(default=None, alias="digestHours")
    language: Language = "en"

    @model_validator(mode="after")
    def _has_whole_hours(self) -> Self:
        given = {self.quiet_from is None, self.quiet_to is None, self.zone is None}
        if len(given) > 1:
            raise PydanticCustomError("quietFrom", "must have quietFrom, quietTo and zone, or none")
        latest = datetime.now(UTC) + timedelta(days=LONGEST_QUIET_DAYS)
        if self.quiet_until is not None and self.quiet_until > latest:
            raise PydanticCustomError("quietUntil", f"must be within {LONGEST_QUIET_DAYS} days")
        return self
