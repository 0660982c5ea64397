"""Routes of notifications."""

from collections.abc import Callable
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from console.api.inbox import InboxDependencies
from console.notifications import lists, vapid
from console.notifications.digests import DigestDependencies
from console.notifications.inputs import (
    BrowserInput,
    EndedBrowserInput,
    NotificationsQuery,
    ReadInput,
    SettingsInput,
)
from console.notifications.views import (
    Notifications,
    NotificationSettings,
    PushKey,
    ReadState,
    Subscribed,
)
from console.reading_rights import SCOPES
from console.store import notification_states
from console.store.notification_states import NotificationState
from shared.api import principals
from shared.api.auth import Caller
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.inbox.live import subscriptions
from shared.inbox.live.items import PushSubscription
from shared.inbox.notifications import records
from shared.runtime import clock
from shared.runtime.observability import describe, logger

_ALL = "/inbox/notifications"
NO_ADDRESS = "needs a mail address that is proven to be yours"


@dataclass(frozen=True, slots=True)
class NotificationRoutes:
    """The routes over the resources of the API. A caller reads and changes only what is their own or a team's."""

    deps: InboxDependencies
    digests: DigestDependencies

    @route_methods.reads(f"GET {_ALL}", *SCOPES.values())
    def list_notifications(self, request: Request[NotificationsQuery]) -> Notifications:
        """List the newest notifications of the caller and of teams, the number of unread ones, and the settings."""
        return lists.listed(
            self.deps, request.caller, request.input, has_digests=self.digests.is_offered
        )

    # Without a key and a record of the change: it is the caller's own, and safe to repeat.
    @route_methods.reads(f"POST {_ALL}/read", *SCOPES.values())
    def mark_notifications_read(self, request: Request[ReadInput]) -> ReadState:
        """Mark notifications as read for the caller: some, or all up to one. Safe to repeat."""
        given = request.input

        def made(before: NotificationState) -> NotificationState:
            now = clock.to_text(clock.now_ms())
            up_to = min(given.up_to.partition("#")[0], now) if given.up_to else ""
            read_to = max(before.read_to, up_to)
            named = before.read_later | set(given.ids or ())
            later = {one for one in named if one.partition("#")[0] > read_to}
            # Older ones are listed no more.
            kept = sorted(later, reverse=True)[: records.MOST]
            return before.model_copy(update={"read_to": read_to, "read_later": set(kept)})

        return ReadState(read_to=self._changed(request, made).read_to)

    @route_methods.changes(f"POST {_ALL}/settings", *SCOPES.values())
    def set_notifications(
        self, request: Request[SettingsInput]
    ) -> Callable[[], NotificationSettings]:
        """Replace the caller's settings of notifications. Raises InvalidInput."""
        given = request.input
        if given.digest_hours is not None and not self.digests.is_offered:
            raise InvalidInput([{"field": "digestHours", "problem": "no mails are sent here"}])
        if given.digest_hours is not None and self._lacks_address(request.caller):
            raise InvalidInput([{"field": "digestHours", "problem": NO_ADDRESS}])

        def made(before: NotificationState) -> NotificationState:
            until = given.quiet_until
            changed = before.model_copy(
                update={
                    "muted": set(given.muted),
                    "quiet_until": clock.to_text(int(until.timestamp() * 1_000)) if until else None,
                    "quiet_from": given.quiet_from,
                    "quiet_to": given.quiet_to,
                    "zone": given.zone,
                    "language": given.language,
                }
            )
            if given.digest_hours is None:
                return notification_states.without_digest(changed)
            now_ms = clock.now_ms()
            first = clock.to_text(now_ms + given.digest_hours * clock.HOUR_MS)
            now = clock.to_text(now_ms)
            return notification_states.with_digest(changed, given.digest_hours, first, now)

        has_digests = self.digests.is_offered
        return lambda: lists.settings_view(self._changed(request, made), has_digests=has_digests)

    @route_methods.reads(f"GET {_ALL}/push", *SCOPES.values())
    def get_push_key(self, request: Request[NoInput]) -> PushKey:
        """Return the key with which a browser subscribes to pushes."""
        del request
        return PushKey(key=vapid.public_key())

    # Without a key and a record of the change: it is the caller's own, and safe to repeat.
    @route_methods.reads(f"POST {_ALL}/push", *SCOPES.values())
    def subscribe_browser(self, request: Request[BrowserInput]) -> Subscribed:
        """Send pushes to a browser of the caller when something waits and no page is open. Safe to repeat."""
        caller, given = request.caller, request.input
        teams = map(principals.of_team, given.teams)
        subscriptions.add(self.deps.live, caller.company, caller.principal, teams, given.endpoint)
        return Subscribed(is_subscribed=True)

    @route_methods.reads(f"POST {_ALL}/push/end", *SCOPES.values())
    def unsubscribe_browser(self, request: Request[EndedBrowserInput]) -> Subscribed:
        """Send no more pushes to a browser of the caller. Safe to repeat."""
        caller = request.caller
        key = PushSubscription.key(caller.company, caller.principal, request.input.endpoint)
        subscriptions.remove(self.deps.live, key)
        return Subscribed(is_subscribed=False)

    def _lacks_address(self, caller: Caller) -> bool:
        """Whether mails cannot reach the caller. Unknown while the user pool does not answer: the first mail tells."""
        try:
            found = self.digests.recipients.find(caller.company, caller.principal)
        except (ClientError, BotoCoreError) as failure:
            logger.warning("address not looked up", extra=describe(failure))
            return False
        return found is not None and found.address is None

    def _changed(
        self,
        request: Request[ReadInput] | Request[SettingsInput],
        made: Callable[[NotificationState], NotificationState],
    ) -> NotificationState:
        caller = request.caller
        return notification_states.change(self.deps.table, caller.company, caller.principal, made)
